"""Searches that learn nothing: the measures of all others. They are optimizers as anybody would write one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from belated.experiments.league.optimizer import Point
from belated.space import Array, Candidates, Context, Space


class Random:
    """Points anywhere, each as likely as any other; in the end it would use that of its best answer."""

    contexts = ("before", "after")

    def __init__(
        self, space: Space | Candidates, goal: str, *, seed: int, queries: int, context: Context | None = None
    ) -> None:
        self._space, self._rng = space, np.random.default_rng(seed)

    def ask(self, context: Mapping[str, Any] | None = None) -> Point:
        """A random point."""
        return self._space.decode(self._space.sample(1, self._rng)[0])

    def tell(self, point: Point, value: float, context: Mapping[str, Any] | None = None) -> None:
        """Nothing is learned."""


class Sobol:
    """The points of a scrambled Sobol sequence; on a table, the nearest rows that were not asked yet."""

    contexts = ("before", "after")

    def __init__(
        self, space: Space | Candidates, goal: str, *, seed: int, queries: int, context: Context | None = None
    ) -> None:
        from scipy.stats import qmc  # takes half a second to import

        self._space = space
        # A power of 2 of points, of which its balance is.
        power = max(queries - 1, 1).bit_length()
        self._points = iter(qmc.Sobol(space.dimension, scramble=True, rng=seed).random_base2(power))
        self._free = np.ones(len(space) if isinstance(space, Candidates) else 0, dtype=bool)

    def ask(self, context: Mapping[str, Any] | None = None) -> Point:
        """The next point."""
        unit = next(self._points)
        space = self._space
        return space.decode(self._row(space, unit) if isinstance(space, Candidates) else space.snap(unit[None])[0])

    def tell(self, point: Point, value: float, context: Mapping[str, Any] | None = None) -> None:
        """Nothing is learned."""

    def _row(self, table: Candidates, unit: Array) -> Array:
        """The nearest row that is free; once all were asked, any."""
        if not self._free.any():
            self._free[:] = True
        distance = np.where(self._free, np.sum((table.table - unit) ** 2, axis=1), np.inf)
        nearest = int(np.argmin(distance))
        self._free[nearest] = False
        row: Array = table.table[nearest]
        return row
