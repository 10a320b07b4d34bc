"""Thompson sampling: the best point of one function drawn from the belief."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from belated.beliefs import Combined, Function, Readable
from belated.randomness import Stream
from belated.rules.needs import Need, needs_of
from belated.rules.situation import Situation
from belated.rules.widths import Constant, Width
from belated.search import MomentScore, Score
from belated.space import Array


@dataclass(frozen=True)
class Thompson:
    """x_t = argmax f_t(x) with f_t ~ GP(μ, ν_t² σ²), ν_t the inflation [thompson1933; verma2022, eq. 3]."""

    inflation: Width = field(default_factory=lambda: Constant(1.0))

    def describe(self) -> str:
        """What it does, in words."""
        return "the best point of a function drawn from the belief"

    @property
    def needs(self) -> frozenset[Need]:
        """What the inflation needs."""
        return needs_of(self.inflation)

    def choose(self, situation: Situation) -> Array:
        """The maximiser of one draw."""
        return situation.maximise(self.score(situation))

    def score(self, situation: Situation) -> Score:
        """One draw from the belief, its deviations from the mean inflated."""
        drawn = situation.belief.draw(situation.random(Stream.CHOICE))
        inflation = self.inflation(situation)
        return drawn if inflation == 1.0 else Inflated(drawn, situation.belief, inflation)


@dataclass(frozen=True)
class Inflated:
    """μ + ν (f − μ): a draw from the belief with its deviation times ν."""

    drawn: Function
    belief: Readable
    inflation: float

    def values(self, points: Array) -> Array:
        """The inflated draw at some points."""
        mean = self.belief.moments(points).mean
        return mean + self.inflation * (self.drawn.values(points) - mean)

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """The inflated draw and its gradient."""
        values, gradients = self.drawn.slopes(points)
        mean, mean_gradients = MomentScore(self.belief, mean_alone).slopes(points)
        rest = 1.0 - self.inflation
        return rest * mean + self.inflation * values, rest * mean_gradients + self.inflation * gradients


def mean_alone(mean: Array, deviation: Array) -> Combined:
    """The mean as a score."""
    return Combined(mean, np.ones_like(mean), np.zeros_like(deviation))
