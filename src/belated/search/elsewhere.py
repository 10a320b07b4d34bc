"""A score that leaves out the places that are taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from belated.search.score import Score
from belated.space.arrays import Array, Mask

# Two numbers are the same setting of an experiment if they differ by no more than this share of their range.
RESOLUTION = 2e-3


class Taken(NamedTuple):
    """Points that are not to be asked, nor any from which no column of theirs differs by more than its width."""

    points: Array  # (k, d)
    widths: Array  # (d,), or (k, d) where each has its own

    def holds(self, points: Array) -> Mask:
        """Which of these points are taken. (m,)"""
        return alike(points, self.points, self.widths)

    def and_those_of(self, other: Taken) -> Taken:
        """These points and others, each with its widths."""
        widths = [np.broadcast_to(taken.widths, taken.points.shape) for taken in (self, other)]
        return Taken(np.concatenate([self.points, other.points]), np.concatenate(widths))


@dataclass(frozen=True)
class Elsewhere:
    """A score, −∞ where a point is taken."""

    score: Score
    taken: Taken

    def values(self, points: Array) -> Array:
        """The score, −∞ at places that are taken. (m,)"""
        return np.where(self.taken.holds(points), -np.inf, self.score.values(points))

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """The score, −∞ at places that are taken, and its gradient, 0 there."""
        values, gradients = self.score.slopes(points)
        taken = self.taken.holds(points)
        return np.where(taken, -np.inf, values), np.where(taken[:, None], 0.0, gradients)


def resolution(levels: tuple[int | None, ...]) -> Array:
    """How far two points may differ in each column and be the same: not at all where it has levels. (d,)"""
    return np.array([RESOLUTION if number is None else 0.0 for number in levels])


def alike(points: Array, others: Array, widths: Array) -> Mask:
    """Which of the points differ from one of the others by no more than its width in every column. (m,)

    Widths are one for each column (d,), or for each of the others too (k, d).
    """
    if not widths.any():
        return np.isin(_as_items(points), _as_items(others))
    same = np.ones((len(points), len(others)), dtype=bool)
    for of_points, of_others, width in zip(points.T, others.T, np.broadcast_to(widths, others.shape).T, strict=True):
        same &= np.abs(of_points[:, None] - of_others) <= width
    return np.asarray(same.any(axis=1))


def _as_items(points: Array) -> npt.NDArray[np.void]:
    """Each row as one item, equal where its bytes are. (m,)"""
    # Adding zero turns −0.0 into 0.0, which is equal and has other bytes.
    rows = np.ascontiguousarray(points + 0.0)
    return rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
