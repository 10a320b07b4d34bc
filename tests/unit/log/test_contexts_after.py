"""Contexts seen after the decision, in the events of a log."""

from __future__ import annotations

import json
import math
import re

import pytest

from belated.errors import LogError
from belated.log import (
    Abandoned,
    Added,
    Answered,
    Asked,
    Body,
    ContextSeen,
    Created,
    Event,
    Revised,
    Values,
    whole_log,
)
from belated.space import Choice, Context, Float, Int, Space

SPACE = Space(heat=Float(-30.0, 170.0), steps=Int(1, 8))
AFTER = Context(demand=Float(10.0, 90.0), site=Choice("north", "south"), seen="after")
BEFORE = Context(demand=Float(10.0, 90.0), site=Choice("north", "south"), seen="before")
POINT = Values({"heat": 20.0, "steps": 2})
HERE = Values({"demand": 30.0, "site": "south"})
THERE = Values({"demand": 31.0, "site": "south"})


# Events.


@pytest.mark.parametrize(
    "body",
    [
        Answered(1, 0.5),
        Answered(1, -0.0, HERE),
        Answered(7, 1e-300, Values({"demand": 10.0, "site": "north"})),
        ContextSeen(1, HERE),
        ContextSeen(2**31 - 1, Values({"n": 3, "open": True, "site": "…"})),
    ],
)
def test_answers_and_contexts_go_through_json(body: Body) -> None:
    event = Event(3, 12.5, body)
    text = json.dumps(event.to_json())
    again = Event.from_json(json.loads(text))
    assert again == event
    assert json.dumps(again.to_json()) == text


def test_an_answer_without_a_context_is_written_as_it_always_was() -> None:
    written = Event(3, 12.5, Answered(1, 0.5)).to_json()
    assert written == {"version": 2, "number": 3, "at": 12.5, "event": "answered", "query": 1, "value": 0.5}
    assert Event(4, 12.5, ContextSeen(1, HERE)).to_json() == {
        "version": 2, "number": 4, "at": 12.5, "event": "context-seen", "query": 1, "context": dict(HERE),
    }  # fmt: skip


def test_a_context_read_from_json_cannot_be_changed_by_whoever_wrote_it() -> None:
    data = Event(4, 12.5, ContextSeen(1, HERE)).to_json()
    event = Event.from_json(data)
    data["context"]["demand"] = 0.0
    event.to_json()["context"]["demand"] = 0.0
    assert isinstance(event.body, ContextSeen)
    assert event.body.context == HERE


@pytest.mark.parametrize("missing", ["query", "context"])
def test_a_context_event_without_its_parts_is_refused(missing: str) -> None:
    data = Event(4, 12.5, ContextSeen(1, HERE)).to_json()
    del data[missing]
    with pytest.raises(LogError, match=re.escape("Event.from_json(): event 'context-seen' has wrong fields")):
        Event.from_json(data)


# Whole logs.


def log_of(context: Context | None, *bodies: Body) -> list[Event]:
    described = None if context is None else context.to_json()
    created = Created(SPACE.to_json(), described, "maximize", {"name": "random", "parameters": {}}, 0)
    return [Event(number, 100.0 + number, body) for number, body in enumerate([created, *bodies], start=1)]


SOUND: list[tuple[Context, list[Body]]] = [
    (AFTER, [Asked(1, POINT), Answered(1, 0.5, HERE)]),
    (AFTER, [Asked(1, POINT), Answered(1, 0.5), ContextSeen(1, HERE)]),
    (AFTER, [Asked(1, POINT), ContextSeen(1, HERE), Answered(1, 0.5)]),
    (AFTER, [Asked(1, POINT), Abandoned(1, "lost"), ContextSeen(1, HERE)]),
    (AFTER, [Asked(1, POINT), Answered(1, 0.5), Revised(1, 0.7), ContextSeen(1, HERE), Revised(1, 0.8)]),
    (AFTER, [Added(1, POINT, 0.5), ContextSeen(1, HERE)]),
    (AFTER, [Added(1, POINT, 0.5, HERE)]),
    (BEFORE, [Asked(1, POINT, HERE), Answered(1, 0.5), Added(2, POINT, 0.5, HERE)]),
]


@pytest.mark.parametrize("context, bodies", SOUND)
def test_contexts_may_come_in_any_order(context: Context, bodies: list[Body]) -> None:
    events = log_of(context, *bodies)
    assert whole_log("Study()", events) == (events[0].body, events)


BROKEN: list[tuple[Context | None, list[Body], str]] = [
    (None, [Asked(1, POINT, HERE)], f"event 2 has the context {HERE!r}, and the study declares none"),
    (None, [Added(1, POINT, 0.5, HERE)], f"event 2 has the context {HERE!r}, and the study declares none"),
    (None, [Asked(1, POINT), ContextSeen(1, HERE)], f"event 3 has the context {HERE!r}, and the study declares none"),
    (None, [Asked(1, POINT), Answered(1, 0.5, HERE)], f"event 3 has the context {HERE!r}, and the study declares none"),
    (AFTER, [Asked(1, POINT, HERE)], f"event 2 has the context {HERE!r}, and the study's is seen after the decision"),
    (BEFORE, [Asked(1, POINT)], "event 2 has no context, and the study declares one"),
    (BEFORE, [Added(1, POINT, 0.5)], "event 2 has no context, and the study declares one"),
    (
        BEFORE,
        [Asked(1, POINT, HERE), ContextSeen(1, HERE)],
        f"event 3 has the context {HERE!r}, and the study's is seen before the decision",
    ),
    (
        BEFORE,
        [Asked(1, POINT, HERE), Answered(1, 0.5, HERE)],
        f"event 3 has the context {HERE!r}, and the study's is seen before the decision",
    ),
    (
        AFTER,
        [Asked(1, POINT), ContextSeen(1, HERE), ContextSeen(1, HERE)],
        "event 4 brings a second context of query 1",
    ),
    (AFTER, [Asked(1, POINT), ContextSeen(1, HERE), Answered(1, 1.0, THERE)], "event 4 brings a second context"),
    (AFTER, [Asked(1, POINT), Answered(1, 1.0, HERE), ContextSeen(1, THERE)], "event 4 brings a second context"),
    (AFTER, [Added(1, POINT, 1.0, HERE), ContextSeen(1, HERE)], "event 3 brings a second context of query 1"),
    (AFTER, [ContextSeen(1, HERE)], "event 2 is about query 1, and there are 0"),
    (AFTER, [Asked(1, POINT), ContextSeen(2, HERE)], "event 3 is about query 2, and there are 1"),
    (AFTER, [Asked(1, POINT), ContextSeen(0, HERE)], "event 3 is about query 0, and there are 1"),
    (AFTER, [Asked(1, POINT), ContextSeen("1", HERE)], "event 3 is about query '1', and there are 1"),  # type: ignore[arg-type]
    (AFTER, [Asked(1, POINT), Answered(1, math.nan, HERE)], "event 3 has the value nan"),
]


@pytest.mark.parametrize("context, bodies, said", BROKEN)
def test_a_log_whose_contexts_contradict_each_other_is_refused(
    context: Context | None, bodies: list[Body], said: str
) -> None:
    with pytest.raises(LogError, match="^" + re.escape(f"Study(): {said}")):
        whole_log("Study()", log_of(context, *bodies))
