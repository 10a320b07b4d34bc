"""Covariances entry by entry, straight from the formulas [rasmussen2006, chapter 4]. Slow, and meant to be."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def correlation(name: str, first: Sequence[float], second: Sequence[float], alpha: float = 1.0) -> float:
    """c(a, b) for scaled points a and b; `alpha` is of the rational quadratic alone."""
    if name == "linear":
        return 1.0 + math.fsum(a * b for a, b in zip(first, second, strict=True))
    distance = math.sqrt(math.fsum((a - b) ** 2 for a, b in zip(first, second, strict=True)))
    if name == "se":
        return math.exp(-(distance**2) / 2.0)
    if name == "matern12":
        return math.exp(-distance)
    if name == "matern32":
        return (1.0 + math.sqrt(3.0) * distance) * math.exp(-math.sqrt(3.0) * distance)
    if name == "matern52":
        root = math.sqrt(5.0) * distance
        return (1.0 + root + 5.0 * distance**2 / 3.0) * math.exp(-root)
    if name == "rq":
        return math.pow(1.0 + distance**2 / (2.0 * alpha), -alpha)
    raise AssertionError(name)


def covariance(
    name: str,
    variance: float,
    lengthscales: Sequence[float],
    contrasts: Sequence[float],
    categorical: Sequence[bool],
    first: Sequence[float],
    second: Sequence[float],
    alpha: float = 1.0,
) -> float:
    """k(a, b) for two points of the unit cube."""
    numeric = [column for column, nominal in enumerate(categorical) if not nominal]
    nominal = [column for column, nominal in enumerate(categorical) if nominal]
    scales = list(lengthscales) * len(numeric) if len(lengthscales) == 1 else list(lengthscales)
    scaled_first = [(first[column] - 0.5) / scale for column, scale in zip(numeric, scales, strict=True)]
    scaled_second = [(second[column] - 0.5) / scale for column, scale in zip(numeric, scales, strict=True)]
    result = variance * correlation(name, scaled_first, scaled_second, alpha)
    for column, contrast in zip(nominal, contrasts, strict=True):
        if first[column] != second[column]:
            result *= math.exp(-contrast)
    return result


def gram(
    name: str,
    variance: float,
    lengthscales: Sequence[float],
    contrasts: Sequence[float],
    categorical: Sequence[bool],
    first: Array,
    second: Array,
    alpha: float = 1.0,
) -> Array:
    """k(aᵢ, bⱼ) for all pairs of rows."""
    rest = (name, variance, lengthscales, contrasts, categorical)
    return np.array([[covariance(*rest, a.tolist(), b.tolist(), alpha) for b in second] for a in first])


def log_likelihood(covariances: Array, noise: float, mean: float, values: Array) -> float:
    """log N(y; μ 1, K + σ² I), by determinant and inverse."""
    full = covariances + noise * np.eye(len(values))
    residual = values - mean
    sign, log_determinant = np.linalg.slogdet(full)
    assert sign > 0.0
    quadratic = residual @ np.linalg.inv(full) @ residual
    return float(-0.5 * (quadratic + log_determinant + len(values) * math.log(2.0 * math.pi)))
