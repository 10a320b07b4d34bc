"""The exact Gaussian process: a prior, what it was conditioned on, and everything read from it.

With r the values less the prior mean, W = L⁻¹ for L Lᵀ = K + N, and z = W r,
    mean(x) = m + k(x)ᵀ Wᵀ z,   variance(x) = k(x, x) − |W k(x)|²   [rasmussen2006, eq. 2.25–2.26].
N is diagonal: σ² for a single measurement, σ²/n for the mean of n, and sd² where a standard error was told.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from belated.beliefs.answer_noise import log_scatter, noise_variances
from belated.beliefs.belief import Combine, Function, Imagine, Incumbents, Moments, Weighted
from belated.beliefs.kernels.arithmetic import total
from belated.beliefs.kernels.kernel import Crossing, Kernel
from belated.beliefs.memory import Memory
from belated.beliefs.process.factor import Factor
from belated.beliefs.process.information import greedy_gains
from belated.beliefs.process.on_table import CandidateTable, OnTable
from belated.beliefs.process.paths import WAVES, Path, table_draw
from belated.beliefs.process.scenarios import process_scenarios
from belated.beliefs.schedule import Milestones, doubling
from belated.evidence import Data, Errors
from belated.space import Array, Mask

# Largest table on which draws are exactly joint; past it, its N × N factor is too dear, and paths draw instead.
JOINT_TABLE = 2500

# Contexts of which a total is taken at once.
LARGEST_SQUARE = 2048


@dataclass(frozen=True)
class Setting:
    """Where a belief lives: the table or the levels of its space, how factors grow, and what is remembered."""

    dimension: int
    levels: tuple[int | None, ...]
    table: CandidateTable | None = field(default=None, compare=False)
    growth: Milestones = doubling
    memory: Memory = field(default_factory=Memory, compare=False)


@dataclass(frozen=True, eq=False)
class GaussianProcess:
    """A Gaussian process over the unit cube, given the answers it was conditioned on."""

    kernel: Kernel
    noise: float  # σ², the variance of one measurement
    prior_mean: float
    setting: Setting
    values: Array = field(default_factory=lambda: np.empty(0))  # (n,)
    factor: Factor | None = None
    log_scatter: float = 0.0  # the log density of repeats about their means

    def condition(self, points: Array, values: Array, errors: Errors | None = None) -> GaussianProcess:
        """The process after these answers too, in this order."""
        noises, scatter = np.full(len(values), self.noise), self.log_scatter
        if errors is not None:
            noises = noise_variances(errors, self.noise, self.kernel.variance)
            scatter += log_scatter(errors, self.noise).value
        if self.factor is not None:
            points = np.concatenate([self.factor.points, points])
            noises = np.concatenate([self.factor.noises, noises])
        factor = self.setting.memory.factor(self.kernel, noises, points, self.setting.growth)
        return replace(self, values=np.concatenate([self.values, values]), factor=factor, log_scatter=scatter)

    def completed(self, known: GaussianProcess, told: Data, missing: Mask, imagine: Imagine) -> GaussianProcess:
        """This prior after these answers, of which the missing ones are imagined by what is known."""
        return self.condition(*told.filled(missing, imagine(known, told.points[missing])))

    def with_mean(self, prior_mean: float) -> GaussianProcess:
        """The same process around another prior mean."""
        return replace(self, prior_mean=prior_mean)

    def remembering(self, memory: Memory) -> GaussianProcess:
        """The same process with another memory."""
        return replace(self, setting=replace(self.setting, memory=memory))

    def expert(self, rng: np.random.Generator) -> GaussianProcess:
        return self

    def with_values(self, values: Array) -> GaussianProcess:
        """The same process had its points been answered otherwise."""
        return replace(self, values=values)

    def moments(self, points: Array) -> Moments:
        """Mean and deviation at some points; on the table itself, from what is kept up to date."""
        kept = self.on(points)
        if kept is not None:
            return kept.moments()
        factor = self.own_factor
        across = self.kernel.gram(factor.points, points)
        whitened = factor.inverse @ across
        mean = self.prior_mean + self.whitened_residual @ whitened
        variance = self.kernel.diagonal(points) - np.einsum("ij,ij->j", whitened, whitened)
        # Near an answered point, rounding can leave a variance just below zero.
        return Moments(mean, np.sqrt(np.maximum(variance, 0.0)))

    def slopes(self, points: Array, combine: Combine) -> tuple[Array, Array]:
        """A score made of the moments, and its gradient."""
        incline = self.incline(points)
        combined = combine(incline.mean, incline.deviation)
        return combined.value, incline.gradient(combined.by_mean, combined.by_deviation)

    def incline(self, points: Array) -> Incline:
        """The moments at some points, and the way to their gradients."""
        crossing = self.kernel.crossing(self.own_factor.points, points)
        whitened = self.own_factor.inverse @ crossing.gram
        mean = self.prior_mean + self.whitened_residual @ whitened
        variance = self.kernel.diagonal(points) - np.einsum("ij,ij->j", whitened, whitened)
        # The slope of the deviation grows without bound where it vanishes; we stop at rounding's reach.
        deviation = np.sqrt(np.maximum(variance, 1e-14 * self.kernel.variance))
        return Incline(self, points, crossing, whitened, mean, deviation)

    def covariance(self, points: Array) -> Array:
        """The joint covariance of f at some points. (m, m)"""
        whitened = self.own_factor.inverse @ self.kernel.gram(self.own_factor.points, points)
        return self.kernel.gram(points, points) - whitened.T @ whitened

    def total(self, points: Array, weights: Array) -> tuple[float, float]:
        """Mean and deviation of Σ_i w_i f(x_i): m Σ w + aᵀ Wᵀ z and (wᵀ K w − |W a|²)^½ with a = Σ_i w_i k(x_i)."""
        whitened = self.own_factor.inverse @ (self.kernel.gram(self.own_factor.points, points) @ weights)
        mean = self.prior_mean * float(weights.sum()) + float(self.whitened_residual @ whitened)
        variance = self._prior_variance(points, weights) - float(whitened @ whitened)
        return mean, max(variance, 0.0) ** 0.5

    def _prior_variance(self, points: Array, weights: Array) -> float:
        """wᵀ K w before any answer; the same for points moved together, as all contexts at another decision are."""
        kernel = self.kernel
        if not kernel.stationary:
            return _quadratic(kernel, points, weights)
        offsets = points - points[0]
        return self.setting.memory.recall(
            "variance of a total",
            (kernel, offsets.tobytes(), weights.tobytes()),
            lambda: _quadratic(kernel, offsets, weights),
        )

    def information(self, points: Array) -> float:
        """I(f; y_A) = ½ log det(I + σ⁻² Σ_A), Σ_A the covariance of f at the points [desautels2014, eq. 3]."""
        if not len(points):
            return 0.0
        matrix = self.covariance(points) / self.noise
        matrix[np.diag_indices_from(matrix)] += 1.0
        return float(0.5 * np.linalg.slogdet(matrix)[1])

    def gains(self, points: Array) -> Array:
        """What each of these points would tell about f after those before it: ½ log(1 + σ⁻² σ²_{i−1}(x_i)). (k,)"""
        known = self.values.size
        pivots = self.condition(points, np.zeros(len(points))).own_factor.pivots[known:]
        return np.asarray(np.log(pivots) - 0.5 * np.log(self.noise))

    def greedy_gains(self, points: Array, count: int) -> Array:
        """What each step of uncertainty sampling on these points would tell, before any answer. (count,)"""
        return greedy_gains(self.kernel, self.noise, points, count)

    @property
    def scale(self) -> float:
        """The deviation before any answer, √k(x, x) of a stationary kernel."""
        return float(self.kernel.variance**0.5)

    @property
    def key(self) -> Hashable:
        """The kernel, its columns, the noise and the prior mean."""
        return self.kernel, self.setting.dimension, self.noise, self.prior_mean

    def log_evidence(self) -> float:
        """log N(y; m 1, K + N), how well the process explains what it was conditioned on.

        With the pivots of L and z = L⁻¹ r, it is −½ |z|² − Σ log pivot − (n/2) log 2π [rasmussen2006, eq. 2.30], and
        beside it the density of repeats about their means.
        """
        whitened = self.whitened_residual
        log_determinant = 2.0 * float(np.log(self.own_factor.pivots).sum())
        of_means = -0.5 * (float(whitened @ whitened) + log_determinant + len(whitened) * float(np.log(2.0 * np.pi)))
        return of_means + self.log_scatter

    def left_out(self, answers: Data) -> Moments:
        """What all others say of each of the last answers: mean and deviation of y_i given all but y_i.

        With A = (K + N)⁻¹ = Wᵀ W and α = A r: y_i − α_i / A_ii and A_ii^−½ [rasmussen2006, eq. 5.12].
        """
        first = len(self.values) - len(answers.values)
        inverse = self.own_factor.inverse
        precision = np.einsum("ij,ij->j", inverse, inverse)
        weights = inverse.T @ self.whitened_residual
        return Moments((self.values - weights / precision)[first:], (1.0 / np.sqrt(precision))[first:])

    def earlier(self, prior: GaussianProcess, answers: Data, count: int) -> GaussianProcess:
        """The process after the first `count` of these answers, which made it of the prior.

        The factor begins with that of its first answers, so that nothing is computed.
        """
        if self.factor is None:
            return prior.remembering(Memory()).condition(*answers.first(count))
        errors = answers.first(count).errors
        scatter = 0.0 if errors is None else log_scatter(errors, self.noise).value
        return replace(self, values=self.values[:count], factor=replace(self.factor, size=count), log_scatter=scatter)

    @property
    def jitter(self) -> float:
        """What had to be added to the noise before the covariance could be factorised; 0 almost always."""
        return self.own_factor.jitter

    def draw(self, rng: np.random.Generator) -> Function:
        """One function: joint on a table of moderate size, else a path by pathwise conditioning."""
        table = self.setting.table
        if table is not None and len(table) <= JOINT_TABLE:
            drawn = table_draw(OnTable(self, table), rng)
            if drawn is not None:
                return drawn
        return self.path(rng)

    def path(self, rng: np.random.Generator) -> Path:
        """One function over the whole cube, with gradients [wilson2020, eq. 13].

        f(x) = g(x) + k(x)ᵀ (K + N)⁻¹ (r − g(X) − ε), with g a prior path of random features.
        """
        prior = self.kernel.waves(self.setting.levels, self.setting.dimension, WAVES, rng)
        factor = self.own_factor
        noise = rng.standard_normal(factor.size) * np.sqrt(factor.noises)
        gap = self.values - self.prior_mean - total(waves.values(factor.points) for waves in prior) - noise
        weights = factor.inverse.T @ (factor.inverse @ gap)
        return Path(self.kernel, self.prior_mean, prior, factor.points, weights)

    def scenarios(self, incumbents: Incumbents, count: int, rng: np.random.Generator) -> tuple[Weighted, ...]:
        """So many joint draws of the values of f at the incumbents, and the process given each."""
        return (Weighted(1.0, process_scenarios(self, incumbents, count, rng)),)

    # On the table that the setting names.

    def on(self, points: Array) -> OnTable | None:
        """Itself on its own table, where these points are that; else None."""
        table = self.setting.table
        return OnTable(self, table) if table is not None and table.is_at(points) else None

    def deviation(self, points: Array) -> Array:
        """The deviation at some points; at rows of the table, from what is kept up to date. (m,)"""
        table = self.setting.table
        places = None if table is None else table.places(points)
        if table is None or places is None:
            return self.moments(points).deviation
        return OnTable(self, table).deviation(places)

    # What the process knows.

    @cached_property
    def own_factor(self) -> Factor:
        """The factor of the points that it was conditioned on, be they none."""
        if self.factor is not None:
            return self.factor
        nothing = np.empty((0, self.setting.dimension))
        return self.setting.memory.factor(self.kernel, np.empty(0), nothing, self.setting.growth)

    @cached_property
    def whitened_residual(self) -> Array:
        """z = W r. (n,)"""
        return np.asarray(self.own_factor.inverse @ (self.values - self.prior_mean))


def _quadratic(kernel: Kernel, points: Array, weights: Array) -> float:
    """wᵀ K w, with no matrix of more than LARGEST_SQUARE columns."""
    if len(points) <= LARGEST_SQUARE:
        return float(weights @ kernel.gram(points, points) @ weights)
    parts = [slice(start, start + LARGEST_SQUARE) for start in range(0, len(points), LARGEST_SQUARE)]
    return sum(float(weights @ (kernel.gram(points, points[part]) @ weights[part])) for part in parts)


@dataclass(frozen=True, eq=False)
class Incline:
    """Mean and deviation at some points, and what their gradients need."""

    process: GaussianProcess
    points: Array  # (m, d)
    crossing: Crossing
    whitened: Array  # (n, m)
    mean: Array  # (m,)
    deviation: Array  # (m,)

    def gradient(self, by_mean: Array, by_deviation: Array) -> Array:
        """The gradient of a score with these slopes in mean and deviation. (m, d)

        With u = (K + N)⁻¹ k(x) and α = (K + N)⁻¹ r, it is
            s_mean Σ_i α_i ∂k(x_i, x) + s_deviation (½ ∂k(x, x) − Σ_i u_i ∂k(x_i, x)) / deviation,
        one product with the kernel's slopes for both parts.
        """
        process = self.process
        by_variance = by_deviation / self.deviation
        drift = np.outer(process.whitened_residual, by_mean) - self.whitened * by_variance
        gradient = self.crossing.slopes(process.own_factor.inverse.T @ drift)
        gradient += process.kernel.diagonal_slopes(self.points) * (0.5 * by_variance)[:, None]
        return gradient
