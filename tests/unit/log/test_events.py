"""Events: they survive JSON unchanged, and what is no event is refused."""

from __future__ import annotations

import json
import re
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belated.errors import LogError
from belated.log import Abandoned, Added, Answered, Asked, Body, Closed, Created, Event, Noticed, PolicyChanged, Revised
from tests.logbook import number_in

POINT = {"heat": 0.1 + 0.2, "steps": 3, "solvent": "wässer", "fast": True}
POLICY = {"name": "gp-ucb", "parameters": {"width": {"part": "Constant", "value": 1e-300}}}
SPACE = {"kind": "space", "parameters": [{"name": "heat", "kind": "float", "low": 0.0, "high": 1.0, "log": False}]}
BODIES: dict[str, Body] = {
    "created": Created(SPACE, None, "minimize", POLICY, 2**200),
    "created in a context": Created(
        SPACE, {"kind": "context", "space": SPACE, "seen": "before"}, "maximize", POLICY, 0
    ),
    "asked": Asked(1, POINT),
    "asked in a context": Asked(2, POINT, {"hour": 13.5}),
    "answered": Answered(1, -0.0),
    "answered with a context": Answered(1, 5e-324, {"demand": 0.25}),
    "revised": Revised(1, 1.7976931348623157e308),
    "abandoned": Abandoned(2, ""),
    "added": Added(3, POINT, 1 / 3),
    "added in a context": Added(3, POINT, 1 / 3, {"hour": 0.0}),
    "policy changed": PolicyChanged(POLICY),
    "closed": Closed("out of money"),
    "noticed": Noticed("late-answers", "7 of 20 answers came late"),
}


def through_json(event: Event) -> Event:
    return Event.from_json(json.loads(json.dumps(event.to_json(), allow_nan=False)))


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_an_event_comes_back_from_json_as_it_was(body: Body) -> None:
    event = Event(7, 1234.000001, body, "Ada")
    again = through_json(event)
    assert again == event
    assert again.by == "Ada"
    assert through_json(replace(event, by=None)) == replace(event, by=None) != event
    assert repr(again) == repr(event)  # the sign of zero too
    assert type(again.body) is type(body)


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(0, 4e9), st.integers(1, 2**40))
@settings(max_examples=60, derandomize=True, deadline=None)
def test_no_digit_of_a_value_or_an_instant_is_lost(value: float, at: float, number: int) -> None:
    again = through_json(Event(number, at, Answered(number, value)))
    assert isinstance(again.body, Answered)
    assert (again.number, again.at.hex(), number_in(again.body).hex()) == (number, at.hex(), value.hex())


def test_the_json_of_an_event_is_flat_and_says_its_version() -> None:
    assert Event(2, 5.0, Asked(1, {"heat": 0.5})).to_json() == {
        "version": 2,
        "number": 2,
        "at": 5.0,
        "event": "asked",
        "query": 1,
        "point": {"heat": 0.5},
    }
    assert Event(2, 5.0, Closed(""), "Ada").to_json()["by"] == "Ada"


def test_each_kind_of_event_has_a_name_of_its_own() -> None:
    names = {type(body): Event(1, 0.0, body).to_json()["event"] for body in BODIES.values()}
    assert len(names) == len(set(names.values())) == 9


def test_an_event_cannot_be_changed() -> None:
    event = Event(1, 0.0, Closed("done"))
    with pytest.raises(FrozenInstanceError):
        event.number = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        event.body.reason = "not done"  # type: ignore[misc, union-attr]


@pytest.mark.parametrize(
    "data, shown",
    [
        ({"version": 3, "number": 1, "at": 0.0, "event": "closed", "reason": ""}, "got event 'closed' of version 3"),
        ({"number": 1, "at": 0.0, "event": "closed", "reason": ""}, "got event 'closed' of version None"),
        ({"version": 1, "number": 1, "at": 0.0, "event": "told"}, "got event 'told' of version 1"),
        ({}, "got event None of version None"),
    ],
    ids=["newer", "no version", "unknown", "empty"],
)
def test_an_event_of_another_release_is_refused(data: dict[str, Any], shown: str) -> None:
    with pytest.raises(LogError, match=re.escape(f"Event.from_json(): {shown}")):
        Event.from_json(data)


@pytest.mark.parametrize(
    "data",
    [
        None,
        5,
        "closed",
        [[1]],
        {"version": 1, "event": []},
        {"version": 1, "event": "closed"},
        {"version": 1, "event": "closed", "number": 1, "at": 0.0},
        {"version": 1, "event": "closed", "number": 1, "at": 0.0, "reason": "", "more": 1},
    ],
    ids=repr,
)
def test_what_is_no_event_is_refused_with_an_error_of_ours(data: Any) -> None:
    with pytest.raises(LogError, match=r"^Event\.from_json\(\): "):
        Event.from_json(data)


def test_events_read_from_json_share_the_names_in_their_points() -> None:
    first, second = (through_json(Event(1, 0.0, Asked(1, POINT))).body for _ in range(2))
    assert isinstance(first, Asked)
    assert isinstance(second, Asked)
    assert all(mine is theirs for mine, theirs in zip(first.point, second.point, strict=True))
