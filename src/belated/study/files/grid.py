"""The rows of texts in a table file, whatever program wrote it: CSV with any separator, or a workbook of Excel."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from belated.errors import TableError
from belated.study.files.quoting import unquoted
from belated.study.files.text import Readable, read_data, text_in
from belated.study.files.workbook import is_workbook, read_workbook

# Spreadsheets write semicolons where a comma is decimal, and tabs where one asks them for a text.
SEPARATORS = (",", ";", "\t")
# Spreadsheets read the separator from such a first line, and some write one.
ANNOUNCED = {f"sep={separator}": separator for separator in SEPARATORS}

Row = tuple[int, tuple[str, ...]]


@dataclass(frozen=True)
class Grid:
    """The rows that are not blank, each after its number in the file, where it is a `unit`: a line or a row."""

    rows: list[Row]
    separator: str = ""
    unit: str = "line"


def read_grid(call: str, file: Readable, n_known: Callable[[Sequence[str]], int]) -> Grid:
    """The grid in a file; of several ways to read it, the one whose first row has most columns that are known."""
    data = read_data(call, file, TableError)
    if isinstance(data, bytes) and is_workbook(data):
        tables = [_written(table) for table in read_workbook(call, data)]
        best = max(tables, key=lambda rows: n_known(rows[0][1]) if rows else -1, default=[])
        return Grid(best, unit="row")
    text = text_in(call, data, TableError, "save the file as UTF-8, which Excel calls “CSV UTF-8”, or as .xlsx")
    first, _, rest = text.lstrip("\r\n").partition("\n")
    announced = ANNOUNCED.get(first.strip().strip('"').lower() if first.strip() else "")
    if announced is not None:
        skipped = text[: len(text) - len(rest)].count("\n")
        return Grid([(line + skipped, cells) for line, cells in _parsed(call, rest, announced)], announced)
    headers = {mark: _header(text, mark) for mark in SEPARATORS}
    separator = max(SEPARATORS, key=lambda mark: (n_known(headers[mark]), len(headers[mark]) > 1))
    return Grid(_parsed(call, text, separator), separator)


def _header(text: str, separator: str) -> list[str]:
    """The cells of the first line that is not blank; none where this separator makes nonsense of it."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        return [unquoted(cell) for cell in next((cells for cells in reader if any(map(str.strip, cells))), [])]
    except csv.Error:
        return []


def _parsed(call: str, text: str, separator: str) -> list[Row]:
    """The cells of each line that is not blank, after the number of its first line in the file."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    lines: list[Row] = []
    number = 1
    try:
        for cells in reader:
            lines.append((number, tuple(cells)))
            number = reader.line_num + 1
    except csv.Error as trouble:
        raise TableError(f"{call}: line {number} is no CSV ({trouble}); mend its quotes and try again.") from None
    return _written(lines)


def _written(rows: Sequence[Row]) -> list[Row]:
    """The rows in which something is written, with texts that were quoted as they were."""
    return [(number, tuple(unquoted(cell) for cell in cells)) for number, cells in rows if any(map(str.strip, cells))]
