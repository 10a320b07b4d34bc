"""A plain reading of a log, and logs to read: what records and evidence are held against."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from belated.log import (
    FOREVER,
    Abandoned,
    Added,
    Answered,
    Asked,
    Closed,
    Created,
    Event,
    PolicyChanged,
    Record,
    Revised,
    Window,
)
from belated.space import Array, Float, Int, Space
from tests.logbook import number_in, signed, turned

SPACE = Space(heat=Float(-30.0, 170.0), steps=Int(1, 8))
POLICY = {"name": "random", "parameters": {}}
OTHER = {"name": "gp-ei", "parameters": {}}
WINDOWS = [FOREVER, Window(queries=0), Window(queries=2), Window(seconds=3.0), Window(queries=3, seconds=5.0)]


@dataclass
class Row:
    """What a plain reader of the log notes down about one query."""

    point: dict[str, Any]
    entered: int
    asked_at: float
    number: int
    value: float = math.nan
    arrived: int = 0
    answered_at: float = 0.0
    delay: int = 0
    earlier: list[float] = field(default_factory=list)
    abandoned: bool = False

    @property
    def answered(self) -> bool:
        return self.arrived > 0

    @property
    def pending(self) -> bool:
        return not self.answered and not self.abandoned


@dataclass
class Notes:
    """A plain reading of a log, one list that is walked through again for every question."""

    events: list[Event]

    def rows(self) -> list[Row]:
        rows: list[Row] = []
        n_asked = 0
        for event in self.events:
            body = event.body
            if isinstance(body, Asked):
                n_asked += 1
                rows.append(Row(dict(body.point), event.number, event.at, n_asked))
            elif isinstance(body, Added):
                rows.append(Row(dict(body.point), event.number, event.at, 0, number_in(body), event.number, event.at))
            elif isinstance(body, Answered):
                row = rows[body.query - 1]
                row.value, row.arrived, row.answered_at = number_in(body), event.number, event.at
                row.delay = n_asked - row.number
            elif isinstance(body, Revised):
                row = rows[body.query - 1]
                row.earlier.append(row.value)
                row.value = number_in(body)
            elif isinstance(body, Abandoned):
                rows[body.query - 1].abandoned = True
        return rows

    def n_asked(self) -> int:
        return sum(isinstance(event.body, Asked) for event in self.events)


def too_long(window: Window, queries: int, seconds: float) -> bool:
    return (window.queries is not None and queries > window.queries) or (
        window.seconds is not None and seconds > window.seconds
    )


@st.composite
def logs(draw: st.DrawFn) -> list[Event]:
    """Logs that a study could have written."""
    events = [Event(1, 100.0, Created(SPACE.to_json(), None, "maximize", POLICY, 0))]
    at, ids, open_ids, answered_ids = 100.0, 0, [], []
    values = st.sampled_from([-2.0, 0.0, 0.5, 0.5, 7.25])
    kinds = st.sampled_from(["ask", "ask", "ask", "add", "tell", "tell", "revise", "abandon", "change", "close"])
    for kind in draw(st.lists(kinds, max_size=30)):
        at += draw(st.sampled_from([0.0, 0.5, 1.0, 2.25]))
        point = {"heat": draw(st.sampled_from([-30.0, 12.3, 170.0])), "steps": draw(st.integers(1, 8))}
        body: Any = None
        if kind == "ask":
            ids += 1
            open_ids.append(ids)
            body = Asked(ids, point)
        elif kind == "add":
            ids += 1
            answered_ids.append(ids)
            body = Added(ids, point, draw(values))
        elif kind == "tell" and open_ids:
            query = open_ids.pop(draw(st.integers(0, len(open_ids) - 1)))
            answered_ids.append(query)
            body = Answered(query, draw(values))
        elif kind == "abandon" and open_ids:
            body = Abandoned(open_ids.pop(draw(st.integers(0, len(open_ids) - 1))), "lost")
        elif kind == "revise" and answered_ids:
            body = Revised(draw(st.sampled_from(answered_ids)), draw(values))
        elif kind == "change":
            body = PolicyChanged(OTHER)
        elif kind == "close":
            body = Closed("done")
        if body is not None:
            events.append(Event(len(events) + 1, at, body))
    return events


def read(events: list[Event], sign: float = 1.0) -> Record:
    return Record.empty(SPACE, None, signed(sign)).extend(turned(events, sign))


def encodings(rows: list[Row]) -> Array:
    return np.array([SPACE.encode(row.point) for row in rows]).reshape(len(rows), SPACE.dimension)


check = settings(max_examples=60, derandomize=True, deadline=None)


# For examples with numbers that can be checked by eye.

POINT = {"heat": 70.0, "steps": 1}


def at(number: int, body: Any, instant: float = 0.0) -> Event:
    return Event(number, instant, body)
