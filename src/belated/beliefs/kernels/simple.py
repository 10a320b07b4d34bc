"""The kernel that others are made of: a form over numeric columns times a match over categorical ones.

    k(a, b) = variance · c((a − ½)/ℓ, (b − ½)/ℓ) · Πⱼ exp(−contrastⱼ [aⱼ ≠ bⱼ])
where c is a form, ℓ one lengthscale per numeric column or one for all, and j runs over categorical columns.
Two levels of a categorical column are equal or they are not, so k stays positive semidefinite as a product
of such kernels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

from belated.beliefs.kernels.blocks import blocks, fold, strips
from belated.beliefs.kernels.form import Form
from belated.beliefs.kernels.hyperparameters import CONTRAST, LENGTHSCALE, VARIANCE, Hyperparameter
from belated.beliefs.kernels.waves import WaveFactor, Waves, random_signs
from belated.errors import ParameterError
from belated.space.arrays import Array, Indices

# Points live in the unit cube; its middle is the origin of the scaled coordinates.
MIDDLE = 0.5


class Names(NamedTuple):
    """What the lengthscales and contrasts of a kernel are called."""

    lengthscales: tuple[str, ...]
    contrasts: tuple[str, ...]


@cache
def names(n_lengthscales: int, n_contrasts: int) -> Names:
    """The names of this many hyperparameters; one lengthscale has no number, since it may be for all columns."""
    scales = tuple(f"{LENGTHSCALE.name}.{place}" for place in range(n_lengthscales))
    contrasts = tuple(f"{CONTRAST.name}.{place}" for place in range(n_contrasts))
    return Names((LENGTHSCALE.name,) if n_lengthscales == 1 else scales, contrasts)


@dataclass(frozen=True)
class SimpleKernel:
    """A form with its numbers; equal by value."""

    form: Form
    variance: float
    lengthscales: tuple[float, ...]
    contrasts: tuple[float, ...] = ()
    categorical: tuple[bool, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse parameters that make no covariance, or that do not fit the columns."""
        parameters = (self.variance, *self.lengthscales, *self.contrasts)
        if not all(map(math.isfinite, parameters)) or min(parameters) <= 0.0:
            raise ParameterError(
                f"SimpleKernel({self.form.name!r}): got variance {self.variance}, "
                f"lengthscales {self.lengthscales}, contrasts {self.contrasts}; "
                "each must be positive and finite; change the one that is not."
            )
        mask = self.categorical or (False,) * len(self.lengthscales)
        n_nominal = sum(mask)
        n_numeric = len(mask) - n_nominal
        if len(self.contrasts) != n_nominal or len(self.lengthscales) not in (1, n_numeric):
            raise ParameterError(
                f"SimpleKernel({self.form.name!r}): got {len(self.lengthscales)} lengthscales and "
                f"{len(self.contrasts)} contrasts; there are {n_numeric} numeric and {n_nominal} categorical "
                "columns; give a lengthscale per numeric column or one for all, and a contrast for each other."
            )

    # Hyperparameters.

    def hyperparameters(self, dimension: int) -> tuple[Hyperparameter, ...]:
        """The variance, lengthscales, contrasts, and those of the form."""
        n_numeric = dimension - len(self.contrasts)
        scales = zip(self.names.lengthscales, self.lengthscales, strict=True)
        contrasts = zip(self.names.contrasts, self.contrasts, strict=True)
        return (
            Hyperparameter(VARIANCE.name, VARIANCE, self.variance),
            *(Hyperparameter(name, LENGTHSCALE, value, n_numeric) for name, value in scales),
            *(Hyperparameter(name, CONTRAST, value) for name, value in contrasts),
            *self.form.hyperparameters(),
        )

    def with_values(self, values: Mapping[str, float]) -> SimpleKernel:
        """The same with other values of the hyperparameters that are named."""
        scales = zip(self.names.lengthscales, self.lengthscales, strict=True)
        contrasts = zip(self.names.contrasts, self.contrasts, strict=True)
        return SimpleKernel(
            self.form.with_values(values),
            values.get(VARIANCE.name, self.variance),
            tuple([values.get(name, value) for name, value in scales]),
            tuple([values.get(name, value) for name, value in contrasts]),
            self.categorical,
        )

    def scaled(self, factor: float) -> SimpleKernel:
        """The kernel with its variance times `factor`."""
        return replace(self, variance=self.variance * factor)

    @cached_property
    def names(self) -> Names:
        """What its lengthscales and contrasts are called."""
        return names(len(self.lengthscales), len(self.contrasts))

    # Covariances.

    @property
    def stationary(self) -> bool:
        """Whether the form is."""
        return self.form.pairing.stationary

    def gram(self, first: Array, second: Array) -> Array:
        """k(aᵢ, bⱼ) for all rows a of `first` (n, d) and b of `second` (m, d), as (n, m)."""
        form = self.form
        covariances = np.empty((len(first), len(second)))
        for rows, columns in blocks(*covariances.shape):
            block = form.at(form.pairing.numbers(self._scaled(first[rows]), self._scaled(second[columns])))
            self._match(block, first[rows], second[columns])
            np.multiply(block, self.variance, out=covariances[rows, columns])
        if first is second:
            # What rounding leaves of a distance between a point and itself is nothing.
            np.fill_diagonal(covariances, self.diagonal(first))
        return covariances

    def diagonal(self, points: Array) -> Array:
        """k(a, a) for every row a, as (m,)."""
        if self.stationary:
            # A table may have a million rows, and scaling them would be all the work.
            return np.full(len(points), self.variance)
        return self.form.at(self.form.pairing.alone(self._scaled(points))) * self.variance

    def diagonal_slopes(self, points: Array) -> Array:
        """∂k(a, a)/∂a for every row a, as (m, d): 2 ∂k(b, a)/∂a at b = a since k is symmetric, 0 if stationary."""
        if self.stationary:
            return np.zeros(points.shape)
        return 2.0 * self.crossing(points, points).slopes(np.eye(len(points)))

    def crossing(self, first: Array, second: Array) -> SimpleCrossing:
        """The Gram matrix of two sets of points together with what its slopes need."""
        form, scaled = self.form, self._scaled(first)
        other = scaled if second is first else self._scaled(second)
        gram, descent = form.tangent(form.pairing.numbers(scaled, other))
        for matrix in (gram, descent):
            self._match(matrix, first, second)
            matrix *= self.variance
        return SimpleCrossing(self, scaled, other, gram, descent)

    def tangent(self, points: Array) -> SimpleTangent:
        """The Gram matrix of the points together with its slopes in the logarithms of the hyperparameters."""
        n, form = len(points), self.form
        scaled = self._scaled(points)
        tangent = SimpleTangent(self, points, scaled, np.zeros((n, n)), np.zeros((n, n)))
        for rows, columns in strips(n):
            values, descent = form.tangent(form.pairing.numbers(scaled[rows], scaled[columns]))
            self._match(values, points[rows], points[columns])
            self._match(descent, points[rows], points[columns])
            np.multiply(values, self.variance, out=tangent.gram[rows, columns])
            np.multiply(descent, self.variance, out=tangent.descent[rows, columns])
        np.fill_diagonal(tangent.gram, self.diagonal(points))
        return tangent

    def grams(self, points: Array) -> SimpleGrams:
        """The Gram matrices of the points under other hyperparameters, many at once."""
        rows = points[:, self._numeric] if self.contrasts else points
        shares = self.form.pairing.shares(rows - MIDDLE).reshape(-1, len(points) ** 2)
        if len(self.lengthscales) == 1:
            shares = shares.sum(axis=0, keepdims=True)
        nominal = points[:, list(self._nominal)].T
        differ = (nominal[:, :, None] != nominal[:, None, :]).reshape(-1, len(points) ** 2)
        return SimpleGrams(len(points), self, shares, differ.astype(float))

    # Functions drawn.

    def waves(
        self, levels: tuple[int | None, ...], dimension: int, count: int, rng: np.random.Generator
    ) -> tuple[Waves, ...]:
        """One sum of waves, with a random sign for each level."""
        mask = np.array(self.categorical or (False,) * dimension)
        numeric = np.flatnonzero(~mask)
        frequencies = np.zeros((count, dimension))
        frequencies[:, numeric], offsets = self.form.draws(count, len(numeric), rng)
        frequencies[:, numeric] /= np.array(self.lengthscales)
        phases = offsets - MIDDLE * frequencies.sum(axis=1)
        amplitudes = rng.standard_normal(count) * np.sqrt(self.form.oscillation.power * self.variance / count)
        signs = tuple(
            (int(column), random_signs(contrast, levels[column] or 1, count, rng))
            for column, contrast in zip(np.flatnonzero(mask), self.contrasts, strict=True)
        )
        return (Waves((WaveFactor(self.form.oscillation, frequencies, phases, signs),), amplitudes),)

    @cached_property
    def _nominal(self) -> tuple[int, ...]:
        """The categorical columns."""
        return tuple(np.flatnonzero(self.categorical or ()).tolist())

    @cached_property
    def _numeric(self) -> Indices:
        """The other columns; asked for only where some are categorical."""
        return np.flatnonzero(~np.array(self.categorical))

    @cached_property
    def _rates(self) -> Array:
        """1/ℓ."""
        return 1.0 / np.array(self.lengthscales)

    def _scaled(self, points: Array) -> Array:
        """z = (x − ½)/ℓ over the numeric columns."""
        scaled = (points[:, self._numeric] if self.contrasts else points) - MIDDLE
        scaled *= self._rates
        return scaled

    def _match(self, covariances: Array, first: Array, second: Array) -> None:
        """Multiply covariances (n, m) in place by Πⱼ exp(−contrastⱼ [aⱼ ≠ bⱼ])."""
        for column, contrast in zip(self._nominal, self.contrasts, strict=True):
            covariances *= np.where(first[:, [column]] == second[:, column], 1.0, np.exp(-contrast))


