"""The triangular factor of K + N, which only ever grows; N is diagonal, with the noise variance νᵢ of each answer.

With L Lᵀ = K + N, we keep the inverse W = L⁻¹ and the diagonal of L: n² numbers, and room for an eighth more rows.
One more point x appends a row in O(n²):
    l = W k(X, x),   pivot² = k(x, x) + ν − |l|²,   new row of W = [−lᵀ W, 1] / pivot.
The first `base` rows come from one Cholesky factorisation, the later ones are appended one by one. `base` is a
function of the number of rows alone, so a factor made afresh has the very same bits as one that grew.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from belated.beliefs.capacity import require_room
from belated.beliefs.kernels.kernel import Kernel
from belated.beliefs.process.cholesky import steadied
from belated.beliefs.schedule import Milestones
from belated.space import Array, Indices


class Columns(Protocol):
    """What was computed on a table from the rows of a store; it follows when the store is forked."""

    table: Array  # (N, d)

    def mean(self, factor: Factor, whitened_residual: Array) -> Array:
        """What the answers add to the prior mean. (N,)"""

    def deviation(self, factor: Factor, chosen: Indices | None = None) -> Array:
        """The deviations given the points of the factor, of all candidates or of some."""

    def bounds(self, factor: Factor) -> Array:
        """Upper bounds of the deviations. (N,)"""

    def fork(self, size: int, factor: Factor) -> Columns:
        """Columns of their own with the first rows of these."""


@dataclass(frozen=True, eq=False)
class Factor:
    """The factor of n points; a view into a store that later factors share."""

    kernel: Kernel
    size: int
    base: int
    jitter: float
    store: _Store

    @cached_property
    def points(self) -> Array:
        """The points, in the order in which they were appended. (n, d)"""
        return self.store.points[: self.size]

    @property
    def noises(self) -> Array:
        """The noise variances of the answers at the points. (n,)"""
        return self.store.noises[: self.size]

    @cached_property
    def inverse(self) -> Array:
        """W = L⁻¹, lower triangular. (n, n)"""
        return self.store.inverse[: self.size, : self.size]

    @property
    def pivots(self) -> Array:
        """The diagonal of L: pivot² − ν is the variance of f at a point given those before it. (n,)"""
        return self.store.pivots[: self.size]

    def row(self, index: int) -> Array:
        """Row `index` of L left of its pivot, computed again to the last bit: keeping all would double the memory."""
        return self.store.across(self.kernel, index, self.points[index])

    def shared(self, points: Array, noises: Array) -> int:
        """How many of these points the store begins with, in the same order and with the same noise."""
        length = min(self.store.size, len(points))
        other = (self.store.points[:length] != points[:length]).any(axis=1)
        differs = np.flatnonzero(other | (self.store.noises[:length] != noises[:length]))
        return int(differs[0]) if differs.size else length

    def regrown(self, points: Array, noises: Array, in_place: bool = True) -> Factor:
        """The factor of these points, of which the store has at least the base.

        Rows never change, so what the store has is used as it is; where it has gone on with other points, or is not
        ours to write to, the shared rows are copied first.
        """
        shared = self.shared(points, noises)
        store = self.store
        if shared < len(points):
            require_room(len(points), 0)
            continues = in_place and shared == store.size
            store = store.with_room(len(points)) if continues else store.fork(shared, len(points), self)
            for point, noise in zip(points[shared:], noises[shared:], strict=True):
                store.append(self.kernel, noise, self.jitter, point)
        return Factor(self.kernel, len(points), self.base, self.jitter, store)


def factorised(kernel: Kernel, noises: Array, points: Array, growth: Milestones) -> Factor:
    """The factor of these points, made afresh: the base at once, the rest one by one."""
    base = growth(len(points))
    head = points[:base]
    require_room(len(points), base**2 + _capacity(len(points)) ** 2)
    pivots, inverse, jitter = _inverted(kernel, noises[:base], head)
    store = _Store(points.shape[1], len(points))
    store.begin(head, noises[:base], pivots, inverse)
    del inverse  # as large as all that is kept
    return Factor(kernel, base, base, jitter, store).regrown(points, noises)


def _inverted(kernel: Kernel, noises: Array, points: Array) -> tuple[Array, Array, float]:
    """The diagonal of L, L⁻¹ and the jitter."""
    root, jitter = steadied("condition()", kernel.gram(points, points), noises)
    return np.diagonal(root.lower).copy(), root.inverse_lower, jitter


def _capacity(size: int) -> int:
    """Room for an eighth more: moving n² numbers every n/8 rows is little beside appending n/8 rows, each in O(n²)."""
    return max(size + size // 8, 64)


class _Store:
    """Room for rows to come. Rows, once written, stay as they are; only `append` and `begin` write."""

    def __init__(self, dimension: int, size: int) -> None:
        capacity = _capacity(size)
        require_room(size, capacity**2)
        self.size = 0
        self.points = np.empty((capacity, dimension))
        self.noises = np.empty(capacity)
        self.inverse = np.zeros((capacity, capacity))
        self.pivots = np.empty(capacity)
        self.columns: Columns | None = None  # what was computed on a table from these rows

    def with_room(self, size: int) -> _Store:
        """This store, or a larger copy of it."""
        return self if size <= len(self.pivots) else self._copy(self.size, size, self.columns)

    def fork(self, size: int, room: int, factor: Factor) -> _Store:
        """A store of its own with the first rows of this one, and room for more."""
        return self._copy(size, room, self.columns.fork(size, factor) if self.columns else None)

    def _copy(self, n: int, room: int, columns: Columns | None) -> _Store:
        copy = _Store(self.points.shape[1], room)
        copy.size, copy.columns = n, columns
        copy.points[:n], copy.noises[:n] = self.points[:n], self.noises[:n]
        copy.pivots[:n], copy.inverse[:n, :n] = self.pivots[:n], self.inverse[:n, :n]
        return copy

    def begin(self, points: Array, noises: Array, pivots: Array, inverse: Array) -> None:
        n = self.size = len(points)
        self.points[:n], self.noises[:n] = points, noises
        self.pivots[:n], self.inverse[:n, :n] = pivots, inverse

    def across(self, kernel: Kernel, n: int, point: Array) -> Array:
        """W k(X, x) over the first n points, the row of L that one more would append. (n,)"""
        across = kernel.gram(self.points[:n], point[None])[:, 0]
        return np.asarray(self.inverse[:n, :n] @ across)

    def append(self, kernel: Kernel, noise: float, jitter: float, point: Array) -> None:
        n, ridge = self.size, noise + jitter
        row = self.across(kernel, n, point)
        # In exact arithmetic the pivot is never below the ridge; rounding can take it there.
        pivot = np.sqrt(max(kernel.diagonal(point[None])[0] + ridge - row @ row, ridge))
        self.points[n], self.noises[n], self.pivots[n] = point, noise, pivot
        self.inverse[n, :n] = (row @ self.inverse[:n, :n]) / -pivot
        self.inverse[n, n] = 1.0 / pivot
        self.size = n + 1
