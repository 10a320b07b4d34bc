"""What a search maximises: a function on the unit cube, evaluated many points at a time."""

from __future__ import annotations

from typing import Protocol

from belated.space.arrays import Array


class Score(Protocol):
    """How much each point is worth asking; higher is better.

    A value that is not finite marks a point that must not be chosen. Points are rows of unit coordinates.
    """

    def values(self, points: Array) -> Array:
        """The scores (m,) of the points (m, d)."""
        ...

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """The scores (m,) of the points (m, d), and their gradients (m, d) in unit coordinates."""
        ...


__all__ = ["Score"]
