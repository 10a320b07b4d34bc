"""What a policy sees of the set it searches, be it a box or a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from belated.space.arrays import Array


class Domain(Protocol):
    """A set of points, each with one encoding in the unit cube."""

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters, in the order of the columns."""
        ...

    @property
    def dimension(self) -> int:
        """The number of columns."""
        ...

    @property
    def levels(self) -> tuple[int | None, ...]:
        """The number of distinct values of each column; None for numbers without a grid."""
        ...

    @property
    def categorical(self) -> tuple[bool, ...]:
        """Whether the values of each column are only equal or different, never near."""
        ...

    def encode(self, point: Mapping[str, object], *, call: str = "encode()") -> Array:
        """The unit coordinates of a point, shape (d,), or a PointError that begins with `call`."""
        ...

    def read(self, point: Mapping[str, object], *, call: str = "read()") -> dict[str, Any]:
        """The point in plain Python values, as a log keeps it, or a PointError that begins with `call`."""
        ...

    def decode(self, unit: Array) -> dict[str, Any]:
        """The point at these unit coordinates, shape (d,)."""
        ...

    def sample(self, count: int, rng: np.random.Generator) -> Array:
        """Encodings of points spread over the domain, shape (count, d)."""
        ...

    def to_json(self) -> dict[str, Any]:
        """The definition as JSON."""
        ...
