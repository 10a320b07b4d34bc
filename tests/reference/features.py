"""Random features and linear regression on them, written out: one feature at a time, dense matrices, np.linalg.solve.

φ(x) = √(v/D) [sin ω_jᵀ (x − ½) s_j(x), cos ω_jᵀ (x − ½) s_j(x)]_{j ≤ D}, and f = m + φᵀ θ with θ ~ N(0, I).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def plain_features(
    point: Sequence[float], frequencies: Array, amplitude: float, signs: dict[int, Array]
) -> list[float]:
    """φ at one point, with frequencies (D, d) and a table of signs (levels, D) for each categorical column."""
    sines, cosines = [], []
    for j in range(len(frequencies)):
        angle, sign = 0.0, 1.0
        for column in range(len(point)):
            if column in signs:
                levels = len(signs[column])
                level = min(int(point[column] * levels), levels - 1)
                sign *= signs[column][level, j]
            else:
                angle += frequencies[j, column] * (point[column] - 0.5)
        sines.append(amplitude * sign * math.sin(angle))
        cosines.append(amplitude * sign * math.cos(angle))
    return sines + cosines


@dataclass(frozen=True)
class PlainRegression:
    """A regression, with everything that can be asked of its posterior given the features as a matrix (n, F)."""

    noise: float
    mean: float = 0.0

    def posterior(self, features: Array, values: Array, probes: Array) -> tuple[Array, Array]:
        """Mean (m,) and covariance (m, m) of f at the probes: those of a process with k(a, b) = φ(a)ᵀ φ(b)."""
        prior = probes @ probes.T
        if not len(features):
            return np.full(len(probes), self.mean), prior
        across = features @ probes.T
        matrix = self._matrix(features)
        mean = self.mean + across.T @ np.linalg.solve(matrix, np.asarray(values) - self.mean)
        return mean, prior - across.T @ np.linalg.solve(matrix, across)

    def moments(self, features: Array, values: Array, probes: Array) -> tuple[Array, Array]:
        """Mean and deviation of f at the probes."""
        mean, covariance = self.posterior(features, values, probes)
        return mean, np.sqrt(np.maximum(np.diagonal(covariance), 0.0))

    def precision(self, features: Array) -> Array:
        """I + Σ φ φᵀ/σ², answer by answer."""
        matrix = np.eye(features.shape[1])
        for row in features:
            matrix += np.outer(row, row) / self.noise
        return matrix

    def log_likelihood(self, features: Array, values: Array) -> float:
        """log N(y; m 1, Φ Φᵀ + σ² I)."""
        if not len(features):
            return 0.0
        matrix = self._matrix(features)
        rest = np.asarray(values) - self.mean
        _, log_determinant = np.linalg.slogdet(matrix)
        return float(
            -0.5 * (rest @ np.linalg.solve(matrix, rest) + log_determinant + len(rest) * math.log(2 * math.pi))
        )

    def predictive_log_likelihoods(self, features: Array, values: Array) -> list[float]:
        """log p(y_t | y_1..t−1) for each answer in turn, the weights updated after each [lu2022, eq. 9–11].

        With θ ~ N(θ̂, Σ) so far, y_t ~ N(m + φᵀ θ̂, φᵀ Σ φ + σ²); then θ̂ += g (y_t − ŷ_t) and Σ −= g φᵀ Σ with the
        gain g = Σ φ / (φᵀ Σ φ + σ²).
        """
        weights, spread = np.zeros(features.shape[1]), np.eye(features.shape[1])
        found = []
        for row, value in zip(features, values, strict=True):
            expected = self.mean + float(row @ weights)
            variance = float(row @ spread @ row) + self.noise
            found.append(-0.5 * (math.log(2 * math.pi * variance) + (float(value) - expected) ** 2 / variance))
            gain = spread @ row / variance
            weights = weights + gain * (float(value) - expected)
            spread = spread - np.outer(gain, row @ spread)
        return found

    def information(self, features: Array, asked: Array) -> float:
        """I(f; y_asked | y_given) = ½ log det(I + Σ/σ²), Σ the covariance given the answers."""
        _, covariance = self.posterior(features, np.full(len(features), self.mean), asked)
        _, log_determinant = np.linalg.slogdet(np.eye(len(asked)) + covariance / self.noise)
        return float(log_determinant / 2)

    def gains(self, features: Array, asked: Array) -> list[float]:
        """½ log(1 + σ²_{i−1}(x_i)/σ²) for each point in turn."""
        known = np.zeros(len(features) + len(asked))
        together = np.concatenate([features, asked])
        found = []
        for i in range(len(features), len(together)):
            deviation = self.moments(together[:i], known[:i], together[i : i + 1])[1][0]
            found.append(0.5 * math.log1p(float(deviation) ** 2 / self.noise))
        return found

    def greedy_gains(self, candidates: Array, count: int) -> list[float]:
        """The gains of uncertainty sampling on the candidates, before any answer."""
        chosen: list[int] = []
        found = []
        for _ in range(count):
            _, deviation = self.moments(candidates[chosen], np.zeros(len(chosen)), candidates)
            # Before any answer all deviations are alike; of equals, the first.
            best = int(np.flatnonzero(deviation >= deviation.max() * (1 - 1e-9))[0])
            found.append(0.5 * math.log1p(float(deviation[best]) ** 2 / self.noise))
            chosen.append(best)
        return found

    def _matrix(self, features: Array) -> Array:
        return features @ features.T + self.noise * np.eye(len(features))
