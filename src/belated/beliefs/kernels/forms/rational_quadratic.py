"""The rational quadratic form, (1 + t/2α)^−α: wiggles of many lengthscales at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np

from belated.beliefs.kernels.form import Stationary, register
from belated.beliefs.kernels.hyperparameters import Hyperparameter, Kind, LogNormal
from belated.beliefs.kernels.pairing import squared_distances
from belated.space.arrays import Array

# From wiggles over a decade of lengthscales to hardly anything but the squared exponential form, which is the limit.
ALPHA = Kind("alpha", (1e-1, 1e2), LogNormal(0.0, 1.0))


@dataclass(frozen=True)
class RationalQuadratic(Stationary):
    """exp(−r) with r = α log(1 + t/2α): squared exponential forms mixed over lengthscales [rasmussen2006, eq. 4.19].

    The smaller α, the more lengthscales there are; t/2 is the limit of r as α grows.
    """

    alpha: float = ALPHA.start

    name = "rq"
    label = "rational quadratic"

    def hyperparameters(self) -> tuple[Hyperparameter, ...]:
        return (Hyperparameter(ALPHA.name, ALPHA, self.alpha),)

    def with_values(self, values: Mapping[str, float]) -> Self:
        """The same with another α."""
        return type(self)(values.get(ALPHA.name, self.alpha))

    def log_slopes(self, first: Array, second: Array, weights: Array) -> dict[str, float]:
        """Σᵢⱼ wᵢⱼ (α u/(1 + u) − r) with u = t/2α, where u/(1 + u) is 1 − exp(−r/α)."""
        radii = self.radii(squared_distances(first, second))
        return {ALPHA.name: -float(np.sum(weights * (self.alpha * np.expm1(-radii / self.alpha) + radii)))}

    def radii(self, squares: Array) -> Array:
        """α log(1 + t/2α)."""
        squares *= 0.5 / self.alpha
        np.log1p(squares, out=squares)
        squares *= self.alpha
        return squares

    def factor(self, radii: Array) -> float:
        return 1.0

    def fall(self, radii: Array) -> Array:
        """½/(1 + t/2α)."""
        return np.asarray(0.5 * np.exp(-radii / self.alpha))

    def frequencies(self, count: int, dimension: int, rng: np.random.Generator) -> Array:
        """Normal draws whose precision is a Gamma draw of shape α and mean one [rasmussen2006, eq. 4.20]."""
        precisions = rng.gamma(self.alpha, 1.0 / self.alpha, (count, 1))
        return np.asarray(rng.standard_normal((count, dimension)) * np.sqrt(precisions))


register(RationalQuadratic())
