"""Rows in an order in which neighbours are near each other.

A quasi-random number that picks a row spreads evenly over the order of rows. Where neighbours in that order are near in
space, it spreads evenly in space as well, and a sample is far more exact than with rows in the order of their arrival.
"""

from __future__ import annotations

import numpy as np

from belated.space import Array, Indices

# All bits of a place on the curve fit into one 64-bit integer; more than 16 per column tell nothing more.
MOST_BITS = 62
COLUMN_BITS = 16


def along_curve(points: Array) -> Indices:
    """The order of rows (n, c) along Morton's Z-shaped curve through the box that holds them.

    With the bits of each coordinate, scaled to the range of its column, the place on the curve is the number
        b_11 b_12 … b_1c b_21 b_22 … b_2c …,   b_ij the i-th bit of column j.
    """
    columns = points[:, :MOST_BITS]
    n_bits = max(1, min(COLUMN_BITS, MOST_BITS // max(1, columns.shape[1])))
    low, high = columns.min(axis=0), columns.max(axis=0)
    scaled = (columns - low) / np.where(high > low, high - low, 1.0)
    cells = np.minimum(scaled * 2**n_bits, 2**n_bits - 1).astype(np.int64)
    places = np.zeros(len(points), dtype=np.int64)
    for bit in reversed(range(n_bits)):
        for column in cells.T:
            places = 2 * places + (column >> bit & 1)
    return np.argsort(places, kind="stable")
