"""A score that leaves out the places that are taken."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from belated.search.score import Score
from belated.space.arrays import Array, Mask

# Two numbers are the same setting of an experiment if they differ by no more than this share of their range.
RESOLUTION = 2e-3


@dataclass(frozen=True)
class Elsewhere:
    """A score, −∞ where a point cannot be told from a taken one: no column differs by more than its resolution."""

    score: Score
    taken: Array  # (k, d)
    resolution: Array  # (d,)

    def values(self, points: Array) -> Array:
        """The score, −∞ at places that are taken. (m,)"""
        return np.where(alike(points, self.taken, self.resolution), -np.inf, self.score.values(points))

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """The score, −∞ at places that are taken, and its gradient, 0 there."""
        values, gradients = self.score.slopes(points)
        taken = alike(points, self.taken, self.resolution)
        return np.where(taken, -np.inf, values), np.where(taken[:, None], 0.0, gradients)


def resolution(levels: tuple[int | None, ...]) -> Array:
    """How far two points may differ in each column and be the same: not at all where it has levels. (d,)"""
    return np.array([RESOLUTION if number is None else 0.0 for number in levels])


def alike(points: Array, taken: Array, resolution: Array) -> Mask:
    """Which of the points cannot be told from one of those that are taken. (m,)"""
    if not resolution.any():
        return np.isin(_as_items(points), _as_items(taken))
    same = np.ones((len(points), len(taken)), dtype=bool)
    for of_points, of_taken, width in zip(points.T, taken.T, resolution.tolist(), strict=True):
        same &= np.abs(of_points[:, None] - of_taken) <= width
    return np.asarray(same.any(axis=1))


def _as_items(points: Array) -> npt.NDArray[np.void]:
    """Each row as one item, equal where its bytes are. (m,)"""
    # Adding zero turns −0.0 into 0.0, which is equal and has other bytes.
    rows = np.ascontiguousarray(points + 0.0)
    return rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
