"""How queries show themselves in a notebook: small HTML tables in the notebook's own colours, light or dark."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from html import escape as in_html
from typing import TYPE_CHECKING, Any

from belated.errors import harmless

if TYPE_CHECKING:
    from belated.log.query import Balk, Query

DIGITS = 6
UNITS = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))
# Clocks that count seconds since 1970 show this or more since 1980; others count from a beginning of their own.
EARLIEST_DATE, LATEST_DATE = 315_532_800.0, 253_402_300_799.0
# Browsers that are given a bare fragment would begin tables in black, and in letters of their own.
TABLE = "border-collapse: collapse; margin: 0.3em 0; color: inherit; font: inherit;"
CELL = "text-align: left; padding: 0.15em 1.2em 0.15em 0; background: none; border: none; vertical-align: top;"
NAME = "font-weight: normal; white-space: nowrap; opacity: 0.7;"


def written(value: Any, digits: int = DIGITS) -> str:
    """A value of a point or an answer, for reading: numbers to so many digits."""
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


def duration(seconds: float) -> str:
    """A length of time in its two largest units: 90 s is '1 min 30 s', and a moment '0.2 s'."""
    if seconds < 10:
        return f"{max(seconds, 0.0):.1f} s"
    left, parts = round(seconds), []
    for name, length in UNITS:
        count, left = divmod(left, length)
        parts.append((count, name))
    first = next(place for place, (count, _) in enumerate(parts) if count)
    return " ".join(f"{count} {name}" for count, name in parts[first : first + 2] if count)


def instant(at: float) -> str:
    """A time of the study's clock as a date, where the clock counts seconds since 1970."""
    if not EARLIEST_DATE <= at <= LATEST_DATE:
        return written(at)
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M} UTC"


def escape(text: str) -> str:
    """A text as HTML shows it, what is no text spelled out."""
    return in_html(harmless(text))


def heading(text: str, rest: str = "") -> str:
    """A line that says what follows."""
    return f"<div><strong>{escape(text)}</strong>{f' · {escape(rest)}' if rest else ''}</div>"


def table(rows: Iterable[tuple[str, Any]]) -> str:
    """Names and their values, one row each."""
    cells = (
        f'<tr style="background: none;"><th style="{CELL} {NAME}">{escape(name)}</th>'
        f'<td style="{CELL}">{escape(written(value))}</td></tr>'
        for name, value in rows
    )
    return f'<table style="{TABLE}">{"".join(cells)}</table>'


def query_html(query: Query) -> str:
    """A query: its point and context, where it stands and its answer."""
    name = f"Query {query.id}" if query.number else f"Added data {query.id}"
    rows: list[tuple[str, Any]] = [*(query.context or {}).items(), *query.point.items()]
    if query.answer:
        rows.append(("answer", query.answer.value))
        rows += [("revised from", ", ".join(map(written, query.answer.earlier)))] if query.answer.earlier else []
    rows += [("why", query.reason)] if query.reason else []
    rows += [("worker", query.worker)] if query.worker else []
    rows.append(("asked" if query.number else "added", instant(query.asked_at)))
    return heading(name, query.state.value if query.number else "") + table(rows)


def balk_html(balk: Balk) -> str:
    """Why nothing is asked now."""
    return heading("No query now", balk.reason)
