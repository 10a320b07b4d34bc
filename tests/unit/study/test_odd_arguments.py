"""Odd arguments to every public method: an error of ours that leaves the study alone, or a log that is sound."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from belated.beliefs import GP
from belated.errors import BelatedError
from belated.log import AtLeast, AtMost, Event, Maximize, Minimize, Signal, Window
from belated.policies import build, describe, from_json, names
from belated.rules import Constant, Delayed, Finite
from belated.space import Candidates, Choice, Context, Float, Int, Space
from belated.study import Study, differences
from tests.builders import Clock

SPACE = Space(heat=Float(-5.0, 5.0), steps=Int(1, 5), solvent=Choice("a", 2, True))
TABLE = Candidates([{"heat": 0.5, "steps": 1}, {"heat": 2.5, "steps": 2}, {"heat": -1.0, "steps": 2}])
CONTEXT = Context(hour=Float(0, 24), seen="before")


class Stranger:
    """Something that nobody expects."""

    def __repr__(self) -> str:
        return "Stranger()"


plain: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 6),
    st.floats(),
    st.complex_numbers(),
    st.text(max_size=3),
    st.binary(max_size=2),
)
strange: st.SearchStrategy[Any] = st.sampled_from(
    [
        10**400,
        -(10**400),
        2**63,
        np.int64(2),
        np.float32(0.5),
        np.bool_(True),
        np.str_("a"),
        np.longdouble(0.5),
        np.datetime64("2020-01-01"),
        np.array(1.0),
        np.array([1.0, 2.0]),
        np.array([], dtype=object),
        Fraction(1, 2),
        Decimal("0.5"),
        Stranger(),
        Stranger,
        range(3),
        "heat",
        "gp-ucb",
        GP(),
        Window(2),
        Constant(1.0),
        Finite(),
        Delayed(Window(1)),
    ]
)
odd: st.SearchStrategy[Any] = st.recursive(
    plain | strange,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner, inner),
        st.dictionaries(
            st.one_of(
                st.sampled_from(["heat", "steps", "solvent", "hour", "part", "name", "parameters"]), st.integers(0, 2)
            ),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=5,
)
# A count is honoured, so that it must be small here.
small = odd.filter(lambda value: not isinstance(value, int | np.integer) or value < 4)
fuzzed = settings(max_examples=30, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])


def begun(domain: Space | Candidates = SPACE, context: Context | None = None) -> Study:
    """Query 1 pending, 2 answered, 3 abandoned."""
    study = Study.in_memory(domain, policy="random", seed=1, context=context, clock=Clock())
    study.ask(3, context=None if context is None else {"hour": 1.0})
    study.tell(2, 0.41)
    study.abandon(3)
    return study


def survives(study: Study, call: Callable[[], object]) -> None:
    """The call is refused by an error of ours and changes nothing, or leaves a log that can be read again."""
    log = study.events
    try:
        call()
    except BelatedError:
        assert study.events == log
    text = json.dumps([event.to_json() for event in study.events], allow_nan=False)
    again = Study([Event.from_json(entry) for entry in json.loads(text)], clock=Clock())
    assert again.queries() == study.queries()


@given(odd, odd)
@fuzzed
def test_tell(query: Any, value: Any) -> None:
    study = begun()
    survives(study, lambda: study.tell(1, value))
    survives(study, lambda: study.tell(query, value))


@given(odd)
@fuzzed
def test_tell_many(answers: Any) -> None:
    study = begun()
    survives(study, lambda: study.tell_many(answers))
    survives(study, lambda: study.tell_many([answers]))
    survives(study, lambda: study.tell_many({1: answers}))
    survives(study, lambda: study.tell_many([(1, 2.0), (answers, 1.0)]))


@given(odd, odd)
@fuzzed
def test_revise(query: Any, value: Any) -> None:
    study = begun()
    survives(study, lambda: study.revise(2, value))
    survives(study, lambda: study.revise(query, value))


@given(odd, odd)
@fuzzed
def test_standard_errors_and_points_that_were_tried(value: Any, other: Any) -> None:
    for study in (begun(), begun(TABLE), named()):
        survives(study, lambda study=study: study.tell(1, 0.5, sd=value))  # type: ignore[misc]
        survives(study, lambda study=study: study.tell(1, value, sd=other))  # type: ignore[misc]
        survives(study, lambda study=study: study.tell(1, 0.5, point=value))  # type: ignore[misc]
        survives(study, lambda study=study: study.revise(2, point=value))  # type: ignore[misc]
        survives(study, lambda study=study: study.revise(2, other, sd=value))  # type: ignore[misc]
        sound = {name: study.queries()[0].point[name] for name in study.space.names}
        for name in sound:
            tried = {**sound, name: value}
            survives(study, lambda study=study, tried=tried: study.revise(1, point=tried))  # type: ignore[misc]


@given(odd, odd)
@fuzzed
def test_outcomes(name: Any, value: Any) -> None:
    study = named()
    survives(study, lambda: study.tell(1, {"yield": value}))
    survives(study, lambda: study.tell(1, {"colour": value}, sd={"colour": name}))
    survives(study, lambda: study.tell(2, name))
    survives(study, lambda: study.add({"heat": 0.5, "steps": 1, "solvent": "a"}, {"yield": value, "colour": name}))
    survives(study, lambda: study.retract(2, outcome=name))
    refuses(lambda: Study.in_memory(SPACE, policy="random", outcomes=value))
    refuses(lambda: Study.in_memory(SPACE, policy="random", silence=value))
    for kind in (Maximize, Minimize, AtMost, AtLeast):
        refuses(lambda kind=kind: Study.in_memory(SPACE, policy="random", outcomes={"yield": kind(value)}))  # type: ignore[misc]


def named() -> Study:
    """Query 1 partly answered, 2 answered, 3 failed."""
    study = Study.in_memory(
        SPACE, policy="random", seed=1, outcomes={"yield": Maximize(), "colour": Signal()}, clock=Clock()
    )
    study.ask(3)
    study.tell(1, {"colour": 0.5})
    study.tell(2, {"yield": 0.41})
    study.fail(3, "spilt")
    return study


@pytest.mark.parametrize("call", ["abandon", "fail", "retract"])
@given(query=odd, reason=odd)
@fuzzed
def test_queries_that_end_otherwise(call: str, query: Any, reason: Any) -> None:
    study = begun()
    for given_query in (query, [query], [1, query], 1, 2, 3):
        act = getattr(study, call)
        survives(study, lambda act=act, given_query=given_query: act(given_query, reason))  # type: ignore[misc]


@pytest.mark.parametrize("domain", [SPACE, TABLE], ids=["box", "table"])
@given(point=odd, part=odd, value=odd)
@fuzzed
def test_add(domain: Space | Candidates, point: Any, part: Any, value: Any) -> None:
    study = begun(domain)
    sound: dict[str, Any] = {"heat": 0.5, "steps": 1, "solvent": "a"} if domain is SPACE else {"heat": 0.5, "steps": 1}
    survives(study, lambda: study.add(point, 1.0))
    survives(study, lambda: study.add(sound, value))
    survives(study, lambda: study.add(sound, 1.0, context=part))
    for name in sound:
        survives(study, lambda name=name: study.add({**sound, name: part}, 1.0))  # type: ignore[misc]


@given(small)
@fuzzed
def test_ask(count: Any) -> None:
    study = begun()
    survives(study, lambda: study.ask(count))


@pytest.mark.parametrize("domain", [SPACE, TABLE], ids=["box", "table"])
@given(context=odd)
@fuzzed
def test_contexts(domain: Space | Candidates, context: Any) -> None:
    study, plain = begun(domain, CONTEXT), begun(domain)
    for given_context in (context, {"hour": context}):
        survives(study, lambda given_context=given_context: study.ask(context=given_context))  # type: ignore[misc]
        survives(plain, lambda given_context=given_context: plain.ask(context=given_context))  # type: ignore[misc]
        survives(study, lambda given_context=given_context: study.recommend(context=given_context))  # type: ignore[misc]


@given(odd)
@fuzzed
def test_change_policy_and_close(argument: Any) -> None:
    study = begun()
    survives(study, lambda: study.change(policy=argument))
    survives(study, lambda: study.close(argument))


@pytest.mark.parametrize("argument", ["space", "policy", "goal", "outcomes", "silence", "seed", "context", "clock"])
@given(value=odd)
@fuzzed
def test_in_memory(argument: str, value: Any) -> None:
    assume(argument != "clock" or not callable(value))  # what a clock raises is its own affair
    arguments: dict[str, Any] = {"space": SPACE, "policy": "random", "seed": 1, "clock": Clock(), argument: value}
    try:
        study = Study.in_memory(**arguments)
    except BelatedError:
        return
    survives(study, study.ask)


@given(odd)
@fuzzed
def test_logs(value: Any) -> None:
    start = begun().events
    for events in (value, [value], [start[0], value], [*start, value]):
        for read in (Study, lambda log: list(differences(log))):
            refuses(lambda read=read, events=events: read(events))  # type: ignore[misc]


@given(
    odd,
    st.sampled_from(
        [
            *(
                "event",
                "number",
                "at",
                "query",
                "point",
                "value",
                "reason",
                "context",
                "policy",
                "space",
                "goal",
                "seed",
            ),
            *("sd", "repeats", "values", "partly", "outcome", "outcomes", "release"),
        ]
    ),
)
@fuzzed
def test_events_from_json(value: Any, field: str) -> None:
    refuses(lambda: Event.from_json(value))
    for number in range(1, 7):
        refuses(lambda number=number: altered(LIVES[0], number, field, value))  # type: ignore[misc]
    for number in range(1, len(LIVES[1]) + 1):
        refuses(lambda number=number: altered(LIVES[1], number, field, value))  # type: ignore[misc]


def corrected() -> Study:
    """A study with outcomes of which all was said that can be."""
    study = named()
    study.tell(1, {"yield": [0.5, 0.75]}, point={"heat": 5.5, "steps": 1.5, "solvent": 2})
    study.revise(1, {"yield": 0.5}, sd={"yield": 0.1})
    study.retract(1, "spilt", outcome="colour")
    study.retract(2, "spilt")
    study.retract(3, "no, it was another one")
    return study


LIVES = [begun(context=CONTEXT).events, corrected().events]


def altered(life: Sequence[Event], number: int, field: str, value: Any) -> Study:
    """A log up to an event, and that one with another value in a field; what is sound can be read."""
    entries = [event.to_json() for event in life[:number]]
    entries[-1][field] = value
    study = Study([Event.from_json(entry) for entry in entries], clock=Clock())
    assert len(study.queries()) == study.record().counts.asked
    return study


@given(odd)
@fuzzed
def test_names_and_recipes(value: Any) -> None:
    refuses(lambda: build(value))
    refuses(lambda: describe(value))
    refuses(lambda: from_json(value))
    refuses(lambda: from_json({"name": value, "parameters": {}}))
    refuses(lambda: from_json({"name": "gp-ucb", "parameters": value}))
    refuses(lambda: build("gp-ucb", width=value))
    refuses(lambda: build("gp-ucb", width={"part": value}))
    refuses(lambda: build("gp-ucb", width={"part": "Constant", "value": value}))
    refuses(lambda: build("gp-ucb", nonsense=value))


def refuses(call: Callable[[], object]) -> None:
    """The call succeeds, or fails with an error of ours."""
    with contextlib.suppress(BelatedError):
        call()


NEEDED: dict[str, dict[str, Any]] = {"bpe": {"horizon": 5}, "bpe-delay": {"horizon": 5, "mean_delay": 1.0}}
PARAMETERS = {
    "random": [],
    "gp-ucb": ["width", "belief", "initial"],
    "gp-ts": ["inflation", "belief", "initial"],
    "gp-bucb": ["width", "belief", "window", "initial", "maximum"],
    "gp-bucb-init": ["batch", "threshold", "width", "belief", "window"],
    "gp-aucb": ["limit", "minimum", "width", "belief", "window", "initial"],
    "gp-aucb-init": ["minimum", "limit"],
    "gp-aucb-local": ["minimum", "maximum", "limit"],
    "sm-ucb": ["batch", "paths", "width", "belief", "window"],
    "hbbo-ucb": ["tolerance", "maximum"],
    "gp-ucb-sdf": ["window", "floor", "late", "bound", "base", "belief", "initial"],
    "gp-ts-sdf": ["window", "floor", "late", "bound", "base", "inflate", "belief", "initial"],
    "bpe": ["horizon", "width", "belief"],
    "bpe-delay": ["horizon", "mean_delay", "xi", "b", "delta", "width", "belief"],
}


@pytest.mark.parametrize(
    "name, parameter", [(name, parameter) for name, parameters in PARAMETERS.items() for parameter in parameters]
)
@given(value=odd)
@settings(fuzzed, max_examples=15)
def test_policies(name: str, parameter: str, value: Any) -> None:
    """A policy that is built can be kept in a log and asks at least twice, or balks."""
    assert name in names()
    known = GP(lengthscale=0.3, variance=1.0, noise=0.01)
    parameters: dict[str, Any] = {**NEEDED.get(name, {}), "belief": known, parameter: value}
    try:
        study = Study.in_memory(TABLE, policy=build(name, **parameters), seed=1, clock=Clock())
    except BelatedError:
        return
    survives(study, study.ask)
    study.add({"heat": 0.5, "steps": 1}, 0.5)
    survives(study, study.ask)
