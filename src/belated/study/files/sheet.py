"""A CSV file as a header and numbered rows, and one error that names everything wrong with it."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from belated.errors import PointError, TableError
from belated.study.files.cells import Reader
from belated.study.files.text import Readable, read_text

Result = TypeVar("Result")

QUOTED = re.compile(r'"[^"]*"')
MOST_SHOWN = 10
UNANSWERED = ("pending", "overdue", "abandoned")


@dataclass(frozen=True)
class SheetRow:
    """One row of cells; `where` counts rows of data, and lines of the file, since a cell may hold several."""

    where: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Sheet:
    """The columns of a file and its rows, blank ones left out."""

    call: str
    header: tuple[str, ...]
    lines: tuple[SheetRow, ...]

    def faults(self) -> list[str]:
        """What is wrong with the header on its own."""
        nameless = [f"column {place} has no name; name or delete it" for place, name in self._places() if not name]
        twice = [name for name, count in Counter(self.header).items() if name and count > 1]
        return nameless + [f"column {name!r} comes twice; delete one" for name in twice]

    def answered(self, *columns: str) -> Sheet:
        """The sheet without the rows that are empty in these columns and whose `state` allows it."""
        lines = tuple(line for line in self.lines if not self.waits(line, columns))
        if not lines:
            raise TableError(f"{self.call}: none of {len(self.lines)} rows has a value; fill in those that are known.")
        return replace(self, lines=lines)

    def waits(self, line: SheetRow, columns: Sequence[str]) -> bool:
        """Whether a row is empty in these columns, and its `state` allows it."""
        if "state" not in self.header or len(line.cells) != len(self.header):
            return False
        cells = dict(zip(self.header, line.cells, strict=True))
        return cells["state"].strip() in UNANSWERED and not any(cells[column].strip() for column in columns)

    def read(self, readers: Mapping[str, Reader], result: Callable[[str, dict[str, Any]], Result]) -> list[Result]:
        """The results of all rows, each made by `result` from the row's place and the values of the cells that have a
        reader.
        """
        rows = [self.row(line, readers, result) for line in self.lines]
        refuse(self.call, [problem for _, wrong in rows for problem in wrong])
        return [made for found, _ in rows for made in found]

    def row(
        self, line: SheetRow, readers: Mapping[str, Reader], result: Callable[[str, dict[str, Any]], Result]
    ) -> tuple[list[Result], list[str]]:
        """The result of a row, or no result and what is wrong with the row."""
        values, wrong = self._values(line, readers)
        if wrong:
            return [], wrong
        try:
            return [result(line.where, values)], []
        except (PointError, TableError) as problem:
            return [], [str(problem).removesuffix(".")]

    def _places(self) -> enumerate[str]:
        return enumerate(self.header, start=1)

    def _values(self, line: SheetRow, readers: Mapping[str, Reader]) -> tuple[dict[str, Any], list[str]]:
        """The values of a row, and what is wrong with it."""
        if len(line.cells) != len(self.header):
            rule = "a row has one for each; put a text with separators into quotes"
            return {}, [f"{line.where}: got {len(line.cells)} cells for {len(self.header)} columns; {rule}"]
        cells = dict(zip(self.header, line.cells, strict=True))
        values: dict[str, Any] = {}
        problems: list[str] = []
        for column, read in readers.items():
            try:
                values[column] = read(cells[column])
            except TableError as rule:
                problems.append(f"{line.where}, column {column!r}: got {cells[column]!r}; {rule}")
        return values, problems


def read_sheet(call: str, file: Readable, known: Container[str]) -> Sheet:
    """The sheet in a file; names of columns lose the space around them, unless they are known with it."""
    lines = _lines(call, read_text(call, file, TableError))
    if not lines:
        raise TableError(f"{call}: the file is empty; its first line names the columns; write them there.")
    header = tuple(name if name in known else name.strip() for name in lines[0][1])
    if len(lines) == 1:
        raise TableError(f"{call}: the file has the columns {', '.join(header)} and no row; write one per line.")
    rows = [SheetRow(f"row {row} (line {line})", cells) for row, (line, cells) in enumerate(lines[1:], start=1)]
    return Sheet(call, header, tuple(rows))


def refuse(call: str, problems: Sequence[str]) -> None:
    """Raise a TableError if there are problems; it lists the first of them."""
    if not problems:
        return
    count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    more = [f"and {len(problems) - MOST_SHOWN} more"] if len(problems) > MOST_SHOWN else []
    listed = "".join(f"\n  {problem}" for problem in [*problems[:MOST_SHOWN], *more])
    raise TableError(f"{call}: {count}; a file is taken whole or not at all; mend it and try again:{listed}")


def _lines(call: str, text: str) -> list[tuple[int, tuple[str, ...]]]:
    """The cells of each line that is not blank, after the number of its first line in the file."""
    header = QUOTED.sub("", text.lstrip().partition("\n")[0])
    # Spreadsheets write semicolons where the decimal separator is a comma, and tabs where one asks them for a text.
    separator = next((mark for mark in (",", ";", "\t") if mark in header), ",")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    lines: list[tuple[int, tuple[str, ...]]] = []
    number = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                lines.append((number, tuple(cells)))
            number = reader.line_num + 1
    except csv.Error as trouble:
        raise TableError(f"{call}: line {number} is no CSV ({trouble}); mend its quotes and try again.") from None
    return lines
