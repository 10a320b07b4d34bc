"""A laboratory's month: sheets of eight flasks, colour the same evening, yield a week later, and all that goes wrong.

Each Monday a sheet is written and eight flasks are started. Their colour is seen the same evening; their yield comes
from the analysis a week later. Two flasks fail, one stood at another temperature than asked, one was measured three
times, and one value is taken back. This program only types the commands, and plays the laboratory.

    pip install '.[cli]'    # from a clone of Belated
    python examples/month.py
"""

import csv
import math
import os
import random
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

SPACE = "{temperature: {float: [20, 120]}, loading: {float: [0.001, 0.1], log: true}, solvent: [DMF, THF, water]}"
OUTCOMES = "--outcome", "yield=maximize", "--outcome", "colour=signal"
WEEKS, FLASKS = 4, 8
CHANCE = random.Random(8)


def main() -> None:
    """Four weeks of flasks, each week's yields a week late, and what to use from now on."""
    folder = Path(tempfile.mkdtemp(prefix="month-"))
    sheets = [folder / f"week{week}.csv" for week in range(1, WEEKS + 1)]
    belated(folder, "create", "gel", "--space", SPACE, *OUTCOMES, "--seed", "7")
    for week, sheet in enumerate(sheets, start=1):
        print(f"\n--- Monday of week {week}: {FLASKS} flasks")
        belated(folder, "ask", "gel", "--count", str(FLASKS), "--output", sheet.name)
        if week > 1:
            print(f"--- The yields of week {week - 1} are there")
            note_yields(sheets[week - 2], week - 1)
            belated(folder, "tell", "gel", sheets[week - 2].name)
        if week == 3:
            belated(folder, "retract", "gel", str(FLASKS + 3), "--reason", "the vial was not clean")
        print("--- In the evening")
        note_colours(sheet)
        belated(folder, "tell", "gel", sheet.name)
    print("\n--- At the end of the month")
    note_yields(sheets[-1], WEEKS)
    for words in (("tell", "gel", sheets[-1].name), ("status", "gel"), ("recommend", "gel")):
        belated(folder, *words)
    print(f"\nThe files are in {folder}: go on there, with the commands above.")


def belated(folder: Path, *words: str) -> None:
    """Run a command as one would type it, and print it with what it says."""
    print(f"$ belated {shlex.join(words)}", flush=True)
    command = [sys.executable, "-m", "belated.cli.main", *words]
    storage = {"BELATED_STORAGE": "sqlite:///belated.db"}
    done = subprocess.run(command, cwd=folder, env=os.environ | storage, stdout=None, stderr=subprocess.STDOUT)
    done.check_returncode()


def note_colours(sheet: Path) -> None:
    """Write down what is seen the same evening."""
    write(sheet, [row | {"colour": f"{yield_of(row) ** 2 + CHANCE.gauss(0, 0.05):.2f}"} for row in read(sheet)])


def note_yields(sheet: Path, week: int) -> None:
    """Write down what the analysis says a week later, and what became of the flasks."""
    rows = read(sheet)
    if week == 1:
        rows[1]["temperature"] = f"{float(rows[1]['temperature']) + 4:.1f}"  # the bath was too hot
    rows = [row | {"yield": f"{yield_of(row) + CHANCE.gauss(0, 0.01):.3f}"} for row in rows]
    for place in (2, 5) if week == 1 else ():
        rows[place] |= {"yield": "failed", "comment": "precipitated"}
    if week == 2:
        rows[0]["yield"] = "; ".join(f"{yield_of(rows[0]) + CHANCE.gauss(0, 0.01):.3f}" for _ in range(3))
    write(sheet, rows)


def yield_of(row: dict[str, str]) -> float:
    """What such a flask yields: nature's secret."""
    heat, loading = float(row["temperature"]), math.log10(float(row["loading"]))
    best = {"DMF": 0.7, "THF": 0.9, "water": 0.3}[row["solvent"]]
    return best * math.exp(-(((heat - 72) / 35) ** 2) - ((loading + 1.8) / 0.8) ** 2)


def read(sheet: Path) -> list[dict[str, str]]:
    """The rows of a sheet."""
    with sheet.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write(sheet: Path, rows: list[dict[str, str]]) -> None:
    """Save a sheet."""
    with sheet.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, rows[0].keys())
        table.writeheader()
        table.writerows(rows)


if __name__ == "__main__":
    main()
