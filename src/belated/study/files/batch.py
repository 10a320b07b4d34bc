"""The sheet that goes with a batch of queries: what to try, and empty columns for what comes of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from belated.errors import ParameterError
from belated.log import Outcomes, Query
from belated.space import Candidates, Context, Float, Space
from belated.study.files.record_table import CSV, EXCEL, TAKEN, column_names, in_cell, outcome_columns, rows_data
from belated.study.files.text import called, write_data
from belated.study.files.workbook import require_openpyxl

# Columns that are filled in where there is no answer, and what a workbook offers for the first.
STATE, COMMENT = "state", "comment"
OFFERED = ("failed", "lost")
# Of the range of a parameter: finer than what a laboratory weighs or sets, and than any belief needs.
RESOLUTION = 5e-5
MOST_DIGITS = 17


def check_batch_file(call: str, file: str | os.PathLike[str]) -> None:
    """Refuse a file to which no batch could be written, before anything is asked."""
    path = Path(file)
    if path.suffix.lower() not in (CSV, EXCEL):
        raise ParameterError(f"{call}: got the file {str(file)!r}; a sheet is a .csv or an .xlsx; name it so.")
    if path.exists():
        raise ParameterError(f"{call}: {str(file)!r} is there already, and may hold answers; name another file.")
    if not path.absolute().parent.is_dir():
        raise ParameterError(f"{call}: there is no folder for {str(file)!r}; make it, or name another file.")
    if path.suffix.lower() == EXCEL:
        require_openpyxl(call)


def write_batch(
    file: str | os.PathLike[str],
    queries: Sequence[Query],
    space: Space | Candidates,
    context: Context | None,
    outcomes: Outcomes,
) -> None:
    """Write a row for each query, with as many digits as matter; a workbook where the file is called .xlsx."""
    call = called("write_batch", file)
    kind = Path(file).suffix.lower()
    write_data(call, file, batch_data(call, kind, queries, space, context, outcomes))


def batch_data(
    call: str,
    kind: str,
    queries: Sequence[Query],
    space: Space | Candidates,
    context: Context | None,
    outcomes: Outcomes,
) -> bytes:
    """The same rows as what a file of this kind holds, .csv or .xlsx."""
    return rows_data(call, kind, batch_rows(queries, space, context, outcomes), {STATE: OFFERED})


def batch_rows(
    queries: Sequence[Query], space: Space | Candidates, context: Context | None, outcomes: Outcomes
) -> list[list[object]]:
    """The header and the rows of the sheet; what has come already is filled in."""
    around = context.space if context is not None else None
    entries = around.names if around is not None else ()
    measured = outcome_columns(outcomes)
    in_point, in_context = column_names(space.names, entries, (*TAKEN, *measured.values()))
    rows: list[list[object]] = [["id", *in_point, *in_context, *measured.values(), STATE, COMMENT]]
    for query in queries:
        point = [_shown(query.tried[name], space, name) for name in space.names]
        seen = [_shown(query.context[name], around, name) if query.context and around else None for name in entries]
        answers = [query.answers[name].value if name in query.answers else None for name in measured]
        rows.append([query.id, *point, *seen, *answers, None, None])
    return [[in_cell(cell) for cell in row] for row in rows]


def _shown(value: Any, domain: Space | Candidates, name: str) -> Any:
    parameter = domain[name] if isinstance(domain, Space) else None
    return sensible(value, parameter) if isinstance(parameter, Float) else value


def sensible(value: float, parameter: Float) -> float:
    """A number with as many digits as matter to its parameter."""
    exact = parameter.encode(value, "")
    for digits in range(3, MOST_DIGITS):
        rounded = float(f"{value:.{digits}g}")
        if parameter.low <= rounded <= parameter.high and abs(parameter.encode(rounded, "") - exact) <= RESOLUTION:
            return rounded
    return value
