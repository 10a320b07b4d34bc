"""How single queries stand, from their own events alone: what a tell must know, without the rest of the log."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from belated.log.events import Abandoned, Added, Answered, Asked, ContextSeen, Event, Point, Revised
from belated.log.query import State


@dataclass(frozen=True)
class Standing:
    """Whether a query is pending, answered or abandoned; its answer, or why there is none; its point and context."""

    state: State
    point: Point
    value: float | None = None
    reason: str = ""
    context: Point | None = None


def standings(events: Iterable[Event]) -> dict[int, Standing]:
    """The standing of every query that these events are about."""
    found: dict[int, Standing] = {}
    for event in events:
        match event.body:
            case Asked(query=query, point=point, context=context):
                found[query] = Standing(State.PENDING, point, context=context)
            case Added(query=query, point=point, value=value, context=context):
                found[query] = Standing(State.ANSWERED, point, value, context=context)
            case Answered(query=query, value=value, context=context):
                before = found[query]
                found[query] = replace(before, state=State.ANSWERED, value=value, context=context or before.context)
            case ContextSeen(query=query, context=context):
                found[query] = replace(found[query], context=context)
            case Revised(query=query, value=value):
                found[query] = replace(found[query], value=value)
            case Abandoned(query=query, reason=reason):
                found[query] = replace(found[query], state=State.ABANDONED, reason=reason)
    return found
