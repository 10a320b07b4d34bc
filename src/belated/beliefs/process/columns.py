"""Moments on a whole table of candidates, kept up to date row by row.

With T the table and L Lᵀ = K + N, N the noises of the answers, appending x_n to the factor appends one row
    w_n = (k(x_n, T) − l_nᵀ w_{<n}) / pivot_n,   variance(T) ← variance(T) − w_n²,
a rank-one update of all variances in O(nN); the mean is zᵀ w for the whitened residual z. Lazy columns keep the
rows k(x_n, T) instead and leave the variances as upper bounds, which they stay since a variance never grows
[desautels2014, section 6]; only those that could decide are brought up to date [minoux1978].
"""

from __future__ import annotations

import numpy as np

from belated.beliefs.process.factor import Columns, Factor
from belated.beliefs.process.growing_rows import GrowingRows
from belated.space import Array, Indices

# Candidates treated together, so that the temporaries of a long base stay small.
CHUNK = 8192


class WholeColumns:
    """Whitened rows w, and the variances of every candidate after the last of them."""

    def __init__(self, factor: Factor, table: Array) -> None:
        self.table = table
        self.rows = GrowingRows(len(table))
        self.variance = factor.kernel.diagonal(table)
        self.rows.begin(factor.base)
        head, inverse = factor.points[: factor.base], factor.inverse[: factor.base, : factor.base]
        for start in range(0, len(table) if factor.base else 0, CHUNK):
            part = slice(start, start + CHUNK)
            whitened = inverse @ factor.kernel.gram(head, table[part])
            self.rows.fill(part, whitened)
            for row in whitened:
                self.variance[part] -= row * row

    def follow(self, factor: Factor) -> None:
        """Take in those rows of the factor that are not here yet."""
        for index in range(self.rows.size, factor.size):
            row = factor.kernel.gram(factor.points[index : index + 1], self.table)[0]
            row -= self.rows.weighted(factor.row(index))
            row /= factor.pivots[index]
            self.rows.append(row)
            np.multiply(row, row, out=row)
            self.variance -= row

    def mean(self, factor: Factor, whitened_residual: Array) -> Array:
        """zᵀ w, what the answers add to the prior mean. (N,)"""
        self.follow(factor)
        return self.rows.weighted(whitened_residual)

    def deviation(self, factor: Factor, chosen: Indices | None = None) -> Array:
        """The deviations given the points of the factor, of all candidates or of some."""
        self.follow(factor)
        variance = self.variance if factor.size == self.rows.size else self.fork(factor.size, factor).variance
        return np.sqrt(np.maximum(variance if chosen is None else variance[chosen], 0.0))

    def bounds(self, factor: Factor) -> Array:
        """Upper bounds of the deviations: here, the deviations themselves. (N,)"""
        return self.deviation(factor)

    def fork(self, size: int, factor: Factor) -> WholeColumns:
        """Columns of their own with the first rows of these."""
        fork = object.__new__(WholeColumns)
        fork.table, fork.rows = self.table, self.rows.fork(min(size, self.rows.size))
        fork.variance = factor.kernel.diagonal(self.table)
        for index in range(fork.rows.size):
            row = fork.rows.row(index)
            fork.variance -= row * row
        return fork


class LazyColumns:
    """Rows k(x_n, T), and variances that are upper bounds until they are needed."""

    def __init__(self, factor: Factor, table: Array) -> None:
        self.table = table
        self.rows = GrowingRows(len(table))
        self.bound = np.sqrt(factor.kernel.diagonal(table))

    def follow(self, factor: Factor) -> None:
        """Take in those rows of the factor that are not here yet."""
        for index in range(self.rows.size, factor.size):
            self.rows.append(factor.kernel.gram(factor.points[index : index + 1], self.table)[0])

    def mean(self, factor: Factor, whitened_residual: Array) -> Array:
        """k(T, X) Wᵀ z, what the answers add to the prior mean. (N,)"""
        self.follow(factor)
        return self.rows.weighted(whitened_residual @ factor.inverse)

    def deviation(self, factor: Factor, chosen: Indices | None = None) -> Array:
        """The deviations given the points of the factor, of all candidates or of some; bounds are tightened."""
        self.follow(factor)
        everyone = np.arange(len(self.table)) if chosen is None else chosen
        deviation = np.empty(len(everyone))
        for start in range(0, len(everyone), CHUNK):
            part = everyone[start : start + CHUNK]
            whitened = factor.inverse @ self.rows.columns(part, factor.size)
            variance = factor.kernel.diagonal(self.table[part]) - np.einsum("ij,ij->j", whitened, whitened)
            deviation[start : start + CHUNK] = np.sqrt(np.maximum(variance, 0.0))
        if factor.size == self.rows.size:
            self.bound[everyone] = deviation
        return deviation

    def bounds(self, factor: Factor) -> Array:
        """Upper bounds of the deviations: what they were when last computed. (N,)"""
        self.follow(factor)
        if factor.size < self.rows.size:
            return np.sqrt(factor.kernel.diagonal(self.table))
        # A copy, since the bounds are tightened while a search goes by them.
        return self.bound.copy()

    def fork(self, size: int, factor: Factor) -> LazyColumns:
        """Columns of their own with the first rows of these, and bounds as loose as at the start."""
        fork = LazyColumns(factor, self.table)
        fork.rows = self.rows.fork(min(size, self.rows.size))
        return fork


def columns_of(factor: Factor, table: Array, lazy: bool) -> Columns:
    """The columns that belong to the factor's store, made if there are none yet for this table."""
    known = factor.store.columns
    if known is None or not (known.table is table or np.array_equal(known.table, table)):
        known = factor.store.columns = (LazyColumns if lazy else WholeColumns)(factor, table)
    return known
