"""Tables for tools that know parameters only, and what such a tool has asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import numpy as np

from belated.experiments.league.optimizer import Point
from belated.space import Array, Candidates, Choice, Float, Parameter, Space

Handle = TypeVar("Handle")


class Handles(Generic[Handle]):
    """What a tool calls each point that was asked: answers name a point by the object that `ask` returned."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Point, Handle]] = {}

    def note(self, point: Point, handle: Handle) -> Point:
        """The point, from now on known by this handle."""
        self._kept[id(point)] = point, handle  # which keeps the object alive, so that its id is of no other
        return point

    def of(self, point: Point) -> Handle:
        """The handle of a point that was asked."""
        return self._kept[id(point)][1]


class TableRows:
    """A table as a box of its columns: a suggestion in the box goes to the nearest row that was not asked yet.

    Numbers are as far apart as they are in a column scaled to [0, 1]; different labels are 1 apart. Columns with one
    value are no parameters. Once all rows were asked, any may be asked again.
    """

    def __init__(self, table: Candidates) -> None:
        self._table = table
        self._free = np.ones(len(table), dtype=bool)
        self._labels = [
            None if levels is None else dict(_values(table, column)) for column, levels in enumerate(table.levels)
        ]
        self._ends = [_ends(table, column) for column in range(table.dimension)]
        self._varied = [len(np.unique(table.table[:, column])) > 1 for column in range(table.dimension)]
        self.box = Space.from_parameters(
            {name: self._parameter(column) for column, name in enumerate(table.names) if self._varied[column]}
        )

    def take(self, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """The nearest row that is free, which is not free any more."""
        if not self._free.any():
            self._free[:] = True
        distance = np.zeros(len(self._table))
        for column, name in enumerate(self._table.names):
            if self._varied[column]:
                distance += self._apart(column, wanted[name])
        distance[~self._free] = np.inf
        row = int(np.argmin(distance))
        self._free[row] = False
        return self._table.point(row)

    def suggestion(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """A row as a point of the box."""
        return {
            name: row[name] if self._labels[column] is not None else float(row[name])
            for column, name in enumerate(self._table.names)
            if self._varied[column]
        }

    def _apart(self, column: int, value: Any) -> Array:
        """The squared distance of each row from a value. (N,)"""
        units, labels = self._table.table[:, column], self._labels[column]
        if labels is not None:
            apart: Array = (units != labels[value]).astype(float)
            return apart
        low, high = self._ends[column]
        return np.asarray((units - (value - low) / (high - low)) ** 2)

    def _parameter(self, column: int) -> Parameter:
        labels = self._labels[column]
        return Choice(*labels) if labels is not None else Float(*self._ends[column])


def _values(table: Candidates, column: int) -> list[tuple[Any, float]]:
    """The labels of a column, each with its encoding, in the order of their first rows."""
    _, first = np.unique(table.table[:, column], return_index=True)
    name = table.names[column]
    return [(table.point(int(row))[name], float(table.table[row, column])) for row in np.sort(first)]


def _ends(table: Candidates, column: int) -> tuple[float, float]:
    """The least and the greatest number of a column."""
    units, name = table.table[:, column], table.names[column]
    ends = [table.point(int(row))[name] for row in (np.argmin(units), np.argmax(units))]
    return (0.0, 0.0) if table.levels[column] is not None else (float(ends[0]), float(ends[1]))
