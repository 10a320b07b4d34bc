"""Functions drawn from a Gaussian prior at finitely many points."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from belated.beliefs import FORMS, SimpleKernel
from belated.space import Array


def prior_draw(form: str, lengthscale: float, variance: float, points: Array, seed: list[int]) -> Array:
    """A function drawn from GP(0, k) at these points (N, d), as (N,)."""
    factor = _factor(form, lengthscale, variance, points.tobytes(), points.shape[1])
    return np.asarray(factor @ np.random.default_rng(seed).standard_normal(len(points)))


def interpolated(form: str, lengthscale: float, known: Array, values: Array, points: Array) -> Array:
    """The posterior mean at some points (N, d) given values (n,) without noise at known ones (n, d).

    It is f(x) = k(x)ᵀ K⁻¹ v, the function of least norm in the kernel's RKHS that has these values.
    """
    kernel = SimpleKernel(FORMS[form], 1.0, (lengthscale,))
    weights = np.linalg.solve(kernel.gram(known, known), values)
    return np.asarray(kernel.gram(points, known) @ weights)


@lru_cache(maxsize=4)
def _factor(form: str, lengthscale: float, variance: float, content: bytes, dimension: int) -> Array:
    """L with L Lᵀ = K, kept since all seeds share it: at 1000 points it is nearly all the work of a draw."""
    points = np.frombuffer(content).reshape(-1, dimension)
    kernel = SimpleKernel(FORMS[form], variance, (lengthscale,))
    # Close points make K singular in double precision; this ridge moves values by about 1e-4 deviations.
    covariance = kernel.gram(points, points) + 1e-8 * variance * np.eye(len(points))
    return np.asarray(np.linalg.cholesky(covariance), dtype=np.float64)
