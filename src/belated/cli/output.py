"""Where the command line writes: results to stdout, progress to stderr, JSON without any decoration."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.segment import Segment, Segments
from rich.table import Table
from rich.text import Text

from belated.checks import harmless

# Characters that JSON does not escape although terminals obey them, or UTF-8 cannot encode them.
_LEFT = re.compile("[\x7f-\x9f\ud800-\udfff]")
# Wider than any table, to measure the width that a table wants.
UNLIMITED = 10**6


def out() -> Console:
    """The console for results."""
    return Console(highlight=False)


def aside() -> Console:
    """The console for progress, so that results can be piped."""
    return Console(stderr=True, highlight=False)


def say(text: str, style: str = "") -> None:
    """Write a line as it is, brackets included."""
    out().print(Text(harmless(text), style), soft_wrap=True)


def say_aside(text: str, style: str = "") -> None:
    """Write a line beside the results, as it is."""
    aside().print(Text(harmless(text), style), soft_wrap=True)


def confirmed(question: str) -> bool:
    """Whether somebody says that this is meant; where nobody can, it is not."""
    sys.stderr.write(f"{harmless(question)} [y/N]: ")
    sys.stderr.flush()
    answer = sys.stdin.readline() if sys.stdin is not None else ""
    if not answer.endswith("\n"):
        sys.stderr.write("\n")
    return answer.strip().lower() in ("y", "yes")


def facts(rows: Iterable[tuple[str, str]], indent: int = 0) -> None:
    """Write names and what is said of each, in two columns."""
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in rows:
        table.add_row(Text(" " * indent + harmless(name), "bold"), Text(harmless(text)))
    if table.rows:
        _write(table)


def columns(headings: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str] = ()) -> None:
    """Write a table. Columns in `right` are aligned to the right, and the last column takes the remaining width."""
    _write(_table(headings, rows, right))


def columns_if_they_fit(headings: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str] = ()) -> bool:
    """Write the table if each of its rows fits on one line; returns whether it was written."""
    table, console = _table(headings, rows, right), out()
    fits = console.measure(table, options=console.options.update(max_width=UNLIMITED)).maximum <= console.width
    if fits:
        _write(table)
    return fits


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in headings:
        last = heading == headings[-1]
        table.add_column(
            harmless(heading),
            justify="right" if heading in right else "left",
            no_wrap=not last,
            overflow="fold" if last else "crop",
        )
    for row in rows:
        table.add_row(*(Text(harmless(cell)) for cell in row))
    return table


def _write(table: Table) -> None:
    """Write a table without trailing blanks, so that its lines can be copied."""
    console = out()
    segments: list[Segment] = []
    for line in console.render_lines(table, pad=False):
        while line and not line[-1].text.strip():
            line.pop()
        segments += [*line[:-1], *(Segment(last.text.rstrip(), last.style) for last in line[-1:]), Segment.line()]
    console.print(Segments(segments), end="")


def print_json(data: Any) -> None:
    """Write the result as JSON that any program can read."""
    # Characters that the terminal cannot show are escaped rather than lost.
    plain = not (sys.stdout.encoding or "").lower().startswith("utf")
    text = json.dumps(data, indent=2, ensure_ascii=plain, allow_nan=False)
    sys.stdout.write(_LEFT.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")
    sys.stdout.flush()
