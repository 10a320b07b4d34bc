"""The prior covariance of the objective: a form over numeric columns times a match over categorical ones.

    k(a, b) = variance · c((a − ½)/ℓ, (b − ½)/ℓ) · Πⱼ exp(−contrastⱼ [aⱼ ≠ bⱼ])
where c is a form, ℓ one lengthscale per numeric column or one for all, and j runs over categorical columns.
Two levels of a categorical column are equal or they are not, so k stays positive semidefinite as a product
of such kernels. The fit works on log θ = (log variance, log ℓ…, log contrast…).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from belated.beliefs.kernels.forms import (
    FORMS,
    Form,
    Linear,
    Matern12,
    Matern32,
    Matern52,
    SquaredExponential,
    Stationary,
    form_named,
)
from belated.errors import ParameterError
from belated.space.arrays import Array, Indices

# Points live in the unit cube; its middle is the origin of the scaled coordinates.
MIDDLE = 0.5

# Matrices are made in blocks of so many entries, that the passes over each stay in the processor's cache:
# twice as quick as whole matrices of 1000 × 1000, and level between 2¹⁴ and 2¹⁷.
BLOCK = 2**15


@dataclass(frozen=True)
class Kernel:
    """A covariance function; equal by value, so that it can be the key of a cache."""

    form: Form
    variance: float
    lengthscales: tuple[float, ...]
    contrasts: tuple[float, ...] = ()
    categorical: tuple[bool, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse parameters that make no covariance, or that do not fit the columns."""
        parameters = (self.variance, *self.lengthscales, *self.contrasts)
        if not all(0.0 < value < np.inf for value in parameters):
            raise ParameterError(
                f"Kernel({self.form.name!r}): got variance {self.variance}, "
                f"lengthscales {self.lengthscales}, contrasts {self.contrasts}; "
                "each must be positive and finite; change the one that is not."
            )
        mask = self.categorical or (False,) * len(self.lengthscales)
        n_nominal = sum(mask)
        n_numeric = len(mask) - n_nominal
        if len(self.contrasts) != n_nominal or len(self.lengthscales) not in (1, n_numeric):
            raise ParameterError(
                f"Kernel({self.form.name!r}): got {len(self.lengthscales)} lengthscales and "
                f"{len(self.contrasts)} contrasts; there are {n_numeric} numeric and {n_nominal} categorical "
                "columns; give a lengthscale per numeric column or one for all, and a contrast for each other."
            )

    def gram(self, first: Array, second: Array) -> Array:
        """k(aᵢ, bⱼ) for all rows a of `first` (n, d) and b of `second` (m, d), as (n, m)."""
        covariances = np.empty((len(first), len(second)))
        for rows, columns in blocks(*covariances.shape):
            block = self.form.correlation(self._scaled(first[rows]), self._scaled(second[columns]))
            self._match(block, first[rows], second[columns])
            np.multiply(block, self.variance, out=covariances[rows, columns])
        if first is second:
            # What rounding leaves of a distance between a point and itself is nothing.
            np.fill_diagonal(covariances, self.diagonal(first))
        return covariances

    def diagonal(self, points: Array) -> Array:
        """k(a, a) for every row a, as (m,)."""
        if isinstance(self.form, Stationary):
            # A table may have a million rows, and scaling them would be all the work.
            return np.full(len(points), self.variance)
        return self.form.diagonal(self._scaled(points)) * self.variance

    def diagonal_slopes(self, points: Array) -> Array:
        """∂k(a, a)/∂a for every row a, as (m, d): 2 ∂k(b, a)/∂a at b = a since k is symmetric, 0 if stationary."""
        if isinstance(self.form, Stationary):
            return np.zeros(points.shape)
        return 2.0 * self.point_slopes(points, points, np.eye(len(points)))

    def point_slopes(self, first: Array, second: Array, weights: Array) -> Array:
        """Row j is Σᵢ wᵢⱼ ∂k(aᵢ, bⱼ)/∂bⱼ, as (m, d); zero in categorical columns."""
        return self.crossing(first, second).slopes(weights)

    def crossing(self, first: Array, second: Array) -> Crossing:
        """The Gram matrix of two sets of points together with what its slopes need."""
        scaled = self._scaled(first)
        other = scaled if second is first else self._scaled(second)
        gram, descent = self.form.tangent(scaled, other)
        for matrix in (gram, descent):
            self._match(matrix, first, second)
            matrix *= self.variance
        return Crossing(self, scaled, other, gram, descent)

    def logarithms(self) -> Array:
        """log θ = (log variance, log ℓ…, log contrast…)."""
        return np.log((self.variance, *self.lengthscales, *self.contrasts))

    def with_logarithms(self, logarithms: Array) -> Kernel:
        """The kernel of the same form and columns with parameters θ."""
        variance, *rest = np.exp(logarithms).tolist()
        n_scales = len(self.lengthscales)
        scales, contrasts = tuple(rest[:n_scales]), tuple(rest[n_scales:])
        return replace(self, variance=variance, lengthscales=scales, contrasts=contrasts)

    def tangent(self, points: Array) -> Tangent:
        """The Gram matrix of the points together with its slopes in the logarithms of the parameters."""
        n = len(points)
        scaled = self._scaled(points)
        tangent = Tangent(self, points, scaled, np.zeros((n, n)), np.zeros((n, n)))
        for rows, columns in strips(n):
            values, descent = self.form.tangent(scaled[rows], scaled[columns])
            self._match(values, points[rows], points[columns])
            self._match(descent, points[rows], points[columns])
            np.multiply(values, self.variance, out=tangent.gram[rows, columns])
            np.multiply(descent, self.variance, out=tangent.descent[rows, columns])
        np.fill_diagonal(tangent.gram, self.diagonal(points))
        return tangent

    def grams(self, points: Array) -> Grams:
        """The Gram matrices of the points under other parameters, many at once."""
        rows = points[:, self._numeric] if self.contrasts else points
        shares = self.form.shares(rows - MIDDLE).reshape(-1, len(points) ** 2)
        if len(self.lengthscales) == 1:
            shares = shares.sum(axis=0, keepdims=True)
        nominal = points[:, list(self._nominal)].T
        differ = (nominal[:, :, None] != nominal[:, None, :]).reshape(-1, len(points) ** 2)
        return Grams(len(points), self.form, shares, differ.astype(float))

    def scaled(self, factor: float) -> Kernel:
        """The kernel with its variance times `factor`."""
        return replace(self, variance=self.variance * factor)

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
class Grams:
    """What the Gram matrices of some points under all parameters have in common.

    A form's number of a pair is a sum over columns, tᵢⱼ = Σₖ shareₖᵢⱼ/ℓₖ², so that those of many lengthscales are one
    matrix product; and so are the exponents −Σₖ contrastₖ [xᵢₖ ≠ xⱼₖ].
    """

    n: int
    form: Form
    shares: Array  # (number of lengthscales, n²)
    differ: Array  # (number of contrasts, n²), 1 where two levels differ

    def at(self, logarithms: Array) -> Array:
        """The matrices (m, n, n) of m rows log θ."""
        until = 1 + len(self.shares)
        covariances = self.form.at(np.exp(-2.0 * logarithms[:, 1:until]) @ self.shares)
        if len(self.differ):
            covariances *= np.exp(-np.exp(logarithms[:, until:]) @ self.differ)
        covariances *= np.exp(logarithms[:, :1])
        return covariances.reshape(-1, self.n, self.n)


