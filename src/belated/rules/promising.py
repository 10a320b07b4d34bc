"""An upper bound when there is news, and exploration where the best may be when there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from belated.beliefs import Combined, Readable
from belated.checks import require_number
from belated.randomness import Stream
from belated.rules.confidence import UpperBound
from belated.rules.exploration import deviation_alone
from belated.rules.needs import Need
from belated.rules.situation import Situation
from belated.rules.widths import Constant
from belated.search import MomentScore, Score
from belated.space import Array

# What a unit outside of the region costs, in deviations that would have to be gained there: that of Vizier.
PENALTY = 10.0


@dataclass(frozen=True)
class BoundOrExplore:
    """UCB-PE: an upper bound after news, else pure exploration where the best may be [contal2013, algorithm 1].

    After an answer, x_t = argmax μ(x) + w σ(x). Without one since the last query, as Vizier has it [song2024],
        x_t = argmax σ(x) + 10 min(μ(x) + v σ_fb(x) − τ, 0),   τ = μ(x_i) at i = argmax μ(x_i) + w σ_fb(x_i),
    with w the width, v the `region`, x_i all points answered or under way, σ_fb from the answers and σ from all asked
    points. With probability `explore` news is not heeded, and with probability `bound` the upper bound is taken without
    any. Before any answer all of it is exploration.
    """

    width: float = 1.8
    region: float = 0.5
    explore: float = 0.1
    bound: float = 0.25

    needs: ClassVar = frozenset({Need.ONE_CONTEXT})

    def __post_init__(self) -> None:
        require_number(None, "width", self.width, low=0)
        require_number(None, "region", self.region, low=0)
        require_number(None, "explore", self.explore, low=0, high=1)
        require_number(None, "bound", self.bound, low=0, high=1)

    def describe(self) -> str:
        """What it does, in words."""
        return (
            f"the highest upper bound, {self.width:g} deviations above the mean, once an answer has come, and until "
            f"the next one the most uncertain point where the best may be"
        )

    def choose(self, situation: Situation) -> Array:
        """The point with the highest bound, or the most uncertain one that is promising."""
        return situation.maximise(self.score(situation))

    def score(self, situation: Situation) -> Score:
        """The bound or the exploration, whose turn it is."""
        drawn = float(situation.random(Stream.CHOICE).random())
        by_bound = drawn >= self.explore if situation.past.news else drawn < self.bound
        if by_bound and situation.answers:
            return UpperBound(Constant(self.width)).score(situation)
        return self.exploration(situation)

    def exploration(self, situation: Situation) -> Promising:
        """Exploration of the region in which the best may be."""
        asked = situation.past.asked_here
        mean, deviation = situation.known.moments(asked)
        threshold = float(mean[np.argmax(mean + self.width * deviation)]) if len(asked) else -np.inf
        return Promising(situation.known, situation.belief, self.region, threshold)


@dataclass(frozen=True, eq=False)
class Promising:
    """σ(x) + 10 min(μ_fb(x) + v σ_fb(x) − τ, 0): the deviation, less what lies outside of the region."""

    known: Readable
    belief: Readable
    region: float
    threshold: float

    def values(self, points: Array) -> Array:
        """The score at some points. (m,)"""
        lacking = self._lacking(*self.known.moments(points)).value
        return np.asarray(self.belief.moments(points).deviation + lacking)

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """The score and its gradient. (m,), (m, d)"""
        uncertain, widening = MomentScore(self.belief, deviation_alone).slopes(points)
        lacking, rising = MomentScore(self.known, self._lacking).slopes(points)
        return uncertain + lacking, widening + rising

    def _lacking(self, mean: Array, deviation: Array) -> Combined:
        lacking = mean + self.region * deviation - self.threshold
        slope = np.where(lacking < 0.0, PENALTY, 0.0)
        return Combined(PENALTY * np.minimum(lacking, 0.0), slope, self.region * slope)
