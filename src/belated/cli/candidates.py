"""The rows of a file as candidates. A column of numbers alone holds numbers; any other column holds texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from belated.errors import TableError
from belated.study.files.cells import Reader
from belated.study.files.numerals import DECIMAL_COMMA, THOUSANDS, Notation, why_no_number
from belated.study.files.sheet import read_sheet, refuse

# Numbers as people type them: codes such as 007 stay texts.
WHOLE = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})")
NUMBER = re.compile(r"[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")
# What programs write for a missing number, and numbers with a typographic minus.
NO_NUMBER = re.compile(r"[-+]?(nan|inf|infinity)|n/?a|null|none|[-–—?.]|[−–][0-9].*", re.IGNORECASE)


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of the file, as values by the names of its first line."""
    sheet = read_sheet(str(path), path, ())
    refuse(sheet.call, sheet.faults())
    places: dict[tuple[str, ...], str] = {}

    def row(where: str, cells: dict[str, str]) -> dict[str, str]:
        first = places.setdefault(tuple(cells.values()), where)
        if first != where:
            raise TableError(f"{where}: it is equal to {first}; candidates are distinct; delete one")
        return cells

    rows = sheet.read(dict.fromkeys(sheet.header, _filled), row)
    cells = {name: [_with_point(row[name], sheet.notation) for row in rows] for name in sheet.header}
    # A column of numbers with thousands or gaps would otherwise be one of texts, and nobody would notice.
    no_thousands = partial(_no_thousands, sheet.notation)
    spoilt: dict[str, Reader] = {
        name: no_thousands for name in sheet.header if _numeric_but_for(THOUSANDS, cells[name])
    }
    gappy: dict[str, Reader] = {name: _a_number for name in sheet.header if _numeric_but_for(NO_NUMBER, cells[name])}
    if spoilt or gappy:
        sheet.read(spoilt | gappy, lambda *_: None)
    columns = {
        name: _column(texts) if _is_numeric(texts) else [row[name] for row in rows] for name, texts in cells.items()
    }
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def _is_numeric(cells: Sequence[str]) -> bool:
    return all(NUMBER.fullmatch(cell) for cell in cells)


def _with_point(cell: str, notation: Notation) -> str:
    """A number with a decimal comma as one with a point; any other cell as it is."""
    return cell.replace(",", ".") if DECIMAL_COMMA.fullmatch(cell) and notation.number(cell) is not None else cell


def _filled(cell: str) -> str:
    if not cell.strip():
        raise TableError("every candidate has all its values; fill it in or delete the row")
    return cell.strip()


def _numeric_but_for(strange: re.Pattern[str], cells: Sequence[str]) -> bool:
    n_strange = sum(bool(strange.fullmatch(cell)) for cell in cells)
    n_numbers = sum(bool(NUMBER.fullmatch(cell) and not strange.fullmatch(cell)) for cell in cells)
    return bool(n_strange) and n_strange + n_numbers == len(cells)


def _no_thousands(notation: Notation, cell: str) -> str:
    if THOUSANDS.fullmatch(cell.strip()) and notation.number(cell) is None:
        raise TableError(why_no_number(cell, "a number"))
    return cell


def _a_number(cell: str) -> str:
    if NO_NUMBER.fullmatch(cell.strip()):
        raise TableError("all others in this column are numbers; write one, or delete the row")
    return cell


def _column(cells: Sequence[str]) -> list[int] | list[float]:
    return (
        [int(cell) for cell in cells]
        if all(WHOLE.fullmatch(cell) for cell in cells)
        else [float(cell) for cell in cells]
    )
