"""A Gaussian process written out: one kernel entry at a time, dense matrices, np.linalg.solve.

k(a, b) = variance · form((a − ½)/ℓ, (b − ½)/ℓ) · Πⱼ exp(−contrastⱼ [aⱼ ≠ bⱼ]), the product over categorical columns.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class PlainKernel:
    """A covariance function by its definition; one lengthscale for all numeric columns, or one each."""

    form: str
    variance: float
    lengthscales: tuple[float, ...]
    contrasts: tuple[float, ...] = ()
    categorical: tuple[bool, ...] = ()

    def __call__(self, a: Sequence[float], b: Sequence[float]) -> float:
        """k(a, b)."""
        square, product, match = 0.0, 0.0, 1.0
        numeric, nominal = 0, 0
        for column in range(len(a)):
            if self.categorical and self.categorical[column]:
                if a[column] != b[column]:
                    match *= math.exp(-self.contrasts[nominal])
                nominal += 1
            else:
                scale = self.lengthscales[numeric if len(self.lengthscales) > 1 else 0]
                first, second = (a[column] - 0.5) / scale, (b[column] - 0.5) / scale
                square += (first - second) ** 2
                product += first * second
                numeric += 1
        return self.variance * match * self._shape(math.sqrt(square), product)

    def _shape(self, distance: float, product: float) -> float:
        if self.form == "se":
            return math.exp(-(distance**2) / 2)
        if self.form == "matern12":
            return math.exp(-distance)
        if self.form == "matern32":
            r = math.sqrt(3) * distance
            return (1 + r) * math.exp(-r)
        if self.form == "matern52":
            r = math.sqrt(5) * distance
            return (1 + r + r**2 / 3) * math.exp(-r)
        if self.form == "rq":
            return 1 / (1 + distance**2 / 2)
        assert self.form == "linear"
        return 1 + product

    def matrix(self, first: Array, second: Array) -> Array:
        """k of all pairs."""
        rows, columns = first.tolist(), second.tolist()
        entries = [[self(a, b) for b in columns] for a in rows]
        return np.array(entries, dtype=float).reshape(len(rows), len(columns))


@dataclass(frozen=True)
class PlainGP:
    """A prior, with everything that can be asked of its posterior."""

    kernel: PlainKernel
    noise: float
    mean: float = 0.0

    def posterior(self, points: Array, values: Array, probes: Array) -> tuple[Array, Array]:
        """Mean (m,) and covariance (m, m) of f at the probes, given the answers."""
        prior = self.kernel.matrix(probes, probes)
        if not len(points):
            return np.full(len(probes), self.mean), prior
        matrix = self.kernel.matrix(points, points) + self.noise * np.eye(len(points))
        across = self.kernel.matrix(points, probes)
        mean = self.mean + across.T @ np.linalg.solve(matrix, np.asarray(values) - self.mean)
        return mean, prior - across.T @ np.linalg.solve(matrix, across)

    def moments(self, points: Array, values: Array, probes: Array) -> tuple[Array, Array]:
        """Mean and deviation of f at the probes."""
        variance = np.array([self.kernel(row, row) for row in probes.tolist()])
        mean = np.full(len(probes), self.mean)
        if len(points):
            matrix = self.kernel.matrix(points, points) + self.noise * np.eye(len(points))
            across = self.kernel.matrix(points, probes)
            mean = mean + across.T @ np.linalg.solve(matrix, np.asarray(values) - self.mean)
            variance = variance - np.sum(across * np.linalg.solve(matrix, across), axis=0)
        return mean, np.sqrt(np.maximum(variance, 0.0))

    def deviation(self, points: Array, probes: Array) -> Array:
        """Deviation of f at the probes; it does not depend on the answers."""
        return self.moments(points, np.zeros(len(points)), probes)[1]

    def information(self, given: Array, points: Array) -> float:
        """I(f; y_points | y_given) = ½ log det(I + Σ/σ²), Σ the covariance given the answers at `given`."""
        if not len(points):
            return 0.0
        _, covariance = self.posterior(given, np.full(len(given), self.mean), points)
        _, log_determinant = np.linalg.slogdet(np.eye(len(points)) + covariance / self.noise)
        return float(log_determinant / 2)

    def gains(self, points: Array) -> list[float]:
        """½ log(1 + σ²_{i−1}(x_i)/σ²) for each point in turn."""
        return [
            0.5 * math.log1p(float(self.deviation(points[:i], points[i : i + 1])[0]) ** 2 / self.noise)
            for i in range(len(points))
        ]

    def greedy_gains(self, candidates: Array, count: int) -> list[float]:
        """The gains of uncertainty sampling on the candidates."""
        chosen: list[int] = []
        gains = []
        for _ in range(count):
            deviation = self.deviation(candidates[chosen], candidates)
            best = int(np.argmax(deviation))
            gains.append(0.5 * math.log1p(float(deviation[best]) ** 2 / self.noise))
            chosen.append(best)
        return gains

    def log_likelihood(self, points: Array, values: Array) -> float:
        """log N(y; mean, K + σ² I)."""
        matrix = self.kernel.matrix(points, points) + self.noise * np.eye(len(points))
        rest = values - self.mean
        _, log_determinant = np.linalg.slogdet(matrix)
        return float(
            -0.5 * (rest @ np.linalg.solve(matrix, rest) + log_determinant + len(rest) * math.log(2 * math.pi))
        )
