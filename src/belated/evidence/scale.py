"""The scale on which answers are read, where they are not taken as they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from belated.space import Array


@dataclass(frozen=True, eq=False)
class Scale:
    """A rising map: answers from the highest knot on are read as they are, those between two knots by a straight line.

    What lies below the lowest knot is read like it. Knots and their images rise strictly, and the last are the same.
    """

    knots: Array  # (k,)
    images: Array  # (k,)

    def inward(self, answers: Array) -> Array:
        """Answers as they are read."""
        return np.where(answers < self.knots[-1], np.interp(answers, self.knots, self.images), answers)

    def outward(self, read: Array) -> Array:
        """Where what was read lies among the answers."""
        return np.where(read < self.images[-1], np.interp(read, self.images, self.knots), read)
