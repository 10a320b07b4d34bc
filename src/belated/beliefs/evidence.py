"""How well hyperparameters explain answers: the log marginal likelihood of a GP, with its gradient."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import dsyr
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs

from belated.beliefs.kernels import Kernel
from belated.errors import BelatedError
from belated.space.arrays import Array

# The ridge added, as a share of the mean diagonal, where rounding leaves the covariance indefinite; it grows tenfold.
SMALLEST_RIDGE = 1e-12
LARGEST_RIDGE = 1e-2


@dataclass(frozen=True)
class Evidence:
    """A log marginal likelihood, its slopes in (log θ of the kernel, log noise), and the prior mean it is for."""

    value: float
    slopes: Array
    mean: float


def log_marginal_likelihood(
    points: Array,  # (n, d)
    values: Array,  # (n,)
    kernel: Kernel,
    noise: float,
    mean: float | None = None,
) -> Evidence:
    """log N(y; μ 1, C) with C = K + σ² I, for a known prior mean μ or, where None, the most likely one.

    With r = y − μ 1 and α = C⁻¹ r [rasmussen2006, eq. 2.30 and 5.9],
        value = −½ rᵀ α − ½ log |C| − (n/2) log 2π,   ∂value/∂θ = ½ Σᵢⱼ (α αᵀ − C⁻¹)ᵢⱼ ∂Cᵢⱼ/∂θ.
    The most likely mean is 1ᵀ C⁻¹ y / 1ᵀ C⁻¹ 1; being most likely, it moves the value only to second order, so
    the gradient is the same as for a known one.
    """
    tangent = kernel.tangent(points)
    factor = _factor(tangent.gram, noise)
    n = len(values)
    if mean is None:
        solved = dpotrs(factor, np.stack((values, np.ones(n)), axis=1), lower=1)[0]
        mean = float(solved[:, 0].sum() / solved[:, 1].sum())
        alpha = solved[:, 0] - mean * solved[:, 1]
    else:
        alpha = dpotrs(factor, values - mean, lower=1)[0]
    log_determinant = 2.0 * np.log(factor.diagonal()).sum()
    value = -0.5 * (alpha @ (values - mean) + log_determinant + n * np.log(2.0 * np.pi))
    inverse = dpotri(factor, lower=1, overwrite_c=1)[0]
    weights = dsyr(-1.0, alpha, a=inverse, lower=1, overwrite_a=1)
    by_noise = noise * np.trace(weights)
    # The lower triangle of a matrix in Fortran's order is the upper one of its transpose in C's.
    slopes = -0.5 * np.append(tangent.log_slopes(weights.T), by_noise)
    return Evidence(float(value), slopes, mean)


def _factor(gram: Array, noise: float) -> Array:
    """L with L Lᵀ = K + σ² I, lower triangular in Fortran's order, from the upper triangle of K."""
    ridge, unit = 0.0, float(np.trace(gram)) / len(gram)
    while ridge <= LARGEST_RIDGE:
        covariance = gram.copy()
        covariance.flat[:: len(gram) + 1] += noise + ridge * unit
        factor, failure = dpotrf(covariance.T, lower=1, clean=0, overwrite_a=1)
        if not failure:
            return factor
        ridge = max(SMALLEST_RIDGE, 10.0 * ridge)
    raise BelatedError(
        f"log_marginal_likelihood(): the covariance of {len(gram)} points is singular even with a ridge; "
        "it must be positive definite; give a larger noise."
    )
