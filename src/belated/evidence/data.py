"""Points and their values, on which beliefs are conditioned."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from belated.space import Array


class Data(NamedTuple):
    """Points and the values that a belief is conditioned on."""

    points: Array  # (n, d)
    values: Array  # (n,)

    def key(self) -> Hashable:
        """A key that is equal for equal data, to the last bit; it holds no copy of them."""
        return _Key(self)

    def first(self, count: int) -> Data:
        """The first `count` of them."""
        return Data(self.points[:count], self.values[:count])

    def last(self, count: int) -> Data:
        """The last `count` of them."""
        start = max(len(self.values) - count, 0)
        return Data(self.points[start:], self.values[start:])

    def begins(self, other: Data) -> bool:
        """Whether the other data start with these, to the last bit.

        Data that share their memory are not compared, and the arrivals of one study mostly do.
        """
        n = len(self.values)
        if n > len(other.values) or self.points.shape[1] != other.points.shape[1]:
            return False
        return _same(self.values, other.values[:n]) and _same(self.points, other.points[:n])


@dataclass(frozen=True, eq=False)
class _Key:
    data: Data

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Key) or len(self.data.values) != len(other.data.values):
            return False
        return self.data.begins(other.data)

    def __hash__(self) -> int:
        return hash(self.data.points.shape)


def _same(first: Array, second: Array) -> bool:
    """Whether two arrays of one shape hold the same bits."""
    if first.strides == second.strides and _address(first) == _address(second):
        return True
    return np.array_equal(first.view(np.int64), second.view(np.int64))


def _address(array: Array) -> int:
    address: int = array.__array_interface__["data"][0]
    return address
