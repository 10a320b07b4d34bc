"""Large matrices are made in pieces that stay in the processor's cache."""

from __future__ import annotations

import numpy as np

from belated.space.arrays import Array

# Matrices are made in blocks of this many entries, that the passes over each stay in the processor's cache:
# twice as quick as whole matrices of 1000 × 1000, and level between 2¹⁴ and 2¹⁷.
BLOCK = 2**15


def blocks(n_rows: int, n_columns: int) -> list[tuple[slice, slice]]:
    """A matrix cut across its longer side into pieces of about BLOCK entries."""
    if n_rows >= n_columns:
        step = max(1, BLOCK // max(1, n_columns))
        return [(slice(start, start + step), slice(0, n_columns)) for start in range(0, n_rows, step)]
    step = max(1, BLOCK // max(1, n_rows))
    return [(slice(0, n_rows), slice(start, start + step)) for start in range(0, n_columns, step)]


def strips(size: int) -> list[tuple[slice, slice]]:
    """The upper triangle of a square matrix cut into strips of rows, each from the diagonal to the right."""
    step = max(1, BLOCK // max(1, size))
    return [(slice(start, start + step), slice(start, size)) for start in range(0, size, step)]


def fold(strip: Array) -> Array:
    """A strip of a symmetric matrix with what lies below the diagonal added to what lies above."""
    folded = 2.0 * strip
    height = len(strip)
    corner = folded[:, :height]
    corner *= np.tri(height).T
    np.einsum("ii->i", corner)[:] *= 0.5
    return folded
