"""The correction: a value was typed wrong, a flask had another temperature, a sample was contaminated, one was measured
three times, one broke, one could not be done: all from the same spreadsheet, which is sent more than once.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests.forks import belated
from tests.scenes.laboratory import SPACE
from tests.scenes.terminal import done, read

FIRST = {
    1: {"value": "0.41"},
    2: {"value": "0.5", "temperature": "71"},
    3: {"value": "Failed", "comment": "it precipitated"},
    4: {"value": "0.41; 0.44; 0.40"},
    5: {"state": "lost", "comment": "flask broken"},
    6: {"value": "0.7"},
}
LATER = {
    1: {"value": "0.14"},
    2: {"temperature": "70.5"},
    4: {"value": "0.41; 0.44; 0.39"},
    6: {"state": "retracted", "comment": "contaminated"},
    7: {"value": "0.9"},
}


class Spreadsheet:
    """The file that goes between the laboratory and the study."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def fill(self, filled: dict[int, dict[str, str]]) -> None:
        """Type into cells of some rows, by the ids of their queries."""
        if self._path.suffix == ".xlsx":
            self._fill_workbook(filled)
            return
        with self._path.open(newline="") as lines:
            rows = list(csv.DictReader(lines))
        for row in rows:
            row.update(filled.get(int(row["id"]), {}))
        with self._path.open("w", newline="") as lines:
            table = csv.DictWriter(lines, list(rows[0]))
            table.writeheader()
            table.writerows(rows)

    def _fill_workbook(self, filled: dict[int, dict[str, str]]) -> None:
        book = openpyxl.load_workbook(self._path)
        sheet: Any = book.active
        columns = {cell.value: cell.column for cell in sheet[1]}
        for row in range(2, sheet.max_row + 1):
            for name, text in filled.get(sheet.cell(row, columns["id"]).value, {}).items():
                cell = sheet.cell(row, columns[name])
                cell.value = float(text) if text.replace(".", "").isdigit() else text
        book.save(self._path)


@pytest.mark.parametrize("name", ["batch.csv", "batch.xlsx"])
def test_all_corrections_come_from_the_same_spreadsheet(tmp_path: Path, name: str) -> None:
    done(tmp_path, "create", "lab", "--space", SPACE, "--policy", "random", "--seed", 7)
    done(tmp_path, "ask", "lab", "-n", 8, "-o", name)
    sheet = Spreadsheet(tmp_path / name)
    sheet.fill(FIRST)
    assert done(tmp_path, "tell", "lab", name) == (
        "4 queries are answered, 1 failed, 1 lost, 1 tried at another point than asked\n"
    )
    log = read(tmp_path, "export", "lab")
    assert done(tmp_path, "tell", "lab", name) == "0 queries are answered, 5 were before\n"
    assert read(tmp_path, "export", "lab") == log
    sheet.fill(LATER)
    assert done(tmp_path, "revise", "lab", "--file", name) == (
        "1 query is answered, 2 are revised, 1 taken back, 1 tried at another point than asked, 1 was before\n"
    )
    log = read(tmp_path, "export", "lab")
    for command in ("revise", "tell"):
        done(tmp_path, command, "lab", name)
        assert read(tmp_path, "export", "lab") == log
    events = [(event["event"], event["query"]) for event in log if "query" in event and event["event"] != "asked"]
    assert sorted(events, key=lambda event: event[1]) == [
        ("answered", 1),
        ("revised", 1),
        ("performed", 2),
        ("answered", 2),
        ("performed", 2),
        ("failed", 3),
        ("answered", 4),
        ("revised", 4),
        ("abandoned", 5),
        ("answered", 6),
        ("retracted", 6),
        ("answered", 7),
    ]
    said = {(event["event"], event.get("query")): event for event in log}
    assert said["failed", 3]["reason"] == "it precipitated"
    assert said["retracted", 6]["reason"] == "contaminated"
    assert said["performed", 2]["point"]["temperature"] == 70.5
    assert said["revised", 4]["repeats"] == [0.41, 0.44, 0.39]
    assert said["revised", 1]["value"] == 0.14
    assert done(tmp_path, "replay", "lab") == "8 queries come out the same\n"


def test_the_table_of_a_study_with_corrections_says_nothing_new(tmp_path: Path) -> None:
    done(tmp_path, "create", "lab", "--space", SPACE, "--policy", "random", "--seed", 7)
    done(tmp_path, "ask", "lab", "-n", 8, "-o", "batch.csv")
    Spreadsheet(tmp_path / "batch.csv").fill(FIRST)
    done(tmp_path, "tell", "lab", "batch.csv")
    done(tmp_path, "tell", "lab", 7, "0.3", "--sd", "0.02")
    done(tmp_path, "retract", "lab", 6, "--reason", "contaminated")
    log = read(tmp_path, "export", "lab")
    for name in ("table.csv", "table.xlsx"):
        done(tmp_path, "export", "lab", name)
        for command in ("tell", "revise"):
            done(tmp_path, command, "lab", name)
            assert read(tmp_path, "export", "lab") == log


def test_a_sheet_in_which_parameters_were_sorted_without_their_queries_is_refused(tmp_path: Path) -> None:
    done(tmp_path, "create", "lab", "--space", SPACE, "--policy", "random", "--seed", 7)
    done(tmp_path, "ask", "lab", "-n", 8, "-o", "batch.csv")
    with (tmp_path / "batch.csv").open(newline="") as lines:
        header, *rows = csv.reader(lines)
    points = sorted((row[1:5] for row in rows), key=lambda point: float(point[1]))
    answered = [[row[0], *point, "0.5", "", ""] for row, point in zip(rows, points, strict=True)]
    with (tmp_path / "sorted.csv").open("w", newline="") as lines:
        csv.writer(lines).writerows([header, *answered])
    refused = belated(tmp_path, "tell", "lab", "sorted.csv")
    assert refused.returncode == 30
    assert "stands beside the parameters of query " in refused.stderr
    whole = sorted(([*row[:5], "0.5", "", ""] for row in rows), key=lambda row: float(row[2]))
    with (tmp_path / "sorted.csv").open("w", newline="") as lines:
        csv.writer(lines).writerows([header, *whole])
    assert done(tmp_path, "tell", "lab", "sorted.csv") == "8 queries are answered\n"


def test_if_one_row_is_refused_nothing_of_any_kind_is_taken(tmp_path: Path) -> None:
    done(tmp_path, "create", "lab", "--space", SPACE, "--policy", "random", "--seed", 7)
    done(tmp_path, "ask", "lab", "-n", 8, "-o", "batch.csv")
    sheet = Spreadsheet(tmp_path / "batch.csv")
    sheet.fill(FIRST | {8: {"solvent": "ether", "value": "1"}})
    log = read(tmp_path, "export", "lab")
    preview = read(tmp_path, "tell", "lab", "batch.csv", "--dry-run")["rows"]
    assert [row["outlook"] for row in preview] == [
        "will be taken",
        preview[1]["outlook"],
        "counts as failed: it precipitated",
        "will be taken",
        "counts as lost: flask broken",
        "will be taken",
        "no answer yet: passed over",
        "refused: column 'solvent': got 'ether'; give one of 'DMF', 'THF', 'water'",
    ]
    assert preview[1]["outlook"].startswith("will be taken; tried at temperature 71 instead of ")
    assert read(tmp_path, "export", "lab") == log
