"""A Gaussian process as it would be if some values of f were known, for many draws of them at once.

With W, z and V = W k(X, ·) those of the process, D the points whose values are known, C = k(D, D) − V_Dᵀ V_D = R Rᵀ and
v = μ_D + R u, conditioning on f(D) = v appends the rows w(x) = R⁻¹ (k(D, x) − V_Dᵀ V(x)) to V and u to z:
    mean(x) = μ(x) + uᵀ w(x),   variance(x) = σ²(x) − |w(x)|².
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from belated.beliefs.belief import Foreseen, Incumbents
from belated.beliefs.joint_draws import CONTENDERS, JointDraws, joint_draws, no_incumbents
from belated.beliefs.kernels.kernel import Crossing
from belated.space import Array

if TYPE_CHECKING:
    from belated.beliefs.process.gaussian import GaussianProcess

# What rounding leaves of the variance at a known value, as a share of that of f.
ROUNDING = 1e-14


@dataclass(frozen=True, eq=False)
class ProcessScenarios:
    """Draws of the values of one process at some points."""

    process: GaussianProcess
    points: Array  # (r, d) D
    whitened: Array  # (n, r) V_D
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
        """The moments at some points; on the process's own table, from what is kept."""
        process = self.process
        factor, kept = process.own_factor, process.on(points)
        if kept is not None:
            across = process.kernel.gram(self.points, points)
            across -= kept.columns.mean(factor, self.whitened.T)
            return _foreseen(kept.mean(), kept.deviation() ** 2, self.joint.inverse_root @ across)
        n = len(self.whitened)
        gram = process.kernel.gram(np.concatenate([factor.points, self.points]), points)
        whitened = factor.inverse @ gram[:n]
        return _foreseen(*self._of_answers(points, whitened), self._rest(gram[n:], whitened))

    def outlook(self, points: Array) -> ProcessOutlook:
        """The moments at some points, with the way to their gradients."""
        process = self.process
        n = len(self.whitened)
        crossing = process.kernel.crossing(np.concatenate([process.own_factor.points, self.points]), points)
        whitened = process.own_factor.inverse @ crossing.gram[:n]
        rest = self._rest(crossing.gram[n:], whitened)
        mean, deviation, _ = _foreseen(*self._of_answers(points, whitened), rest)
        return ProcessOutlook(self, points, crossing, whitened, rest, mean + self.draws @ rest, deviation)

    def _of_answers(self, points: Array, whitened: Array) -> tuple[Array, Array]:
        """Mean and variance from the answers alone. (m,), (m,)"""
        process = self.process
        variance = process.kernel.diagonal(points) - np.einsum("ij,ij->j", whitened, whitened)
        return process.prior_mean + process.whitened_residual @ whitened, variance

    def _rest(self, across: Array, whitened: Array) -> Array:
        """w, what the known values add to the whitened rows of the answers. (r, m)"""
        return np.asarray(self.joint.inverse_root @ (across - self.whitened.T @ whitened))


def _foreseen(mean: Array, variance: Array, rest: Array) -> Foreseen:
    left = variance - np.einsum("ij,ij->j", rest, rest)
    return Foreseen(mean, np.sqrt(np.maximum(left, 0.0)), rest)


@dataclass(frozen=True, eq=False)
class ProcessOutlook:
    """Moments in each scenario, and what their gradients need."""

    scenarios: ProcessScenarios
    points: Array  # (m, d)
    crossing: Crossing
    whitened: Array  # (n, m) V
    rest: Array  # (r, m) w
    mean: Array  # (S, m)
    deviation: Array  # (m,)

    def gradient(self, by_mean: Array, by_deviation: Array) -> Array:
        """The gradient of a score with these slopes in the means and the deviation. (m, d)

        The slopes in w and V first, then through w in V and in k(D, x), then all through the kernel at once.
        """
        own, process = self.scenarios, self.scenarios.process
        # The slope of the deviation grows without bound where it vanishes; we stop at rounding's reach.
        by_variance = by_deviation / np.maximum(self.deviation, np.sqrt(ROUNDING) * process.scale)
        by_rest = own.draws.T @ by_mean - self.rest * by_variance
        by_known = own.joint.inverse_root.T @ by_rest
        by_whitened = np.outer(process.whitened_residual, by_mean.sum(axis=0)) - self.whitened * by_variance
        by_whitened -= own.whitened @ by_known
        drift = np.concatenate([process.own_factor.inverse.T @ by_whitened, by_known])
        gradient = self.crossing.slopes(drift)
        gradient += process.kernel.diagonal_slopes(self.points) * (0.5 * by_variance)[:, None]
        return gradient


def process_scenarios(
    process: GaussianProcess, incumbents: Incumbents, count: int, rng: np.random.Generator
) -> ProcessScenarios:
    """So many joint draws of the values at the incumbents."""
    factor, kernel = process.own_factor, process.kernel
    answered = _highest(process, incumbents.answered)
    points = np.concatenate([answered, incumbents.open])
    if not len(points):
        return ProcessScenarios(process, points, np.empty((factor.size, 0)), no_incumbents(process.prior_mean))
    whitened = factor.inverse @ kernel.gram(factor.points, points)
    mean = process.prior_mean + process.whitened_residual @ whitened
    covariance = kernel.gram(points, points) - whitened.T @ whitened
    known = joint_draws(mean, covariance, len(incumbents.open), kernel.variance, count, rng)
    return ProcessScenarios(process, points[known.places], whitened[:, known.places], known)


def _highest(process: GaussianProcess, points: Array) -> Array:
    """Those of the points with the highest means. (k, d)"""
    if len(points) <= CONTENDERS:
        return points
    factor = process.own_factor
    weights = factor.inverse.T @ process.whitened_residual
    mean = weights @ process.kernel.gram(factor.points, points)
    return np.asarray(points[np.sort(np.argsort(-mean, kind="stable")[:CONTENDERS])])
