"""Numbers and times in words that fit a cell; every digit is in the routes' JSON."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from belated import show
from belated.show import EARLIEST_DATE, LATEST_DATE, UNITS, written

MOMENT = 2.0


def duration(seconds: float | None) -> str:
    """A length of time in its largest unit, or its two largest where the first is small: 5 s, 1 min 30 s, 3 h, 12 d."""
    if seconds is None:
        return ""
    said = show.duration(seconds)
    count, unit, *_ = said.split()
    return said if float(count) < 10 else f"{count} {unit}"


def ago(at: float, now: float) -> str:
    """How long ago an instant was."""
    if not dated(at):
        return written(at)
    passed = now - at
    if passed < MOMENT:
        return "just now"
    count, name = next((int(passed // length), name) for name, length in UNITS if passed >= length)
    return f"{count} {name} ago"


def in_full(at: float) -> str:
    """An instant to the second."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S} UTC" if dated(at) else written(at)


def dated(at: float) -> bool:
    """Whether the instant is a date: the clock of a simulation counts from a beginning of its own."""
    return EARLIEST_DATE <= at <= LATEST_DATE


def short(value: Any, digits: int = 5) -> str:
    """A value of a point, or an answer."""
    return "" if value is None else written(value, digits)


def listed(values: Mapping[str, Any] | None) -> str:
    """A point or a context on one line."""
    return ", ".join(f"{name} {short(value, 4)}" for name, value in (values or {}).items())
