"""A score that keeps count of its evaluations and of the best of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from belated.space.arrays import Array

Slopes = Callable[[Array], tuple[Array, Array]]


@dataclass
class Counted:
    """A score that keeps count of its evaluations."""

    function: Slopes
    batches: list[int] = field(default_factory=list)
    highest: float = -np.inf

    def values(self, points: Array) -> Array:
        """The values alone."""
        return self.slopes(points)[0]

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """Values and gradients, counted."""
        values, gradients = self.function(points)
        self.batches.append(len(points))
        self.highest = max(self.highest, float(values[np.isfinite(values)].max(initial=-np.inf)))
        return values, gradients
