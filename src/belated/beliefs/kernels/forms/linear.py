"""The linear form, 1 + t of the inner product t."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from belated.beliefs.kernels.form import Plain, register
from belated.beliefs.kernels.pairing import InnerProduct
from belated.beliefs.kernels.waves import Line
from belated.space.arrays import Array


@dataclass(frozen=True)
class Linear(Plain):
    """1 + a·b: a constant and a plane, both uncertain [rasmussen2006, eq. 4.2].

    The kernel centres its points at ½ before scaling, so that the constant is the height at the middle of the
    unit cube and no corner is favoured: the deviation grows alike towards all of them.
    """

    name = "linear"
    label = "linear"
    pairing = InnerProduct()
    oscillation = Line()

    def at(self, numbers: Array) -> Array:
        """1 + t."""
        numbers += 1.0
        return numbers

    def tangent(self, numbers: Array) -> tuple[Array, Array]:
        """1 + t and ones."""
        return self.at(numbers), np.ones(numbers.shape)

    def draws(self, count: int, dimension: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Planes w₀ + w·z: 1 + z·z′ = E (w₀ + w·z)(w₀ + w·z′)."""
        return rng.standard_normal((count, dimension)), rng.standard_normal(count)


register(Linear())
