"""A point of a box that can be told from those that are under way."""

from __future__ import annotations

import numpy as np

from belated.search.box import Box
from belated.search.score import Score
from belated.space import Array, Mask

# Two points are the same experiment if no column of numbers differs by more than this share of its range.
RESOLUTION = 2e-3
# Others that are looked at: around the point, out to so many times the resolution, and all over the box.
AROUND, REACH, ANYWHERE = 256, 5.0, 1024


def apart(best: Array, score: Score, domain: Box, rng: np.random.Generator, taken: Array) -> Array:
    """The best point or, if it is taken, the best of others near it and elsewhere; itself where all are taken. (d,)"""
    if not _is_taken(best[None], domain, taken)[0]:
        return best
    steps = rng.uniform(-1.0, 1.0, (AROUND, domain.dimension)) * rng.uniform(1.0, REACH, (AROUND, 1)) * RESOLUTION
    # One column moves in full, so that the point leaves the place whatever the others do.
    column = rng.integers(domain.dimension, size=AROUND)
    steps[np.arange(AROUND), column] = np.copysign(
        rng.uniform(1.1, REACH, AROUND) * RESOLUTION, steps[np.arange(AROUND), column]
    )
    others = domain.snap(np.concatenate([best + steps, domain.sample(ANYWHERE, rng)]))
    free = others[~_is_taken(others, domain, taken)]
    if not len(free):
        return best
    values = np.nan_to_num(score.values(free), nan=-np.inf)
    chosen: Array = free[np.argmax(values)]
    return chosen


def _is_taken(points: Array, domain: Box, taken: Array) -> Mask:
    """Which of the points cannot be told from one that is taken. (m,)"""
    numbers = np.array([levels is None for levels in domain.levels])
    same = np.ones((len(points), len(taken)), dtype=bool)
    for column, number in enumerate(numbers.tolist()):
        gaps = np.abs(points[:, None, column] - taken[None, :, column])
        same &= gaps <= (RESOLUTION if number else 0.0)
    return np.asarray(same.any(axis=1))
