"""The sheet: a chemist fills `batch.csv` in a spreadsheet program of some country, and sends it back twice."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests.scenes.laboratory import SPACE
from tests.scenes.terminal import done, read

# What the chemist measures, to more digits than any spreadsheet keeps.
ANSWERS = {1: 5 / 12, 2: -1 / 7, 4: 12.345678901234567, 5: 1e-7 / 3, 6: 0.0, 8: 1 / 3}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    done(tmp_path, "create", "lab", "--space", SPACE, "--policy", "random", "--seed", 7)
    return tmp_path


def kept(value: float) -> str:
    """A number as a spreadsheet keeps it."""
    return f"{value:.15g}"


def german(cell: str) -> str:
    """A number with a decimal comma; any other cell as it is."""
    try:
        float(cell)
    except ValueError:
        return cell
    return cell.replace(".", ",")


def filled(folder: Path, answers: Mapping[int, str]) -> list[list[str]]:
    """The cells of the sheet with these answers."""
    with (folder / "batch.csv").open(newline="") as lines:
        header, *rows = csv.reader(lines)
    place = header.index("value")
    return [header, *([*row[:place], answers.get(int(row[0]), ""), *row[place + 1 :]] for row in rows)]


def saved_in_germany(folder: Path, cells: list[list[str]]) -> Path:
    """Saved with semicolons, decimal commas and a byte order mark, sorted by another column, its header in capitals."""
    header, *rows = cells
    lines = [
        ";".join(map(german, row)) for row in [[name.upper() for name in header], *sorted(rows, key=lambda row: row[3])]
    ]
    (folder / "batch.csv").write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode())
    return folder / "batch.csv"


def answers_of(folder: Path) -> dict[int, float]:
    with (folder / "seen.csv").open(newline="") as lines:
        return {int(row["id"]): float(row["value"]) for row in csv.DictReader(lines) if row["value"]}


def state_of(folder: Path) -> Any:
    done(folder, "export", "lab", "seen.csv")
    return read(folder, "export", "lab")


def test_a_sheet_with_decimal_commas_and_fifteen_digits_is_taken_once_as_it_was_meant(folder: Path) -> None:
    done(folder, "ask", "lab", "-n", 8, "-o", "batch.csv")
    sheet = saved_in_germany(folder, filled(folder, {query: kept(value) for query, value in ANSWERS.items()}))
    assert done(folder, "tell", "lab", "--file", sheet) == "6 queries are answered\n"
    log = state_of(folder)
    assert answers_of(folder) == {query: float(kept(value)) for query, value in ANSWERS.items()}
    assert done(folder, "tell", "lab", "--file", sheet) == "0 queries are answered, 6 were before\n"
    assert state_of(folder) == log
    assert [query["id"] for query in read(folder, "pending", "lab")] == [3, 7]


def test_what_was_told_with_every_digit_comes_back_with_fewer_and_nothing_happens(folder: Path) -> None:
    done(folder, "ask", "lab", "-n", 8, "-o", "batch.csv")
    for query, value in ANSWERS.items():
        done(folder, "tell", "lab", query, repr(value))
    log = state_of(folder)
    for digits in (15, 9, 4):
        done(folder, "export", "lab", "export.csv")
        with (folder / "export.csv").open(newline="") as lines:
            rows = [[shown(cell, digits) for cell in row] for row in csv.reader(lines)]
        with (folder / "export.csv").open("w", newline="") as lines:
            csv.writer(lines, delimiter=";").writerows([[german(cell) for cell in row] for row in rows])
        assert done(folder, "tell", "lab", "--file", "export.csv") == "0 queries are answered, 6 were before\n"
        assert state_of(folder) == log


def shown(cell: str, digits: int) -> str:
    """A number with so many digits, as a narrow column shows it; whole numbers and texts as they are."""
    return f"{float(cell):.{digits}g}" if "." in cell and cell.replace(".", "").strip("-").isdigit() else cell


def test_a_workbook_goes_out_is_filled_in_and_comes_back_twice(folder: Path) -> None:
    done(folder, "ask", "lab", "-n", 8, "-o", "batch.xlsx")
    book = openpyxl.load_workbook(folder / "batch.xlsx")
    sheet: Any = book.active
    column = [cell.value for cell in sheet[1]].index("value") + 1
    for row in range(2, 10):
        query = sheet.cell(row, 1).value
        if query in ANSWERS:
            sheet.cell(row, column, ANSWERS[query])
    book.save(folder / "batch.xlsx")
    assert done(folder, "tell", "lab", "-f", "batch.xlsx") == "6 queries are answered\n"
    log = state_of(folder)
    assert answers_of(folder) == pytest.approx(ANSWERS, rel=1e-14)
    assert done(folder, "tell", "lab", "-f", "batch.xlsx") == "0 queries are answered, 6 were before\n"
    assert state_of(folder) == log


def test_a_sheet_with_something_wrong_in_it_is_left_as_a_whole_and_says_where(folder: Path) -> None:
    done(folder, "ask", "lab", "-n", 8, "-o", "batch.csv")
    wrong = {1: "0.5", 2: "41%", 3: "#DIV/0!", 4: "3.5.2026", 5: "1,250", 6: "0.4 g", 7: "1.250,5"}
    cells = filled(folder, wrong)
    with (folder / "batch.csv").open("w", newline="") as lines:
        csv.writer(lines).writerows(cells)
    log = state_of(folder)
    preview = read(folder, "tell", "lab", "-f", "batch.csv", "--dry-run")["rows"]
    outlooks = [row["outlook"] for row in preview]
    assert outlooks[0] == "will be taken"
    assert outlooks[7] == "no answer yet: passed over"
    assert all(outlook.startswith("refused: column 'value': got ") for outlook in outlooks[1:7])
    for outlook, way_out in zip(
        outlooks[1:7],
        [
            "percent signs",
            "its formula has no value",
            "made a date of it",
            "write 1250",
            "without its unit: 0.4",
            "write 1250.5",
        ],
        strict=True,
    ):
        assert way_out in outlook
    assert state_of(folder) == log
