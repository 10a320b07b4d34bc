"""Lies: a pending query counts as answered with a value that is not what is expected of it.

A low one keeps others away from its place, a high one draws them near. The deviation narrows there, whatever the value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeVar, get_args

import numpy as np

from belated.beliefs import Belief, Expecting
from belated.checks import require_number
from belated.errors import ParameterError
from belated.evidence import Evidence
from belated.log import FOREVER, Window, as_window
from belated.pending.treatments import with_imagined
from belated.space import Array

B = TypeVar("B", bound=Belief)
Told = Literal["worst", "mean", "best"]


@dataclass(frozen=True)
class Lie:
    """Unanswered queries count as answered with one value, that of the constant liar [ginsbourger2010].

    It is the worst answer so far, their mean, or the best: of minimised answers the largest is the worst. Before any
    answer it is the prior mean. Unlike `Censor`, it leaves the prior mean where it is.
    """

    told: Told = "worst"
    window: Window = FOREVER

    def __post_init__(self) -> None:
        if self.told not in get_args(Told):
            raise ParameterError(
                f"Lie(told={self.told!r}): what is told of pending queries is the 'worst' answer so far, the 'mean' "
                f"of all or the 'best'; give one of them."
            )
        object.__setattr__(self, "window", as_window(self.window, "Lie"))

    def describe(self) -> str:
        """What becomes of pending queries, in words."""
        of_answers = "mean of all answers" if self.told == "mean" else f"{self.told} answer"
        return f"count as answered with the {of_answers} so far"

    def __call__(self, prior: B, evidence: Evidence, now: float) -> B:
        """The belief in which all pending queries have the same answer."""
        values = evidence.values[evidence.answered_mask]

        def lie(known: Expecting, points: Array) -> Array:
            mean = known.moments(points).mean
            if not len(values):
                return mean
            told = {"worst": values.min(), "mean": values.mean(), "best": values.max()}[self.told]
            return np.full_like(mean, told)

        return with_imagined(prior, evidence, lie)


@dataclass(frozen=True)
class ExpectLess:
    """Unanswered queries count as answered with less than is expected of them, a pessimistic prediction [volk2026].

        ỹ_s = μ(x_s) − c σ(x_s),  from the answers alone.
    c = 0 is hallucination. Unlike a constant lie, it asks little of a place of which much is known.
    """

    deviations: float = 1.0
    window: Window = FOREVER

    def __post_init__(self) -> None:
        require_number("ExpectLess", "deviations", self.deviations, low=0)
        object.__setattr__(self, "window", as_window(self.window, "ExpectLess"))

    def describe(self) -> str:
        """What becomes of pending queries, in words."""
        deviations = "1 deviation" if self.deviations == 1.0 else f"{self.deviations:g} deviations"
        return f"count as answered with {deviations} less than is expected of them"

    def __call__(self, prior: B, evidence: Evidence, now: float) -> B:
        """The belief in which pending queries have disappointed."""

        def less(known: Expecting, points: Array) -> Array:
            mean, deviation = known.moments(points)
            return mean - self.deviations * deviation

        return with_imagined(prior, evidence, less)
