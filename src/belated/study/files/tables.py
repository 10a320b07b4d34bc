"""Data from tables: past results to add to a study, and the columns by which they and answers are found.

All rows are checked before any is taken, and one TableError names everything that is wrong with them.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from belated.errors import ParameterError, TableError
from belated.log import Outcomes
from belated.space import Candidates, Context, Space
from belated.study.files.cells import Reader, or_nothing, readers
from belated.study.files.numerals import Notation
from belated.study.files.outcome_cells import OutcomeCells, as_told, outcome_cells
from belated.study.files.record_table import PERFORMED, TAKEN, column_names, outcome_columns
from belated.study.files.sheet import read_sheet, refuse
from belated.study.files.text import Readable, called


class DataRow(NamedTuple):
    """A past result, as `Study.add_many` takes it."""

    point: dict[str, Any]
    value: Any
    context: dict[str, Any] | None = None
    sd: Any = None


def read_csv(
    file: Readable,
    space: Space | Candidates,
    context: Context | None = None,
    outcomes: Outcomes | None = None,
    value: str | None = None,
) -> list[DataRow]:
    """The rows of a file with a column for each parameter, for each entry of the context, and for each outcome.

    The main outcome stands in the column `value`, if that is given. A table of a study is read too: its other columns
    are ignored. Rows without an answer are passed over.
    """
    call = called("read_csv", file)
    declared = Outcomes.one() if outcomes is None else outcomes
    _check(call, space, context, value)
    columns = outcome_columns(declared) | ({} if value is None else {declared.main: value})
    entries = context.space.names if context is not None else ()
    sheet = read_sheet(call, file, names_known(space.names, entries, *columns.values()))
    layout = layout_of(sheet.header, space.names, entries, *columns.values())
    cells = outcome_cells(sheet.header, columns, [*layout.columns, *TAKEN])
    performed = {name: column for name in space.names if (column := f"{PERFORMED}{name}") in sheet.header}
    known = [*layout.columns, *performed.values(), *(column for each in cells for column in each.columns)]
    there = {each.name for each in cells}
    lacking = [columns[name] for name in declared.required if name not in there]
    faults = [*sheet.faults(), *missing(layout.columns, sheet.header), *missing_values(lacking)]
    refuse(call, [*faults, *strange(sheet.header, [*known, *columns.values()])])

    def row(where: str, values: Mapping[str, Any]) -> DataRow:
        point = {name: values[column] for name, column in layout.point.items()}
        point |= {name: values[column] for name, column in performed.items() if values[column] is not None}
        seen = {name: values[column] for name, column in layout.context.items()}
        kept, known = space.read(point, call=where), context.read(seen, call=where) if context else None
        value, sd = _measured(where, declared, cells, values)
        return DataRow(kept, value, known, sd)

    by_name = readers(space, sheet.notation)
    reads = {layout.point[name]: read for name, read in by_name.items()}
    reads |= {performed[name]: or_nothing(read) for name, read in by_name.items() if name in performed}
    reads |= context_readers(context, layout, sheet.notation) if context else {}
    for each in cells:
        reads |= each.readers(sheet.notation)
    needed = [column for each in cells if each.name in declared.required for column in each.columns]
    return sheet.answered(*needed).read(reads, row)


@dataclass(frozen=True)
class Layout:
    """The columns of the parameters and of the context's entries, by their names."""

    point: dict[str, str]
    context: dict[str, str]

    @property
    def columns(self) -> list[str]:
        """The columns that are read."""
        return [*self.point.values(), *self.context.values()]


def layout_of(header: Sequence[str], parameters: Sequence[str], entries: Sequence[str], *others: str) -> Layout:
    """The columns by the names that `write_csv` gives them or, if the header lacks one, by the plain name."""
    in_point, in_context = column_names(parameters, entries, taken=(*TAKEN, *others))
    spoken_for = {*others, *(column for column in (*in_point, *in_context) if column in header)}

    def column(name: str, written: str) -> str:
        return written if written in header or name in spoken_for else name

    return Layout(
        {name: column(name, written) for name, written in zip(parameters, in_point, strict=True)},
        {name: column(name, written) for name, written in zip(entries, in_context, strict=True)},
    )


def context_readers(context: Context, layout: Layout, notation: Notation) -> dict[str, Reader]:
    """A reader for each column of the context."""
    found = readers(context.space, notation, clip=context.outside == "clip")
    return {layout.context[name]: read for name, read in found.items()}


def names_known(parameters: Sequence[str], entries: Sequence[str], *others: str) -> list[str]:
    """All the columns that a file of data or of answers may have."""
    prefixed = [name for names in column_names(parameters, entries, (*TAKEN, *others)) for name in names]
    performed = [f"{PERFORMED}{name}" for name in parameters]
    return [*parameters, *entries, *prefixed, *performed, *TAKEN, *others]


def missing(columns: Sequence[str], header: Sequence[str]) -> list[str]:
    """The faults of a header that lacks some columns."""
    return [f"column {name!r} is missing; add it" for name in columns if name not in header]


def missing_values(columns: Sequence[str]) -> list[str]:
    """The faults of a header that lacks columns of outcomes."""
    return [f"column {name!r} is missing; add it, or name the column that holds the answers" for name in columns]


def strange(header: Sequence[str], known: Sequence[str]) -> list[str]:
    """The faults of a header with columns that belong to nothing."""
    found = [name for name in dict.fromkeys(header) if name and name not in {*known, *TAKEN}]
    near = {name: difflib.get_close_matches(name, known, n=1, cutoff=0.5) for name in found}
    ways = {name: f"did you mean {others[0]!r}?" if others else "delete it" for name, others in near.items()}
    return [f"column {name!r} belongs to no parameter; {ways[name]}" for name in found]


def _measured(
    where: str, outcomes: Outcomes, cells: Sequence[OutcomeCells], values: Mapping[str, Any]
) -> tuple[Any, Any]:
    """The answer of a row and its standard error, as `Study.add` takes them."""
    said = {each.name: found for each in cells if (found := each.read(where, values, None)) is not None}
    for name, found in said.items():
        if found.word is not None:
            rule = "data that was never asked for has a number there, or repeats; empty the cell or the row"
            raise TableError(f"{where}: got a word for {name!r}; {rule}")
    lacking = [each for each in cells if each.name in outcomes.required and each.name not in said]
    if lacking:
        rule = f"data that was never asked for has all of {', '.join(outcomes.required)}; fill it in"
        raise TableError(f"{where}, column {lacking[0].values[0]!r}: got ''; {rule}")
    return as_told(said, outcomes)


def _check(call: str, space: object, context: object, value: object) -> None:
    if not isinstance(space, Space | Candidates):
        raise ParameterError(f"{call}: got {space!r} as the space; give a bl.Space or bl.Candidates.")
    if context is not None and not isinstance(context, Context):
        raise ParameterError(f"{call}: got {context!r} as the context; give a bl.Context.")
    if value is not None and (not isinstance(value, str) or not value):
        raise ParameterError(f"{call}: got {value!r} as the value's column; give its name.")