@dataclass(frozen=True)
class Crossing:
    """The Gram matrix K of two sets of points and D = dK/dt, with t as in `Tangent`."""

    kernel: Kernel
    first: Array  # (n, number of numeric columns), scaled
    second: Array  # (m, number of numeric columns), scaled
    gram: Array  # (n, m)
    descent: Array  # (n, m)

    def slopes(self, weights: Array) -> Array:
        """Row j is Σᵢ wᵢⱼ ∂k(aᵢ, bⱼ)/∂bⱼ, as (m, d); zero in categorical columns."""
        kernel = self.kernel
        slopes = kernel.form.gather(self.first, self.second, weights * self.descent)
        slopes *= kernel._rates
        if not kernel.contrasts:
            return slopes
        padded = np.zeros((len(self.second), len(kernel.categorical or ())))
        padded[:, kernel._numeric] = slopes
        return padded


@dataclass(frozen=True)
class Tangent:
    """A Gram matrix K and D = dK/dt, with t the number per pair that the form is a function of.

    Only the upper triangles of the two are filled: both are symmetric.
    """

    kernel: Kernel
    points: Array  # (n, d)
    scaled: Array  # (n, number of numeric columns)
    gram: Array  # (n, n)
    descent: Array  # (n, n)

    def log_slopes(self, weights: Array) -> Array:
        """Σᵢⱼ wᵢⱼ ∂Kᵢⱼ/∂log θₚ for every parameter p; of the symmetric weights the upper triangle is read.

        ∂K/∂log variance = K, and ∂Kᵢⱼ/∂log contrast = −contrast [xᵢ ≠ xⱼ] Kᵢⱼ. A form sees z = (x − ½)/ℓ,
        so that ∂z/∂log ℓ = −z, and Σᵢⱼ wᵢⱼ ∂Kᵢⱼ/∂log ℓₖ is −Σᵢ zᵢₖ pᵢₖ with p the slopes in the points z.
        """
        kernel, form = self.kernel, self.kernel.form
        by_variance = 0.0
        by_column = np.zeros(self.scaled.shape[1])
        by_contrast = np.zeros(len(kernel.contrasts))
        for rows, columns in strips(len(self.points)):
            first, second = self.scaled[rows], self.scaled[columns]
            folded = fold(weights[rows, columns])
            shares = folded * self.gram[rows, columns]
            by_variance += shares.sum()
            for place, column in enumerate(kernel._nominal):
                differs = self.points[rows, column][:, None] != self.points[columns, column]
                by_contrast[place] -= kernel.contrasts[place] * shares.sum(where=differs)
            folded *= self.descent[rows, columns]
            by_column -= np.einsum("jk,jk->k", second, form.gather(first, second, folded))
            by_column -= np.einsum("jk,jk->k", first, form.gather(second, first, folded.T))
        by_scale = by_column if len(kernel.lengthscales) == len(by_column) else [by_column.sum()]
        return np.concatenate(([by_variance], by_scale, by_contrast))


