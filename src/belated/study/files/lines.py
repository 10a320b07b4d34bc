"""A log as text: one event per line, in JSON. What is read equals what was written, to the last bit.

The text is ASCII, so that it survives programs which guess encodings, and halves of surrogate pairs survive too.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import NoReturn

from belated.errors import LogError
from belated.log import Event
from belated.study.files.text import Readable, Writable, called, read_text, write_text


def write_lines(file: Writable, events: Iterable[Event]) -> None:
    """Write one line per event; a path is replaced at once, when all of them are on the disk."""
    call = called("write_lines", file)
    lines = [_line(call, place, event) for place, event in enumerate(events, start=1)]
    write_text(call, file, "".join(lines))


def read_lines(file: Readable) -> list[Event]:
    """The events that `write_lines` wrote; whether they make a log is for `Study.restore` to say."""
    call = called("read_lines", file)
    lines = read_text(call, file, LogError).split("\n")
    return [_event(f"{call}: line {number}", line) for number, line in enumerate(lines, start=1) if line.strip()]


def _line(call: str, place: int, event: object) -> str:
    if not isinstance(event, Event):
        raise LogError(f"{call}: event {place} is {event!r}, which is no event; give what Study.events has.")
    try:
        return json.dumps(event.to_json(), allow_nan=False) + "\n"
    except (TypeError, ValueError) as trouble:
        raise LogError(
            f"{call}: event {place} cannot be written as JSON ({trouble}); a log holds texts, booleans and finite "
            f"numbers; give what Study.events has."
        ) from None


def _event(where: str, line: str) -> Event:
    try:
        data = json.loads(line, parse_constant=_refused, parse_float=_finite)
    except json.JSONDecodeError as trouble:
        raise LogError(
            f"{where}, column {trouble.colno} is no JSON ({trouble.msg}); each line is one event; "
            f"give what write_lines() wrote."
        ) from None
    except (ValueError, RecursionError) as trouble:
        raise LogError(f"{where} cannot be read ({trouble}); give what write_lines() wrote.") from None
    try:
        return Event.from_json(data)
    except LogError as trouble:
        raise LogError(f"{where}: {trouble}") from None


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a finite number")


def _finite(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else _refused(digits)
