"""How single queries stand, from their own events alone: what a tell must know, without the rest of the log."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from belated.log.events import Abandoned, Added, Answered, Asked, Event, Revised
from belated.log.query import State


@dataclass(frozen=True)
class Standing:
    """Whether a query is pending, answered or abandoned; its answer, or why there is none."""

    state: State
    value: float | None = None
    reason: str = ""


def standings(events: Iterable[Event]) -> dict[int, Standing]:
    """The standing of every query that these events are about."""
    found: dict[int, Standing] = {}
    for event in events:
        match event.body:
            case Asked(query=query):
                found[query] = Standing(State.PENDING)
            case Added() | Answered() | Revised() as told:
                found[told.query] = Standing(State.ANSWERED, told.value)
            case Abandoned(query=query, reason=reason):
                found[query] = Standing(State.ABANDONED, reason=reason)
    return found
