"""A finite table of candidates, where a point is a row and nothing lies between rows."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np

from belated.checks import as_number, require_count
from belated.errors import PointError, SpaceError
from belated.space.arrays import Array, Indices, Mask
from belated.space.columns import Column, Labels, column
from belated.space.domain import Domain
from belated.space.names import check_names, distinct
from belated.space.rows import read
from belated.space.scalars import scalar, whole

# Rows that a call may make up.
LARGEST_OVER = 1_000_000


@final
@dataclass(frozen=True, init=False, repr=False, eq=False)
class Candidates:
    """The rows of an array, a list of dicts or a DataFrame.

    `table` holds their encodings, (N, d) and read-only: numbers scaled by the least and greatest of their
    column, other columns as levels. Rows are distinct, so a row is known by its encoding.
    """

    names: tuple[str, ...]
    table: Array  # (N, d)
    columns: tuple[Column, ...]
    _order: Indices  # (N,)

    def __init__(self, rows: object, names: Iterable[str] | None = None) -> None:
        self._define(*read(rows, names))

    @classmethod
    def over(cls, space: Domain, count: int, seed: int = 0) -> Self:
        """So many quasi-random points of a box as a table, or fewer where whole numbers and choices make some equal."""
        require_count("Candidates.over", "count", count, most=LARGEST_OVER, reason="a table is kept in memory")
        units = space.sample(count, np.random.default_rng(seed))
        _, first = np.unique(units, axis=0, return_index=True)
        return cls([space.decode(unit) for unit in units[np.sort(first)]])

    @classmethod
    def from_json(cls, data: object) -> Self:
        """The table that `to_json` described."""
        match data:
            case {"kind": "candidates", "columns": [*entries]} if _are_columns(entries):
                names = distinct((entry["name"] for entry in entries), "Candidates.from_json()")
                candidates = cls.__new__(cls)
                candidates._define(names, [_column(entry) for entry in entries])
                return candidates
        raise SpaceError("Candidates.from_json(): not a table; give what Candidates.to_json() returned.")

    def _define(self, names: tuple[str, ...], columns: Iterable[Column]) -> None:
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "columns", tuple(columns))
        object.__setattr__(self, "table", np.stack([entry.units() for entry in self.columns], axis=1))
        self.table.setflags(write=False)
        object.__setattr__(self, "_order", self._sorted())

    def _sorted(self) -> Indices:
        """The rows in the lexicographic order of their encodings, or a SpaceError where two share one."""
        order = np.lexsort(self.table.T[::-1])
        same = np.ones(len(order) - 1, dtype=np.bool_)
        for units in self.table.T:
            in_order = units[order]
            same &= in_order[1:] == in_order[:-1]
        twins = np.flatnonzero(same)
        if len(twins):
            first, second = sorted((int(order[twins[0]]), int(order[twins[0] + 1])))
            equal = self.point(first) == self.point(second)
            rule = "are equal" if equal else "are too near to be told apart in double precision"
            raise SpaceError(f"Candidates(): rows {first} and {second} {rule}; rows are distinct; drop one.")
        return order

    def __repr__(self) -> str:
        return f"Candidates({len(self)} rows of {', '.join(self.names)})"

    def __len__(self) -> int:
        return len(self.table)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Candidates) and (self is other or self.to_json() == other.to_json())

    def __hash__(self) -> int:
        return hash((self.names, self.table.shape))

    @property
    def dimension(self) -> int:
        """The number of columns."""
        return len(self.names)

    @property
    def levels(self) -> tuple[int | None, ...]:
        """The number of labels of each column; None for a column of numbers."""
        return tuple(entry.levels for entry in self.columns)

    @property
    def categorical(self) -> tuple[bool, ...]:
        """True for each column of labels."""
        return tuple(isinstance(entry, Labels) for entry in self.columns)

    def point(self, row: int) -> dict[str, Any]:
        """The values of a row, as they were given."""
        return {name: entry.value(row) for name, entry in zip(self.names, self.columns, strict=True)}

    def index(self, point: Mapping[str, object], *, call: str = "index()") -> int:
        """The row with these values; a PointError that begins with `call` if there is none."""
        values = check_names(point, self.names, call)
        units = [entry.unit(values[name]) for name, entry in zip(self.names, self.columns, strict=True)]
        row = None if None in units else self._row(tuple(units))
        if row is None or self.point(row) != {name: values[name] for name in self.names}:
            raise PointError(
                f"{call}: {dict(values)!r} is not a row; a point is one of the {len(self)} candidates, "
                f"to the last digit; take it from the table, as {self.point(0)!r}."
            )
        return row

    def encode(self, point: Mapping[str, object], *, call: str = "encode()") -> Array:
        """The row of `table` with these values, shape (d,)."""
        row: Array = self.table[self.index(point, call=call)]
        return row

    def read(self, point: Mapping[str, object], *, call: str = "read()") -> dict[str, Any]:
        """The row with these values, as it was given, or a PointError that begins with `call`."""
        return self.point(self.index(point, call=call))

    def decode(self, unit: Array) -> dict[str, Any]:
        """The point whose encoding is exactly this row of `table`."""
        row = self._row(tuple(unit.tolist())) if unit.shape == (self.dimension,) else None
        if row is None:
            raise PointError(
                f"decode(): {unit!r} encodes no candidate; nothing lies between rows; give a row of table."
            )
        return self.point(row)

    def rows(self, units: Array) -> Indices:
        """The numbers of the rows with these encodings; those that are of no row are left out. (m,)"""
        first, last = np.zeros(len(units), dtype=np.intp), np.full(len(units), len(self) - 1)
        # A bisection of all at once: the row in question is neither before the first nor behind the last.
        while np.any(first < last):
            middle = (first + last) // 2
            above = _is_above(units, self.table[self._order[middle]])
            first, last = np.where(above, middle + 1, first), np.where(above, last, middle)
        found = self._order[first]
        return np.asarray(found[(self.table[found] == units).all(axis=1)])

    def sample(self, count: int, rng: np.random.Generator) -> Array:
        """Encodings of random rows, (count, d): distinct ones first, then any."""
        distinct_rows = rng.choice(len(self), size=min(count, len(self)), replace=False)
        others = rng.integers(len(self), size=count - len(distinct_rows))
        rows: Array = self.table[np.concatenate([distinct_rows, others])]
        return rows

    def to_json(self) -> dict[str, Any]:
        """The table as JSON, column by column."""
        columns = [{"name": name, **entry.to_json()} for name, entry in zip(self.names, self.columns, strict=True)]
        return {"kind": "candidates", "columns": columns}

    def _row(self, units: tuple[Any, ...]) -> int | None:
        """The row with this encoding, by bisection in the sorted order; None if there is none."""
        place = bisect_left(self._order, units, key=lambda row: tuple(self.table[row].tolist()))
        if place == len(self) or tuple(self.table[self._order[place]].tolist()) != units:
            return None
        return int(self._order[place])


def _is_above(rows: Array, others: Array) -> Mask:
    """Whether each row comes after its counterpart in lexicographic order. (m,)"""
    above, equal = np.zeros(len(rows), dtype=bool), np.ones(len(rows), dtype=bool)
    for own, other in zip(rows.T, others.T, strict=True):
        above |= equal & (own > other)
        equal &= own == other
    return above


def _are_columns(entries: Sequence[object]) -> bool:
    """Whether the entries are at least one named column, all of the same length."""
    lengths = set()
    for entry in entries:
        match entry:
            case {"name": str(), "kind": "float" | "int" | "label", "values": [_, *_] as values}:
                lengths.add(len(values))
            case _:
                return False
    return len(lengths) == 1


def _column(entry: dict[str, Any]) -> Column:
    """The column of a JSON entry, read by its kind: a database may write 1e300 as a whole number."""
    reader = {"float": as_number, "int": whole, "label": scalar}[entry["kind"]]
    return column([reader(value) for value in entry["values"]], entry["name"])
