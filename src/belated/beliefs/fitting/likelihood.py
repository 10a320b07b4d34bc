"""How well hyperparameters explain answers: the log marginal likelihood of a GP, with its gradient."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from belated.beliefs.answer_noise import log_scatter
from belated.beliefs.kernels.hyperparameters import NOISE
from belated.beliefs.kernels.kernel import Kernel
from belated.beliefs.process.cholesky import steadied
from belated.evidence import Errors
from belated.space.arrays import Array


@dataclass(frozen=True)
class LogLikelihood:
    """A log marginal likelihood, its slopes in the logarithms of hyperparameters and noise, and its prior mean."""

    value: float
    slopes: Mapping[str, float]
    mean: float


def log_marginal_likelihood(
    points: Array,  # (n, d)
    values: Array,  # (n,)
    kernel: Kernel,
    noise: float,
    mean: float | None = None,
    errors: Errors | None = None,
) -> LogLikelihood:
    """log N(y; μ 1, C) with C = K + N, for a known prior mean μ or, where None, the most likely one.

    With r = y − μ 1 and α = C⁻¹ r,
        value = −½ rᵀ α − ½ log |C| − (n/2) log 2π,   ∂value/∂θ = ½ Σᵢⱼ (α αᵀ − C⁻¹)ᵢⱼ ∂Cᵢⱼ/∂θ
    [rasmussen2006, eq. 2.30 and 5.9]. At the most likely mean the value is level in μ, so the gradient in θ is
    that for a known one. N is σ² I or, with errors, diagonal; then the density of repeats about their means is added.
    """
    tangent = kernel.tangent(points)
    ridge = noise if errors is None else errors.variances(noise)
    factor, _ = steadied("log_marginal_likelihood()", tangent.gram, ridge)
    mean = level(factor.solution(np.ones(len(values))), values).mean if mean is None else mean
    residual = values - mean
    alpha = factor.solution(residual)
    value = -0.5 * (alpha @ residual + factor.log_determinant + len(values) * np.log(2.0 * np.pi))
    weights = factor.inverse_less(alpha)
    by_noise = noise * weights.trace()
    if errors is not None:
        scatter = log_scatter(errors, noise)
        value += scatter.value
        by_noise = noise * float(errors.shares @ weights.diagonal()) - 2.0 * scatter.slope
    slopes = {name: -0.5 * slope for name, slope in {**tangent.log_slopes(weights), NOISE.name: by_noise}.items()}
    return LogLikelihood(float(value), slopes, mean)


class Level(NamedTuple):
    """The mean of a flat prior mean given the values, and its precision."""

    mean: float
    precision: float


def level(ones: Array, values: Array) -> Level:
    """1ᵀ C⁻¹ y / 1ᵀ C⁻¹ 1, where ∂/∂μ of the log marginal likelihood vanishes, and 1ᵀ C⁻¹ 1; `ones` are C⁻¹ 1."""
    precision = float(ones.sum())
    return Level(float(ones @ values) / precision, precision)