def blocks(n_rows: int, n_columns: int) -> Iterator[tuple[slice, slice]]:
    """A matrix cut across its longer side into pieces of about BLOCK entries."""
    if n_rows >= n_columns:
        step = max(1, BLOCK // max(1, n_columns))
        return ((slice(start, start + step), slice(0, n_columns)) for start in range(0, n_rows, step))
    step = max(1, BLOCK // max(1, n_rows))
    return ((slice(0, n_rows), slice(start, start + step)) for start in range(0, n_columns, step))


def strips(size: int) -> Iterator[tuple[slice, slice]]:
    """The upper triangle of a square matrix cut into strips of rows, each from the diagonal to the right."""
    step = max(1, BLOCK // max(1, size))
    return ((slice(start, start + step), slice(start, size)) for start in range(0, size, step))


def fold(strip: Array) -> Array:
    """A strip of a symmetric matrix with what lies below the diagonal added to what lies above."""
    folded = 2.0 * strip
    height = len(strip)
    corner = folded[:, :height]
    corner *= np.tri(height).T
    np.einsum("ii->i", corner)[:] *= 0.5
    return folded


__all__ = [
    "FORMS",
    "Form",
    "Kernel",
    "Linear",
    "Matern12",
    "Matern32",
    "Matern52",
    "SquaredExponential",
    "form_named",
]
