"""From a unit coordinate back to the number that was typed.

A Float's encoding u = (v − low) / (high − low) rounds, so several doubles v can share one u, and computing
low + u (high − low) returns any of them, or none. Among the doubles that encode to exactly u we return
the one with the fewest significant digits: 0.3 comes back as 0.3, not as 0.30000000000000004.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import TypeVar

from belated.space.arrays import Array

Numbers = TypeVar("Numbers", float, Array)

# Seventeen significant digits name every double.
ALL_DIGITS = 17


def fraction(value: Numbers, low: float, high: float) -> Numbers:
    """How far along from low to high the value lies: (v − low) / (high − low)."""
    if math.isinf(high - low):  # halves are exact, and their difference is finite
        return fraction(value / 2, low / 2, high / 2)
    return (value - low) / (high - low)


def shortest(unit: float, encoding: Callable[[float], float], low: float, high: float, near: float) -> float:
    """The double of fewest digits in [low, high] whose encoding is exactly `unit`; it is looked for from `near` on.

    `encoding` never decreases. Where no double has that encoding, the next larger encoding takes its place.
    """
    member = _first_reaching(unit, encoding, low, high, near)
    unit = encoding(member)
    # Zero is tried apart: rounding 4e-16 to fewer digits never reaches it.
    if low <= 0.0 <= high and encoding(0.0) == unit:
        return 0.0
    for digits in range(1, ALL_DIGITS):
        rounded = float(f"{member:.{digits}g}")
        if low <= rounded <= high and encoding(rounded) == unit:
            return rounded
    return member


def _first_reaching(unit: float, encoding: Callable[[float], float], low: float, high: float, near: float) -> float:
    """The smallest double in [low, high] whose encoding is at least `unit`.

    Steps from `near`, each twice as long as the last, until it lies between two of them; then bisection.
    """
    first, last = _rank(low), _rank(high)
    rank, step, below, above = min(max(_rank(near), first), last - 1), 1, False, False
    while first < last:
        if encoding(_ranked(rank)) < unit:
            first, below = rank + 1, True
        else:
            last, above = rank, True
        if below and above:
            rank = (first + last) // 2
        else:
            rank = min(first + step, last - 1) if below else max(last - step, first)
        step *= 2
    return _ranked(first)


def _rank(value: float) -> int:
    """The place of a double among all doubles in rising order, counted from zero."""
    (bits,) = struct.unpack("<q", struct.pack("<d", value))
    return int(bits) if bits >= 0 else -int(bits + 2**63)


def _ranked(rank: int) -> float:
    """The double at that place: the inverse of `_rank`."""
    (size,) = struct.unpack("<d", struct.pack("<q", abs(rank)))
    return float(size) if rank >= 0 else -float(size)
