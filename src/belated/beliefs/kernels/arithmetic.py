"""Sums and products of arrays, one or several; of one array, the array itself."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from functools import reduce

from belated.space.arrays import Array


def total(arrays: Iterable[Array]) -> Array:
    """a + b + …"""
    return reduce(operator.add, arrays)


def product(arrays: Iterable[Array]) -> Array:
    """a · b · …"""
    return reduce(operator.mul, arrays)


def others(arrays: Sequence[Array], place: int) -> list[Array]:
    """All but the one at this place."""
    return [*arrays[:place], *arrays[place + 1 :]]
