"""The state of single queries, from their own events alone: what a tell must know, without the rest of the log."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from belated.log.events import Event, Point
from belated.log.query import State


@dataclass(frozen=True)
class QueryStanding:
    """Whether a query is pending, answered or abandoned; its answer, or why there is none; its point and context."""

    state: State
    point: Point
    value: float | None = None
    reason: str = ""
    context: Point | None = None


def standings(events: Iterable[Event]) -> dict[int, QueryStanding]:
    """The standing of every query that these events are about."""
    found: dict[int, QueryStanding] = {}
    for event in events:
        effect, query = event.body.effect, event.query
        if effect is None or query is None:
            continue
        # A note changes nothing but the context, whatever else it says.
        heard = ("context",) if effect.leaves is None else ("point", "value", "reason", "context")
        said: dict[str, Any] = {name: getattr(event.body, name, None) for name in heard}
        said = {name: content for name, content in said.items() if content is not None}
        if effect.leaves is not None:
            said["state"] = effect.leaves
        found[query] = QueryStanding(**said) if effect.enters else replace(found[query], **said)
    return found
