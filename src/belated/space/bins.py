"""The unit interval cut into one bin per level; a level is encoded as the centre of its bin.

Levels count from 0 and are held as doubles, so that whole columns convert at once. One value takes the same
path as a column of one entry: encoding, snapping and decoding agree to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, final

import numpy as np

from belated.space.arrays import Array

# At 2⁵⁰ levels (i + 1/2) / n and back is off by at most 2⁻³ of a level, so flooring is exact.
MOST_EVEN = 2**50
# On a log scale two roundings of ln i ≈ 28 move level i by up to i · 10⁻¹⁴, which must stay below 3/8.
MOST_LOGARITHMIC = 2**40


class Bins(Protocol):
    """The cut of the unit interval into bins, one per level."""

    def centres(self, levels: Array) -> Array: ...

    def levels(self, units: Array) -> Array: ...


@final
@dataclass(frozen=True)
class Even:
    """Bins of equal width: level i of n has its centre at (i + 1/2) / n."""

    count: int

    def centres(self, levels: Array) -> Array:
        """The unit coordinate of each level."""
        return (levels + 0.5) / self.count

    def levels(self, units: Array) -> Array:
        """The level whose bin holds each unit coordinate."""
        return np.clip(np.floor(units * self.count), 0, self.count - 1)


@final
@dataclass(frozen=True)
class Logarithmic:
    """Bins of equal meaning in logarithms: the whole number v covers [ln(v − 1/2), ln(v + 1/2)], rescaled."""

    low: int
    high: int

    def centres(self, levels: Array) -> Array:
        """The unit coordinate of each level; level i is the number low + i."""
        start, end = self._ends()
        values = self.low + levels
        return ((np.log(values - 0.5) + np.log(values + 0.5)) / 2 - start) / (end - start)

    def levels(self, units: Array) -> Array:
        """The level whose bin holds each unit coordinate."""
        start, end = self._ends()
        values = np.floor(np.exp(start + np.clip(units, 0, 1) * (end - start)) + 0.5)
        return np.clip(values, self.low, self.high) - self.low

    def _ends(self) -> tuple[float, float]:
        return float(np.log(self.low - 0.5)), float(np.log(self.high + 0.5))


def centre(bins: Bins, level: int) -> float:
    """The unit coordinate of one level."""
    return float(bins.centres(np.array([level], dtype=np.float64))[0])


def level(bins: Bins, unit: float) -> int:
    """The level whose bin holds one unit coordinate."""
    return int(bins.levels(np.array([unit], dtype=np.float64))[0])
