"""The hyperparameters of a kernel and the noise beside them, and how they stand in a vector of logarithms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from belated.beliefs.kernels.hyperparameters import NOISE, Hyperparameter, Kind
from belated.beliefs.kernels.kernel import Kernel
from belated.space.arrays import Array, Mask


@dataclass(frozen=True)
class Parameters:
    """What is learned from answers, in the order in which it stands in a vector; the kernel is a template."""

    kernel: Kernel
    every: tuple[Hyperparameter, ...]
    names: tuple[str, ...]

    @staticmethod
    def of(kernel: Kernel, dimension: int) -> Parameters:
        """The kernel's hyperparameters over points of this many columns, and the noise."""
        every = (*kernel.hyperparameters(dimension), Hyperparameter(NOISE.name, NOISE, NOISE.start))
        return Parameters(kernel, every, tuple(each.name for each in every))

    def are(self, kind: Kind) -> Mask:
        """Which of them are of this kind."""
        return np.array([each.kind == kind for each in self.every])

    def named(self, vector: Array) -> dict[str, float]:
        """The entries of a vector by their names."""
        return dict(zip(self.names, vector.tolist(), strict=True))

    def vector(self, values: Mapping[str, float]) -> Array:
        """Values by their names as a vector."""
        return np.array([values[name] for name in self.names])

    def learned(self, logarithms: Array) -> tuple[Kernel, float]:
        """The kernel and the noise with these logarithms."""
        values = self.named(np.exp(logarithms))
        return self.kernel.with_values(values), values[NOISE.name]
