"""Workbooks: what openpyxl or a spreadsheet program wrote is read as it was meant, and what we write opens there."""

from __future__ import annotations

import builtins
import io
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from belated.errors import MissingPackageError, TableError
from belated.space import Choice, Float, Space
from belated.study import Study
from belated.study.files import DataRow, read_csv, write_batch, write_excel
from belated.study.files.workbook import read_workbook, workbook

LINE = Space(heat=Float(20, 120))


def book(fill: Callable[[Any], None]) -> bytes:
    made = openpyxl.Workbook()
    fill(made.active)
    buffer = io.BytesIO()
    made.save(buffer)
    return buffer.getvalue()


def rows(*cells: tuple[object, ...]) -> bytes:
    def fill(sheet: Any) -> None:
        for row in cells:
            sheet.append(row)

    return book(fill)


def test_numbers_texts_and_gaps_are_read(tmp_path: Path) -> None:
    path = tmp_path / "past.xlsx"
    path.write_bytes(
        rows((" HEAT ", "Value", None, "note"), (60.5, 1, None, None), (70, None), (None,), ("80,5", "2,5"))
    )
    with pytest.raises(TableError, match="column 'note' belongs to no parameter"):
        read_csv(path, LINE)
    path.write_bytes(rows((" HEAT ", "Value"), (60.5, 1), (70, None), (None,), ("80,5", "2,5")))
    assert read_csv(path, LINE) == [DataRow({"heat": 60.5}, 1.0), DataRow({"heat": 80.5}, 2.5)]


@pytest.mark.parametrize(
    "value, number_format, said",
    [
        (0.41, "0%", "got '41%'; percent signs are not read"),
        (datetime(2026, 5, 3), "DD.MM.YY", "got '2026-05-03T00:00:00'; the spreadsheet has made a date of it"),
        ("#DIV/0!", "General", "got '#DIV/0!'; its formula has no value"),
        ("=A2/B2", "General", "got 'a formula without its value'; its formula has no value"),
        (True, "General", "got 'True'; give a finite number"),
    ],
    ids=["percent", "date", "error", "formula", "truth"],
)
def test_what_a_spreadsheet_shows_otherwise_is_refused(value: object, number_format: str, said: str) -> None:
    def fill(sheet: Any) -> None:
        sheet.append(("heat", "value"))
        sheet.append((60, value))
        sheet["B2"].number_format = number_format

    with pytest.raises(TableError) as refused:
        read_csv(io.BytesIO(book(fill)), LINE)
    assert f"row 1 (row 2), column 'value': {said}" in str(refused.value)


def test_the_sheet_with_the_columns_is_read_wherever_it_stands() -> None:
    made = openpyxl.Workbook()
    made.active.append(("what we did last week",))
    for row in (("heat", "value"), (60, 1)):
        made.create_sheet("data").append(row) if row[0] == "heat" else made["data"].append(row)
    buffer = io.BytesIO()
    made.save(buffer)
    assert read_csv(io.BytesIO(buffer.getvalue()), LINE) == [DataRow({"heat": 60.0}, 1.0)]


@pytest.mark.parametrize("data", [b"PK\x03\x04nothing", b"\xd0\xcf\x11\xe0old"], ids=["broken", "old"])
def test_what_is_no_workbook_is_refused_with_the_way_out(data: bytes) -> None:
    with pytest.raises(TableError, match=r"save it as (a plain )?\.xlsx, or as CSV\.$"):
        read_csv(io.BytesIO(data), LINE)


def test_without_the_package_the_error_names_the_extra_and_the_other_way(monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name.startswith("openpyxl"):
            raise ImportError(name)
        return imported(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(
        MissingPackageError, match=r"extra 'excel' brings it, and without it the same table goes by CSV"
    ):
        read_workbook("tell('lab.xlsx')", b"PK\x03\x04")


def test_a_workbook_of_ours_opens_with_its_numbers_and_texts(tmp_path: Path) -> None:
    space = Space(heat=Float(20, 120), kind=Choice("=1+1", "-x"))
    study = Study.in_memory(space, policy="random", seed=3)
    queries = list(study.ask(3))
    study.tell(1, 1 / 3)
    write_batch(tmp_path / "batch.xlsx", queries, space, None, study.outcomes)
    write_excel(tmp_path / "table.xlsx", study.record())
    for name in ("batch.xlsx", "table.xlsx"):
        sheet: Any = openpyxl.load_workbook(tmp_path / name).active
        cells = [list(row) for row in sheet.iter_rows()]
        names = [cell.value for cell in cells[0]]
        assert {"id", "heat", "kind", "value", "state"} <= set(names)
        assert {cell.data_type for row in cells for cell in row} <= {"n", "s"}
        heats = [row[names.index("heat")].value for row in cells[1:]]
        assert heats == pytest.approx([query.point["heat"] for query in queries], abs=0.01)


def test_characters_that_xml_lacks_come_back() -> None:
    texts = ["a\x01b", "\x0b", "_x0041_", "two\nlines", "tab\tbed", "half \ud800"]
    (_, (_, cells)) = read_workbook("read", workbook("write", [["n"] * len(texts), texts]))[0]
    assert list(cells[:-1]) == texts[:-1]
    assert cells[-1] == "half \\ud800"
