"""How well hyperparameters explain answers: the log marginal likelihood of a GP, with its gradient."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from belated.beliefs.kernels.hyperparameters import NOISE
from belated.beliefs.kernels.kernel import Kernel
from belated.beliefs.process.cholesky import steadied
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
) -> LogLikelihood:
    """log N(y; μ 1, C) with C = K + σ² I, for a known prior mean μ or, where None, the most likely one.

    With r = y − μ 1 and α = C⁻¹ r,
        value = −½ rᵀ α − ½ log |C| − (n/2) log 2π,   ∂value/∂θ = ½ Σᵢⱼ (α αᵀ − C⁻¹)ᵢⱼ ∂Cᵢⱼ/∂θ
    [rasmussen2006, eq. 2.30 and 5.9]. At the most likely mean the value is level in μ, so the gradient in θ is
    that for a known one.
    """
    tangent = kernel.tangent(points)
    factor, _ = steadied("log_marginal_likelihood()", tangent.gram, noise)
    mean = level(factor.solution(np.ones(len(values))), values).mean if mean is None else mean
    residual = values - mean
    alpha = factor.solution(residual)
    value = -0.5 * (alpha @ residual + factor.log_determinant + len(values) * np.log(2.0 * np.pi))
    weights = factor.inverse_less(alpha)
    by_noise = noise * weights.trace()
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
