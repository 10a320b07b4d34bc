"""A table in a file as a header and numbered rows, and one error that names everything wrong with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from belated.errors import PointError, TableError
from belated.study.files.cells import Reader
from belated.study.files.grid import Grid, read_grid
from belated.study.files.numerals import Notation
from belated.study.files.text import Readable

Result = TypeVar("Result")

MOST_SHOWN = 10
WHOLE = "a file is taken whole or not at all; mend it and try again:"


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
    notation: Notation

    def faults(self) -> list[str]:
        """What is wrong with the header on its own."""
        nameless = [f"column {place} has no name; name or delete it" for place, name in self._places() if not name]
        twice = [name for name, count in Counter(self.header).items() if name and count > 1]
        return nameless + [f"column {name!r} comes twice; delete one" for name in twice]

    def answered(self, *columns: str) -> Sheet:
        """The sheet without the rows that are empty in these columns."""
        lines = tuple(line for line in self.lines if not self.waits(line, columns))
        if not lines:
            raise TableError(f"{self.call}: none of {len(self.lines)} rows has a value; fill in those that are known.")
        return replace(self, lines=lines)

    def waits(self, line: SheetRow, columns: Sequence[str]) -> bool:
        """Whether a row is empty in these columns."""
        cells = self.cells(line)
        return bool(cells) and not any(cells[column].strip() for column in columns)

    def cells(self, line: SheetRow) -> dict[str, str]:
        """The cells of a row by their columns; none where there are too many or too few."""
        return dict(zip(self.header, line.cells, strict=True)) if len(line.cells) == len(self.header) else {}

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


def read_sheet(call: str, file: Readable, known: Collection[str]) -> Sheet:
    """The sheet in a file; columns that are known are found whatever their case and the space around their names."""
    names = _by_writing(known)

    def n_known(header: Sequence[str]) -> int:
        return len({_column(cell, names) for cell in header}.intersection(known))

    grid = read_grid(call, file, n_known)
    if not grid.rows:
        raise TableError(f"{call}: the file is empty; its first line names the columns; write them there.")
    header, rows = _without_empty_columns(grid)
    header = tuple(_column(name, names) for name in header)
    if not rows:
        raise TableError(f"{call}: the file has the columns {', '.join(header)} and no row; write one per line.")
    lines = [SheetRow(f"row {row} ({grid.unit} {line})", cells) for row, (line, cells) in enumerate(rows, start=1)]
    return Sheet(call, header, tuple(lines), Notation.of((cell for _, cells in rows for cell in cells), grid.separator))


def refuse(call: str, problems: Sequence[str]) -> None:
    """Raise a TableError if there are problems; it lists the first of them."""
    if not problems:
        return
    count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    more = [f"and {len(problems) - MOST_SHOWN} more"] if len(problems) > MOST_SHOWN else []
    listed = "".join(f"\n  {problem}" for problem in [*problems[:MOST_SHOWN], *more])
    raise TableError(f"{call}: {count}; {WHOLE}{listed}")


def _column(written: str, names: Mapping[str, str]) -> str:
    """The column that a cell of the header names: a known one as it is written, or but for spaces, or but for case."""
    plain = written.strip()
    return next((names[way] for way in (written, plain, plain.casefold()) if way in names), plain)


def _by_writing(known: Collection[str]) -> dict[str, str]:
    """The known columns by all ways of writing them that mean only one of them."""
    folded = Counter(name.strip().casefold() for name in known)
    loose = {name.strip().casefold(): name for name in known if folded[name.strip().casefold()] == 1}
    return loose | {name: name for name in known}


def _without_empty_columns(grid: Grid) -> tuple[tuple[str, ...], list[tuple[int, tuple[str, ...]]]]:
    """The header and the rows without columns in which nothing is written, as spreadsheets leave at the side."""
    (_, header), *rows = grid.rows
    used = {place for _, cells in grid.rows for place, cell in enumerate(cells) if cell.strip()}
    empty = {place for place in range(len(header)) if place not in used}

    def kept(cells: Sequence[str]) -> tuple[str, ...]:
        return tuple(cell for place, cell in enumerate(cells) if place not in empty)

    return kept(header), [(line, kept(cells)) for line, cells in rows] if empty else rows
