"""Kernels made of kernels: of some of the columns only, sums, and products.

The hyperparameters of a part are called by the place of the part and their own name, as `2.lengthscale`. In a product
the variance is that of the first part: those of the others would say the same again.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TypeVar

import numpy as np

from belated.beliefs.kernels.arithmetic import others, product, total
from belated.beliefs.kernels.hyperparameters import VARIANCE, Hyperparameter
from belated.beliefs.kernels.kernel import Crossing, Grams, Kernel, Tangent
from belated.beliefs.kernels.waves import Waves
from belated.space.arrays import Array

Value = TypeVar("Value")


@dataclass(frozen=True)
class ColumnsKernel:
    """A kernel of some of the columns; the others do not matter to it."""

    columns: tuple[int, ...]
    kernel: Kernel

    @property
    def variance(self) -> float:
        return self.kernel.variance

    @property
    def stationary(self) -> bool:
        """Whether the kernel is."""
        return self.kernel.stationary

    def hyperparameters(self, dimension: int) -> tuple[Hyperparameter, ...]:
        return self.kernel.hyperparameters(len(self.columns))

    def with_values(self, values: Mapping[str, float]) -> ColumnsKernel:
        """The same with other values of the hyperparameters that are named."""
        return replace(self, kernel=self.kernel.with_values(values))

    def scaled(self, factor: float) -> ColumnsKernel:
        """The same times a factor."""
        return replace(self, kernel=self.kernel.scaled(factor))

    def gram(self, first: Array, second: Array) -> Array:
        """k(aᵢ, bⱼ). (n, m)"""
        return self.kernel.gram(*self._picked(first, second))

    def diagonal(self, points: Array) -> Array:
        """k(a, a). (m,)"""
        return self.kernel.diagonal(points[:, self.columns])

    def diagonal_slopes(self, points: Array) -> Array:
        """∂k(a, a)/∂a. (m, d)"""
        return _spread(self.kernel.diagonal_slopes(points[:, self.columns]), self.columns, points.shape[1])

    def crossing(self, first: Array, second: Array) -> ColumnsCrossing:
        """The Gram matrix of two sets of points together with what its slopes need."""
        return ColumnsCrossing(self.kernel.crossing(*self._picked(first, second)), self.columns, second.shape[1])

    def tangent(self, points: Array) -> Tangent:
        """The kernel's at these columns."""
        return self.kernel.tangent(points[:, self.columns])

    def grams(self, points: Array) -> Grams:
        """The kernel's at these columns."""
        return self.kernel.grams(points[:, self.columns])

    def waves(
        self, levels: tuple[int | None, ...], dimension: int, count: int, rng: np.random.Generator
    ) -> tuple[Waves, ...]:
        """The kernel's, as functions of all columns."""
        own = tuple(levels[column] for column in self.columns)
        drawn = self.kernel.waves(own, len(self.columns), count, rng)
        return tuple(waves.over(self.columns, dimension) for waves in drawn)

    def _picked(self, first: Array, second: Array) -> tuple[Array, Array]:
        """The columns of both; of points compared with themselves, they stay the same points."""
        picked = first[:, self.columns]
        return picked, picked if second is first else second[:, self.columns]


@dataclass(frozen=True, eq=False)
class ColumnsCrossing:
    """A crossing at some of the columns."""

    own: Crossing
    columns: tuple[int, ...]
    dimension: int

    @property
    def gram(self) -> Array:
        """K. (n, m)"""
        return self.own.gram

    def slopes(self, weights: Array) -> Array:
        """Row j is Σᵢ wᵢⱼ ∂k(aᵢ, bⱼ)/∂bⱼ, as (m, d); zero in other columns."""
        return _spread(self.own.slopes(weights), self.columns, self.dimension)


