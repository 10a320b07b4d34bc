"""A matrix that grows by rows and never moves those it has.

Rows live in blocks, so that growing copies nothing. Products run block by block, always in the same order: the same
rows give the same rounding, however they came to be there.
"""

from __future__ import annotations

import numpy as np

from belated.space import Array, Indices

BLOCK = 64


class GrowingRows:
    """Rows of a fixed width, appended one at a time or many at once."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.size = 0
        self._blocks: list[Array] = []

    def append(self, row: Array) -> None:
        """Add one row at the end."""
        self._reserve(self.size + 1)
        self._blocks[self.size // BLOCK][self.size % BLOCK] = row
        self.size += 1

    def begin(self, size: int) -> None:
        """Make room for the first `size` rows, to be written by `fill`."""
        self._reserve(size)
        self.size = size

    def fill(self, columns: slice, values: Array) -> None:
        """Write some columns of the first rows. (k, width of the slice)"""
        for start in range(0, len(values), BLOCK):
            part = values[start : start + BLOCK]
            self._blocks[start // BLOCK][: len(part), columns] = part

    def weighted(self, weights: Array) -> Array:
        """Σ_i weights_i row_i over the first rows, as many as there are weights; several at once. (…, width)"""
        total = np.zeros((*weights.shape[:-1], self.width))
        for start in range(0, weights.shape[-1], BLOCK):
            part = weights[..., start : start + BLOCK]
            total += part @ self._blocks[start // BLOCK][: part.shape[-1]]
        return total

    def columns(self, chosen: Indices, size: int) -> Array:
        """The first `size` rows at some columns. (size, k)"""
        parts = [self._blocks[start // BLOCK][: min(BLOCK, size - start), chosen] for start in range(0, size, BLOCK)]
        return np.concatenate(parts) if parts else np.empty((0, len(chosen)))

    def row(self, index: int) -> Array:
        """One row. (width,)"""
        row: Array = self._blocks[index // BLOCK][index % BLOCK]
        return row

    def fork(self, size: int) -> GrowingRows:
        """A matrix of its own with the first rows of this one; full blocks, which never change, are shared."""
        fork = GrowingRows(self.width)
        fork.size = size
        fork._blocks = self._blocks[: size // BLOCK]
        if size % BLOCK:
            fork._blocks.append(self._blocks[size // BLOCK].copy())
        return fork

    def _reserve(self, size: int) -> None:
        while len(self._blocks) * BLOCK < size:
            self._blocks.append(np.empty((BLOCK, self.width)))
