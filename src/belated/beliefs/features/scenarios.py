"""A regression on random features as it would be if some values of f were known, for many draws of them at once.

With L Lᵀ = A, D the points whose values are known, C = Φ_D A⁻¹ Φ_Dᵀ = R Rᵀ and P = R⁻¹ Φ_D A⁻¹, values μ_D + R u leave
    mean(x) = μ(x) + uᵀ P φ(x),   variance(x) = |L⁻¹ φ(x)|² − |P φ(x)|².
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from belated.beliefs.belief import Foreseen, Incumbents
from belated.beliefs.joint_draws import CONTENDERS, JointDraws, joint_draws, no_incumbents
from belated.space import Array

if TYPE_CHECKING:
    from belated.beliefs.features.regressions import FeatureIncline, Regressions

# Points are evaluated in pieces of this many feature values.
PIECE = 1 << 21
# What rounding leaves of the variance at a known value, as a share of that of f.
ROUNDING = 1e-14


@dataclass(frozen=True, eq=False)
class FeatureScenarios:
    """Draws of the values of one regression at some points."""

    regression: Regressions  # a set of one
    directions: Array  # (r, 2 D) P
    joint: JointDraws

    @property
    def best(self) -> Array:
        """The highest value at an incumbent in each scenario. (S,)"""
        return self.joint.best

    @property
    def draws(self) -> Array:
        """u. (S, r)"""
        return self.joint.draws

    def foreseen(self, points: Array) -> Foreseen:
        """The moments at some points; of many, some at a time."""
        step = max(1, PIECE // self.regression.maps.width)
        starts = range(0, max(1, len(points)), step)
        pieces = [self._foreseen(points[start : start + step]) for start in starts]
        return Foreseen(*(np.concatenate(parts, axis=-1) for parts in zip(*pieces, strict=True)))

    def outlook(self, points: Array) -> FeatureOutlook:
        """The moments at some points, with the way to their gradients."""
        incline = self.regression.incline(points)
        rest, deviation = self._left(incline)
        mean = incline.mean[0] + self.draws @ rest
        return FeatureOutlook(self, incline.features, incline.whitened, rest, mean, deviation)

    def _foreseen(self, points: Array) -> Foreseen:
        incline = self.regression.incline(points)
        rest, deviation = self._left(incline)
        return Foreseen(incline.mean[0], deviation, rest)

    def _left(self, incline: FeatureIncline) -> tuple[Array, Array]:
        """P φ, and the deviation that the known values leave. (r, m), (m,)"""
        rest = self.directions @ incline.features[0].T
        left = incline.deviation[0] ** 2 - np.einsum("ij,ij->j", rest, rest)
        return rest, np.sqrt(np.maximum(left, 0.0))


@dataclass(frozen=True, eq=False)
class FeatureOutlook:
    """Moments in each scenario, and what their gradients need."""

    scenarios: FeatureScenarios
    features: Array  # (1, m, 2 D)
    whitened: Array  # (1, m, 2 D)
    rest: Array  # (r, m) P φ
    mean: Array  # (S, m)
    deviation: Array  # (m,)

    def gradient(self, by_mean: Array, by_deviation: Array) -> Array:
        """The gradient of a score with these slopes in the means and the deviation. (m, d)"""
        own, regression = self.scenarios, self.scenarios.regression
        least = np.sqrt(ROUNDING) * float(regression.scales[0])
        by_variance = by_deviation / np.maximum(self.deviation, least)
        by_rest = own.draws.T @ by_mean - self.rest * by_variance
        weights = by_mean.sum(axis=0)[:, None] * regression.weights[0] + by_rest.T @ own.directions
        weights += by_variance[:, None] * (self.whitened[0] @ regression.inverse_roots[0])
        return regression.maps.slopes(self.features, weights[None])


def feature_scenarios(
    regression: Regressions, incumbents: Incumbents, count: int, rng: np.random.Generator
) -> FeatureScenarios:
    """So many joint draws of the values at the incumbents."""
    points = np.concatenate([_highest(regression, incumbents.answered), incumbents.open])
    if not len(points):
        return FeatureScenarios(
            regression, np.empty((0, regression.maps.width)), no_incumbents(float(regression.prior_means[0]))
        )
    incline = regression.incline(points)
    whitened = incline.whitened[0]
    covariance = whitened @ whitened.T
    variance = float(regression.scales[0]) ** 2
    known = joint_draws(incline.mean[0], covariance, len(incumbents.open), variance, count, rng)
    directions = known.inverse_root @ (whitened[known.places] @ regression.inverse_roots[0])
    return FeatureScenarios(regression, directions, known)


def _highest(regression: Regressions, points: Array) -> Array:
    """Those of the points with the highest means. (k, d)"""
    if len(points) <= CONTENDERS:
        return points
    mean = regression.moments(points).mean[0]
    return np.asarray(points[np.sort(np.argsort(-mean, kind="stable")[:CONTENDERS])])