@dataclass(frozen=True, eq=False)
class SimpleGrams:
    """What the Gram matrices of some points under all hyperparameters have in common.

    A form's number of a pair is a sum over columns, tᵢⱼ = Σₖ shareₖᵢⱼ/ℓₖ², so that those of many lengthscales are one
    matrix product; and so are the exponents −Σₖ contrastₖ [xᵢₖ ≠ xⱼₖ].
    """

    n: int
    kernel: SimpleKernel
    shares: Array  # (number of lengthscales, n²)
    differ: Array  # (number of contrasts, n²), 1 where two levels differ

    def at(self, logarithms: Mapping[str, Array]) -> Array:
        """The matrices (m, n, n), given m values of every log θₚ by its name."""
        kernel, names = self.kernel, self.kernel.names
        numbers = np.exp(-2.0 * _columns(logarithms, names.lengthscales)) @ self.shares
        own = tuple(each.name for each in kernel.form.hyperparameters())
        if own:
            rows = [dict(zip(own, row, strict=True)) for row in np.exp(_columns(logarithms, own)).tolist()]
            pairs = zip(rows, numbers, strict=True)
            covariances = np.array([kernel.form.with_values(row).at(each) for row, each in pairs])
        else:
            covariances = kernel.form.at(numbers)
        if len(self.differ):
            covariances *= np.exp(-np.exp(_columns(logarithms, names.contrasts)) @ self.differ)
        if VARIANCE.name in logarithms:
            covariances *= np.exp(logarithms[VARIANCE.name][:, None])
        else:
            covariances *= kernel.variance
        return covariances.reshape(-1, self.n, self.n)


