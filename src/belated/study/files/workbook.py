"""Excel workbooks, by the optional package openpyxl: their cells as the texts that a CSV file would hold, and back."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from itertools import zip_longest
from typing import Any

from belated.errors import MissingPackageError, TableError
from belated.study.files.numerals import NO_VALUE

Row = tuple[int, tuple[str, ...]]

ZIP, OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
# A small file may unpack to more than a machine holds.
MOST_UNPACKED = 200_000_000
# Texts in the format of a number, where a percent sign is none.
QUOTED = re.compile(r'"[^"]*"|\\.')
# Characters that XML has no place for, and texts that look like their escapes in workbooks.
ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
UNSTORABLE = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
# Wider columns make a sheet hard to look at.
WIDEST = 40


def is_workbook(data: bytes) -> bool:
    """Whether a file holds a workbook, as Excel writes them today or wrote them before 2007."""
    return data.startswith((ZIP, OLE))


def require_openpyxl(call: str) -> None:
    """Refuse to go on without the package that reads and writes workbooks."""
    try:
        import openpyxl  # noqa: F401
    except ImportError:
        raise MissingPackageError(
            f"{call}: workbooks need the package openpyxl, which is not installed; Belated's extra 'excel' brings it, "
            f"and without it the same table goes by CSV, which every spreadsheet program opens and saves."
        ) from None


def read_workbook(call: str, data: bytes) -> list[list[Row]]:
    """The rows of each sheet in a workbook, after their numbers."""
    if data.startswith(OLE):
        raise TableError(f"{call}: the workbook is protected, or older than 2007; save it as a plain .xlsx, or as CSV.")
    require_openpyxl(call)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            if sum(part.file_size for part in parts.infolist()) > MOST_UNPACKED:
                raise TableError(f"{call}: the workbook unpacks to more than {MOST_UNPACKED:,} bytes; split it.")
        return _sheets(data)
    except (KeyError, ValueError, TypeError, AttributeError, OSError, SyntaxError, zipfile.BadZipFile) as trouble:
        raise TableError(
            f"{call}: this is no workbook that can be read ({type(trouble).__name__}); save it as .xlsx, or as CSV."
        ) from None


def workbook(call: str, rows: Sequence[Sequence[Any]], offers: Mapping[str, Sequence[str]] | None = None) -> bytes:
    """A workbook with these rows, the header first; cells of some columns offer texts to choose from."""
    require_openpyxl(call)
    from openpyxl import Workbook
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    book = Workbook()
    sheet = book.active
    for number, cells in enumerate(rows, start=1):
        for place, value in enumerate(cells, start=1):
            if value is not None and value != "":
                _write(sheet.cell(number, place), value)
    for place, name in enumerate(rows[0], start=1):
        letter = get_column_letter(place)
        sheet.column_dimensions[letter].width = min(max(len(str(row[place - 1] or "")) for row in rows) + 2, WIDEST)
        sheet.cell(1, place).font = Font(bold=True)
        if offers and name in offers and len(rows) > 1:
            offer = DataValidation("list", formula1=f'"{",".join(offers[name])}"', showErrorMessage=False)
            offer.add(f"{letter}2:{letter}{len(rows)}")
            sheet.add_data_validation(offer)
    sheet.freeze_panes = "A2"
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def _sheets(data: bytes) -> list[list[Row]]:
    """The rows of each sheet; a formula has its value where the program that wrote it has computed one."""
    from openpyxl import load_workbook

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is lost when it is written again, which it is not
        values, formulas = (
            load_workbook(io.BytesIO(data), read_only=True, data_only=computed).worksheets for computed in (True, False)
        )
        return [_rows(*pair) for pair in zip(values, formulas, strict=True)]


def _rows(values: Any, formulas: Any) -> list[Row]:
    for sheet in (values, formulas):
        sheet.reset_dimensions()  # some programs write wrong ones
    texts = [
        tuple(_text(cell, formula) for cell, formula in zip(*pair, strict=True))
        for pair in zip_longest(values.iter_rows(), formulas.iter_rows(), fillvalue=())
    ]
    width = max(map(len, texts), default=0)
    return [(number, cells + ("",) * (width - len(cells))) for number, cells in enumerate(texts, start=1)]


def _text(cell: Any, formula: Any) -> str:
    """What a cell holds, as a CSV file would have it; a number with all its digits."""
    match cell.value:
        case None:
            return "" if formula.value is None else NO_VALUE
        case bool(value):
            return str(value)
        case int(value) | float(value):
            if "%" in QUOTED.sub("", cell.number_format):
                return f"{value * 100:.15g}%"
            return repr(int(value) if value == int(value) and abs(value) < 2**53 else value)
        case datetime() | date() | time() as value:
            return value.isoformat()
        case value:
            return ESCAPED.sub(lambda found: chr(int(found[1], 16)), str(value))


def _write(cell: Any, value: Any) -> None:
    """Keep a value in a cell; numbers are doubles there, and no text is a formula."""
    if isinstance(value, int | float) and float(value) == value:
        cell.value = value
        return
    text = str(value).encode("utf-8", "backslashreplace").decode()  # UTF-8 has no half of a surrogate pair
    cell.value = UNSTORABLE.sub(lambda found: f"_x{ord(found[0]):04X}_", text)
    cell.data_type = "s"
