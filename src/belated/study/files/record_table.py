"""A record as one flat table: a row per query or added point, in the order of their identifiers.

Fixed columns say what became of the query; between them stand one per parameter and one per entry of the context.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from belated.errors import MissingPackageError
from belated.log import VALUE, Outcomes, Query
from belated.space import Domain
from belated.study.files.quoting import quoted
from belated.study.files.text import Writable, called, encoded, write_data, write_text
from belated.study.files.workbook import workbook

if TYPE_CHECKING:
    import pandas

    from belated.log import Record

CSV, EXCEL = ".csv", ".xlsx"
# The fixed columns and their pandas types.
BEFORE = {"id": "int64", "number": "int64", "state": "str"}
AFTER = {
    "asked_at": "datetime64[us, UTC]",
    "answered_at": "datetime64[us, UTC]",
    "waited": "float64",
    "delay": "Int64",  # whole numbers, some of them missing
    "revisions": "int64",
    "worker": "str",
    "reason": "str",
}
FIXED = (*BEFORE, VALUE, *AFTER)
# Before the name of a parameter, where another point was tried than the one asked.
PERFORMED = "performed."
# A sheet of answers may call the identifier `query` and the reason `comment`, so that no parameter does.
TAKEN = (*FIXED, "query", "comment")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def column_names(
    parameters: Iterable[str], entries: Iterable[str] = (), taken: Iterable[str] = TAKEN
) -> tuple[list[str], list[str]]:
    """The columns of the parameters and of the context's entries; taken names become `point.…` and `context.…`."""
    used = set(taken)

    def column(name: str, prefix: str) -> str:
        while name in used:
            name = f"{prefix}.{name}"
        used.add(name)
        return name

    return [column(name, "point") for name in parameters], [column(name, "context") for name in entries]


def outcome_columns(outcomes: Outcomes) -> dict[str, str]:
    """The column of each outcome, which is called like it; names of other columns get a prefix."""
    return {name: name if name == VALUE or name not in TAKEN else f"outcome.{name}" for name in outcomes}


def columns(record: Record, only: Iterable[int] | None = None) -> dict[str, list[Any]]:
    """The table, column by column; times in seconds, None for missing values.

    Added data has the number 0 and neither `waited` nor `delay`. `only` holds the identifiers of the rows wanted. Where
    another point was tried, where a standard error was told, or repeats, there are columns for them.
    """
    entries = record.context.space.names if record.context is not None else ()
    in_outcomes = outcome_columns(record.outcomes)
    in_point, in_context = column_names(record.domain.names, entries, (*TAKEN, *in_outcomes.values()))
    queries = list(record.queries) if only is None else [record.queries[query - 1] for query in only]
    fixed = [_fixed(query) for query in queries]
    in_all = {
        column: [query.point[name] for query in queries] for name, column in _pairs(record.domain.names, in_point)
    }
    in_all |= {
        column: [None if query.context is None else query.context[name] for query in queries]
        for name, column in _pairs(entries, in_context)
    }
    return {
        **{name: [row[name] for row in fixed] for name in BEFORE},
        **in_all,
        **_performed(queries, record.domain.names),
        **{name: cells for name, column in in_outcomes.items() for name, cells in _measured(queries, name, column)},
        **{name: [row[name] for row in fixed] for name in AFTER},
    }


def write_csv(file: Writable, record: Record, only: Iterable[int] | None = None) -> None:
    """Write the table with times as ISO 8601 in UTC, every digit of every number, and nothing for None."""
    write_rows(called("write_csv", file), file, _rows(record, only))


def write_excel(file: str | os.PathLike[str], record: Record) -> None:
    """Write the same table as a workbook, which keeps 15 to 16 digits of a number; needs openpyxl."""
    call = called("write_excel", file)
    write_data(call, file, table_data(call, EXCEL, record))


def table_data(call: str, kind: str, record: Record, only: Iterable[int] | None = None) -> bytes:
    """The table as what a file of this kind holds, .csv or .xlsx."""
    return rows_data(call, kind, _rows(record, only))


def write_rows(call: str, file: Writable, rows: Iterable[Sequence[object]]) -> None:
    """Write rows of cells as CSV."""
    write_text(call, file, "".join(map(_line, rows)))


def rows_data(
    call: str, kind: str, rows: Sequence[Sequence[object]], offers: Mapping[str, Sequence[str]] | None = None
) -> bytes:
    """Rows of cells as what a file of this kind holds; a workbook offers texts to choose from in some columns."""
    if kind == EXCEL:
        return workbook(call, rows, offers)
    return encoded("".join(map(_line, rows)))


def in_cell(value: object) -> object:
    """A value as it stands in a cell; a text that spreadsheets would run has an apostrophe before it."""
    return quoted(value) if isinstance(value, str) else value


