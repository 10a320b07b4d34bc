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

    def half_widths(self, answers: Array, deviations: Array) -> Array:
        """(s(y + sd) − s(y − sd))/2 for answers y, s going on below the lowest knot as it does above it, mirrored.

        Read like the lowest knot, an answer near or below it would look as if it had no error.
        """
        least, image = self.knots[0], self.images[0]
        answers = np.maximum(answers, least)
        low = answers - deviations
        mirrored = np.where(low < least, 2.0 * image - self.inward(2.0 * least - low), self.inward(low))
        return np.asarray((self.inward(answers + deviations) - mirrored) / 2.0)

    def outward(self, read: Array) -> Array:
        """Where what was read lies among the answers."""
        return np.where(read < self.images[-1], np.interp(read, self.images, self.knots), read)
