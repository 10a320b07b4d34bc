"""Logs written by hand, event by event, in whatever storage."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

from belated.log import Body, Created, Event, Outcomes, Values
from belated.space import Float, Space
from belated.storage import Log, connect

CREATED = Created(Space(heat=Float(0.0, 1.0)).to_json(), None, "maximize", {"name": "random", "parameters": {}}, 7)
BEGINNING = [Event(1, 1000.0, CREATED)]
POINT = Values({"heat": 0.1})

_unique = count()


def number_in(body: Any) -> float:
    """The one number that an event tells."""
    assert body.value is not None
    return float(body.value)


def signed(sign: float) -> Outcomes:
    """The one outcome of a study whose large values are good, or its small ones."""
    return Outcomes.one("maximize" if sign > 0 else "minimize")


def turned(events: list[Event], sign: float) -> list[Event]:
    """The same log of a study that makes its outcome large, or small."""
    goal = signed(sign).goal
    return [
        replace(event, body=replace(event.body, goal=goal)) if isinstance(event.body, Created) else event
        for event in events
    ]


def new_log(address: str) -> Log:
    """A log that has only begun, in a storage that may hold others."""
    return connect(address).create(f"study {next(_unique)}", BEGINNING)


def append(log: Log, *bodies: Body, at: float = 1001.0) -> list[Event]:
    """Write these events, in one lot."""
    with log.writing() as writer:
        return writer.append(bodies, at)


def events_of(log: Log) -> list[Event]:
    """The whole log."""
    with log.reading() as reader:
        return reader.events()
