"""The squared exponential form, exp(−t/2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from belated.beliefs.kernels.form import Stationary, register
from belated.space.arrays import Array


@dataclass(frozen=True)
class SquaredExponential(Stationary):
    """exp(−r) with r = t/2: samples have derivatives of every order [rasmussen2006, eq. 4.9]."""

    name = "se"
    label = "SE"

    def radii(self, squares: Array) -> Array:
        """t/2."""
        squares *= 0.5
        return squares

    def factor(self, radii: Array) -> float:
        return 1.0

    def fall(self, radii: Array) -> float:
        return 0.5

    def frequencies(self, count: int, dimension: int, rng: np.random.Generator) -> Array:
        """Standard normal draws [rasmussen2006, eq. 4.11]."""
        return rng.standard_normal((count, dimension))


register(SquaredExponential())
