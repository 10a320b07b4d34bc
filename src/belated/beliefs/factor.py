"""The triangular factor of K + σ² I, which only ever grows.

With L Lᵀ = K + σ² I, we keep its rows and the inverse W = L⁻¹. One more point x appends a row in O(n²):
    l = W k(X, x),   pivot² = k(x, x) + σ² − |l|²,   new row of W = [−lᵀ W, 1] / pivot.
The first `base` rows come from one Cholesky factorisation, the later ones are appended one by one. `base` is a
function of the number of rows alone, so a factor made afresh has the very same bits as one that grew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from belated.beliefs.kernels import Kernel
from belated.beliefs.triangular import Cholesky, steadied
from belated.space import Array

Growth = Callable[[int], int]


class Columns(Protocol):
    """What was computed on a table from the rows of a store; it follows when the store is forked."""

    def fork(self, size: int, factor: Factor) -> Columns: ...


def doubling(rows: int) -> int:
    """Factorise afresh at 64, 128, 256, … rows: for hyperparameters that stay."""
    return 0 if rows < 64 else 1 << (rows.bit_length() - 1)


def milestone(count: int) -> int:
    """The last of 0, 1, 2, …, 20, 22, 24, … not past `count`: steps of a tenth, so a refit costs little per answer."""
    reached = 0
    while (following := reached + max(1, reached // 10)) <= count:
        reached = following
    return reached


@dataclass(frozen=True, eq=False)
class Factor:
    """The factor of n points; a view into a store that later factors share."""

    kernel: Kernel
    noise: float
    size: int
    base: int
    jitter: float
    store: _Store

    @property
    def points(self) -> Array:
        """The points, in the order in which they were appended. (n, d)"""
        return self.store.points[: self.size]

    @property
    def inverse(self) -> Array:
        """W = L⁻¹, lower triangular. (n, n)"""
        return self.store.inverse[: self.size, : self.size]

    @property
    def pivots(self) -> Array:
        """The diagonal of L: pivot² − σ² is the variance of f at a point given those before it. (n,)"""
        return self.store.pivots[: self.size]

    def row(self, index: int) -> Array:
        """Row `index` of L left of its pivot. (index,)"""
        return self.store.rows[index, :index]

    def shared(self, points: Array) -> int:
        """How many of these points the store begins with, in the same order."""
        length = min(self.store.size, len(points))
        differs = np.flatnonzero((self.store.points[:length] != points[:length]).any(axis=1))
        return int(differs[0]) if differs.size else length

    def regrown(self, points: Array, in_place: bool = True) -> Factor:
        """The factor of these points, of which the store has at least the base.

        Rows never change, so what the store has is used as it is; where it has gone on with other points, or is not
        ours to write to, the shared rows are copied first.
        """
        shared = self.shared(points)
        store = self.store
        if shared < len(points):
            continues = in_place and shared == store.size
            store = (store if continues else store.fork(shared, self)).with_room(len(points))
            for point in points[shared:]:
                store.append(self.kernel, self.noise + self.jitter, point)
        return Factor(self.kernel, self.noise, len(points), self.base, self.jitter, store)


def factorised(kernel: Kernel, noise: float, points: Array, growth: Growth) -> Factor:
    """The factor of these points, made afresh: the base at once, the rest one by one."""
    base = growth(len(points))
    head = points[:base]
    store = _Store(points.shape[1], max(2 * base, 64))
    root, jitter = steadied("condition()", kernel.gram(head, head), noise)
    store.begin(head, root)
    return Factor(kernel, noise, base, base, jitter, store).regrown(points)


class _Store:
    """Room for rows to come. Rows, once written, stay as they are; only `append` and `begin` write."""

    def __init__(self, dimension: int, capacity: int) -> None:
        self.size = 0
        self.points = np.empty((capacity, dimension))
        self.rows = np.zeros((capacity, capacity))
        self.inverse = np.zeros((capacity, capacity))
        self.pivots = np.empty(capacity)
        self.columns: Columns | None = None  # what was computed on a table from these rows

    def with_room(self, size: int) -> _Store:
        """This store, or a larger copy of it."""
        return self if size <= len(self.pivots) else self._copy(self.size, 2 * size, self.columns)

    def fork(self, size: int, factor: Factor) -> _Store:
        """A store of its own with the first rows of this one."""
        return self._copy(size, 2 * size, self.columns.fork(size, factor) if self.columns else None)

    def _copy(self, n: int, capacity: int, columns: Columns | None) -> _Store:
        copy = _Store(self.points.shape[1], max(capacity, 64))
        copy.size, copy.columns = n, columns
        copy.points[:n], copy.pivots[:n] = self.points[:n], self.pivots[:n]
        copy.rows[:n, :n], copy.inverse[:n, :n] = self.rows[:n, :n], self.inverse[:n, :n]
        return copy

    def begin(self, points: Array, root: Cholesky) -> None:
        n = self.size = len(points)
        if n:
            self.points[:n], self.rows[:n, :n], self.inverse[:n, :n] = points, root.lower, root.inverse_lower
            self.pivots[:n] = np.diagonal(root.lower)

    def append(self, kernel: Kernel, ridge: float, point: Array) -> None:
        n = self.size
        inverse = self.inverse[:n, :n]
        across = kernel.gram(self.points[:n], point[None])[:, 0]
        row = inverse @ across
        # In exact arithmetic the pivot is never below the ridge; rounding can take it there.
        pivot = np.sqrt(max(kernel.diagonal(point[None])[0] + ridge - row @ row, ridge))
        self.points[n], self.rows[n, :n], self.pivots[n] = point, row, pivot
        self.rows[n, n] = pivot
        self.inverse[n, :n] = (row @ inverse) / -pivot
        self.inverse[n, n] = 1.0 / pivot
        self.size = n + 1
