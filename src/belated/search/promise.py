"""What a score promises where asking may come to nothing: the score, less what a small chance of success costs.

A rule scores points as if each gave an answer. Where some have failed, the search maximises
    s(x) + u log min(P(success at x)/p, 1)
instead. A chance of at least p is as good as sure: so the border of what works can be come back to, and failures that
have nothing to do with the point keep nobody from it. For a score in units of f, each halving of the chance costs one
prior deviation of f. A score that is a logarithm, as that of expected improvement, has a unit of its own: with u = 1 it
would be the logarithm of what is gained times its chance, for which a failed query costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from belated.beliefs import ENOUGH
from belated.search.moments import is_logarithmic
from belated.search.score import Score
from belated.space import Array

# Of prior deviations, what a nat of chance is worth: with half as much, a rule goes on where nothing ever works.
HALVING = 1.0 / float(np.log(2.0))
# The same for logarithms of gains: with 1, two queries of three fail where f is best beyond a border; with 8, two of
# five, and what is found is as good.
LOGARITHMIC = 8.0


@dataclass(frozen=True, eq=False)
class Odds:
    """log min(P/p, 1) for the chance P of success at a point, and the prior deviation of f."""

    log_chance: Score
    deviation: float

    def values(self, points: Array) -> Array:
        """What the chance at some points takes away, in nats. (m,)"""
        return np.asarray(np.minimum(self.log_chance.values(points) - np.log(ENOUGH), 0.0))

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """The same, and its gradient. (m,), (m, d)"""
        chances, gradients = self.log_chance.slopes(points)
        lost = chances - np.log(ENOUGH)
        return np.minimum(lost, 0.0), np.where(lost[:, None] >= 0.0, 0.0, gradients)

    def promise(self, worth: Score, score: Score) -> Promise:
        """What points promise, given what they are worth by the score of a rule."""
        return Promise(worth, self, self.unit(score))

    def unit(self, score: Score) -> float:
        """What a nat of chance is worth in units of a score."""
        return LOGARITHMIC if is_logarithmic(score) else HALVING * self.deviation


@dataclass(frozen=True, eq=False)
class Promise:
    """A score and, in its unit, what the chance of success takes away."""

    score: Score
    odds: Odds
    unit: float

    def values(self, points: Array) -> Array:
        """What some points promise. (m,)"""
        return self.score.values(points) + self.unit * self.odds.values(points)

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """The same, and its gradient. (m,), (m, d)"""
        values, gradients = self.score.slopes(points)
        lost, inclines = self.odds.slopes(points)
        return values + self.unit * lost, gradients + self.unit * inclines
