"""Data from CSV files: past results to add to a study, and answers to its queries.

All rows are checked before any is taken, and one TableError names everything that is wrong with them.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from belated.errors import ParameterError, TableError
from belated.space import Candidates, Context, Space
from belated.study.files.cells import Reader, answer, identifier, or_nothing, readers
from belated.study.files.record_table import FIXED, TAKEN, column_names
from belated.study.files.sheet import Sheet, SheetRow, read_sheet, refuse
from belated.study.files.text import Readable, called


class DataRow(NamedTuple):
    """A past result, as `Study.add_many` takes it."""

    point: dict[str, Any]
    value: float
    context: dict[str, Any] | None = None


class AnswerRow(NamedTuple):
    """What a row tells of a query, as `Study.tell_many` takes it: an answer, a context, or both."""

    query: int
    value: float | None
    context: dict[str, Any] | None = None


def read_csv(
    file: Readable, space: Space | Candidates, context: Context | None = None, value: str = "value"
) -> list[DataRow]:
    """The rows of a file with a column for each parameter, for each entry of the context, and for the value.

    A table from `write_csv` is read too: other columns and queries without a value are ignored.
    """
    call = called("read_csv", file)
    _check(call, space, context, value)
    entries = context.space if context is not None else None
    sheet = read_sheet(call, file, known={value, *space.names, *(entries or ())})
    layout = _layout(sheet.header, space.names, entries.names if entries else (), value)
    refuse(call, [*sheet.faults(), *layout.faults(sheet.header)])

    def row(where: str, values: Mapping[str, Any]) -> DataRow:
        point = {name: values[column] for name, column in layout.point.items()}
        seen = {name: values[column] for name, column in layout.context.items()}
        known = space.read(point, call=where)
        return DataRow(known, values[value], context.read(seen, call=where) if context else None)

    in_point = {layout.point[name]: read for name, read in readers(space).items()}
    in_context = _of_context(context, layout) if context else {}
    queries = sheet if "state" in layout.columns else sheet.answered(value)
    return queries.read(in_point | in_context | {value: answer}, row)


def read_answers(file: Readable, context: Context | None = None) -> list[AnswerRow]:
    """What a file tells of queries, in the columns `query`, or `id`, and `value`; other columns are ignored.

    A context seen after the decision has columns too, and a row may hold a value, a context or both. Either all columns
    of the context are there, and then `value` may be missing, or none, and then nothing is told of contexts.
    """
    call = called("read_answers", file)
    if context is not None and not isinstance(context, Context):
        raise ParameterError(f"{call}: got {context!r} as the context; give a bl.Context.")
    return answers_of(read_sheet(call, file, known=known_with(context)), context).read()


@dataclass(frozen=True)
class Answers:
    """A sheet of answers, the readers of its cells, and the function that makes of each row what it tells."""

    sheet: Sheet
    held: tuple[str, ...]  # of these columns, a row that tells something fills one at least
    readers: Mapping[str, Reader]
    told: Callable[[str, Mapping[str, Any]], AnswerRow]

    def read(self) -> list[AnswerRow]:
        """What all rows tell; a TableError names everything that is wrong with them."""
        return self.sheet.answered(*self.held).read(self.readers, self.told)

    def each(self) -> Iterator[tuple[SheetRow, AnswerRow | None, list[str]]]:
        """Each row with what it tells or what is wrong with it; a row that waits for its answer has neither."""
        for line in self.sheet.lines:
            waits = self.sheet.waits(line, self.held)
            found, wrong = ([], []) if waits else self.sheet.row(line, self.readers, self.told)
            yield line, found[0] if found else None, wrong


def known_with(context: Context | None) -> tuple[str, ...]:
    """The entries of a context that are told with answers."""
    return context.space.names if context is not None and context.seen == "after" else ()


def answers_of(sheet: Sheet, context: Context | None) -> Answers:
    """The answers in a sheet; a TableError if its columns are not those of answers."""
    after = context if context is not None and context.seen == "after" else None
    entries = known_with(context)
    in_question = "query" not in sheet.header or "query" in entries
    query = "id" if "id" in sheet.header and in_question else "query"
    layout = _layout(sheet.header, (), entries, "value", query)
    seen = [column for column in layout.context.values() if column in sheet.header]
    needed = (query, *(layout.context.values() if seen else ()), *(() if seen else ("value",)))
    refuse(sheet.call, [*sheet.faults(), *_missing(needed, sheet.header)])
    held = (*(["value"] if "value" in sheet.header else []), *seen)

    def told(where: str, values: Mapping[str, Any]) -> AnswerRow:
        found = {name: values[column] for name, column in layout.context.items() if column in seen}
        known = None if after is None or not _whole(where, layout, found) else after.read(found, call=where)
        if values.get("value") is None and known is None:
            rule = "give a finite number, or a context" if seen else "give a finite number"
            raise TableError(f"{where}, column {held[0]!r}: got ''; {rule}")
        return AnswerRow(values[query], values.get("value"), known)

    in_context = _of_context(after, layout) if after and seen else {}
    optional = {column: or_nothing(read) for column, read in ({"value": answer} | in_context).items() if column in held}
    return Answers(sheet, held, {query: identifier} | optional, told)


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
        missing = _missing([*self.point.values(), *self.context.values()], header)
        if self.value not in header:
            missing.append(f"column {self.value!r} is missing; add it, or name the column that holds the answers")
        unknown = [name for name in dict.fromkeys(header) if name and name not in {*self.columns, *FIXED}]
        return missing + [f"column {name!r} belongs to no parameter; {self._way_out(name)}" for name in unknown]

    def _way_out(self, name: str) -> str:
        near = difflib.get_close_matches(name, self.columns, n=1, cutoff=0.5)
        return f"did you mean {near[0]!r}?" if near else "delete it"


def _layout(
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


def _of_context(context: Context, layout: Layout) -> dict[str, Reader]:
    """A reader for each column of the context."""
    found = readers(context.space, clip=context.outside == "clip")
    return {layout.context[name]: read for name, read in found.items()}


def _whole(where: str, layout: Layout, found: Mapping[str, Any]) -> bool:
    """Whether a row has a whole context; a TableError if it has a part of one."""
    empty = [layout.context[name] for name, value in found.items() if value is None]
    if empty and len(empty) < len(found):
        raise TableError(f"{where}, column {empty[0]!r}: got ''; a context is given whole or not at all; fill it in")
    return bool(found) and not empty


def _check(call: str, space: object, context: object, value: object) -> None:
    if not isinstance(space, Space | Candidates):
        raise ParameterError(f"{call}: got {space!r} as the space; give a bl.Space or bl.Candidates.")
    if context is not None and not isinstance(context, Context):
        raise ParameterError(f"{call}: got {context!r} as the context; give a bl.Context.")
    if not isinstance(value, str) or not value:
        raise ParameterError(f"{call}: got {value!r} as the value's column; give its name.")


def _missing(columns: Sequence[str], header: Sequence[str]) -> list[str]:
    return [f"column {name!r} is missing; add it" for name in columns if name not in header]
