"""What a study refuses, and in which words: the call, what it got, the rule, the way out."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import belated as bl
from belated.beliefs import GP
from belated.errors import (
    AnswerError,
    BelatedError,
    ConflictError,
    ContextError,
    LogError,
    ParameterError,
    PointError,
    SpaceError,
    UnknownNameError,
    UnknownQueryError,
    UnsupportedError,
)
from belated.log import Abandoned, Added, Answered, Asked, Body, Closed, Created, Event, PolicyChanged, Query, Revised
from belated.policies import Recipe, gp_bucb
from belated.study import Study, differences
from tests.builders import Clock, box, table

POINT = {"heat": 70.0, "dose": 0.01}
NAN, INFINITY = float("nan"), float("inf")


def short(value: object) -> str:
    return getattr(value, "__name__", repr(value))[:30]


def begun(**parameters: Any) -> Study:
    """Query 1 pending, 2 answered with 0.41, 3 abandoned."""
    study = Study.in_memory(box(), policy="random", seed=1, clock=Clock(), **parameters)
    study.ask(3)
    study.tell(2, 0.41)
    study.abandon(3, "sample lost")
    return study


def refused(error: type[BelatedError], start: str, call: Callable[[], object]) -> str:
    """The message of a refusal of exactly this type whose words begin like this."""
    with pytest.raises(error, match="^" + re.escape(start)) as caught:
        call()
    assert caught.type is error
    message = str(caught.value)
    assert message.endswith((".", "?")), "the way out comes last, as a sentence"
    return message


# Answers.

NO_NUMBERS: list[Any] = [
    None,
    True,
    False,
    np.bool_(True),
    "0.4",
    b"1",
    1j,
    np.array(True),
    np.ma.masked,
    np.ma.masked_invalid(np.float64("nan")),
    object,
]


@pytest.mark.parametrize("value", NO_NUMBERS, ids=short)
def test_an_answer_is_a_number(value: Any) -> None:
    study = begun()
    log = study.events
    said = f"got {value!r} as the answer; an answer is a number; abandon() a query that has none."
    if value is not None:  # to tell nothing is refused elsewhere: it might have been a context alone
        refused(AnswerError, f"tell(query=1): {said}", lambda: study.tell(1, value))
        refused(AnswerError, f"tell_many(query=1): {said}", lambda: study.tell_many({1: value}))
        refused(AnswerError, f"tell(query=1): {said}", lambda: study.tell(1, [0.5, value]))
        refused(AnswerError, f"revise(query=2): {said}", lambda: study.revise(2, value))
    refused(AnswerError, f"add(): {said}", lambda: study.add(POINT, value))
    assert study.events == log


@pytest.mark.parametrize("value", [[], {}, (), np.array([])], ids=short)
def test_nothing_is_no_answer(value: Any) -> None:
    study = begun()
    log = study.events
    said = f"(query=2): got {value!r} as the answer; an answer is a number, a list of repeats or a dict of outcomes; "
    refused(AnswerError, f"tell{said}", lambda: study.tell(2, value))
    refused(AnswerError, f"revise{said}", lambda: study.revise(2, value))
    assert study.events == log
    refused(AnswerError, "revise(query=2): got None as the answer; ", lambda: study.revise(2, None))


@pytest.mark.parametrize("sd", [0.0, -1.0, True, NAN, INFINITY, "0.1", 1e200], ids=short)
def test_a_standard_error_is_a_finite_number_above_0(sd: Any) -> None:
    study = begun()
    said = (
        f"tell(query=1): got the standard error {sd!r}; it is a number above 0 and at most 1e+140; leave it out where "
    )
    refused(AnswerError, said, lambda: study.tell(1, 0.5, sd=sd))


def test_repeats_show_their_error_and_an_error_needs_an_answer() -> None:
    study = begun()
    said = (
        "tell(query=1): got repeats and the standard error 0.1; repeats show their error themselves; leave it out, or "
    )
    refused(AnswerError, said + "give their mean.", lambda: study.tell(1, [0.5, 0.6], sd=0.1))
    said = "tell(query=1): got the standard error 0.1 without an answer; give both, or leave it out."
    refused(AnswerError, said, lambda: study.tell(1, sd=0.1))


def test_an_outcome_is_one_that_the_study_declares() -> None:
    study = Study.in_memory(box(), outcomes={"yield": bl.Maximize(), "colour": bl.Signal()}, seed=1)
    study.ask()
    said = "tell(query=1): unknown outcome 'color'; the study has yield, colour; did you mean 'colour'?"
    refused(AnswerError, said, lambda: study.tell(1, {"color": 0.5}))
    said = "retract(query=1, outcome='smell'): the study has the outcomes yield, colour; give one."
    refused(ParameterError, said, lambda: study.retract(1, outcome="smell"))
    said = "add(): got no value of 'yield'; data has all of yield; add it."
    refused(AnswerError, said, lambda: study.add(POINT, {"colour": 0.5}))


OUTCOMES: dict[str, tuple[Any, str]] = {
    "none": ({}, "got {} as the outcomes; give a dict of names"),
    "no dict": ([bl.Maximize()], "got [Maximize(silence=None)] as the outcomes; give a dict of names"),
    "a word": ({"y": "maximize"}, "got 'maximize' for the outcome 'y'; give bl.Maximize(), bl.Minimize(), "),
    "no name": ({" y": bl.Maximize()}, "got the outcome ' y'; a name is a printable text of 1 to 100 characters"),
    "no objective": ({"y": bl.Signal()}, "got the outcomes y; a study has an objective; make one of them "),
    "two objectives": (
        {"y": bl.Maximize(), "z": bl.Minimize()},
        "got 'z' beside 'y'; 'auto' takes one objective and any signals, and policies of several objectives",
    ),
    "a constraint": (
        {"y": bl.Maximize(), "z": bl.AtMost(1.0)},
        "got 'z' beside 'y'; 'auto' takes one objective and any signals, and policies of several objectives",
    ),
    "a parameter's name": (
        {name: bl.Maximize() for name in list(POINT)[:1]},
        f"{next(iter(POINT))!r} names an outcome and a parameter; rename one of them.",
    ),
}


@pytest.mark.parametrize("case", OUTCOMES)
def test_outcomes_are_named_and_one_is_an_objective(case: str) -> None:
    outcomes, said = OUTCOMES[case]
    kind = UnsupportedError if "beside" in said else ParameterError
    refused(kind, f"Study.in_memory(): {said}", lambda: Study.in_memory(box(), outcomes=outcomes))


def test_outcomes_have_goals_of_their_own() -> None:
    said = "Study.in_memory(): got outcomes and a goal or a silence; each outcome says its own, as bl.Minimize(silence"
    refused(ParameterError, said, lambda: Study.in_memory(box(), goal="minimize", outcomes={"y": bl.Maximize()}))


@pytest.mark.parametrize(
    "value", [NAN, INFINITY, -INFINITY, np.float64("nan"), np.float32("inf"), np.longdouble("1e400")]
)
def test_an_answer_is_finite(value: Any) -> None:
    study = begun()
    log = study.events
    said = f"got {value!r} as the answer; an answer is a finite number; fail() a query that cannot be done."
    refused(AnswerError, f"tell(query=1): {said}", lambda: study.tell(1, value))
    refused(AnswerError, f"tell_many(query=1): {said}", lambda: study.tell_many([(1, value)]))
    refused(AnswerError, f"revise(query=2): {said}", lambda: study.revise(2, value))
    refused(AnswerError, f"add(): {said}", lambda: study.add(POINT, value))
    assert study.events == log


@pytest.mark.parametrize("value", [1.1e140, -1e300, 10**200])
def test_an_answer_whose_square_is_no_number_is_refused(value: float) -> None:
    study = begun()
    said = f"got {value!r} as the answer; an answer is at most 1e+140 in size; give it in a larger unit"
    refused(AnswerError, f"tell(query=1): {said}", lambda: study.tell(1, value))
    refused(AnswerError, f"add(): {said}", lambda: study.add(POINT, value))


@pytest.mark.parametrize("scale", [5e-324, 1e-200, 1e-150, 1e-12, 1e12, 1e140])
def test_answers_of_any_size_can_be_learned_from(scale: float) -> None:
    study = Study.in_memory(box(), seed=1, clock=Clock())
    for number in range(6):
        study.tell_many({query.id: scale * ((number * 7) % 5 - 2) / 2 for query in study.ask(1)})
    assert np.isfinite(study.recommend().mean)


@pytest.mark.parametrize("value", [10**400, -(10**400)], ids=["large", "small"])
def test_a_whole_number_beyond_all_doubles_is_no_answer(value: int) -> None:
    study = begun()
    refused(AnswerError, "tell(query=1): got ", lambda: study.tell(1, value))
    refused(AnswerError, "add(): got ", lambda: study.add(POINT, value))


@pytest.mark.parametrize(
    "value",
    [
        3,
        np.array(0.5),
        -0.0,
        5e-324,
        1e140,
        Fraction(1, 3),
        np.float32(0.5),
        np.float16(0.5),
        np.int8(-3),
        np.uint64(2**63),
        np.longdouble(0.5),
    ],
    ids=repr,
)
def test_any_real_number_is_an_answer_and_is_kept_as_a_double(value: Any) -> None:
    study = begun()
    study.tell(1, value)
    answer = study.queries()[0].answer
    assert answer is not None
    assert type(answer.value) is float
    assert answer.value == float(value)


# Identifiers.


@pytest.mark.parametrize("query", [0, -1, 4, 999, 10**30, "1", True, 1.0, 1.5, None, NAN, {}, np.float64(1)], ids=short)
@pytest.mark.parametrize("call", ["tell", "revise", "fail", "abandon", "retract", "tell_many"])
def test_a_query_is_named_by_an_id_that_ask_returned(call: str, query: Any) -> None:
    study = begun()
    log = study.events
    act: dict[str, Callable[[], object]] = {
        "tell": lambda: study.tell(query, 1.0),
        "revise": lambda: study.revise(query, 1.0),
        "fail": lambda: study.fail([1, query]),
        "abandon": lambda: study.abandon([1, query]),
        "retract": lambda: study.retract(query),
        "tell_many": lambda: study.tell_many([(query, 1.0)]),
    }
    start = f"{call}(query={query!r}): the study has queries 1 to 3; use an id that ask() returned."
    refused(UnknownQueryError, start, act[call])
    assert study.events == log


def test_before_the_first_query_no_id_is_known() -> None:
    study = Study.in_memory(box(), policy="random", seed=1)
    start = "tell(query=1): the study has no queries yet; use an id that ask() returned."
    refused(UnknownQueryError, start, lambda: study.tell(1, 1.0))


def test_a_query_of_another_study_is_read_by_its_id() -> None:
    other = begun().queries()[0]
    study = Study.in_memory(box(), policy="random", seed=1)
    refused(UnknownQueryError, "tell(query=1): the study has no queries yet", lambda: study.tell(other, 1.0))
    odd = replace(other, id="1")  # type: ignore[arg-type]
    refused(UnknownQueryError, "tell(query='1'): ", lambda: study.tell(odd, 1.0))


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.int32])
def test_an_id_may_be_a_numpy_integer(kind: Callable[[int], Any]) -> None:
    study = begun()
    study.tell(kind(1), 1.0)
    assert study.queries()[0].answer is not None


# Conflicts.


def test_a_different_answer_needs_a_revision() -> None:
    study = begun()
    said = "already answered with 0.41, and now given 0.42; use revise() to replace the answer."
    refused(ConflictError, f"tell(query=2): {said}", lambda: study.tell(2, 0.42))
    refused(ConflictError, f"tell_many(query=2): {said}", lambda: study.tell_many({1: 0.0, 2: 0.42}))
    assert study.queries()[0].answer is None


def test_an_abandoned_query_takes_no_answer() -> None:
    study = begun()
    said = "the query was abandoned (sample lost) and takes no answer; retract() that first."
    refused(ConflictError, f"tell(query=3): {said}", lambda: study.tell(3, 1.0))
    study.abandon(1)
    said = "the query was abandoned (no reason given) and takes no answer; retract() that first."
    refused(ConflictError, f"tell(query=1): {said}", lambda: study.tell(1, 1.0))


def test_a_query_of_another_study_is_refused() -> None:
    study, other = begun(), Study.in_memory(box(), policy="random", seed=2)
    query = other.ask()
    assert isinstance(query, Query)
    here = dict(study.queries()[0].point)
    said = f"got a query of another study, at {dict(query.point)!r}; here that id is of {here!r}; take it to the study "
    refused(ConflictError, f"tell(query=1): {said}that asked it.", lambda: study.tell(query, 1.0))
    refused(ConflictError, f"tell_many(query=1): {said}that asked it.", lambda: study.tell_many([(query, 1.0)]))
    refused(ConflictError, f"revise(query=1): {said}that asked it.", lambda: study.revise(query, 1.0))
    refused(ConflictError, f"abandon(query=1): {said}that asked it.", lambda: study.abandon(query))
    other.tell(query, 1.0)
    assert study.queries()[0].answer is None


def test_only_an_answer_can_be_revised() -> None:
    study = begun()
    said = "the query is pending and has no answer to replace; use tell() for a first answer."
    refused(ConflictError, f"revise(query=1): {said}", lambda: study.revise(1, 1.0))
    said = "the query is abandoned and has no answer to replace; retract() that first."
    refused(ConflictError, f"revise(query=3): {said}", lambda: study.revise(3, 1.0))


def test_an_answered_query_cannot_be_abandoned() -> None:
    said = "already answered with 0.41; only a query without an answer can be abandoned; retract() the answer first."
    refused(ConflictError, f"abandon(query=2): {said}", lambda: begun().abandon(2))


def test_one_call_gives_a_query_one_answer() -> None:
    study = begun()
    said = "given 1.0 and 2.0 in one call; a query has one answer; keep one of them."
    refused(ConflictError, f"tell_many(query=1): {said}", lambda: study.tell_many([(1, 1.0), (1, 2.0)]))
    study.tell_many([(1, 1.0), (1, 1.0)])
    assert [event.body for event in study.events[6:]] == [Answered(1, 1.0)]


def test_a_closed_study_asks_no_more_but_listens() -> None:
    study = begun()
    study.close("out of money")
    said = "ask(): the study is closed (out of money); reopen() it to go on asking."
    refused(ConflictError, said, study.ask)
    refused(ConflictError, said, lambda: study.ask(2))
    log = study.events
    study.close("again")
    assert study.events == log
    study.tell(1, 2.0)
    study.revise(1, 3.0)
    study.add(POINT, 4.0)
    study.recommend()
    assert study.best().value == 4.0


# Asking and adding.


@pytest.mark.parametrize("count", [0, -1, 2.0, 1.5, True, "2", [], {}, NAN, INFINITY, 1j], ids=short)
def test_a_count_is_a_whole_number_of_at_least_one(count: Any) -> None:
    study = begun()
    start = f"ask(count={count!r}): count must be a whole number of at least 1."
    refused(ParameterError, start, lambda: study.ask(count))
    assert study.record().counts.asked == 3


@pytest.mark.parametrize(
    "point, said",
    [
        (None, "got a NoneType; a point maps names to values; give a dict of heat, dose."),
        ([70.0, 0.01], "got a list; a point maps names to values"),
        ({"heat": 70.0}, "missing parameter 'dose'; a point has all of heat, dose; add it."),
        ({**POINT, "dosis": 1.0}, "unknown parameter 'dosis'; the space has heat, dose; did you mean 'dose'?"),
        (dict([*POINT.items(), (5, 1.0)]), "unknown parameter 5; the space has heat, dose; leave it out."),
        ({"heat": NAN, "dose": 0.01}, "heat=nan is not a finite number; give one from [-30.0, 170.0]."),
        ({"heat": True, "dose": 0.01}, "heat=True is not a finite number"),
        ({"heat": "70", "dose": 0.01}, "heat='70' is not a finite number"),
        ({"heat": 171.0, "dose": 0.01}, "heat=171.0 is outside [-30.0, 170.0]; give a number inside."),
        ({"heat": 10**400, "dose": 0.01}, "heat=1"),
    ],
    ids=short,
)
def test_data_must_fit_the_box(point: Any, said: str) -> None:
    study = begun()
    refused(PointError, f"add(): {said}", lambda: study.add(point, 1.0))
    assert len(study.record()) == 3


def test_data_must_be_a_row_of_the_table() -> None:
    study = Study.in_memory(table(), policy="random", seed=1)
    refused(
        PointError,
        "add(): {'heat': 0.0, 'dose': 7.0} is not a row; ",
        lambda: study.add({"heat": 0.0, "dose": 7.0}, 1.0),
    )


@pytest.mark.parametrize(
    "answers",
    [None, 5, "1", "12", [1], [None], [(1,)], [(1, 2.0, 3)], [[]], np.array(1.0), object()],
    ids=lambda answers: short(answers).partition(" at")[0],
)
def test_many_answers_are_pairs_of_query_and_value(answers: Any) -> None:
    study = begun()
    with pytest.raises(BelatedError, match=r"^tell_many\("):
        study.tell_many(answers)
    assert study.record().n_answers == 1


def test_no_answers_at_all_are_many_answers_too() -> None:
    study = begun()
    log = study.events
    study.tell_many({})
    study.tell_many([])
    study.tell_many(iter(()))
    assert study.events == log


# Beginning a study.

SPACELESS: list[Any] = [None, 5, "box", {}, [1.0, 2.0], np.zeros((3, 2)), bl.Float(0, 1), bl.Space]


@pytest.mark.parametrize("space", SPACELESS, ids=short)
def test_a_space_is_a_space_or_candidates(space: Any) -> None:
    start = f"Study.in_memory(): got {space!r} as the space; give a bl.Space or bl.Candidates."
    refused(ParameterError, start, lambda: Study.in_memory(space))


@pytest.mark.parametrize("goal", ["max", "Maximize", 1, True, [], {}], ids=short)
def test_a_goal_is_to_maximize_or_to_minimize(goal: Any) -> None:
    start = f"Study.in_memory(): got goal {goal!r}; a study does 'maximize' or 'minimize'."
    refused(ParameterError, start, lambda: Study.in_memory(box(), goal=goal))


@pytest.mark.parametrize(
    "seed", [-1, True, False, 1.0, 0.5, "7", NAN, [], {}, [1], np.float64(3), np.int64(-3), 2**128], ids=short
)
def test_a_seed_is_a_whole_number_of_at_most_128_bits(seed: Any) -> None:
    start = f"Study.in_memory(): got seed {seed!r}; a seed is a whole number from 0 to 2**128 − 1; leave it out"
    refused(ParameterError, start, lambda: Study.in_memory(box(), seed=seed))


@pytest.mark.parametrize("seed", [0, 2**32, 2**128 - 1, np.int64(5), np.uint64(2**64 - 1)], ids=short)
def test_a_seed_may_have_128_bits(seed: Any) -> None:
    study = Study.in_memory(box(), policy="random", seed=seed, clock=Clock())
    created = study.events[0].body
    assert isinstance(created, Created)
    assert type(created.seed) is int
    assert created.seed == int(seed)
    assert study.ask()


@pytest.mark.parametrize("policy", [5, True, {}, [], gp_bucb, GP(), {"name": "random"}], ids=short)
def test_a_policy_is_a_name_or_a_policy(policy: Any) -> None:
    said = f"got {policy!r} as the policy; give a name or one of bl.policies."
    refused(ParameterError, f"Study.in_memory(): {said}", lambda: Study.in_memory(box(), policy=policy))
    refused(ParameterError, f"change(): {said}", lambda: begun().change(policy=policy))


@pytest.mark.parametrize(
    "name, hint",
    [
        ("gp-bucbs", "did you mean 'gp-bucb' or "),
        ("", "choose one of asy-ts, auto, banditbo, bpe, "),
        ("zzz", "choose one of "),
    ],
)
def test_an_unknown_policy_comes_with_the_nearest_names(name: str, hint: str) -> None:
    start = f"build(): no policy is named {name!r}; {hint}"
    refused(UnknownNameError, start, lambda: Study.in_memory(box(), policy=name))
    refused(UnknownNameError, start, lambda: begun().change(policy=name))


def test_a_policy_that_no_log_can_name_is_refused() -> None:
    bare: Any = gp_bucb().beginning(box())
    said = "got a policy that is not registered, so the log could not name it; build it by a function decorated with "
    refused(ParameterError, f"Study.in_memory(): {said}", lambda: Study.in_memory(box(), policy=bare))
    refused(ParameterError, f"change(): {said}", lambda: begun().change(policy=bare))


@pytest.mark.parametrize("policy", [bl.policies.bpe(10), bl.policies.bpe_delay(10, 1.0), bl.policies.gp_aucb_local()])
def test_policies_that_look_at_every_candidate_refuse_a_box(policy: Recipe) -> None:
    said = f"got a box as the space for {policy.name!r}, which looks at every candidate; it needs "
    refused(UnsupportedError, f"Study.in_memory(): {said}", lambda: Study.in_memory(box(), policy=policy))
    study = begun()
    log = study.events
    refused(UnsupportedError, f"change(): {said}", lambda: study.change(policy=policy))
    assert study.events == log
    assert Study.in_memory(table(), policy=policy, seed=1).ask()


@pytest.mark.parametrize("clock", [None, 5, "now"], ids=short)
def test_a_clock_can_be_called(clock: Any) -> None:
    with pytest.raises(BelatedError, match=r"^Study\.in_memory\(\): got .* as the clock"):
        Study.in_memory(box(), clock=clock)


# Contexts that do not fit the study.


def test_a_study_without_a_context_takes_none() -> None:
    study = begun()
    said = "got a context, but the study declares none; leave it out."
    refused(ContextError, f"ask(): {said}", lambda: study.ask(context={}))
    refused(ContextError, f"ask(): {said}", lambda: study.ask(2, context={"hour": 3.0}))
    refused(ContextError, f"recommend(): {said}", lambda: study.recommend(context={"hour": 3.0}))
    refused(ContextError, f"add(): {said}", lambda: study.add(POINT, 1.0, context={"hour": 3.0}))


@pytest.mark.parametrize(
    "context", [5, "hour", {}, {"hour": bl.Float(0, 24)}, bl.Space(hour=bl.Float(0, 24))], ids=short
)
def test_a_context_is_declared_as_one(context: Any) -> None:
    start = f"Study.in_memory(): got {context!r} as the context; give a bl.Context."
    refused(ParameterError, start, lambda: Study.in_memory(box(), context=context))


def test_space_and_context_share_no_name() -> None:
    before = bl.Context(heat=bl.Float(0, 1), hour=bl.Float(0, 24), seen="before")
    start = "Study.in_memory(): ['heat'] name parameters of both space and context; rename one of them."
    refused(ContextError, start, lambda: Study.in_memory(box(), context=before))


# Logs.


@pytest.mark.parametrize("call", ["Study()", "differences()"])
def test_a_log_begins_with_its_creation(call: str) -> None:
    read: Callable[[Any], object] = Study if call == "Study()" else lambda log: list(differences(log))
    events = begun().events
    nothings: list[Any] = [[], (), None, 5, {}]
    for nothing in nothings:
        start = f"{call}: got {nothing!r}; a log begins with its creation; give a whole log, from event 1."
        refused(LogError, start, lambda nothing=nothing: read(nothing))  # type: ignore[misc]
    way_out = "give a whole log, as Study.events has it."
    start = f"{call}: event 1 has the number 2 and the time 1000.0; {way_out}"
    refused(LogError, start, lambda: read(events[1:]))
    start = f"{call}: event 1 should be the creation; {way_out}"
    refused(LogError, start, lambda: read([Event(1, 0.0, ASKED)]))
    start = f"{call}: event 1 is 'l', which is no event; {way_out}"
    refused(LogError, start, lambda: read("log"))


def log(*bodies: Body) -> list[Event]:
    """A log with these events after its creation."""
    return [begun().events[0], *(Event(place, 0.0, body) for place, body in enumerate(bodies, 2))]


def created(**fields: Any) -> list[Event]:
    body = begun().events[0].body
    assert isinstance(body, Created)
    return [Event(1, 0.0, replace(body, **fields))]


ASKED = Asked(1, POINT)
WRONG_LOGS: dict[str, tuple[Callable[[], list[Any]], str]] = {
    "an answer to a query that was never asked": (
        lambda: log(Answered(1, 1.0)),
        "event 2 is about query 1, and there are 0",
    ),
    "an answer to query 0": (lambda: log(ASKED, Answered(0, 1.0)), "event 3 is about query 0, and there are 1"),
    "an answer to query -1": (lambda: log(ASKED, Answered(-1, 1.0)), "event 3 is about query -1, and there are 1"),
    "an answer to a text": (lambda: log(ASKED, Answered("1", 1.0)), "event 3 is about query '1'"),  # type: ignore[arg-type]
    "a text for an answer": (lambda: log(ASKED, Answered(1, "1.0")), "event 3 has the value '1.0'"),  # type: ignore[arg-type]
    "not a number for an answer": (lambda: log(ASKED, Answered(1, NAN)), "event 3 has the value nan"),
    "not a number for a revision": (
        lambda: log(ASKED, Answered(1, 1.0), Revised(1, INFINITY)),
        "event 4 has the value inf",
    ),
    "not a number added": (lambda: log(Added(1, POINT, NAN)), "event 2 has the value nan"),
    "two answers to one query": (
        lambda: log(ASKED, Answered(1, 1.0), Answered(1, 2.0)),
        "event 4 finds query 1 answered",
    ),
    "an answer to an abandoned query": (
        lambda: log(ASKED, Abandoned(1, ""), Answered(1, 1.0)),
        "event 4 finds query 1 abandoned",
    ),
    "a revision of no answer": (
        lambda: log(ASKED, Revised(1, 1.0)),
        "event 3 is about ['value'] of query 1, of which [] were told",
    ),
    "an answered query abandoned": (
        lambda: log(ASKED, Answered(1, 1.0), Abandoned(1, "")),
        "event 4 finds query 1 answered",
    ),
    "identifiers with a gap": (lambda: log(Asked(5, POINT)), "event 2 brings query 5 where 1 is next"),
    "a query after the end": (lambda: log(Closed(""), ASKED), "event 3 "),
    "event numbers with a gap": (lambda: [*log(), Event(7, 0.0, ASKED)], "event 2 has the number 7 and the time 0.0"),
    "an event at no time": (lambda: [*log(), Event(2, NAN, ASKED)], "event 2 has the number 2 and the time nan"),
    "two creations": (lambda: log(begun().events[0].body), "event 2 creates the study a second time"),
    "something that is no event": (lambda: [*log(), 5], "event 2 is 5, which is no event"),
    "another goal": (lambda: created(goal="up"), "event 1 has the goal 'up' and the seed 1"),
    "a negative seed": (lambda: created(seed=-1), "event 1 has the goal 'maximize' and the seed -1"),
}


@pytest.mark.parametrize("wrong, said", WRONG_LOGS.values(), ids=WRONG_LOGS)
def test_a_log_that_no_study_wrote_is_refused(wrong: Callable[[], list[Any]], said: str) -> None:
    refused(LogError, f"Study(): {said}", lambda: Study(wrong()))
    refused(LogError, f"differences(): {said}", lambda: list(differences(wrong())))


def test_a_log_with_a_point_outside_is_refused() -> None:
    with pytest.raises(PointError, match=r"heat=1000000000\.0 is outside"):
        Study(log(Asked(1, {"heat": 1e9, "dose": 0.01})))


@pytest.mark.parametrize("policy", [{"name": "gp-abc", "parameters": {}}, {"name": "gp-ucb"}, {}], ids=str)
def test_a_log_with_a_policy_that_is_not_installed_can_be_read_but_not_asked(policy: dict[str, Any]) -> None:
    study = Study(log(ASKED, Answered(1, 1.0), PolicyChanged(policy)), clock=Clock())
    assert study.best().value == 1.0
    with pytest.raises(BelatedError):
        study.ask()


def test_a_space_that_cannot_be_read_is_named() -> None:
    start = "domain_from_json(): the kind is None; it is 'space' or 'candidates'"
    refused(SpaceError, start, lambda: Study(created(space={})))


def test_a_refused_call_leaves_the_study_as_it_was() -> None:
    study = begun()
    log, queries = study.events, study.queries()
    for call in (
        lambda: study.tell(1, NAN),
        lambda: study.tell_many([(1, 1.0), (9, 1.0)]),
        lambda: study.tell_many([(1, 1.0), (2, NAN)]),
        lambda: study.revise(1, 1.0),
        lambda: study.abandon(2),
        lambda: study.add({}, 1.0),
        lambda: study.change(policy="nope"),
        lambda: study.ask(0),
    ):
        with pytest.raises(BelatedError):
            call()
    assert study.events == log
    assert study.queries() == queries
    assert isinstance(queries[0], Query)
