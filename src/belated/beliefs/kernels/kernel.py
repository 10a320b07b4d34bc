"""What a Gaussian process asks of its prior covariance, whatever that is made of.

Hyperparameters have names. A kernel takes their values by name and gives slopes by name, so that a sum or a product of
kernels only has to tell the names of its parts apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, Self

import numpy as np

from belated.beliefs.kernels.hyperparameters import Hyperparameter
from belated.beliefs.kernels.waves import Waves
from belated.space.arrays import Array


class Covariance(Protocol):
    """A prior covariance of f."""

    def gram(self, first: Array, second: Array) -> Array:
        """k(aᵢ, bⱼ) for all rows a of `first` (n, d) and b of `second` (m, d), as (n, m)."""

    def diagonal(self, points: Array) -> Array:
        """k(a, a) for every row a, as (m,)."""


class Crossing(Protocol):
    """The Gram matrix of two sets of points together with what its slopes need."""

    @property
    def gram(self) -> Array:
        """K. (n, m)"""

    def slopes(self, weights: Array) -> Array:
        """Row j is Σᵢ wᵢⱼ ∂k(aᵢ, bⱼ)/∂bⱼ, as (m, d); zero in categorical columns."""


class Tangent(Protocol):
    """The Gram matrix of some points together with its slopes in the logarithms of the hyperparameters."""

    @property
    def gram(self) -> Array:
        """K, of which only the upper triangle is filled: it is symmetric. (n, n)"""

    def log_slopes(self, weights: Array) -> dict[str, float]:
        """Σᵢⱼ wᵢⱼ ∂Kᵢⱼ/∂log θₚ for every p by its name; of the symmetric weights the upper triangle is read."""


class Grams(Protocol):
    """What the Gram matrices of some points under all hyperparameters have in common."""

    def at(self, logarithms: Mapping[str, Array]) -> Array:
        """The matrices (m, n, n), given m values of every log θₚ by its name."""


class Learnable(Protocol):
    """A covariance whose hyperparameters can be learned."""

    def hyperparameters(self, dimension: int) -> tuple[Hyperparameter, ...]:
        """The hyperparameters over points of this many columns, in the order in which a fit lines them up."""

    def with_values(self, values: Mapping[str, float]) -> Self:
        """The same with other values of the hyperparameters that are named."""

    def scaled(self, factor: float) -> Self:
        """The same times a factor."""

    def tangent(self, points: Array) -> Tangent:
        """The Gram matrix of the points together with its slopes in the logarithms of the hyperparameters."""

    def grams(self, points: Array) -> Grams:
        """The Gram matrices of the points under other hyperparameters, many at once."""


class Kernel(Covariance, Learnable, Protocol):
    """A prior covariance of f; equal by value, so that it can be the key of a cache."""

    def __hash__(self) -> int:
        """Equal kernels have the same."""

    @property
    def variance(self) -> float:
        """k(a, a) at the middle of the cube, and everywhere if the kernel is stationary."""

    @property
    def stationary(self) -> bool:
        """Whether k(a, b) depends on a − b alone."""

    def crossing(self, first: Array, second: Array) -> Crossing:
        """The Gram matrix of two sets of points together with what its slopes need."""

    def diagonal_slopes(self, points: Array) -> Array:
        """∂k(a, a)/∂a for every row a, as (m, d)."""

    def waves(
        self, levels: tuple[int | None, ...], dimension: int, count: int, rng: np.random.Generator
    ) -> tuple[Waves, ...]:
        """Random functions with mean zero and this covariance, whose sum is drawn; levels are those of the columns."""
