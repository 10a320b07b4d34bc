"""Laws of those who are waited for: machines that answer at once or at the end, and patients who come to visits."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from belated.simulate.laws.law import DelayLaw, Occasion, check_inner, require
from belated.simulate.laws.registry import law


@law
@dataclass(frozen=True)
class bathtub(DelayLaw):
    """Many answers early, few in between, and the stragglers all but together late.

    With a = early_shape < 1 < b = late_shape,
        P(d > x) = exp(−(x/early)ᵃ − (x/late)ᵇ),
    so that what still waits arrives at a rate that falls, is low for long and then rises, as a bathtub [xie1996].
    """

    early: float
    late: float
    early_shape: float = 0.5
    late_shape: float = 5.0

    def __post_init__(self) -> None:
        require("bathtub", "early", self.early, lambda scale: scale > 0, "a number above 0")
        require("bathtub", "late", self.late, lambda scale: scale > 0, "a number above 0")
        require("bathtub", "early_shape", self.early_shape, lambda a: 0 < a < 1, "a number between 0 and 1")
        require("bathtub", "late_shape", self.late_shape, lambda b: b > 1, "a number above 1")

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """The earlier of two of Weibull's variables, one with each shape."""
        # A power past the largest double comes later than any round there is.
        with np.errstate(over="ignore"):
            first, second = rng.standard_exponential(2)
            return float(
                min(
                    self.early * first ** np.float64(1.0 / self.early_shape),
                    self.late * second ** np.float64(1.0 / self.late_shape),
                )
            )


@law
@dataclass(frozen=True)
class visits(DelayLaw):
    """Answers are read at visits, the first one after the time that `law` says, unless the patient stays away before.

    Visits are at `every`, 2 · every, … after the ask. Before each visit the patient drops out with probability
    `dropout`, so that of answers that need k visits the share (1 − dropout)ᵏ comes; the others never do.
    """

    law: DelayLaw
    every: float = 7.0
    dropout: float = 0.0

    def __post_init__(self) -> None:
        check_inner("visits()", self.law)
        require("visits", "every", self.every, lambda every: every > 0, "a number above 0")
        require("visits", "dropout", self.dropout, lambda p: 0 <= p <= 1, "a probability")

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """The time of the visit; chance is drawn either way, so that dropouts change no other delay."""
        needed = self.law.draw(occasion, rng)
        stays = rng.random()
        # What is longer than there are doubles for is no whole number of visits; it comes when it comes.
        visit = max(math.ceil(needed / self.every), 1) if needed / self.every < math.inf else math.inf
        return max(visit * self.every, needed) if stays < (1.0 - self.dropout) ** visit else math.inf
