"""Answers with noises of their own, written out: dense matrices with a diagonal of noise variances, np.linalg.solve."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def posterior(
    among: Array,  # (n, n), the prior covariance among the answered points
    across: Array,  # (n, m), of those with the probes
    at: Array,  # (m, m), among the probes
    mean: float,
    values: Array,  # (n,)
    noises: Array,  # (n,), variances
) -> tuple[Array, Array]:
    """Mean and deviation of f at the probes, yᵢ being f(xᵢ) and noise of variance noisesᵢ."""
    matrix = among + np.diag(noises)
    variance = np.diagonal(at) - np.einsum("ij,ij->j", across, np.linalg.solve(matrix, across))
    return mean + across.T @ np.linalg.solve(matrix, values - mean), np.sqrt(np.maximum(variance, 0.0))


def log_density(among: Array, mean: float, values: Array, noises: Array) -> float:
    """log N(y; mean, K + diag(noises))."""
    matrix, rest = among + np.diag(noises), values - mean
    _, log_determinant = np.linalg.slogdet(matrix)
    return float(-0.5 * (rest @ np.linalg.solve(matrix, rest) + log_determinant + len(rest) * math.log(2.0 * math.pi)))


def one_by_one(groups: Sequence[Sequence[float]]) -> tuple[list[int], Array]:
    """The group and the value of every measurement, and so an answer of its own for each."""
    places = [place for place, group in enumerate(groups) for _ in group]
    return places, np.array([value for group in groups for value in group])


def noise_variances(told: Sequence[float | None], groups: Sequence[Sequence[float]], noise: float) -> Array:
    """sd² where a standard error was told, else the share of the noise of one measurement."""
    return np.array([noise / len(group) if sd is None else sd**2 for sd, group in zip(told, groups, strict=True)])
