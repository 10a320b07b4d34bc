"""Rounds of queries, each a fresh start: only its own points count."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np

from belated.beliefs import Belief
from belated.checks import require_count, require_number
from belated.evidence import Evidence
from belated.log import FOREVER, Window

B = TypeVar("B", bound=Belief)


@dataclass(frozen=True)
class Rounds:
    """The rounds of a horizon T: q_0 = 1, q_r = ⌈√(T q_{r−1})⌉, t_r = ⌈q_r + u⌉, the last one cut [vakili2023]."""

    horizon: int
    allowance: float | tuple[float, ...] = 0.0  # u: one, or one for each round, the last of them also for those after

    def __post_init__(self) -> None:
        require_count("Rounds", "horizon", self.horizon)
        for allowance in self._allowances:
            require_number("Rounds", "allowance", allowance, low=0)

    @property
    def _allowances(self) -> tuple[float, ...]:
        return self.allowance if isinstance(self.allowance, tuple) else (self.allowance,)

    def ends(self) -> tuple[int, ...]:
        """The numbers of the last queries of the rounds, rising to T."""
        ends: list[int] = []
        total, q = 0, 1.0
        while total < self.horizon:
            q = float(np.ceil(np.sqrt(self.horizon * q)))
            allowance = self._allowances[min(len(ends), len(self._allowances) - 1)]
            total = min(self.horizon, total + int(np.ceil(q + allowance)))
            ends.append(total)
        return tuple(ends)

    def bounds(self, number: int) -> list[tuple[int, int]]:
        """First and last query of every round that has begun by query `number`, that query's round the last."""
        return [(before + 1, end) for before, end in pairwise((0, *self.ends())) if before < number]


@dataclass(frozen=True)
class WithinRound:
    """The belief from the points of the current round alone, answered or not [vakili2023, eq. 7].

    Only its deviation is read, which needs no values: every point counts as answered with the prior mean, those that
    have answers with their errors.
    """

    rounds: Rounds
    window: Window = FOREVER

    def describe(self) -> str:
        """What becomes of pending queries, in words."""
        return "count as answered for the rest of their round"

    def __call__(self, prior: B, evidence: Evidence, now: float) -> B:
        """The belief after the round's points so far."""
        first, _ = self.rounds.bounds(evidence.n_asked + 1)[-1]
        points, _, errors = evidence.by_row(evidence.asked_rows(first, evidence.n_asked))
        return prior.condition(points, prior.moments(points).mean, errors)
