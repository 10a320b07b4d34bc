"""How a figure is measured and written down."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Row:
    """One line of a table: what was measured, on both sides, and what was asked for."""

    what: str
    ours: str
    theirs: str
    ratio: float | None
    goal: str
    met: bool


def seconds(action: Callable[[], object], repeats: int = 1) -> float:
    """The median time of an action."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        action()
        times.append(time.perf_counter() - began)
    return sorted(times)[len(times) // 2]


def table(rows: Sequence[Row]) -> str:
    """The rows as Markdown."""
    lines = ["| what | ours | theirs | ratio | goal | met |", "|---|---|---|---|---|---|"]
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        met = "" if not row.goal else "yes" if row.met else "**no**"
        lines.append(f"| {row.what} | {row.ours} | {row.theirs} | {ratio} | {row.goal} | {met} |")
    return "\n".join(lines)


def keep(name: str, rows: Sequence[Row], notes: str) -> None:
    """Print the rows and write them under results/, as a page and as data."""
    load = os.getloadavg()[0]
    about = f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores, load {load:.1f}"
    page = f"# {name}\n\n{notes}\n\n{table(rows)}\n\nMeasured with {about}.\n"
    print(page, flush=True)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.md").write_text(page)
    (RESULTS / f"{name}.json").write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
