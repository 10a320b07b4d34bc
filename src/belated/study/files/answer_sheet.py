"""Answers from tables: what each row of a sheet tells of its query, compared with what the study knows of that.

A cell that says what is known with fewer digits says nothing new: spreadsheets round what they show, and some what
they save. A parameter that was changed is what was really done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

from belated.errors import TableError
from belated.log import Outcomes, QueryStanding
from belated.space import Candidates, Context, Space
from belated.study.files.cells import Reader, identifier
from belated.study.files.outcome_cells import OutcomeCells, Said, as_told, outcome_cells, word_in
from belated.study.files.parameter_cells import ContextCells, DoneCells, context_cells, done_cells
from belated.study.files.record_table import outcome_columns
from belated.study.files.sheet import Sheet, SheetRow, read_sheet, refuse
from belated.study.files.tables import layout_of, missing, names_known
from belated.study.files.text import Readable
from belated.study.statements import Ended

STATE, REASONS = "state", ("comment", "reason")
# What a state, once it is that of the query, no longer says.
REACHED = {"failed": "fail", "abandoned": "abandon", "retracted": "retract"}


@dataclass(frozen=True)
class AnswerRow:
    """What a row tells of a query, as `Study.tell` takes it; or the way in which it ended, and why.

    Of the `fresh` outcomes the log does not have this answer. The `point` is what was done, if the log has another.
    """

    query: int
    value: Any = None
    context: dict[str, Any] | None = None
    sd: Any = None
    point: dict[str, Any] | None = None
    ending: Ended | None = None
    reason: str = ""
    fresh: frozenset[str] = field(default=frozenset(), compare=False)
    standing: QueryStanding | None = field(default=None, compare=False, repr=False)

    def to_json(self) -> dict[str, Any]:
        """The row as commands print it."""
        more = {"sd": self.sd, "point": self.point, "ending": self.ending, "reason": self.reason}
        said = {name: given for name, given in more.items() if given}
        return {"query": self.query, "value": self.value, "context": self.context, **said}


class SheetStudy(Protocol):
    """A study as its answers are read: what was asked, and what is known of single queries."""

    @property
    def space(self) -> Space | Candidates:
        """The set that is searched."""

    @property
    def context(self) -> Context | None:
        """What else the answers depend on."""

    @property
    def outcomes(self) -> Outcomes:
        """What is measured."""

    def standings(self, queries: Iterable[int]) -> Mapping[int, QueryStanding]:
        """What the log says of those of these queries that exist."""


def answers_in(call: str, file: Readable, study: SheetStudy) -> AnswerSheet:
    """The answers in a file, by the column `query` or `id` and those of outcomes; a TableError if it has no such table.

    A context seen after the decision has columns too, and a row may hold answers, a context or both. Either all columns
    of the context are there, and then answers may be missing, or none, and then nothing is told of contexts.
    """
    after = study.context if study.context is not None and study.context.seen == "after" else None
    entries = () if after is None else after.space.names
    columns = outcome_columns(study.outcomes)
    sheet = read_sheet(call, file, names_known(study.space.names, entries, *columns.values()))
    in_question = "query" not in sheet.header or "query" in (*entries, *study.space.names)
    query = "id" if "id" in sheet.header and in_question else "query"
    layout = layout_of(sheet.header, study.space.names, entries, *columns.values(), query, STATE, *REASONS)
    seen = [column for column in layout.context.values() if column in sheet.header]
    spoken_for = {*layout.point.values(), *layout.context.values(), query}
    outcomes = outcome_cells(sheet.header, columns, {*study.space.names, *spoken_for})
    words = frozenset({STATE, *REASONS}.intersection(sheet.header))
    lacking = [] if seen or outcomes or STATE in words else missing(list(columns.values())[:1], sheet.header)
    needed = (query, *(layout.context.values() if seen else ()))
    refuse(call, [*sheet.faults(), *missing(needed, sheet.header), *lacking])
    return AnswerSheet(
        sheet,
        study,
        query,
        tuple(outcomes),
        done_cells(study.space, layout.point, sheet),
        context_cells(after, layout.context, sheet) if after is not None and seen else (),
        words,
    )


@dataclass(frozen=True)
class AnswerSheet:
    """A sheet of answers to a study's queries, and its columns."""

    sheet: Sheet
    study: SheetStudy
    query: str  # the column of the identifier
    outcomes: tuple[OutcomeCells, ...]
    done: tuple[DoneCells, ...]
    context: tuple[ContextCells, ...]
    words: frozenset[str]  # of the columns of the state and of reasons, those that are there

    @property
    def held(self) -> tuple[str, ...]:
        """Of these columns, a row that tells something fills one at least."""
        told = (column for cells in self.outcomes for column in cells.columns)
        return (*told, *(cells.column for cells in self.context))

    def each(self) -> Iterator[tuple[SheetRow, AnswerRow | None, list[str]]]:
        """Each row with what it tells or what is wrong with it; a row that waits for its answer has neither."""
        identify = identifier(self.sheet.notation)
        ids = [_read_or_none(identify, self.sheet.cells(line).get(self.query, "")) for line in self.sheet.lines]
        known = self.study.standings({query for query in ids if query is not None})
        for line, query in zip(self.sheet.lines, ids, strict=True):
            standing, word = known.get(query), self._state_word(line, known.get(query))
            if word is None and self.sheet.waits(line, self.held):
                yield line, None, []
                continue
            reads: dict[str, Reader] = {self.query: identify}
            for outcome in self.outcomes:
                reads |= outcome.readers(self.sheet.notation)
            reads |= {cells.column: cells.reader(standing) for cells in self.context}
            reads |= {cells.column: cells.reader(standing) for cells in self.done}
            told, wrong = self.sheet.row(line, reads, partial(self._told, line, standing, word))
            yield line, told[0] if told else None, wrong

    def _state_word(self, line: SheetRow, standing: QueryStanding | None) -> Ended | None:
        """What the state of a row says, unless the query is in that state."""
        text = self.sheet.cells(line).get(STATE, "") if STATE in self.words else ""
        said = word_in(text)
        return None if standing is not None and said == REACHED.get(standing.state.value, "") else said

    def _told(
        self, line: SheetRow, standing: QueryStanding | None, word: Ended | None, where: str, values: Mapping[str, Any]
    ) -> AnswerRow:
        """What a row with these values tells."""
        # A sheet that is sent again does not bring back what was taken back since.
        answers = {**standing.withdrawn, **standing.answers} if standing is not None else {}
        read = {cells.name: cells.read(where, values, answers.get(cells.name)) for cells in self.outcomes}
        said = {name: entry for name, entry in read.items() if entry is not None}
        words = {entry.word for entry in said.values() if entry.word} | ({word} if word else set())
        measured = {name: entry for name, entry in said.items() if not entry.word}
        changed = {cells.name: values[cells.column] for cells in self.done if values[cells.column] is not None}
        point = {**_tried(standing), **changed} if changed and standing is not None else None
        query, context = values[self.query], self._context(where, values)
        if not words:
            return self._answered(query, measured, context, point, standing)
        fresh = {name: entry for name, entry in measured.items() if not entry.known}
        there = {*(standing.answers if standing is not None else ()), *fresh}
        whole = "retract" in words or not self.study.outcomes.lacking(there)
        if len(words) > 1 or (fresh and whole):
            raise TableError(f"{where}: it says that the query ended without an answer, and something else; keep one")
        cells = self.sheet.cells(line)
        reasons = [cells[name].strip() for name in REASONS if name in self.words and cells[name].strip()]
        reason = "; ".join(reasons).replace("\r\n", "\n").replace("\r", "\n")
        seen = self._answered(query, fresh, context, point, standing)
        return replace(seen, ending=words.pop(), reason=reason)

    def _answered(
        self,
        query: int,
        measured: Mapping[str, Said],
        context: dict[str, Any] | None,
        point: dict[str, Any] | None,
        standing: QueryStanding | None,
    ) -> AnswerRow:
        """A row with these measurements, as a number where the outcome of the study has no name."""
        fresh = frozenset(name for name, entry in measured.items() if not entry.known)
        value, sd = as_told(measured, self.study.outcomes)
        return AnswerRow(query, value, context, sd, point, None, "", fresh, standing)

    def _context(self, where: str, values: Mapping[str, Any]) -> dict[str, Any] | None:
        """The context in a row; a TableError if it has a part of one."""
        empty = [cells.column for cells in self.context if values[cells.column] is None]
        if empty and len(empty) < len(self.context):
            raise TableError(
                f"{where}, column {empty[0]!r}: got ''; a context is given whole or not at all; fill it in"
            )
        if empty or self.study.context is None or not self.context:
            return None
        return self.study.context.read({cells.name: values[cells.column] for cells in self.context}, call=where)


def _tried(standing: QueryStanding | None) -> Mapping[str, Any]:
    """The point that was tried, as far as the log knows."""
    if standing is None:
        return {}
    return standing.point if standing.performed is None else standing.performed


def _read_or_none(read: Any, text: str) -> Any:
    try:
        return read(text)
    except TableError:
        return None