@dataclass(frozen=True)
class SumKernel:
    """k₁ + k₂ + …"""

    parts: tuple[Kernel, ...]

    @property
    def variance(self) -> float:
        """The sum of the parts'."""
        return sum(part.variance for part in self.parts)

    @property
    def stationary(self) -> bool:
        """Whether all parts are."""
        return all(part.stationary for part in self.parts)

    def hyperparameters(self, dimension: int) -> tuple[Hyperparameter, ...]:
        """Those of all parts."""
        return _named([part.hyperparameters(dimension) for part in self.parts])

    def with_values(self, values: Mapping[str, float]) -> SumKernel:
        """The same with other values of the hyperparameters that are named."""
        return SumKernel(_with_values(self.parts, values))

    def scaled(self, factor: float) -> SumKernel:
        """Every part times a factor."""
        return SumKernel(tuple(part.scaled(factor) for part in self.parts))

    def gram(self, first: Array, second: Array) -> Array:
        """Σ of the parts'. (n, m)"""
        return total(part.gram(first, second) for part in self.parts)

    def diagonal(self, points: Array) -> Array:
        """Σ of the parts'. (m,)"""
        return total(part.diagonal(points) for part in self.parts)

    def diagonal_slopes(self, points: Array) -> Array:
        """Σ of the parts'. (m, d)"""
        return total(part.diagonal_slopes(points) for part in self.parts)

    def crossing(self, first: Array, second: Array) -> SumCrossing:
        """The Gram matrix of two sets of points together with what its slopes need."""
        return SumCrossing(tuple(part.crossing(first, second) for part in self.parts))

    def tangent(self, points: Array) -> SumTangent:
        """The Gram matrix together with its slopes in the logarithms of the hyperparameters."""
        return SumTangent(tuple(part.tangent(points) for part in self.parts))

    def grams(self, points: Array) -> SumGrams:
        """The Gram matrices under other hyperparameters, many at once."""
        return SumGrams(tuple(part.grams(points) for part in self.parts))

    def waves(
        self, levels: tuple[int | None, ...], dimension: int, count: int, rng: np.random.Generator
    ) -> tuple[Waves, ...]:
        """The waves of each part."""
        return tuple(itertools.chain(*(part.waves(levels, dimension, count, rng) for part in self.parts)))


@dataclass(frozen=True, eq=False)
class SumCrossing:
    """Crossings added up."""

    parts: tuple[Crossing, ...]

    @property
    def gram(self) -> Array:
        """K. (n, m)"""
        return total(part.gram for part in self.parts)

    def slopes(self, weights: Array) -> Array:
        """Σ of the parts'. (m, d)"""
        return total(part.slopes(weights) for part in self.parts)


@dataclass(frozen=True, eq=False)
class SumTangent:
    """Tangents added up."""

    parts: tuple[Tangent, ...]

    @property
    def gram(self) -> Array:
        """K, the upper triangle. (n, n)"""
        return total(part.gram for part in self.parts)

    def log_slopes(self, weights: Array) -> dict[str, float]:
        """Those of all parts."""
        return _by_place([part.log_slopes(weights) for part in self.parts])


@dataclass(frozen=True, eq=False)
class SumGrams:
    """Gram matrices added up."""

    parts: tuple[Grams, ...]

    def at(self, logarithms: Mapping[str, Array]) -> Array:
        """The matrices (m, n, n)."""
        return total(part.at(_of_place(place, logarithms)) for place, part in enumerate(self.parts))


@dataclass(frozen=True)
class ProductKernel:
    """k₁ · k₂ · …, where all but the first have the variance that they were given."""

    parts: tuple[Kernel, ...]

    @property
    def variance(self) -> float:
        """The product of the parts'."""
        return math.prod(part.variance for part in self.parts)

    @property
    def stationary(self) -> bool:
        """Whether all parts are."""
        return all(part.stationary for part in self.parts)

    def hyperparameters(self, dimension: int) -> tuple[Hyperparameter, ...]:
        """Those of all parts, with only the first one's variance."""
        first, *rest = (part.hyperparameters(dimension) for part in self.parts)
        return _named([first, *(tuple(each for each in own if each.kind != VARIANCE) for own in rest)])

    def with_values(self, values: Mapping[str, float]) -> ProductKernel:
        """The same with other values of the hyperparameters that are named."""
        return ProductKernel(_with_values(self.parts, values))

    def scaled(self, factor: float) -> ProductKernel:
        """The first part times a factor."""
        return ProductKernel((self.parts[0].scaled(factor), *self.parts[1:]))

    def gram(self, first: Array, second: Array) -> Array:
        """Π of the parts'. (n, m)"""
        return product(part.gram(first, second) for part in self.parts)

    def diagonal(self, points: Array) -> Array:
        """Π of the parts'. (m,)"""
        return product(part.diagonal(points) for part in self.parts)

    def diagonal_slopes(self, points: Array) -> Array:
        """By the product rule. (m, d)"""
        diagonals = [part.diagonal(points)[:, None] for part in self.parts]
        slopes = [part.diagonal_slopes(points) for part in self.parts]
        return total(product([slope, *others(diagonals, place)]) for place, slope in enumerate(slopes))

    def crossing(self, first: Array, second: Array) -> ProductCrossing:
        """The Gram matrix of two sets of points together with what its slopes need."""
        return ProductCrossing(tuple(part.crossing(first, second) for part in self.parts))

    def tangent(self, points: Array) -> ProductTangent:
        """The Gram matrix together with its slopes in the logarithms of the hyperparameters."""
        free = frozenset(each.name for each in self.hyperparameters(points.shape[1]))
        return ProductTangent(tuple(part.tangent(points) for part in self.parts), free)

    def grams(self, points: Array) -> ProductGrams:
        """The Gram matrices under other hyperparameters, many at once."""
        return ProductGrams(tuple(part.grams(points) for part in self.parts))

    def waves(
        self, levels: tuple[int | None, ...], dimension: int, count: int, rng: np.random.Generator
    ) -> tuple[Waves, ...]:
        """Products of one wave of each part."""
        drawn = [part.waves(levels, dimension, count, rng) for part in self.parts]
        return tuple(reduce(Waves.times, each) for each in itertools.product(*drawn))


