"""Contexts seen after the decision: told with the answer, before it, after it or without it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from belated.beliefs import GP, Description, Ensemble, Features
from belated.errors import (
    AnswerError,
    ConflictError,
    ContextError,
    NoAnswerError,
    ParameterError,
    SpaceError,
    UnknownQueryError,
    UnsupportedError,
)
from belated.log import Answered, ContextSeen, Event, Query, State
from belated.pending import Ignore
from belated.policies import Recipe, drbo_kde, drbo_mmd_minimax, gp_bucb, gp_ucb_blind, random, sbo_kde, stableopt
from belated.space import Candidates, Choice, Context, Float, Int, Space
from belated.study import Study, differences
from belated.study.insight import weight_history
from tests.builders import Clock, Domain
from tests.pairs import in_turn

AFTER = Context(demand=Float(10.0, 90.0), shift=Int(1, 3), site=Choice("north", "south"), seen="after")
HERE = {"demand": 30.0, "shift": 2, "site": "south"}
THERE = {"demand": 70.0, "shift": 1, "site": "north"}
KNOWN = GP(kernel="se", lengthscale=0.3, variance=1.0, noise=1e-2, mean="zero")
BOX = Space(heat=Float(-40.0, 60.0))
LINE = Candidates(np.linspace(-40.0, 60.0, 21)[:, None], names=["heat"])
DOMAINS: dict[str, Domain] = {"box": BOX, "table": LINE}
each_domain = pytest.mark.parametrize("domain", DOMAINS.values(), ids=DOMAINS)


def quick(**options: Any) -> Recipe:
    """A policy that learns the law of contexts, with few samples of it."""
    return sbo_kde(**{"belief": KNOWN, "samples": 32, **options})


def begun(domain: Domain = BOX, policy: Recipe | str | None = None, context: Context | None = AFTER) -> Study:
    return Study.in_memory(domain, policy=policy or quick(), context=context, seed=5, clock=Clock())


def asked(study: Study, **options: Any) -> Query:
    query = study.ask(**options)
    assert isinstance(query, Query)
    return query


def here(step: int) -> dict[str, Any]:
    """A context for each step."""
    return {"demand": 10.0 + 7.0 * (step % 11), "shift": 1 + step % 3, "site": ["north", "south"][step % 2]}


def gone_through(study: Study, n_asks: int) -> None:
    """Answers and contexts late, out of order, one without the other, revised and abandoned."""
    for step in range(n_asks):
        query = asked(study)
        value = math.sin(0.1 * query.point["heat"]) + 0.01 * here(step)["demand"]
        match step % 6:
            case 0:
                study.tell(query, value, context=here(step))
            case 1:
                study.tell(query, value)
            case 2:
                study.tell(query, context=here(step))
            case 3:
                study.abandon(query, "lost")
                study.tell(query, context=here(step))
                study.tell(query.id - 1, 0.3)
            case 4:
                study.tell(query.id - 3, context=here(step))
                study.revise(query.id - 3, value)
    study.add({"heat": -40.0}, 0.25, context=HERE)


# Telling.


def test_the_answer_and_its_context_may_come_together() -> None:
    study = begun()
    study.tell(asked(study), 0.5, context=HERE)
    assert study.events[2].body == Answered(1, 0.5, study.queries()[0].context)
    assert study.queries()[0].context == HERE


@pytest.mark.parametrize("context_first", [True, False])
def test_the_answer_and_its_context_may_come_one_after_the_other(context_first: bool) -> None:
    study = begun()
    query = asked(study)
    tells: list[Callable[[], None]] = [lambda: study.tell(query, 0.5), lambda: study.tell(query, context=HERE)]
    for tell in tells[::-1] if context_first else tells:
        tell()
    [record] = study.queries()
    assert record.answer is not None
    assert (record.state, record.answer.value, record.context) == (State.ANSWERED, 0.5, HERE)
    kinds = [ContextSeen, Answered] if context_first else [Answered, ContextSeen]
    assert [type(event.body) for event in study.events[2:]] == kinds


def test_told_again_the_same_changes_nothing() -> None:
    study = begun()
    query = asked(study)
    study.tell(query, 0.5, context=HERE)
    log = study.events
    study.tell(query, 0.5, context=HERE)
    study.tell(query, 0.5)
    study.tell(query, context={**HERE, "demand": np.float32(30.0)})
    study.tell_many([(query, 0.5, HERE), (query, 0.5), (query, None, HERE)])
    assert study.events == log


def test_of_an_answer_told_again_a_context_that_is_new_is_kept() -> None:
    study = begun()
    query = asked(study)
    study.tell(query, 0.5)
    study.tell(query, 0.5, context=HERE)
    assert isinstance(study.events[-1].body, ContextSeen)
    other = asked(study)
    study.tell(other, context=THERE)
    study.tell(other, 0.7, context=THERE)
    last = study.events[-1]
    assert last.body == Answered(2, 0.7)


def test_another_context_for_the_same_query_is_refused() -> None:
    study = begun()
    query = asked(study)
    study.tell(query, context=HERE)
    log = study.events
    said = f"its context was seen as {HERE!r}, and now is given as {THERE!r}; a query has one context; leave it out."
    with pytest.raises(ConflictError, match="^" + re.escape(f"tell(query=1): {said}") + "$"):
        study.tell(query, context=THERE)
    with pytest.raises(ConflictError, match="^" + re.escape(f"tell(query=1): {said}") + "$"):
        study.tell(query, 0.5, context=THERE)
    with pytest.raises(ConflictError, match="^" + re.escape(f"tell_many(query=1): {said}") + "$"):
        study.tell_many([(query, 0.5, THERE)])
    added = study.add({"heat": 0.0}, 1.0, context=HERE)
    with pytest.raises(ConflictError, match=re.escape("a query has one context")):
        study.tell(added, context=THERE)
    assert study.events[:-1] == log


def test_another_answer_is_refused_whatever_the_context() -> None:
    study = begun()
    query = asked(study)
    study.tell(query, 0.5)
    said = "tell(query=1): already answered with 0.5, and now given 0.6; use revise() to replace the answer."
    log = study.events
    for context in (None, HERE):
        with pytest.raises(ConflictError, match="^" + re.escape(said) + "$"):
            study.tell(query, 0.6, context=context)
    assert study.events == log


def test_nothing_told_is_refused() -> None:
    study = begun()
    query = asked(study)
    said = (
        "(query=1): got None as the answer; an answer is a number; fail() or abandon() a query that has none, "
        "or give the context that was seen."
    )
    with pytest.raises(AnswerError, match="^" + re.escape(f"tell{said}") + "$"):
        study.tell(query)
    with pytest.raises(AnswerError, match="^" + re.escape(f"tell_many{said}") + "$"):
        study.tell_many([(query, None)])


def test_an_unknown_query_has_no_context() -> None:
    study = begun()
    with pytest.raises(UnknownQueryError, match=re.escape("tell(query=3): the study has no queries yet")):
        study.tell(3, context=HERE)


def test_an_abandoned_query_may_still_show_its_context_but_takes_no_answer() -> None:
    study = begun()
    query = asked(study)
    study.abandon(query, "spilt")
    said = "tell(query=1): the query was abandoned (spilt) and takes no answer; retract() that first."
    with pytest.raises(ConflictError, match="^" + re.escape(said) + "$"):
        study.tell(query, 0.5, context=HERE)
    assert len(study.events) == 3
    study.tell(query, context=HERE)
    [record] = study.queries()
    assert (record.state, record.context) == (State.ABANDONED, HERE)
    assert_array_equal(study.evidence().contexts, AFTER.encode(HERE)[None])


def test_many_answers_come_with_or_without_their_contexts_and_all_or_none() -> None:
    study = begun()
    queries = study.ask(4)
    assert isinstance(queries, list)
    with pytest.raises(ContextError):
        study.tell_many([(1, 0.5, HERE), (2, 0.6, {**HERE, "shift": 9})])
    with pytest.raises(ConflictError):
        study.tell_many([(1, 0.5, HERE), (2, 0.6), (1, 0.5, THERE)])
    assert len(study.events) == 5
    study.tell_many([(queries[0], 0.5, HERE), (2, 0.6), (3, None, THERE)])
    found = [(query.answer and query.answer.value, query.context) for query in study.queries()]
    assert found == [(0.5, HERE), (0.6, None), (None, THERE), (None, None)]
    study.tell_many({3: 0.7, 4: 0.8})
    assert study.record().n_answers == 4


def test_two_stories_of_one_query_in_one_call_are_refused() -> None:
    study = begun()
    asked(study)
    said = f"tell_many(query=1): given 0.5 in {HERE!r} and 0.5 in one call; a query has one answer; keep one of them."
    with pytest.raises(ConflictError, match="^" + re.escape(said) + "$"):
        study.tell_many([(1, 0.5, HERE), (1, 0.5)])


@pytest.mark.parametrize("row", [(1,), (1, 2.0, HERE, 4), 5, "ab"], ids=repr)
def test_what_is_no_answer_is_refused(row: Any) -> None:
    with pytest.raises(ParameterError, match=re.escape("tell_many(): got ")):
        begun().tell_many([row])


# Where a context does not belong.


def test_there_is_no_context_to_ask_or_to_recommend_in() -> None:
    study = begun()
    study.add({"heat": 0.0}, 1.0, context=HERE)
    said = (
        "got a context, but the study's context is seen only after the decision; leave it out here, and tell() it with "
        "the answer."
    )
    calls: dict[str, Callable[[], object]] = {
        "ask()": lambda: study.ask(context=HERE),
        "recommend()": lambda: study.recommend(context=HERE),
        "expect()": lambda: study.expect([{"heat": 0.0}], context=HERE),
    }
    for call, do in calls.items():
        with pytest.raises(ContextError, match="^" + re.escape(f"{call}: {said}") + "$"):
            do()


def test_data_that_are_added_need_their_context() -> None:
    study = begun()
    said = (
        "got no context, but the study's context is seen after the decision; "
        "give context={'demand': …, 'shift': …, 'site': …}."
    )
    with pytest.raises(ContextError, match="^" + re.escape(f"add(): {said}") + "$"):
        study.add({"heat": 0.0}, 1.0)
    with pytest.raises(ContextError, match="^" + re.escape(f"add_many(): {said}") + "$"):
        study.add_many([({"heat": 0.0}, 1.0, HERE), ({"heat": 0.0}, 1.0)])
    assert len(study.events) == 1
    study.add_many([({"heat": 0.0}, 1.0, HERE), ({"heat": 1.0}, 2.0, THERE)])
    assert [query.context for query in study.queries()] == [HERE, THERE]


def test_a_study_without_a_context_takes_none() -> None:
    study = begun(policy=gp_bucb(belief=KNOWN), context=None)
    query = asked(study)
    said = "got a context, but the study declares none; leave it out."
    calls: dict[str, Callable[[], object]] = {
        "ask()": lambda: study.ask(context=HERE),
        "tell()": lambda: study.tell(query, 0.5, context=HERE),
        "tell_many()": lambda: study.tell_many([(query, 0.5, HERE)]),
        "add()": lambda: study.add({"heat": 0.0}, 1.0, context=HERE),
        "recommend()": lambda: study.recommend(context=HERE),
    }
    for call, do in calls.items():
        with pytest.raises(ContextError, match="^" + re.escape(f"{call}: {said}") + "$"):
            do()
    assert len(study.events) == 2


def test_a_context_seen_before_the_decision_is_not_told() -> None:
    before = Context(hour=Float(0.0, 24.0), seen="before")
    study = begun(policy=gp_bucb(belief=KNOWN), context=before)
    query = asked(study, context={"hour": 3.0})
    said = (
        "got a context, but the study's context is seen before the decision; give it to ask(), and leave it out here."
    )
    calls: dict[str, Callable[[], None]] = {
        "tell()": lambda: study.tell(query, 0.5, context={"hour": 3.0}),
        "tell_many()": lambda: study.tell_many([(query, 0.5, {"hour": 3.0})]),
    }
    for call, do in calls.items():
        with pytest.raises(ContextError, match="^" + re.escape(f"{call}: {said}") + "$"):
            do()
    assert len(study.events) == 2


WRONG: list[tuple[Any, str]] = [
    ({}, "missing parameter 'demand'; a point has all of demand, shift, site; add it."),
    ({"demand": 30.0, "site": "north"}, "missing parameter 'shift'"),
    ({**HERE, "dmand": 1.0}, "unknown parameter 'dmand'; the space has demand, shift, site; did you mean 'demand'?"),
    ({**HERE, "demand": 90.1}, "demand=90.1 is outside [10.0, 90.0]; give a number inside."),
    ({**HERE, "demand": math.nan}, "demand=nan is not a finite number"),
    ({**HERE, "shift": 4}, "shift=4 is outside 1 to 3; give a whole number inside."),
    ({**HERE, "shift": 1.5}, "shift=1.5 is not a whole number"),
    ({**HERE, "site": "east"}, "site='east' is not an option; choose one of 'north', 'south'."),
    (5, "got an int"),
    ([30.0, 2, "south"], "got a list"),
]


@pytest.mark.parametrize("context, said", WRONG, ids=repr)
def test_a_context_that_does_not_fit_is_refused(context: Any, said: str) -> None:
    study = begun()
    query = asked(study)
    log = study.events
    calls: dict[str, Callable[[], object]] = {
        "tell()": lambda: study.tell(query, 0.5, context=context),
        "tell_many()": lambda: study.tell_many([(query, 0.5, context)]),
        "add()": lambda: study.add({"heat": 0.0}, 1.0, context=context),
    }
    for call, do in calls.items():
        with pytest.raises(ContextError, match="^" + re.escape(f"{call} context: {said}")):
            do()
    assert study.events == log


# Numbers outside their bounds.

CLIPPED = {
    "demand": Float(10.0, 90.0),
    "dose": Float(1e-3, 10.0, log=True),
    "shift": Int(1, 3),
    "size": Int(1, 1000, log=True),
    "site": Choice("north", "south"),
    "class": Choice(1, 2, 3),
}
INSIDE = {"demand": 30.0, "dose": 0.5, "shift": 2, "size": 30, "site": "north", "class": 2}
MOVED: list[tuple[str, Any, Any]] = [
    ("demand", -5.0, 10.0),
    ("demand", 1e300, 90.0),
    ("demand", 10.0, 10.0),
    ("demand", 12, 12.0),
    ("dose", -1.0, 1e-3),
    ("dose", 0, 1e-3),
    ("dose", 11.0, 10.0),
    ("shift", 0, 1),
    ("shift", 17, 3),
    ("shift", 3.5, 3),
    ("shift", np.int64(-4), 1),
    ("size", 0, 1),
    ("size", 10**30, 1000),
]


@pytest.mark.parametrize("seen", ["before", "after"])
@pytest.mark.parametrize("name, given, kept", MOVED)
def test_where_the_study_says_so_numbers_are_moved_to_their_bounds(seen: Any, name: str, given: Any, kept: Any) -> None:
    context = Context(**CLIPPED, seen=seen, outside="clip")  # type: ignore[arg-type]
    policy = quick() if seen == "after" else gp_bucb(belief=KNOWN)
    study = begun(policy=policy, context=context)
    outside, inside = {**INSIDE, name: given}, {**INSIDE, name: kept}
    if seen == "before":
        query = asked(study, context=outside)
        study.tell(query, 0.5)
        assert study.recommend(context=outside) == study.recommend(context=inside)
    else:
        query = asked(study)
        study.tell(query, 0.5, context=outside)
        study.tell(query, context=inside)  # the same
    study.add({"heat": 0.0}, 1.0, context=outside)
    assert [record.context for record in study.queries()] == [inside, inside]
    assert json.loads(json.dumps(study.queries()[0].context)) == inside
    assert list(differences(study.events)) == []
    # By itself, a study refuses them.
    strict = begun(policy=policy, context=Context(**CLIPPED, seen=seen))  # type: ignore[arg-type]
    if given != kept:
        with pytest.raises(ContextError, match=re.escape(f"add() context: {name}=")):
            strict.add({"heat": 0.0}, 1.0, context=outside)


@pytest.mark.parametrize(
    "name, given",
    [
        ("site", "east"),
        ("class", 0),
        ("class", 4),
        ("shift", 1.5),
        ("demand", math.inf),
        ("demand", math.nan),
        ("demand", "100"),
        ("demand", None),
        ("shift", True),
    ],
)
def test_what_is_no_number_outside_its_bounds_is_refused_all_the_same(name: str, given: Any) -> None:
    study = begun(context=Context(**CLIPPED, seen="after", outside="clip"))  # type: ignore[arg-type]
    with pytest.raises(ContextError, match=re.escape(f"add() context: {name}=")):
        study.add({"heat": 0.0}, 1.0, context={**INSIDE, name: given})


def test_how_numbers_outside_are_taken_is_part_of_the_study() -> None:
    context = Context(demand=Float(0.0, 1.0), seen="after", outside="clip")
    assert Context.from_json(context.to_json()) == context
    assert Context.from_json(AFTER.to_json()).outside == "refuse"
    assert repr(context).endswith("seen='after', outside='clip')")
    again = Study(begun(context=context).events, clock=Clock())
    assert again.context == context
    again.add({"heat": 0.0}, 1.0, context={"demand": 7.0})
    assert again.queries()[0].context == {"demand": 1.0}
    with pytest.raises(SpaceError, match=re.escape("Context(outside='wrap'):")):
        Context(demand=Float(0.0, 1.0), seen="after", outside="wrap")  # type: ignore[arg-type]


# Policies that do not go with the context.

EARLY = (
    "got a context seen after the decision, and 'gp-bucb' needs it before; give a policy that learns the law of "
    "contexts, as 'sbo-kde', or one that leaves them out, as 'gp-ucb-blind'."
)
LATE = (
    "and 'sbo-kde' learns the law of contexts seen after it; give context=bl.Context(…, seen='after'), or another "
    "policy, as 'gp-bucb'."
)


def test_a_policy_that_needs_the_context_before_is_refused_where_it_is_seen_after() -> None:
    with pytest.raises(UnsupportedError, match="^" + re.escape(f"Study.in_memory(): {EARLY}") + "$"):
        begun(policy="gp-bucb")
    with pytest.raises(UnsupportedError, match="^" + re.escape(f"Study.create('lab'): {EARLY}") + "$"):
        Study.create("memory://early", "lab", BOX, policy="gp-bucb", context=AFTER)
    study = begun()
    with pytest.raises(UnsupportedError, match="^" + re.escape(f"change(): {EARLY}") + "$"):
        study.change(policy="gp-bucb")
    assert len(study.events) == 1


@pytest.mark.parametrize(
    "context, got",
    [(None, "no context"), (Context(hour=Float(0.0, 24.0), seen="before"), "a context seen before the decision")],
)
def test_a_policy_that_learns_the_law_of_contexts_is_refused_where_none_is_seen_after(
    context: Context | None, got: str
) -> None:
    with pytest.raises(UnsupportedError, match="^" + re.escape(f"Study.in_memory(): got {got}, {LATE}") + "$"):
        begun(policy="sbo-kde", context=context)
    study = begun(policy="gp-bucb", context=context)
    with pytest.raises(UnsupportedError, match="^" + re.escape(f"change(): got {got}, {LATE}") + "$"):
        study.change(policy="sbo-kde")
    assert len(study.events) == 1


def test_a_log_whose_policy_does_not_go_with_its_context_can_be_read_but_not_asked() -> None:
    data = begun().events[0].to_json()
    data["policy"] = {"name": "gp-bucb", "parameters": {}}
    study = Study([Event.from_json(data)])
    study.add({"heat": 0.0}, 1.0, context=HERE)
    assert study.best().value == 1.0
    with pytest.raises(UnsupportedError, match="^" + re.escape(f"ask(): {EARLY}") + "$"):
        study.ask()
    study.change(policy=quick())
    assert asked(study).id == 2


# What contexts do to decisions.


@each_domain
def test_an_answer_counts_once_its_context_is_told(domain: Domain) -> None:
    def study_with(*tells: tuple[int, float | None, dict[str, Any] | None]) -> Study:
        study = begun(domain, quick(treatment=Ignore()))
        for step, heat in enumerate((-40.0, 0.0, 40.0)):
            study.add({"heat": heat}, 0.1 * step, context=here(step))
        study.ask(2)
        study.tell_many(tells)
        return study

    silent, halfway, whole = (study_with(*tells) for tells in ([], [(4, 5.0, None)], [(4, 5.0, THERE)]))
    # The law of contexts is the same for the first two, and no answer has moved the belief.
    assert halfway.recommend() == silent.recommend()
    assert halfway.expect([{"heat": 0.0}]) == silent.expect([{"heat": 0.0}])
    assert asked(halfway).point == asked(silent).point
    assert whole.recommend() != silent.recommend()
    halfway.tell(4, context=THERE)
    asked(whole)  # contexts are drawn anew with every query
    assert halfway.recommend().point == whole.recommend().point
    assert halfway.recommend().mean > silent.recommend().mean + 0.1


@each_domain
def test_a_context_alone_teaches_the_law(domain: Domain) -> None:
    studies = [begun(domain) for _ in range(2)]
    for study in studies:
        for step, heat in enumerate((-40.0, 0.0, 40.0)):
            study.add({"heat": heat}, 0.02 * heat * (-1) ** step, context={**HERE, "demand": 15.0 + 30.0 * step})
        study.ask(2)
    told, untold = studies
    told.tell_many([(4, None, {**HERE, "demand": 88.0}), (5, None, {**HERE, "demand": 89.0})])
    assert len(told.evidence().contexts) == len(untold.evidence().contexts) + 2
    assert told.recommend() != untold.recommend()


def test_without_an_answer_in_a_known_context_there_is_nothing_to_recommend() -> None:
    study = begun()
    query = asked(study)
    with pytest.raises(NoAnswerError, match=re.escape("recommend(): no query has an answer yet")):
        study.recommend()
    study.tell(query, 0.5)
    said = "no query has both its answer and its context yet; tell() the context of one that is answered."
    with pytest.raises(NoAnswerError, match="^" + re.escape(f"recommend(): {said}") + "$"):
        study.recommend()
    with pytest.raises(NoAnswerError, match="^" + re.escape(f"expect(): {said}") + "$"):
        study.expect([{"heat": 0.0}])
    study.tell(query, context=HERE)
    assert study.recommend().deviation < 1.0


# Asking again.


def test_a_query_asked_again_with_its_key_is_the_same_though_its_context_was_seen() -> None:
    study = begun()
    query = asked(study, key="monday")
    study.tell(query, context=HERE)
    assert asked(study, key="monday").id == query.id
    study.tell(query, 0.5)
    assert asked(study, key="monday").id == query.id


def test_a_worker_gets_its_query_again_though_its_context_was_seen() -> None:
    study = begun()
    query = asked(study, worker="ada")
    study.tell(query, context=HERE)
    assert asked(study, worker="ada").id == query.id
    study.tell(query, 0.5)
    assert asked(study, worker="ada").id != query.id


def test_a_query_whose_context_was_seen_still_waits_for_its_answer(address: str) -> None:
    study = Study.create(address, "lab", BOX, policy=quick(), context=AFTER, seed=5, clock=Clock())
    first, second, third = study.ask(3)
    study.tell(second, context=HERE)
    assert [query.id for query in study.pending()] == [1, 2, 3]
    assert [query.context for query in study.pending()] == [None, HERE, None]
    assert study.pending() == study.record().pending()
    study.tell(second, 0.5)
    study.abandon(third)
    study.tell(third, context=THERE)
    assert [query.id for query in study.pending()] == [first.id]
    assert study.pending() == study.record().pending()


# Keeping.


def test_a_study_with_contexts_is_the_same_in_every_storage_and_after_a_restart(address: str) -> None:
    study = Study.create(address, "lab", LINE, policy=quick(), context=AFTER, seed=5, clock=Clock())
    gone_through(study, 12)
    again = Study.open(address, "lab", clock=Clock())
    assert again.context == AFTER
    assert again.events == study.events
    assert again.queries() == study.queries()
    assert again.recommend() == study.recommend()
    elsewhere = Study.restore(address, "copy", study.events, clock=Clock())
    assert elsewhere.events == study.events
    third = Study(study.events, clock=Clock())
    points = [asked(one).point for one in (study, elsewhere, third)]
    assert points[1:] == points[:1] * 2


FORMS: dict[str, Callable[[], Recipe]] = {
    "known": quick,
    "learned": lambda: quick(belief=GP(refit=3), initial=2),
    "features": lambda: quick(belief=Features(KNOWN, 6)),
    "ensemble": lambda: quick(
        belief=Ensemble((KNOWN, GP(kernel="matern32", lengthscale=0.5, variance=1.0, noise=0.1)))
    ),
    "drbo-kde": lambda: drbo_kde(belief=KNOWN, samples=32, infimum=16),
    "stableopt": lambda: stableopt(belief=KNOWN, samples=32),
    "drbo-mmd-minimax": lambda: drbo_mmd_minimax(belief=KNOWN, grid=40),
    "blind": lambda: gp_ucb_blind(belief=KNOWN),
    "random": random,
}


@in_turn(form=FORMS, domain=DOMAINS)
def test_the_log_of_a_study_goes_through_json_and_asks_the_same(form: str, domain: str) -> None:
    study = begun(DOMAINS[domain], FORMS[form]())
    gone_through(study, 9)
    events = [Event.from_json(json.loads(json.dumps(event.to_json()))) for event in study.events]
    assert tuple(events) == study.events
    assert list(differences(events)) == []
    assert list(differences(events, forgetful=True)) == []
    again = Study(events, clock=Clock())
    assert again.recommend() == study.recommend()
    assert asked(again).point == asked(study).point


BELIEFS: dict[str, Description] = {
    "known": KNOWN,
    "features": Features(KNOWN, 6),
    "learned features": Features(GP(refit=4), 6),
    "ensemble": Ensemble((KNOWN, Features(KNOWN, 6))),
}


@pytest.mark.parametrize("belief", BELIEFS)
@each_domain
def test_what_a_policy_without_contexts_has_computed_is_not_mistaken_by_one_with_them(
    domain: Domain, belief: str
) -> None:
    study = begun(domain, gp_ucb_blind(belief=BELIEFS[belief]))
    for step in range(6):
        # Coordinates of the context that equal those of the point, as far as they can.
        query = asked(study)
        study.tell(query, 0.1 * step, context={**HERE, "demand": 10.0 + 0.8 * (query.point["heat"] + 40.0)})
    for policy in (quick(belief=BELIEFS[belief]), gp_ucb_blind(belief=BELIEFS[belief])):
        study.change(policy=policy)
        fresh = Study(study.events, clock=Clock())
        assert study.recommend() == fresh.recommend()
        assert asked(study).point == asked(fresh).point


def test_the_weights_of_an_ensemble_are_those_of_beliefs_over_contexts_and_points() -> None:
    smooth, rough = (GP(kernel="se", lengthscale=scale, variance=1.0, noise=1e-2, mean="zero") for scale in (0.5, 0.05))
    study = begun(policy=quick(belief=Ensemble((smooth, rough))), context=Context(demand=Float(0.0, 1.0), seen="after"))
    for step in range(12):
        # The answer depends on the context alone, and smoothly: over points alone it would be noise.
        query = asked(study)
        study.tell(query, 2.0 * math.sin(3.0 * (step % 5) / 5.0), context={"demand": (step % 5) / 5.0})
    found = weight_history(study)
    assert found.weights.shape == (13, 2)
    assert found.weights[-1, 0] > 0.9


def test_a_table_of_the_study_has_the_contexts_that_were_seen() -> None:
    pandas = pytest.importorskip("pandas")
    study = begun()
    study.ask(2)
    study.tell(1, 0.5, context=HERE)
    frame = study.to_dataframe()
    assert frame["site"].tolist() == ["south", None]
    assert frame["demand"][0] == 30.0
    assert pandas.isna(frame["demand"][1])
    assert frame["shift"].tolist()[0] == 2
