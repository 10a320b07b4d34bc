"""Numbers, times and lengths of time as text, the same wherever a person reads them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

DIGITS = 6
UNITS = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))
# Clocks that count seconds since 1970 show this or more since 1980; others count from a beginning of their own.
EARLIEST_DATE, LATEST_DATE = 315_532_800.0, 253_402_300_799.0


def written(value: Any, digits: int = DIGITS) -> str:
    """A value of a point or an answer as text, numbers to this many digits."""
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


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number of things, in words that agree with it."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
