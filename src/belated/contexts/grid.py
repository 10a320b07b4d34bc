"""Grids of contexts: a few values in each column and all their combinations; views of a fine grid from a coarse one."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from belated.contexts.aims import View, Weighed, n_numeric
from belated.errors import UnsupportedError
from belated.space import Array, Choice, Int, Space

# The matrix of a kernel of a larger grid would take more than a second to factorise at every ask.
LARGEST_GRID = 4096
# From this many values per numeric column on, straight lines between them show where the summits are.
ENOUGH = 6


@dataclass(frozen=True, eq=False)
class Interpolated:
    """A view of a fine grid, given values on a coarse one: in between they are linear in each column."""

    view: View
    contexts: Array  # (l, c), the coarse grid
    weights: Array  # (l, k), the part of each coarse context in each fine one
    few: View | None = None  # a coarser view of it

    @np.errstate(invalid="ignore")  # non-finite inputs give non-finite outputs
    def weigh(self, values: Array) -> Weighed:
        """What the view makes of the values in between; a share goes to the contexts that its value was made of."""
        weighed = self.view.weigh(values @ self.weights)
        return Weighed(weighed.value, weighed.shares @ self.weights.T)

    def narrowed(self, values: Array) -> Interpolated:
        """Itself: every context has a part in others."""
        return self

    def glance(self) -> View:
        """The coarser view, if there is one."""
        return self.few or self


def interpolated(call: str, view: View, fine: list[Array], space: Space, size: int) -> Interpolated | None:
    """A view of a grid, given by its values per column, from a coarser one; None where that would not do."""
    coarse, weights = ladders(call, space, size), np.ones((1, 1))
    if per_column(size, n_numeric(space)) < ENOUGH or sum(map(len, coarse)) >= sum(map(len, fine)):
        return None
    for few, many in zip(coarse, fine, strict=True):
        along = np.stack([np.interp(many, few, unit) for unit in np.eye(len(few))])
        weights = np.asarray(np.kron(weights, along), dtype=np.float64)
    return Interpolated(view, combinations(coarse), weights)


def empirical(seen: Array, grid: list[Array]) -> Array:
    """The share of the contexts seen that is nearest to each of the grid; all alike where none was seen. (k,)"""
    shape = [len(values) for values in grid]
    count = math.prod(shape)
    if not len(seen):
        return np.full(count, 1.0 / count)
    nearest = [np.abs(seen[:, [j]] - values).argmin(axis=1) for j, values in enumerate(grid)]
    places = np.ravel_multi_index(nearest, shape)
    return np.bincount(places, minlength=count) / len(seen)


def ladders(call: str, space: Space, size: int) -> list[Array]:
    """The values of the grid in each column: even from end to end, or all of them where they are few."""
    most = per_column(size, n_numeric(space))
    grid = []
    for parameter in space.parameters:
        if isinstance(parameter, Choice):
            values = np.array([parameter.encode(option, call) for option in parameter.options])
        elif isinstance(parameter, Int) and parameter.levels <= most:
            whole = range(parameter.low, parameter.high + 1)
            values = np.array([parameter.encode(number, call) for number in whole])
        else:
            values = np.unique(parameter.snap(np.linspace(0.0, 1.0, most)))
        grid.append(values)
    count = math.prod(len(values) for values in grid)
    if count > LARGEST_GRID:
        raise UnsupportedError(
            f"{call}(grid={size}): the grid would have {count} contexts; it may have {LARGEST_GRID}; "
            "give a smaller grid, or use DensityBall(), which has none."
        )
    return grid


def combinations(grid: list[Array]) -> Array:
    """All contexts of a grid, of which the last column changes first. (k, c)"""
    return np.stack([column.ravel() for column in np.meshgrid(*grid, indexing="ij")], axis=1)


def per_column(size: int, n_columns: int) -> int:
    """⌈size^{1/D}⌉, in whole numbers: a root in doubles can be just above its value."""
    count = 1
    while count**n_columns < size and n_columns:
        count += 1
    return count
