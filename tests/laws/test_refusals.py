"""Bad input is refused alike in every storage, by an error of its own, and the log is as it was."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from belated.errors import (
    AnswerError,
    BelatedError,
    ConflictError,
    ContextError,
    ParameterError,
    PointError,
    UnknownQueryError,
    UnknownStudyError,
    UnsupportedError,
)
from belated.space import Context, Float
from belated.study import Study
from tests.builders import Clock, box
from tests.reference.logs import text_of

POINT = {"heat": 70.0, "dose": 0.01}
HOUR = {"hour": 7.0}
NAN, INFINITY = float("nan"), float("inf")

Refusal = tuple[Callable[[Study], object], type[BelatedError], str]


def begun(address: str) -> Study:
    """Query 1 pending, 2 answered with 0.41, 3 abandoned; a key and a worker have been used."""
    context = Context(hour=Float(0.0, 24.0), seen="before")
    study = Study.create(address, "yield", box(), policy="random", seed=1, context=context, clock=Clock())
    study.ask(context=HOUR, key="plate 7", worker="Ada")
    study.ask(2, context=HOUR)
    study.tell(2, 0.41)
    study.abandon(3, "sample lost")
    return study


def unknown(query: Any) -> list[Refusal]:
    said = "the study has queries 1 to 3; use an id that ask() returned."
    return [
        (lambda study: study.tell(query, 1.0), UnknownQueryError, f"tell(query={query!r}): {said}"),
        (
            lambda study: study.tell_many([(1, 1.0), (query, 1.0)]),
            UnknownQueryError,
            f"tell_many(query={query!r}): {said}",
        ),
        (lambda study: study.revise(query, 1.0), UnknownQueryError, f"revise(query={query!r}): {said}"),
        (lambda study: study.abandon(query), UnknownQueryError, f"abandon(query={query!r}): {said}"),
    ]


def no_answer(value: Any, rule: str) -> list[Refusal]:
    said = f"got {value!r} as the answer; an answer is a {rule}"
    return [
        (lambda study: study.tell(1, value), AnswerError, f"tell(query=1): {said}"),
        (lambda study: study.tell_many({1: value}), AnswerError, f"tell_many(query=1): {said}"),
        (lambda study: study.revise(2, value), AnswerError, f"revise(query=2): {said}"),
        (lambda study: study.add(POINT, value, context=HOUR), AnswerError, f"add(): {said}"),
    ]


IDENTIFIERS: list[Any] = [0, 4, -1, 2**31, 2**40, 2**70, "x", "1", True, None, 1.0, NAN]
REFUSALS: dict[str, list[Refusal]] = {
    "unknown queries": [refusal for query in IDENTIFIERS for refusal in unknown(query)],
    "answers that are not finite": [
        refusal for value in (NAN, INFINITY, -INFINITY) for refusal in no_answer(value, "finite number; fail()")
    ],
    "answers that are no numbers": [
        refusal for value in ("0.4", b"1", True, 1j) for refusal in no_answer(value, "number; abandon()")
    ],
    "points outside the space": [
        (lambda study: study.add({"heat": 500.0, "dose": 0.01}, 1.0, context=HOUR), PointError, "add(): heat=500.0"),
        (lambda study: study.add({"heat": NAN, "dose": 0.01}, 1.0, context=HOUR), PointError, "add(): heat=nan"),
        (lambda study: study.add({"heat": 70.0}, 1.0, context=HOUR), PointError, "add(): "),
        (lambda study: study.add({**POINT, "time": 1.0}, 1.0, context=HOUR), PointError, "add(): "),
        (lambda study: study.add_many([(POINT, 1.0, HOUR), ({}, 1.0, HOUR)]), PointError, "add_many(): "),
    ],
    "contexts": [
        (lambda study: study.ask(), ContextError, "ask(): got no context, but the study's context is seen before"),
        (lambda study: study.ask(context={}), ContextError, "ask() context: missing parameter 'hour'"),
        (lambda study: study.ask(context={"hour": 25.0}), ContextError, "ask() context: hour=25.0"),
        (lambda study: study.ask(context={**HOUR, "day": 1}), ContextError, "ask() context: unknown parameter 'day'"),
        (lambda study: study.add(POINT, 1.0), ContextError, "add(): got no context, but the study's context is seen"),
    ],
    "what the log contradicts": [
        (lambda study: study.tell(3, 1.0), ConflictError, "tell(query=3): the query was abandoned (sample lost) and"),
        (lambda study: study.tell_many({1: 1.0, 3: 1.0}), ConflictError, "tell_many(query=3): the query was abandoned"),
        (
            lambda study: study.tell(2, 0.5),
            ConflictError,
            "tell(query=2): already answered with 0.41, and now given 0.5",
        ),
        (
            lambda study: study.tell_many([(1, 1.0), (1, 2.0)]),
            ConflictError,
            "tell_many(query=1): given 1.0 and 2.0 in",
        ),
        (lambda study: study.revise(1, 1.0), ConflictError, "revise(query=1): the query is pending and has no answer"),
        (lambda study: study.abandon(2), ConflictError, "abandon(query=2): already answered with 0.41; only a query"),
        (
            lambda study: study.ask(context={"hour": 8.0}, key="plate 7"),
            ConflictError,
            "ask(key='plate 7'): the key be",
        ),
    ],
    "wrong types": [
        (lambda study: study.ask(0, context=HOUR), ParameterError, "ask(count=0): count must be a whole number"),
        (lambda study: study.ask(context=HOUR, key=""), ParameterError, "ask(key=''): a key is a printable text"),
        (lambda study: study.ask(context=HOUR, worker=7), ParameterError, "ask(worker=7): a worker is a printable"),  # type: ignore[call-overload]
        (lambda study: study.tell_many(7), ParameterError, "tell_many(): got 7; give a mapping of ids to answers"),  # type: ignore[arg-type]
        (lambda study: study.add_many([1]), ParameterError, "add_many(): got 1; give tuples of (point, value)"),  # type: ignore[list-item]
        (lambda study: study.abandon(1, 7), ParameterError, "abandon(query=1): got 7 as the reason; give it as a text"),  # type: ignore[arg-type]
        (lambda study: study.close(7), ParameterError, "close(): got 7 as the reason; give it as a text"),  # type: ignore[arg-type]
        (lambda study: study.change(), ParameterError, "change(): got nothing to change; give a policy, a window, a"),
        (lambda study: study.change(seed=-1), ParameterError, "change(): got seed -1; a seed is a whole number"),
        (
            lambda study: study.change(window=2),
            UnsupportedError,
            "change(window=2): the policy 'random' takes no window",
        ),
    ],
}


@pytest.mark.parametrize("kind", REFUSALS)
def test_bad_input_is_refused_and_the_log_is_as_it_was(address: str, kind: str) -> None:
    study = begun(address)
    log = text_of(study.events)
    for call, error, start in REFUSALS[kind]:
        with pytest.raises(error, match=f"^{re.escape(start)}") as caught:
            call(study)
        assert caught.type is error
        assert text_of(study.events) == log
    assert text_of(Study.open(address, "yield").events) == log


def test_a_context_that_is_not_expected_is_refused(address: str) -> None:
    study = Study.create(address, "yield", box(), policy="random", seed=1)
    calls: list[Callable[[], object]] = [
        lambda: study.ask(context=HOUR),
        lambda: study.add(POINT, 1.0, context=HOUR),
    ]
    for call in calls:
        with pytest.raises(ContextError, match=r"got a context, but the study declares none; leave it out\.$"):
            call()
    assert len(study.events) == 1


def test_an_unknown_study_is_not_made(address: str) -> None:
    begun(address)
    with pytest.raises(UnknownStudyError, match=r": no study is named 'yeild'; did you mean 'yield'\?$"):
        Study.open(address, "yeild")
    assert Study.names(address) == ["yield"]


@pytest.mark.parametrize(
    "name", ["", " yield", "a/b", "a\\b", "a?b", "a#b", "a\0b", "a\nb", "x" * 101, None, 7], ids=repr
)
def test_a_name_that_no_address_can_hold_is_refused(memory: str, name: Any) -> None:
    doors: list[Callable[[], object]] = [lambda: Study.create(memory, name, box()), lambda: Study.open(memory, name)]
    for enter in doors:
        with pytest.raises(
            ParameterError, match=f"got {re.escape(repr(name))} as the study's name; a name has 1 to 100"
        ):
            enter()
    assert Study.names(memory) == []


@pytest.mark.parametrize("parts", [{"goal": "minimize"}, {"context": Context(day=Float(0.0, 7.0), seen="before")}])
def test_a_study_opened_instead_of_created_must_be_the_same(address: str, parts: dict[str, Any]) -> None:
    given: dict[str, Any] = {"context": Context(hour=Float(0.0, 24.0), seen="before")}
    events = begun(address).events
    assert Study.create(address, "yield", box(), **given, seed=99, or_open=True).events == events
    with pytest.raises(ConflictError, match=f"the study 'yield' is there already, with another {next(iter(parts))} "):
        Study.create(address, "yield", box(), **{**given, **parts}, or_open=True)
    assert Study.open(address, "yield").events == events
