"""A laboratory that works in batches: a sheet goes out on Monday, and comes back filled in on Friday.

Everything happens by command line and CSV files, as it would with a spreadsheet and no programming at all: this program
only types the commands, and plays the laboratory. A file with a slip of the pen is refused with its row and column, and
nothing of it is taken.

    pip install '.[cli]'    # from a clone of Belated
    python examples/laboratory.py
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
LAST_YEAR = """temperature,loading,solvent,yield
40,0.010,DMF,0.31
sixty,0.020,THF,0.55
80,0.050,water,0.12
"""
WEEKS, FLASKS = 3, 5
WRONG_ROWS = 17  # what `belated import` exits with when it refuses a file


def main() -> None:
    """Three weeks of a laboratory, from last year's results to what to use from now on."""
    folder = Path(tempfile.mkdtemp(prefix="laboratory-"))
    past, sheet = folder / "last-year.csv", folder / "sheet.csv"
    chance = random.Random(8)

    belated(folder, "create", "coupling", "--space", SPACE, "--goal", "maximize", "--seed", "7")
    past.write_text(LAST_YEAR)
    belated(folder, "import", past.name, "coupling", "--value-column", "yield")
    past.write_text(LAST_YEAR.replace("sixty", "60"))
    belated(folder, "import", past.name, "coupling", "--value-column", "yield")

    for week in range(1, WEEKS + 1):
        print(f"\n--- Week {week}: {FLASKS} flasks")
        belated(folder, "ask", "coupling", "--count", str(FLASKS), into="queries.txt")
        belated(folder, "export", "coupling", sheet.name)
        broken = fill_in(sheet, chance, accident=week == 2)
        belated(folder, "tell", "coupling", "--file", sheet.name)
        if broken:
            belated(folder, "abandon", "coupling", broken, "--reason", "the flask broke")

    print("\n--- And from now on")
    belated(folder, "status", "coupling")
    belated(folder, "recommend", "coupling")
    print(f"\nThe files are in {folder}: go on there, with the commands above.")


def belated(folder: Path, *words: str, into: str = "") -> None:
    """Run a command as one would type it, and print it with what it says, or write that into a file."""
    print(f"$ belated {shlex.join(words)}" + (f" > {into}" if into else ""), flush=True)
    command = [sys.executable, "-m", "belated.cli.main", *words]
    storage = {"BELATED_STORAGE": "sqlite:///belated.db"}
    output = subprocess.PIPE if into else None
    done = subprocess.run(command, cwd=folder, env=os.environ | storage, stdout=output, stderr=subprocess.STDOUT)
    if into:
        (folder / into).write_bytes(done.stdout)
    if done.returncode not in (0, WRONG_ROWS):
        sys.exit(done.returncode)


def fill_in(sheet: Path, chance: random.Random, accident: bool) -> str:
    """What the laboratory does all week: measure what is asked, and write the yields down; returns what broke."""
    with sheet.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["state"] == "pending"]
    for row in rows:
        row["value"] = f"{yield_of(row) + chance.gauss(0, 0.01):.3f}"
    if accident:
        rows[-1]["value"] = ""  # a cell that is left empty says nothing
    with sheet.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, rows[0].keys())
        table.writeheader()
        table.writerows(rows)
    return rows[-1]["id"] if accident else ""


def yield_of(row: dict[str, str]) -> float:
    """Nature's secret: about 72 degrees, a loading of 0.02 and THF are best."""
    warm = math.exp(-(((float(row["temperature"]) - 72) / 25) ** 2))
    strong = math.exp(-((math.log10(float(row["loading"])) + 1.7) ** 2))
    return warm * strong * {"DMF": 0.6, "THF": 0.95, "water": 0.3}[row["solvent"]]


if __name__ == "__main__":
    main()
