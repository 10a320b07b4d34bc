"""Data from tables: past results to add to a study, and the columns by which they and answers are found.

All rows are checked before any is taken, and one TableError names everything that is wrong with them.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from belated.errors import ParameterError
from belated.space import Candidates, Context, Space
from belated.study.files.cells import Reader, answer, readers
from belated.study.files.numerals import Notation
from belated.study.files.record_table import TAKEN, column_names
from belated.study.files.sheet import read_sheet, refuse
from belated.study.files.text import Readable, called


class DataRow(NamedTuple):
    """A past result, as `Study.add_many` takes it."""

    point: dict[str, Any]
    value: float
    context: dict[str, Any] | None = None


def read_csv(
    file: Readable, space: Space | Candidates, context: Context | None = None, value: str = "value"
) -> list[DataRow]:
    """The rows of a file with a column for each parameter, for each entry of the context, and for the value.

    A table of a study is read too: its other columns are ignored. Rows without a value are passed over.
    """
    call = called("read_csv", file)
    _check(call, space, context, value)
    entries = context.space if context is not None else None
    sheet = read_sheet(call, file, known=names_known(space.names, entries.names if entries else (), value))
    layout = layout_of(sheet.header, space.names, entries.names if entries else (), value)
    refuse(call, [*sheet.faults(), *layout.faults(sheet.header)])

    def row(where: str, values: Mapping[str, Any]) -> DataRow:
        point = {name: values[column] for name, column in layout.point.items()}
        seen = {name: values[column] for name, column in layout.context.items()}
        known = space.read(point, call=where)
        return DataRow(known, values[value], context.read(seen, call=where) if context else None)

    in_point = {layout.point[name]: read for name, read in readers(space, sheet.notation).items()}
    in_context = context_readers(context, layout, sheet.notation) if context else {}
    return sheet.answered(value).read(in_point | in_context | {value: answer(sheet.notation)}, row)


@dataclass(frozen=True)
class Layout:
    """The columns of the parameters, of the context's entries and of the value, by their names."""

    point: dict[str, str]
    context: dict[str, str]
    value: str

    @property
    def columns(self) -> list[str]:
        """The columns that are read."""
        return [*self.point.values(), *self.context.values(), self.value]

    def faults(self, header: Sequence[str]) -> list[str]:
        """What is wrong with a header that should have these columns."""
        found = missing([*self.point.values(), *self.context.values()], header)
        if self.value not in header:
            found.append(f"column {self.value!r} is missing; add it, or name the column that holds the answers")
        unknown = [name for name in dict.fromkeys(header) if name and name not in {*self.columns, *TAKEN}]
        return found + [f"column {name!r} belongs to no parameter; {self._way_out(name)}" for name in unknown]

    def _way_out(self, name: str) -> str:
        near = difflib.get_close_matches(name, self.columns, n=1, cutoff=0.5)
        return f"did you mean {near[0]!r}?" if near else "delete it"


def layout_of(
    header: Sequence[str], parameters: Sequence[str], entries: Sequence[str], value: str, *others: str
) -> Layout:
    """The columns by the names that `write_csv` gives them or, if the header lacks one, by the plain name."""
    in_point, in_context = column_names(parameters, entries, taken=(*TAKEN, value, *others))
    spoken_for = {value, *others, *(column for column in (*in_point, *in_context) if column in header)}

    def column(name: str, written: str) -> str:
        return written if written in header or name in spoken_for else name

    return Layout(
        {name: column(name, written) for name, written in zip(parameters, in_point, strict=True)},
        {name: column(name, written) for name, written in zip(entries, in_context, strict=True)},
        value,
    )


def context_readers(context: Context, layout: Layout, notation: Notation) -> dict[str, Reader]:
    """A reader for each column of the context."""
    found = readers(context.space, notation, clip=context.outside == "clip")
    return {layout.context[name]: read for name, read in found.items()}


def names_known(parameters: Sequence[str], entries: Sequence[str], *others: str) -> list[str]:
    """All the columns that a file of data or of answers may have."""
    return [
        *parameters,
        *entries,
        *(name for names in column_names(parameters, entries) for name in names),
        *TAKEN,
        *others,
    ]


def _check(call: str, space: object, context: object, value: object) -> None:
    if not isinstance(space, Space | Candidates):
        raise ParameterError(f"{call}: got {space!r} as the space; give a bl.Space or bl.Candidates.")
    if context is not None and not isinstance(context, Context):
        raise ParameterError(f"{call}: got {context!r} as the context; give a bl.Context.")
    if not isinstance(value, str) or not value:
        raise ParameterError(f"{call}: got {value!r} as the value's column; give its name.")


def missing(columns: Sequence[str], header: Sequence[str]) -> list[str]:
    """The faults of a header that lacks some columns."""
    return [f"column {name!r} is missing; add it" for name in columns if name not in header]
