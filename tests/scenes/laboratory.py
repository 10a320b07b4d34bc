"""A laboratory that works by command line and spreadsheet, and in which days pass."""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from tests.service.conftest import Belated

HOUR = 3600
DAY = 24 * HOUR
SPACE = "{x: {float: [0, 1]}, temperature: {float: [20, 120]}, solvent: [DMF, THF, water], hours: {int: [1, 8]}}"
# How far apart two values must be to be two experiments: a thousandth of the range, which no pipette can tell apart.
APART = {"x": 1e-3, "temperature": 0.1, "solvent": 0.0, "hours": 0.0}


class Batch(NamedTuple):
    """The flasks that one ask has filled, by their queries, and what the command said on the side."""

    flasks: dict[int, dict[str, Any]]
    aside: str


class Laboratory:
    """What a chemist does with the study `lab`: ask for flasks, wait, fill in the sheet, send it back."""

    def __init__(self, belated: Belated, folder: Path, seed: int = 3) -> None:
        self.belated, self._folder = belated, folder
        belated("create", "lab", "--space", SPACE, "--seed", seed)

    def ask(self, count: int) -> Batch:
        """Ask for so many flasks at once."""
        asked = self.belated("ask", "lab", "--count", count, "--json")
        # The text is folded at the width of the terminal.
        return Batch({query["id"]: query["point"] for query in asked.json["queries"]}, " ".join(asked.err.split()))

    def tell(self, query: int, value: float) -> None:
        """Type in one answer."""
        self.belated("tell", "lab", query, value)

    def tell_by_sheet(self, answers: Mapping[int, float]) -> None:
        """Export the sheet, fill in these answers, and tell the whole of it."""
        sheet = self._folder / "sheet.csv"
        self.belated("export", "lab", sheet)
        with sheet.open(newline="") as lines:
            rows = list(csv.DictReader(lines))
        for row in rows:
            if int(row["id"]) in answers:
                row["value"] = str(answers[int(row["id"])])
        with sheet.open("w", newline="") as lines:
            filled = csv.DictWriter(lines, list(rows[0]))
            filled.writeheader()
            filled.writerows(rows)
        self.belated("tell", "lab", "--file", sheet)

    def pass_time(self, seconds: int) -> None:
        """Let so much time pass."""
        pass_time(self._folder, seconds)

    def states(self) -> dict[int, str]:
        """How each query without an answer stands."""
        return {query["id"]: query["state"] for query in self.belated("pending", "lab", "--json").json}

    def notices(self) -> list[str]:
        """The kinds of what the study has noticed."""
        return [notice["kind"] for notice in self.belated("status", "lab", "--json").json["notices"]]


def pass_time(folder: Path, seconds: int) -> None:
    """Let so much time pass: commands read the clock of the machine, so all that was written moves back.

    Whole seconds, which today's instants, multiples of 2⁻²² s, lose without any rounding.
    """
    with closing(sqlite3.connect(folder / "belated.db")) as database, database:
        database.execute("UPDATE belated_events SET at = at - ?", (seconds,))


def yielded(flask: Mapping[str, Any]) -> float:
    """The yield of a reaction that is best inside of all bounds."""
    hot, long = (flask["temperature"] - 80.0) / 60.0, (flask["hours"] - 5) / 4.0
    return float((flask["solvent"] == "THF") - (flask["x"] - 0.4) ** 2 - hot**2 - 0.2 * long**2)


def alike(some: Mapping[int, Mapping[str, Any]], others: Mapping[int, Mapping[str, Any]]) -> list[tuple[int, int]]:
    """The pairs of flasks, one of each, that are filled alike."""
    return [(a, b) for a in some for b in others if a != b and _is_alike(some[a], others[b])]


def _is_alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(
        one[name] == other[name] if apart == 0.0 else abs(one[name] - other[name]) <= apart
        for name, apart in APART.items()
    )