@dataclass(frozen=True, eq=False)
class ProductCrossing:
    """The crossing of a product of kernels."""

    parts: tuple[Crossing, ...]

    @property
    def gram(self) -> Array:
        """K. (n, m)"""
        return product(part.gram for part in self.parts)

    def slopes(self, weights: Array) -> Array:
        """By the product rule. (m, d)"""
        grams = [part.gram for part in self.parts]
        return total(part.slopes(product([weights, *others(grams, place)])) for place, part in enumerate(self.parts))


@dataclass(frozen=True, eq=False)
class ProductTangent:
    """The tangent of a product of kernels."""

    parts: tuple[Tangent, ...]
    free: frozenset[str]  # the names of the hyperparameters; the variances of later parts are not among them

    @property
    def gram(self) -> Array:
        """K, the upper triangle. (n, n)"""
        return product(part.gram for part in self.parts)

    def log_slopes(self, weights: Array) -> dict[str, float]:
        """Those of all parts, by the product rule."""
        grams = [part.gram for part in self.parts]
        slopes = _by_place(
            [part.log_slopes(product([weights, *others(grams, place)])) for place, part in enumerate(self.parts)]
        )
        return {name: slope for name, slope in slopes.items() if name in self.free}


@dataclass(frozen=True, eq=False)
class ProductGrams:
    """Gram matrices multiplied."""

    parts: tuple[Grams, ...]

    def at(self, logarithms: Mapping[str, Array]) -> Array:
        """The matrices (m, n, n)."""
        return product(part.at(_of_place(place, logarithms)) for place, part in enumerate(self.parts))


def _spread(slopes: Array, columns: tuple[int, ...], dimension: int) -> Array:
    """Slopes in some columns as slopes in all. (m, d)"""
    spread = np.zeros((len(slopes), dimension))
    spread[:, columns] = slopes
    return spread


# Names: each part's, after the place of the part.


def name_of(place: int, name: str) -> str:
    """What a hyperparameter of the part at this place is called."""
    return f"{place + 1}.{name}"


def _named(parts: Sequence[Sequence[Hyperparameter]]) -> tuple[Hyperparameter, ...]:
    """The hyperparameters of all parts by names that tell them apart."""
    return tuple(replace(each, name=name_of(place, each.name)) for place, own in enumerate(parts) for each in own)


def _by_place(parts: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """What each part says of its own hyperparameters, by the names that tell them apart."""
    return {name_of(place, name): value for place, own in enumerate(parts) for name, value in own.items()}


def _of_place(place: int, values: Mapping[str, Value]) -> dict[str, Value]:
    """What is said of the hyperparameters of one part, by its own names."""
    prefix = name_of(place, "")
    return {name.removeprefix(prefix): value for name, value in values.items() if name.startswith(prefix)}


def _with_values(parts: Sequence[Kernel], values: Mapping[str, float]) -> tuple[Kernel, ...]:
    return tuple(part.with_values(_of_place(place, values)) for place, part in enumerate(parts))
