"""The law of contexts as it was seen: every context as often as it came."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from belated.contexts.curve import along_curve
from belated.contexts.law import Sample, even, merged, picked
from belated.space import Array, Space
from belated.space.halton import halton

# Picks per context, after which few contexts of equal weight are left unpicked.
PICKS = 4


@final
@dataclass(frozen=True)
class Observed:
    """The contexts seen, each as likely as it was frequent; before any has been seen, all are as likely."""

    def describe(self) -> str:
        """Which contexts, in words."""
        return "the contexts seen"

    def sample(self, seen: Array, space: Space, count: int, rng: np.random.Generator) -> Sample:
        """The distinct contexts seen with their frequencies; of more than `count`, that many, spread evenly."""
        if not len(seen):
            sample = even(space.sample(count, rng))
            return sample if None in space.levels else merged(sample)
        distinct = merged(even(seen))
        if len(distinct.points) <= count:
            return spread(distinct, rng)
        order = along_curve(distinct.points)
        rows = picked(distinct.weights[order], halton(count, 1, rng)[:, 0])
        return merged(even(distinct.points[order[rows]]))


def spread(sample: Sample, rng: np.random.Generator) -> Sample:
    """The same points and weights, in an order whose beginnings are spread like the whole.

    The order is the one in which a quasi-random number, running along a curve through the points, first meets them.
    """
    order = along_curve(sample.points)
    count = len(order)
    rows = picked(sample.weights[order], halton(PICKS * count, 1, rng)[:, 0])
    # Every row stands at the end once more, for those that were never met.
    met = np.concatenate([rows, np.arange(count)])
    first = np.unique(met, return_index=True)[1]
    chosen = order[met[np.sort(first)]]
    return Sample(sample.points[chosen], sample.weights[chosen])
