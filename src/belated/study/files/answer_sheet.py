"""Answers from tables: what each row of a sheet tells of its query, compared with what the study knows of that.

A cell that says what is known with fewer digits says nothing new: spreadsheets round what they show, and some what
they save.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol

from belated.errors import TableError
from belated.log import VALUE, QueryStanding
from belated.space import Candidates, Choice, Context, Space
from belated.study.files.cells import Reader, answer, identifier, or_nothing, readers
from belated.study.files.numerals import LEAST_DIGITS, is_rounded, is_same_answer, n_digits
from belated.study.files.sheet import Sheet, SheetRow, read_sheet, refuse
from belated.study.files.tables import context_readers, layout_of, missing, names_known
from belated.study.files.text import Readable

# Of the range of a parameter. A number that is rounded by more is what was done, as 0.5 in the place of 0.4878.
NEAR = 0.01


class AnswerRow(NamedTuple):
    """What a row tells of a query, as `Study.tell_many` takes it: an answer, a context, or both."""

    query: int
    value: float | None
    context: dict[str, Any] | None = None


class SheetStudy(Protocol):
    """A study as its answers are read: what was asked, and what is known of single queries."""

    @property
    def space(self) -> Space | Candidates:
        """The set that is searched."""

    @property
    def context(self) -> Context | None:
        """What else the answers depend on."""

    def standings(self, queries: Iterable[int]) -> Mapping[int, QueryStanding]:
        """What the log says of those of these queries that exist."""


def answers_in(call: str, file: Readable, study: SheetStudy) -> AnswerSheet:
    """The answers in a file, by the columns `query`, or `id`, and `value`; a TableError if it has no such table.

    A context seen after the decision has columns too, and a row may hold a value, a context or both. Either all columns
    of the context are there, and then `value` may be missing, or none, and then nothing is told of contexts.
    """
    after = study.context if study.context is not None and study.context.seen == "after" else None
    entries = () if after is None else after.space.names
    sheet = read_sheet(call, file, names_known(study.space.names, entries))
    in_question = "query" not in sheet.header or "query" in (*entries, *study.space.names)
    query = "id" if "id" in sheet.header and in_question else "query"
    layout = layout_of(sheet.header, study.space.names, entries, "value", query)
    seen = [column for column in layout.context.values() if column in sheet.header]
    needed = (query, *(layout.context.values() if seen else ()), *(() if seen else ("value",)))
    refuse(call, [*sheet.faults(), *missing(needed, sheet.header)])
    reads = readers(study.space, sheet.notation)
    point = {
        name: ParameterCells(column, reads[name], nearness(study.space, name))
        for name, column in layout.point.items()
        if column in sheet.header
    }
    context: dict[str, ParameterCells] = {}
    if after is not None and seen:
        of_context = context_readers(after, layout, sheet.notation)
        context = {
            name: ParameterCells(column, of_context[column], nearness(after.space, name))
            for name, column in layout.context.items()
        }
    return AnswerSheet(sheet, study, query, "value" in sheet.header, point, context)


@dataclass(frozen=True)
class ParameterCells:
    """The column of a parameter, the reader of its cells, and which numbers may be one another rounded."""

    column: str
    read: Reader
    near: Callable[[Any, Any], bool]

    def knowing(self, known: Any) -> Reader:
        """A reader that finds the known value where a number is written that is that one rounded."""
        number = isinstance(known, int | float) and not isinstance(known, bool)

        def found(text: str) -> Any:
            rounded = number and is_rounded(text, known)
            try:
                value = self.read(text)
            except TableError:
                if rounded and n_digits(text) >= LEAST_DIGITS:
                    return known
                raise
            return known if rounded and (value == known or self.near(value, known)) else value

        return or_nothing(found)


@dataclass(frozen=True)
class AnswerSheet:
    """A sheet of answers to a study's queries, and its columns."""

    sheet: Sheet
    study: SheetStudy
    query: str  # the column of the identifier
    has_values: bool
    point: dict[str, ParameterCells]
    context: dict[str, ParameterCells]

    @property
    def held(self) -> tuple[str, ...]:
        """Of these columns, a row that tells something fills one at least."""
        return (*(["value"] if self.has_values else []), *(cells.column for cells in self.context.values()))

    def each(self) -> Iterator[tuple[SheetRow, AnswerRow | None, list[str]]]:
        """Each row with what it tells or what is wrong with it; a row that waits for its answer has neither."""
        identify = identifier(self.sheet.notation)
        ids = [_read_or_none(identify, self.sheet.cells(line).get(self.query, "")) for line in self.sheet.lines]
        known = self.study.standings({query for query in ids if query is not None})
        for line, query in zip(self.sheet.lines, ids, strict=True):
            if self.sheet.waits(line, self.held):
                yield line, None, []
                continue
            standing = known.get(query)
            reads = {self.query: identify, **self._reads(standing)}
            told, wrong = self.sheet.row(line, reads, partial(self._told, standing))
            yield line, told[0] if told else None, wrong

    def _reads(self, standing: QueryStanding | None) -> dict[str, Reader]:
        """The readers for a row about a query of which this is known."""
        made: dict[str, Reader] = {}
        if self.has_values:
            read = answer(self.sheet.notation)
            known = None if standing is None else standing.answers.get(VALUE)
            made["value"] = or_nothing(read if known is None else _unless_same(read, known.value))
        for name, cells in self.point.items():
            if standing is not None:
                made[cells.column] = cells.knowing(standing.point[name])
        for name, cells in self.context.items():
            seen = None if standing is None or standing.context is None else standing.context[name]
            made[cells.column] = cells.knowing(seen)
        return made

    def _told(self, standing: QueryStanding | None, where: str, values: Mapping[str, Any]) -> AnswerRow:
        """What a row with these values tells."""
        for name, cells in self.point.items():
            done = values.get(cells.column)
            if done is not None and standing is not None and done != standing.point[name]:
                raise TableError(
                    f"{where}, column {cells.column!r}: got {done!r}, and {standing.point[name]!r} was asked; write "
                    f"that, or import the row as data that was never asked for"
                )
        seen = {name: values[cells.column] for name, cells in self.context.items()}
        empty = [self.context[name].column for name, value in seen.items() if value is None]
        if empty and len(empty) < len(seen):
            raise TableError(
                f"{where}, column {empty[0]!r}: got ''; a context is given whole or not at all; fill it in"
            )
        after = self.study.context
        context = after.read(seen, call=where) if after is not None and seen and not empty else None
        return AnswerRow(values[self.query], values.get("value"), context)


def nearness(domain: Space | Candidates, name: str) -> Callable[[Any, Any], bool]:
    """Whether a number that was read may be taken for the one that was asked, if it is that one rounded."""
    if isinstance(domain, Candidates):
        columns = {column["name"]: column["values"] for column in domain.to_json()["columns"]}
        others = frozenset(columns[name])  # another number of the table is another candidate
        return lambda value, known: value not in others
    parameter = domain[name]
    if isinstance(parameter, Choice):
        return lambda value, known: False
    return lambda value, known: abs(parameter.encode(value, "") - parameter.encode(known, "")) <= NEAR


def _unless_same(read: Reader, known: float) -> Reader:
    """A reader of answers that finds the known one where that is written, perhaps with fewer digits."""
    return lambda text: known if is_same_answer(text, known) else read(text)


def _read_or_none(read: Reader, text: str) -> Any:
    try:
        return read(text)
    except TableError:
        return None
