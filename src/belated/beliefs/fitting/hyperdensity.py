"""The posterior density of a GP's hyperparameters, in coordinates without walls.

Every hyperparameter has bounds; its coordinate is the logit of where its logarithm lies between theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from belated.beliefs.answer_noise import log_scatter
from belated.beliefs.fitting.climb import Slope
from belated.beliefs.fitting.fit import LEAST_NOISE
from belated.beliefs.fitting.hyperlaws import Law
from belated.beliefs.fitting.likelihood import log_marginal_likelihood
from belated.beliefs.fitting.parameters import Parameters
from belated.beliefs.kernels.blocks import BLOCK
from belated.beliefs.kernels.hyperparameters import NOISE, VARIANCE
from belated.beliefs.kernels.kernel import Grams, Kernel
from belated.beliefs.process.cholesky import steadied
from belated.evidence import Errors
from belated.space.arrays import Array, Mask

# Logits of at most this size. From 37 on, a share is nothing or all by rounding, however steep the density is there,
# and what is beyond has the logit's own tails: room for the walkers that answers press against a bound.
FURTHEST = 60.0
# A climb begins at least such a share of the way from either bound.
INSIDE = 0.01
# More than any whitened answer squared.
HUGE = 1e290


@dataclass(frozen=True, eq=False)
class HyperparameterBounds:
    """The bounds of the hyperparameters, and the coordinates of what is between them.

    A place z has one coordinate per parameter whose bounds differ: log θ = log low + s (log high − log low) with
    s = 1/(1 + exp(−z)), and ds/dz = s (1 − s).
    """

    low: Array
    high: Array

    @cached_property
    def free(self) -> Mask:
        """Which parameters are not known."""
        return np.asarray(self.low < self.high)

    @cached_property
    def log_low(self) -> Array:
        return np.log(self.low)

    @cached_property
    def log_high(self) -> Array:
        return np.log(self.high)

    @cached_property
    def widths(self) -> Array:
        """log high − log low of the parameters that are not known."""
        return np.asarray((self.log_high - self.log_low)[self.free])

    def logs(self, places: Array) -> Array:
        """The logarithms at a place, or at the rows of many."""
        logs = np.broadcast_to(self.log_low, (*places.shape[:-1], len(self.low))).copy()
        logs[..., self.free] += self.widths / (1.0 + np.exp(-places))
        return logs

    def place(self, logs: Array) -> Array:
        """The place of these logarithms, moved INSIDE where it lies on a bound."""
        shares = np.clip((logs - self.log_low)[self.free] / self.widths, INSIDE, 1.0 - INSIDE)
        return np.asarray(np.log(shares / (1.0 - shares)))

    def parameters(self, place: Array) -> Array:
        """The hyperparameters at a place; rounding leaves none outside its bounds."""
        return np.clip(np.exp(self.logs(place)), self.low, self.high)


@dataclass(frozen=True, eq=False)
class Target:
    """The posterior of the hyperparameters, up to a constant, given values in the units of the law.

    A prior mean that is not known, None, has a flat law of its own and is integrated out.
    """

    points: Array  # (n, d)
    values: Array  # (n,)
    kernel: Kernel
    law: Law
    mean: float | None
    box: HyperparameterBounds
    errors: Errors | None = None

    @cached_property
    def parameters(self) -> Parameters:
        """What is learned, in the order of the box."""
        return Parameters.of(self.kernel, self.points.shape[1])

    @cached_property
    def prior(self) -> Slope:
        """The law's log density of θ."""
        return self.law.over(self.parameters)

    @cached_property
    def grams(self) -> Grams:
        """The Gram matrices of the points under any θ."""
        return self.kernel.grams(self.points)

    def log_densities(self, places: Array) -> Array:
        """log p(z | y) = log p(y | θ) + log p(θ) + Σ log θ + Σ log s (1 − s) for every place z, up to a constant.

        The third term is the Jacobian of the logarithm, and the last that of the logit; log s (1 − s) is
        −|z| − 2 log(1 + exp(−|z|)).
        """
        sizes = np.abs(places)
        within = sizes.max(axis=1, initial=0.0) <= FURTHEST
        densities = np.full(len(places), -np.inf)
        logs = self.box.logs(places[within])
        priors = np.array([self.prior(row)[0] for row in logs])
        logits = -np.sum(sizes + 2.0 * np.log1p(np.exp(-sizes)), axis=1)[within]
        densities[within] = self.log_evidences(logs) + priors + logs.sum(axis=1) + logits
        return densities

    def log_evidences(self, logs: Array) -> Array:
        """log p(y | θ) of every row of logarithms, up to a constant; some at a time, that stay in the cache."""
        step = max(1, BLOCK // len(self.values) ** 2)
        blocks = [self._log_evidences(logs[start : start + step]) for start in range(0, len(logs), step)]
        return np.concatenate([np.empty(0), *blocks])

    def _log_evidences(self, logs: Array) -> Array:
        """log p(y | θ) for a known prior mean or integrated over a flat one, up to a constant.

        With C = K + N, N the noises of the answers, and μ its most likely mean, 1ᵀ C⁻¹ y / 1ᵀ C⁻¹ 1,
            −½ (y − μ 1)ᵀ C⁻¹ (y − μ 1) − ½ log |C| − ½ log 1ᵀ C⁻¹ 1   [rasmussen2006, eq. 2.45],
        of which a known mean lacks the last term. One factor has all of that: below the factor L of C, that of
            [C  B; Bᵀ  τ I]  with B = [1  y]
        has the rows (L⁻¹ B)ᵀ, whatever the τ that is large enough.
        """
        n = len(self.values)
        columns = dict(zip(self.parameters.names, logs.T, strict=True))
        bordered = np.zeros((len(logs), n + 2, n + 2))
        bordered[:, :n, :n] = self.grams.at(columns)
        noises = np.exp(columns[NOISE.name])
        np.einsum("mii->mi", bordered)[:, :n] += self._ridges(noises)
        bordered[:, n, :n] = 1.0
        bordered[:, n + 1, :n] = self.values
        np.einsum("mii->mi", bordered)[:, n:] = HUGE
        lower = _factors(bordered, n)
        log_determinants = 2.0 * np.log(np.einsum("mii->mi", lower)[:, :n]).sum(axis=1)
        ones, values = lower[:, n, :n], lower[:, n + 1, :n]
        precisions = np.sum(ones**2, axis=1)
        if self.mean is None:
            # What `level` computes from C⁻¹ 1, here from rows that are whitened already, of many at once.
            levels = np.sum(ones * values, axis=1) / precisions
            log_determinants += np.log(precisions)
        else:
            levels = np.full(len(logs), self.mean)
        of_means = -0.5 * (np.sum((values - levels[:, None] * ones) ** 2, axis=1) + log_determinants)
        if self.errors is not None:
            of_means += [log_scatter(self.errors, noise).value for noise in noises]
        return np.asarray(of_means)

    def _ridges(self, noises: Array) -> Array:
        """The noise variances of the answers under each of these σ²; one column where they are all alike."""
        if self.errors is None:
            return noises[:, None]
        return np.asarray(self.errors.told_variances + noises[:, None] * self.errors.shares)

    def log_slope(self, logs: Array) -> tuple[float, Array]:
        """log p(log θ | y) up to a constant, and its slopes: at the most likely mean where the mean is not known."""
        kernel, noise = self.parameters.learned(logs)
        evidence = log_marginal_likelihood(self.points, self.values, kernel, noise, self.mean, self.errors)
        log_prior, slopes = self.prior(logs)
        by_logs = self.parameters.vector(evidence.slopes)
        return evidence.value + log_prior + float(logs.sum()), by_logs + slopes + 1.0

    def slope(self, place: Array) -> tuple[float, Array]:
        """log p(z | y) up to a constant, and its slopes, up to a constant too."""
        value, slopes = self.log_slope(self.box.logs(place))
        decay = np.exp(-np.abs(place))
        stretch = decay / (1.0 + decay) ** 2
        by_place = slopes[self.box.free] * self.box.widths * stretch - np.tanh(0.5 * place)
        return value + float(np.log(stretch).sum()), by_place


def box_of(law: Law, parameters: Parameters, noise: float | None) -> HyperparameterBounds:
    """The bounds of the law; of a noise that is known, itself, or what stands in for none."""
    low, high = law.bounds(parameters)
    if noise is None:
        return HyperparameterBounds(low, high)
    noises = parameters.are(NOISE)
    known = max(noise, least_noise(low, parameters))
    return HyperparameterBounds(np.where(noises, known, low), np.where(noises, known, high))


def least_noise(low: Array, parameters: Parameters) -> float:
    """What stands in for a noise variance that is known to be smaller, given the lowest hyperparameters."""
    return LEAST_NOISE * float(low[parameters.are(VARIANCE)].sum())


def _factors(bordered: Array, size: int) -> Array:
    """The lower factors of matrices; those of which rounding leaves the first rows indefinite are steadied."""
    try:
        return np.asarray(np.linalg.cholesky(bordered))
    except np.linalg.LinAlgError:
        lower = np.tril(bordered)
        for matrix in lower:
            root = steadied("hyperparameter_draws()", matrix[:size, :size].T, 0.0)[0]
            matrix[size:, :size] = matrix[size:, :size] @ root.inverse_lower.T
            matrix[:size, :size] = root.lower
        return lower