def _columns(logarithms: Mapping[str, Array], named: tuple[str, ...]) -> Array:
    """Those of these names, one beside the other. (m, number of names)"""
    if named:
        return np.stack([logarithms[name] for name in named], axis=1)
    return np.empty((len(next(iter(logarithms.values()))), 0))


@dataclass(frozen=True, eq=False)
class SimpleCrossing:
    """The Gram matrix K of two sets of points and D = dK/dt, with t the number per pair that the form is of."""

    kernel: SimpleKernel
    first: Array  # (n, number of numeric columns), scaled
    second: Array  # (m, number of numeric columns), scaled
    gram: Array  # (n, m)
    descent: Array  # (n, m)

    def slopes(self, weights: Array) -> Array:
        """Row j is Σᵢ wᵢⱼ ∂k(aᵢ, bⱼ)/∂bⱼ, as (m, d); zero in categorical columns."""
        kernel = self.kernel
        slopes = kernel.form.pairing.gather(self.first, self.second, weights * self.descent)
        slopes *= kernel._rates
        if not kernel.contrasts:
            return slopes
        padded = np.zeros((len(self.second), len(kernel.categorical or ())))
        padded[:, kernel._numeric] = slopes
        return padded


@dataclass(frozen=True, eq=False)
class SimpleTangent:
    """A Gram matrix K and D = dK/dt; only the upper triangles of the two are filled, both are symmetric."""

    kernel: SimpleKernel
    points: Array  # (n, d)
    scaled: Array  # (n, number of numeric columns)
    gram: Array  # (n, n)
    descent: Array  # (n, n)

    def log_slopes(self, weights: Array) -> dict[str, float]:
        """Σᵢⱼ wᵢⱼ ∂Kᵢⱼ/∂log θₚ for every p by its name; of the symmetric weights the upper triangle is read.

        ∂K/∂log variance = K, and ∂Kᵢⱼ/∂log contrast = −contrast [xᵢ ≠ xⱼ] Kᵢⱼ. A form sees z = (x − ½)/ℓ,
        so that ∂z/∂log ℓ = −z, and Σᵢⱼ wᵢⱼ ∂Kᵢⱼ/∂log ℓₖ is −Σᵢ zᵢₖ pᵢₖ with p the slopes in the points z.
        """
        kernel, form = self.kernel, self.kernel.form
        by_variance = 0.0
        by_column = np.zeros(self.scaled.shape[1])
        by_contrast = np.zeros(len(kernel.contrasts))
        by_own: dict[str, float] = {}
        for rows, columns in strips(len(self.points)):
            first, second = self.scaled[rows], self.scaled[columns]
            folded = fold(weights[rows, columns])
            shares = folded * self.gram[rows, columns]
            by_variance += shares.sum()
            for place, column in enumerate(kernel._nominal):
                differs = self.points[rows, column][:, None] != self.points[columns, column]
                by_contrast[place] -= kernel.contrasts[place] * shares.sum(where=differs)
            for name, slope in form.log_slopes(first, second, shares).items():
                by_own[name] = by_own.get(name, 0.0) + slope
            folded *= self.descent[rows, columns]
            by_column -= np.einsum("jk,jk->k", second, form.pairing.gather(first, second, folded))
            by_column -= np.einsum("jk,jk->k", first, form.pairing.gather(second, first, folded.T))
        by_scale = by_column.tolist() if len(kernel.lengthscales) == len(by_column) else [float(by_column.sum())]
        return {
            VARIANCE.name: float(by_variance),
            **dict(zip(kernel.names.lengthscales, by_scale, strict=True)),
            **dict(zip(kernel.names.contrasts, by_contrast.tolist(), strict=True)),
            **by_own,
        }