def to_dataframe(record: Record) -> pandas.DataFrame:
    """The table as a DataFrame, its types the same whether or not there are rows; times as UTC timestamps."""
    try:
        import pandas
    except ImportError:
        raise MissingPackageError(
            "to_dataframe(): needs the package pandas, which is not installed; Belated's extra 'pandas' brings it."
        ) from None
    table = columns(record)
    types = _types(record, table)
    for name in ("asked_at", "answered_at"):
        table[name] = [_instant(seconds) for seconds in table[name]]
    return pandas.DataFrame({name: pandas.Series(values, dtype=types[name]) for name, values in table.items()})


def _pairs(names: Sequence[str], found: Sequence[str]) -> Iterable[tuple[str, str]]:
    return zip(names, found, strict=True)


def _performed(queries: Sequence[Query], names: Sequence[str]) -> dict[str, list[Any]]:
    """A column for each parameter, if another point was tried than the one asked."""
    if all(query.performed is None for query in queries):
        return {}
    tried = [query.performed or dict.fromkeys(names) for query in queries]
    return {f"{PERFORMED}{name}": [point[name] for point in tried] for name in names}


def _measured(queries: Sequence[Query], name: str, column: str) -> Iterator[tuple[str, list[Any]]]:
    """The columns of an outcome: its values and, where there are any, standard errors and repeats."""
    answers = [query.answers.get(name) for query in queries]
    yield column, [None if answer is None else answer.value for answer in answers]
    errors = [None if answer is None else answer.sd for answer in answers]
    if any(error is not None for error in errors):
        yield f"{column} sd", errors
    repeats = ["; ".join(map(repr, answer.repeats)) if answer is not None else "" for answer in answers]
    if any(repeats):
        yield f"{column} repeats", [text or None for text in repeats]


def _fixed(query: Query) -> dict[str, Any]:
    """The fixed columns of one row."""
    answer = query.answer
    awaited = answer if query.number else None  # nobody waits for data that was added
    return {
        "id": query.id,
        "number": query.number,
        "state": query.state.value,
        "asked_at": query.asked_at,
        "answered_at": None if answer is None else answer.at,
        "waited": None if awaited is None else awaited.at - query.asked_at,
        "delay": None if awaited is None else awaited.delay,
        "revisions": 0 if answer is None else len(answer.earlier),
        "worker": query.worker,
        "reason": query.reason,
    }


def _instant(seconds: float | None) -> datetime | None:
    """The instant in UTC, to the microsecond; None if there is none or no calendar has it."""
    try:
        return None if seconds is None else EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        return None


def _moment(seconds: float | None) -> str | float | None:
    """The instant as ISO 8601; in seconds if no calendar has it, as with a clock that counts something else."""
    instant = _instant(seconds)
    return seconds if instant is None else instant.isoformat(timespec="microseconds")


def _rows(record: Record, only: Iterable[int] | None) -> list[list[object]]:
    """The header and the rows of the table, as they stand in cells."""
    table = columns(record, only)
    for name in ("asked_at", "answered_at"):
        table[name] = [_moment(seconds) for seconds in table[name]]
    return [[in_cell(value) for value in cells] for cells in [tuple(table), *zip(*table.values(), strict=True)]]


def _line(cells: Sequence[object]) -> str:
    # Before Python 3.13 a lone \r is put into quotes only where it is part of the line's end.
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator="\r\n").writerow(cells)
    return buffer.getvalue().removesuffix("\r\n") + "\n"


def _types(record: Record, table: dict[str, list[Any]]) -> dict[str, str]:
    """The pandas type of each column."""
    kinds = _kinds(record.domain) + ([] if record.context is None else _kinds(record.context.space))
    first = len(BEFORE)
    described = dict(zip([*table][first : first + len(kinds)], kinds, strict=True))
    tried = {
        f"{PERFORMED}{name}": "object" if kind in ("choice", "label") else "float64"
        for name, kind in zip(record.domain.names, _kinds(record.domain), strict=True)
    }
    known = BEFORE | AFTER | tried
    return {
        name: known.get(name) or (_type(described[name], cells) if name in described else _of_outcome(name))
        for name, cells in table.items()
    }


def _of_outcome(column: str) -> str:
    """The pandas type of a column of an outcome."""
    return "object" if column.endswith(" repeats") else "float64"


def _kinds(domain: Domain) -> list[str]:
    """For each parameter, what it is called in the definition of a space or of a table."""
    definition = domain.to_json()
    return [entry["kind"] for entry in definition.get("parameters") or definition["columns"]]


def _type(kind: str, values: Sequence[Any]) -> str:
    """The pandas type of a parameter; texts and booleans stay as they are, as do whole numbers of more than 64 bits."""
    if kind == "int" and all(value is not None and -(2**63) <= value < 2**63 for value in values):
        return "int64"
    return "float64" if kind == "float" else "object"
