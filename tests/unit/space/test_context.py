"""Context: parameters seen before the decision or after it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from belated.errors import ContextError, SpaceError
from belated.space import Context, Float, Int, Space

HOUR = Context(hour=Float(0, 24), day=Int(1, 7), seen="before")


def test_a_context_has_a_space_and_says_when_it_is_seen() -> None:
    assert HOUR.space == Space(hour=Float(0, 24), day=Int(1, 7))
    assert HOUR.seen == "before"
    assert repr(HOUR) == "Context(hour=Float(0.0, 24.0), day=Int(1, 7), seen='before')"
    assert {HOUR, Context(hour=Float(0, 24), day=Int(1, 7), seen="before")} == {HOUR}
    assert Context(hour=Float(0, 24), day=Int(1, 7), seen="after") != HOUR


def test_a_context_survives_json() -> None:
    assert Context.from_json(json.loads(json.dumps(HOUR.to_json()))) == HOUR


def test_values_that_do_not_fit_are_errors_of_the_context() -> None:
    assert HOUR.encode({"hour": 12, "day": 4}).tolist() == [0.5, 0.5]
    with pytest.raises(ContextError, match=r"^ask\(\): hour=25 is outside \[0\.0, 24\.0\]; give a number inside\.$"):
        HOUR.encode({"hour": 25, "day": 4}, call="ask()")


@pytest.mark.parametrize("seen", ["during", None, True])
def test_any_other_time_of_seeing_is_refused(seen: Any) -> None:
    with pytest.raises(
        SpaceError, match=r"^Context\(seen=.*\): a context is seen 'before' the decision or 'after' it; "
    ):
        Context(hour=Float(0, 24), seen=seen)


def test_a_context_without_parameters_is_refused() -> None:
    with pytest.raises(
        SpaceError, match=r"^Context\(seen='after'\): no parameters; a context has at least one; write "
    ):
        Context(seen="after")


def test_a_context_of_something_else_is_refused() -> None:
    bad: Any = 24
    with pytest.raises(SpaceError, match=r"^Space\(hour=24\): not a parameter"):
        Context(hour=bad, seen="before")


@pytest.mark.parametrize(
    "data, message",
    [
        (None, r"^Context.from_json\(\): None is not a context; give what Context.to_json\(\) returned\.$"),
        ({"kind": "context", "seen": "before"}, "is not a context"),
        ({**HOUR.to_json(), "seen": "never"}, "a context is seen 'before'"),
        ({**HOUR.to_json(), "space": {}}, "is not a space"),
    ],
)
def test_json_that_is_no_context_is_refused(data: Any, message: str) -> None:
    with pytest.raises(SpaceError, match=message):
        Context.from_json(data)
