"""A score that is less near queries under way, as far as they may rule out that the maximum is there.

With M the best so far, f(x_j) ~ N(μ_j, σ_j²) and slopes of at most L, a query at x_j will show that the maximum lies no
nearer to it than (M − f(x_j))/L. The chance that x is outside that ball is
    φ_j(x) = Φ(z),   z = (L |x − x_j| − M + μ_j)/σ_j,
and a score is multiplied by it for every such query [gonzalez2016, proposition 1]. Here all is in logarithms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from belated.search.moments import is_logarithmic
from belated.search.score import Score
from belated.search.searches import Search
from belated.space.arrays import Array

LOG_ROOT_TWO_PI = 0.5 * np.log(2.0 * np.pi)
# Below this, softplus is the exponential to the last digit, and its logarithm the number itself.
LOW = -37.0


@dataclass(frozen=True, eq=False)
class Penalty:
    """Queries under way, what is expected of them, and how steep f is."""

    points: Array  # (k, d), in the belief's columns
    mean: Array  # (k,)
    deviation: Array  # (k,), above 0
    slope: float  # L
    best: float  # M
    origin: float  # the prior mean and deviation of f, in which a score that is no logarithm is measured
    unit: float

    def values(self, points: Array) -> Array:
        """Σ_j log φ_j. (m,)"""
        from scipy.special import log_ndtr  # as long to import as a whole room, and few need it

        return np.asarray(log_ndtr(self._z(self._distances(points))).sum(axis=1))

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """The same and its gradient; none at a query itself. (m,), (m, d)"""
        from scipy.special import log_ndtr

        distances = self._distances(points)
        z = self._z(distances)
        logs = log_ndtr(z)
        by_distance = np.exp(-0.5 * z * z - LOG_ROOT_TWO_PI - logs) * self.slope / self.deviation
        shares = np.divide(by_distance, distances, out=np.zeros_like(distances), where=distances > 0.0)
        gradient = shares.sum(axis=1)[:, None] * points - shares @ self.points
        return logs.sum(axis=1), gradient

    def _distances(self, points: Array) -> Array:
        return np.asarray(np.linalg.norm(points[:, None, :] - self.points, axis=2))

    def _z(self, distances: Array) -> Array:
        return (self.slope * distances - self.best + self.mean) / self.deviation


@dataclass(frozen=True, eq=False)
class Penalised:
    """log g(s(x)) + Σ_j log φ_j(x), with g(s) = s for a score that is a logarithm of it, and else softplus(s)."""

    score: Score
    penalty: Penalty
    logarithmic: ClassVar = True

    def values(self, points: Array) -> Array:
        """The penalised score. (m,)"""
        values = self.score.values(points)
        return self._logarithm(values)[0] + self.penalty.values(points)

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """The penalised score and its gradient. (m,), (m, d)"""
        values, gradients = self.score.slopes(points)
        logarithms, by_score = self._logarithm(values)
        lost, inclines = self.penalty.slopes(points)
        return logarithms + lost, by_score[:, None] * gradients + inclines

    def _logarithm(self, values: Array) -> tuple[Array, Array]:
        """log g of a score, and its derivative."""
        if is_logarithmic(self.score):
            return values, np.ones_like(values)
        scaled = (values - self.penalty.origin) / self.penalty.unit
        soft = np.logaddexp(0.0, np.maximum(scaled, LOW))
        logarithms = np.where(scaled > LOW, np.log(soft), scaled)
        # The logistic function over softplus, which tends to 1 far below.
        return logarithms, np.where(scaled > LOW, -np.expm1(-soft) / soft, 1.0) / self.penalty.unit


@dataclass(frozen=True, eq=False)
class PenalisedSearch:
    """A search whose scores are penalised."""

    within: Search
    penalty: Penalty

    def best(self, score: Score, rng: np.random.Generator) -> Array:
        """The point with the highest penalised score. (d,)"""
        return self.within.best(Penalised(score, self.penalty), rng)

    def summit(self, score: Score, rng: np.random.Generator) -> tuple[Array, float]:
        """The point, and its penalised score."""
        return self.within.summit(Penalised(score, self.penalty), rng)
