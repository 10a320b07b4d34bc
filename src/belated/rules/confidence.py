"""The upper confidence bound: the point whose plausible value is highest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from belated.beliefs import Combined
from belated.rules.described import Describing
from belated.rules.needs import Need, needs_of
from belated.rules.situation import Situation
from belated.rules.widths import Width
from belated.search import MomentScore
from belated.space import Array


@dataclass(frozen=True)
class UpperBound:
    """x_t = argmax μ(x) + w_t σ(x), with w_t the width [desautels2014, eq. 7; verma2022, eq. 2]."""

    width: Width

    def describe(self) -> str:
        """What it does, in words."""
        reach = f", {self.width.describe()} above the mean" if isinstance(self.width, Describing) else ""
        return f"the highest upper bound{reach}"

    @property
    def needs(self) -> frozenset[Need]:
        """What the width needs."""
        return needs_of(self.width)

    def choose(self, situation: Situation) -> Array:
        """The point with the highest upper confidence bound."""
        return situation.maximise(self.score(situation))

    def score(self, situation: Situation) -> MomentScore:
        """The upper confidence bound as a score."""
        width = self.width(situation)

        def combine(mean: Array, deviation: Array) -> Combined:
            return Combined(mean + width * deviation, np.ones_like(mean), np.full_like(mean, width))

        return MomentScore(situation.belief, combine)
