"""The cells of parameters in a row about a query: what was asked, perhaps with fewer digits, or what was done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from belated.errors import TableError
from belated.log import QueryStanding
from belated.space import Candidates, Choice, Context, Space
from belated.study.files.cells import Reader, or_nothing, readers, tried_readers
from belated.study.files.numerals import LEAST_DIGITS, is_rounded, n_digits, plain_number
from belated.study.files.record_table import PERFORMED
from belated.study.files.sheet import Sheet

# Of the range of a parameter. A number that is rounded by more is what was done, as 0.5 in the place of 0.4878.
NEAR = 0.01

# Whether a number that was read may be taken for a known one, if it is that one rounded.
Nearness = Callable[[Any, Any], bool]


@dataclass(frozen=True)
class DoneCells:
    """The column of a parameter, in which a value that is not the one asked for is what was done."""

    name: str
    column: str
    read: Reader
    near: Nearness

    def reader(self, standing: QueryStanding | None) -> Reader:
        """A reader for a row about a query of which this is known: what was done, or None if nothing says so."""
        known = [point[self.name] for point in (standing and standing.point, standing and standing.performed) if point]

        def found(text: str) -> Any:
            if not known or any(_is_same(text, value, self.near) for value in known):
                return None
            try:
                value = self.read(text)
            except TableError:
                if n_digits(text) >= LEAST_DIGITS and any(is_number(each) and is_rounded(text, each) for each in known):
                    return None  # two options round so, and one of them was asked for
                raise
            return None if any(value == each and type(value) is type(each) for each in known) else value

        return or_nothing(found)


@dataclass(frozen=True)
class ContextCells:
    """The column of an entry of a context that is seen after the decision."""

    name: str
    column: str
    read: Reader
    near: Nearness

    def reader(self, standing: QueryStanding | None) -> Reader:
        """A reader for a row about a query of which this is known."""
        seen = None if standing is None or standing.context is None else standing.context[self.name]
        return or_nothing(lambda text: seen if _is_same(text, seen, self.near) else self.read(text))


def done_cells(space: Space | Candidates, columns: Mapping[str, str], sheet: Sheet) -> tuple[DoneCells, ...]:
    """The cells of each parameter that has a column; what was performed has one of its own in tables of a study."""
    reads = tried_readers(space, sheet.notation)
    return tuple(
        DoneCells(name, found, reads[name], nearness(space, name))
        for name, column in columns.items()
        for found in (column, f"{PERFORMED}{name}")
        if found in sheet.header
    )


def context_cells(context: Context, columns: Mapping[str, str], sheet: Sheet) -> tuple[ContextCells, ...]:
    """The cells of each entry of a context."""
    reads = readers(context.space, sheet.notation, clip=context.outside == "clip")
    return tuple(
        ContextCells(name, column, reads[name], nearness(context.space, name)) for name, column in columns.items()
    )


def nearness(domain: Space | Candidates, name: str) -> Nearness:
    """Which numbers may be taken for a known one of this parameter, if they are that one rounded."""
    if isinstance(domain, Candidates):
        columns = {column["name"]: column["values"] for column in domain.to_json()["columns"]}
        others = frozenset(columns[name])  # another number of the table is another candidate
        return lambda value, known: value not in others
    parameter = domain[name]
    if isinstance(parameter, Choice):
        return lambda value, known: False

    def near(value: Any, known: Any) -> bool:
        places = parameter.place(value), parameter.place(known)
        return places[0] is not None and places[1] is not None and abs(places[0] - places[1]) <= NEAR

    return near


def is_number(value: object) -> bool:
    """Whether a value is a number rather than a text or a truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_same(text: str, known: Any, near: Nearness) -> bool:
    """Whether a number is written that is the known one, perhaps rounded."""
    if not is_number(known) or not is_rounded(text, known):
        return False
    value = plain_number(text)
    return value == known or near(value, known)
