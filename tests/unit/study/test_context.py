"""Contexts seen before the decision: asked in, recommended for, added with, and kept in the log."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

from belated.beliefs import GP
from belated.errors import BelatedError, ContextError
from belated.log import Created, Event, Query
from belated.policies import gp_bucb, gp_ucb
from belated.space import Candidates, Choice, Context, Float, Int, Space
from belated.study import Study, differences
from tests.builders import Clock, Domain, mixed

CONTEXT = Context(hour=Float(0, 24), shift=Int(1, 3), site=Choice("north", "south"), seen="before")
NOW = {"hour": 13.5, "shift": 2, "site": "south"}
KNOWN = GP(kernel="se", lengthscale=0.3, variance=1.0, noise=1e-4, mean="zero")
LINE = Candidates(np.linspace(-40.0, 60.0, 21)[:, None], names=["heat"])
DOMAINS: dict[str, Domain] = {"box": Space(heat=Float(-40.0, 60.0)), "mixed": mixed(), "table": LINE}
each_domain = pytest.mark.parametrize("domain", DOMAINS.values(), ids=DOMAINS)


def begun(domain: Domain, context: Context = CONTEXT) -> Study:
    return Study.in_memory(domain, policy=gp_bucb(belief=KNOWN), context=context, seed=5, clock=Clock())


def asked(study: Study, context: dict[str, Any]) -> Query:
    query = study.ask(context=context)
    assert isinstance(query, Query)
    return query


@each_domain
def test_a_query_keeps_the_context_that_it_was_asked_in(domain: Domain) -> None:
    study = begun(domain)
    query = asked(study, NOW)
    assert query.context == NOW
    assert set(query.point) == set(domain.names)
    assert study.events[1].to_json()["context"] == NOW
    assert study.evidence().points.shape == (1, 3 + domain.dimension)
    np.testing.assert_array_equal(study.evidence().points[0, :3], CONTEXT.encode(NOW))
    several = study.ask(2, context={**NOW, "shift": 1})
    assert [other.context for other in several] == [{**NOW, "shift": 1}] * 2


@each_domain
def test_the_log_of_a_study_in_a_context_goes_through_json_and_asks_the_same(domain: Domain) -> None:
    study = begun(domain)
    for step in range(6):
        query = asked(study, {"hour": 4.0 * step, "shift": 1 + step % 3, "site": ["north", "south"][step % 2]})
        if step % 3:
            study.tell(query, float(np.sin(step)))
    study.add(query.point, 0.25, context=NOW)
    events = [Event.from_json(json.loads(json.dumps(event.to_json()))) for event in study.events]
    assert tuple(events) == study.events
    assert list(differences(events)) == []
    assert list(differences(events, forgetful=True)) == []
    again = Study(events, clock=Clock())
    assert again.recommend(context=NOW) == study.recommend(context=NOW)
    assert asked(again, NOW) == asked(study, NOW)


def test_numbers_of_numpy_in_a_context_are_kept_as_plain_ones() -> None:
    study = begun(LINE)
    odd = {"hour": np.float32(13.5), "shift": np.int64(2), "site": np.str_("south")}
    query = asked(study, odd)
    study.add({"heat": 0.0}, 1.0, context=odd)
    assert json.loads(json.dumps([event.to_json()["context"] for event in study.events[1:]])) == [NOW, NOW]
    assert repr(query.context) == repr(NOW)


def test_the_context_given_may_be_used_again() -> None:
    study, context = begun(LINE), dict(NOW)
    query = asked(study, context)
    context["hour"] = 0.0
    assert query.context == NOW
    assert study.queries()[0].context == NOW


@pytest.mark.parametrize("domain", [DOMAINS["box"], LINE], ids=["box", "table"])
def test_the_recommendation_depends_on_the_context(domain: Domain) -> None:
    """The best heat is 10 in the morning and 50 at night."""
    study = begun(domain, Context(hour=Float(0, 24), seen="before"))
    for hour in (0.0, 8.0, 16.0, 24.0):
        for row in range(21):
            heat = LINE.point(row)["heat"]
            study.add({"heat": heat}, -(((heat - 10.0 - 40.0 * hour / 24.0) / 50.0) ** 2), context={"hour": hour})
    early, late = (study.recommend(context={"hour": hour}) for hour in (0.0, 24.0))
    assert early.point["heat"] == pytest.approx(10.0, abs=2.0)
    assert late.point["heat"] == pytest.approx(50.0, abs=2.0)
    assert early.mean == pytest.approx(0.0, abs=0.02)
    between = study.recommend(context={"hour": 12.0})
    assert between.point["heat"] == pytest.approx(30.0, abs=5.0)
    assert between.deviation > early.deviation


@pytest.mark.parametrize("domain", [DOMAINS["box"], LINE], ids=["box", "table"])
def test_what_was_learned_in_one_context_is_not_believed_in_a_distant_one(domain: Domain) -> None:
    study = Study.in_memory(domain, policy=gp_ucb(belief=KNOWN), context=CONTEXT, seed=5, clock=Clock())
    for row in range(21):
        study.add(LINE.point(row), float(row), context={"hour": 0.0, "shift": 1, "site": "north"})
    near = study.recommend(context={"hour": 0.0, "shift": 1, "site": "north"})
    far = study.recommend(context={"hour": 24.0, "shift": 3, "site": "north"})
    assert near.deviation < 0.05
    assert far.deviation > 0.95
    assert asked(study, {"hour": 0.0, "shift": 1, "site": "north"}).point["heat"] == pytest.approx(60.0, abs=3.0)


def test_the_context_is_declared_in_the_log() -> None:
    study = begun(LINE)
    created = study.events[0].body
    assert isinstance(created, Created)
    assert created.context == CONTEXT.to_json()


# Refusals.

WRONG: list[tuple[Any, str]] = [
    ({}, "missing parameter 'hour'; a point has all of hour, shift, site; add it."),
    ({"hour": 1.0, "site": "north"}, "missing parameter 'shift'"),
    ({**NOW, "our": 1.0}, "unknown parameter 'our'; the space has hour, shift, site; did you mean 'hour'?"),
    ({**NOW, "hour": 25.0}, "hour=25.0 is outside [0.0, 24.0]; give a number inside."),
    ({**NOW, "hour": float("nan")}, "hour=nan is not a finite number"),
    ({**NOW, "shift": 1.5}, "shift=1.5 is not a whole number"),
    ({**NOW, "site": "east"}, "site='east' is not an option; choose one of 'north', 'south'."),
    (5, "got an int"),
    ([13.5, 2, "south"], "got a list"),
]


@each_domain
@pytest.mark.parametrize("context, said", WRONG, ids=repr)
def test_a_context_that_does_not_fit_is_refused(domain: Domain, context: Any, said: str) -> None:
    study = begun(domain)
    study.add(domain.decode(domain.sample(1, np.random.default_rng(0))[0]), 1.0, context=NOW)
    log = study.events
    point = study.best().point
    with pytest.raises(ContextError, match="^" + re.escape(f"ask() context: {said}")):
        study.ask(context=context)
    with pytest.raises(ContextError, match="^" + re.escape(f"ask() context: {said}")):
        study.ask(2, context=context)
    with pytest.raises(ContextError, match="^" + re.escape(f"recommend() context: {said}")):
        study.recommend(context=context)
    with pytest.raises(ContextError, match="^" + re.escape(f"add() context: {said}")):
        study.add(point, 1.0, context=context)
    assert study.events == log


@each_domain
@pytest.mark.parametrize("kind", ["asked", "added"])
def test_a_log_in_which_the_context_is_missing_is_refused(domain: Domain, kind: str) -> None:
    study = begun(domain)
    asked(study, NOW)
    study.add(domain.decode(domain.sample(1, np.random.default_rng(0))[0]), 1.0, context=NOW)
    entries = [event.to_json() for event in study.events]
    [wrong] = [entry for entry in entries if entry["event"] == kind]
    del wrong["context"]
    with pytest.raises(BelatedError):
        Study([Event.from_json(entry) for entry in entries])


def test_a_log_may_not_have_a_context_that_no_study_takes() -> None:
    data = begun(LINE).events[0].to_json()
    data["context"] = Context(heat=Float(0, 1), seen="before").to_json()
    with pytest.raises(BelatedError):
        Study([Event.from_json(data)])


@each_domain
def test_a_study_with_a_context_needs_one(domain: Domain) -> None:
    study = begun(domain)
    said = (
        "got no context, but the study's context is seen before the decision; "
        "give context={'hour': …, 'shift': …, 'site': …}."
    )
    with pytest.raises(ContextError, match="^" + re.escape(f"ask(): {said}")):
        study.ask()
    with pytest.raises(ContextError, match="^" + re.escape(f"recommend(): {said}")):
        study.recommend()
    point = domain.decode(domain.sample(1, np.random.default_rng(0))[0])
    with pytest.raises(ContextError, match="^" + re.escape(f"add(): {said}")):
        study.add(point, 1.0)
