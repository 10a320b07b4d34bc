"""Laws made of other laws, or of a list: answers that never come, several kinds of answers, delays seen before."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from belated.errors import ParameterError
from belated.simulate.laws.law import DelayLaw, Occasion, check_inner, entries, numbers, require
from belated.simulate.laws.registry import law

# What rounding may leave of a sum of probabilities.
ROUNDING = 1e-9


@law
@dataclass(frozen=True)
class never(DelayLaw):
    """No answer ever comes."""

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        return math.inf


@law
@dataclass(frozen=True)
class lost(DelayLaw):
    """With this probability the answer never comes; otherwise it takes as long as `law` says."""

    probability: float
    law: DelayLaw

    def __post_init__(self) -> None:
        require("lost", "probability", self.probability, lambda p: 0 <= p <= 1, "a probability")
        check_inner("lost()", self.law)

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """Infinity, or the other law's delay, which is drawn either way so that losing more changes no other."""
        is_lost = rng.random() < self.probability
        delay = self.law.draw(occasion, rng)
        return math.inf if is_lost else delay


@law
@dataclass(frozen=True)
class mixture(DelayLaw):
    """Each answer follows one of the `laws`, the k-th with the k-th probability."""

    probabilities: Sequence[float]
    laws: Sequence[DelayLaw]

    def __post_init__(self) -> None:
        listed = numbers("mixture", "probabilities", self.probabilities, lambda p: 0 <= p <= 1, "a probability")
        object.__setattr__(self, "probabilities", listed)
        object.__setattr__(self, "laws", entries("mixture", "laws", self.laws))
        for part in self.laws:
            check_inner("mixture()", part)
        if len(self.probabilities) != len(self.laws) or abs(sum(self.probabilities) - 1) > ROUNDING:
            raise ParameterError(
                f"mixture(): got {len(self.probabilities)} probabilities that sum to {sum(self.probabilities):g} for "
                f"{len(self.laws)} laws; give one for each law, with the sum 1."
            )

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """The delay of the law that chance picks; all are drawn, so that other probabilities change no delay."""
        shares = np.cumsum(self.probabilities)
        picked = int(np.searchsorted(shares / shares[-1], rng.random(), side="right"))
        return [part.draw(occasion, rng) for part in self.laws][picked]


@law
@dataclass(frozen=True)
class replayed(DelayLaw):
    """Delays from a list, inf for never; after its end as `then` says, or from the start again."""

    delays: Sequence[float]
    then: DelayLaw | None = None

    def __post_init__(self) -> None:
        rule = "a number of at least 0, or inf for never"
        object.__setattr__(self, "delays", numbers("replayed", "delays", self.delays, lambda d: d >= 0, rule))
        if self.then is not None:
            check_inner("replayed()", self.then)

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """The entry of the query's number."""
        place = occasion.number - 1
        if place >= len(self.delays) and self.then is not None:
            return self.then.draw(occasion, rng)
        return float(self.delays[place % len(self.delays)])
