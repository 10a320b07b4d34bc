"""What parts of a log say, read from the whole of it in the plainest way."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence

from belated.log import Abandoned, Answered, Asked, Event, Failed


def text_of(events: Iterable[Event]) -> list[str]:
    """The events as text, in which two numbers are alike only if every bit is."""
    return [json.dumps(event.to_json(), allow_nan=False) for event in events]


def query_of(event: Event) -> int | None:
    """The query that an event is about."""
    return getattr(event.body, "query", None)


def about(events: Sequence[Event], queries: Collection[int]) -> list[Event]:
    """The events about these queries."""
    return [event for event in events if query_of(event) in queries]


def settings(events: Sequence[Event]) -> list[Event]:
    """The events about no query."""
    return [event for event in events if query_of(event) is None]


def unanswered(events: Sequence[Event]) -> list[tuple[Event, int]]:
    """The asks that nothing has ended, each with its number among all asks."""
    asks = [event for event in events if isinstance(event.body, Asked)]
    bodies = [event.body for event in events]
    ended = {body.query for body in bodies if isinstance(body, Abandoned | Failed)}
    ended |= {body.query for body in bodies if isinstance(body, Answered) and not body.partly}
    return [(event, number) for number, event in enumerate(asks, start=1) if query_of(event) not in ended]


def last_query(events: Sequence[Event]) -> int:
    """The largest identifier."""
    return max((query_of(event) or 0 for event in events), default=0)
