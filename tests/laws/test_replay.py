"""A decision is a function of the log, the time and the seed: every policy, asked again, asks the same."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from belated.beliefs import GP, Memory
from belated.log import Asked, Balk, Event, Query, Window
from belated.policies import Recipe, build, gp_bucb, gp_ts, names
from belated.rules import BoundedNorm, Delayed, Finite, Lipschitz, Martingale
from belated.space import Choice, Context, Float
from belated.study import Study, differences
from tests.builders import ACROSS, DOMAINS, Clock, Domain, box, table

PARAMETERS: dict[str, dict[str, Any]] = {
    "bpe": {"horizon": 30},
    "bpe-delay": {"horizon": 30, "mean_delay": 1.0, "xi": 1.0, "b": 0.2},
    "sm-ucb": {"batch": 3, "paths": 2},
    "sm-mei": {"batch": 3, "paths": 2},
    "gp-ucb-sdf": {"window": 3},
    "gp-ts-sdf": {"window": Window(queries=4, seconds=9.0), "late": "accept"},
    "gp-bts": {"window": Window(seconds=6.0)},
    "gp-aucb": {"minimum": 3},
    "gp-bucb-init": {"batch": 3, "threshold": 2.0},
}
ON_TABLES_ONLY = ("bpe", "bpe-delay", "gp-aucb-local")
SLOW_ON_BOXES = ("sm-ucb", "sm-mei")  # their simulations search the box once per imagined query
# One of each kind of search in a box: mean and deviation, draw, improvement, censoring.
KINDS = ["gp-bucb", "gp-ts", "gp-ei", "gp-ucb-sdf"]
EVERY = [name for name in names() if name not in ACROSS]
ON_TABLES = [(name, "table") for name in EVERY] + [(name, "mixed table") for name in KINDS]
# In boxes every policy is asked again by tests/laws/test_policies.py too, and in mixed spaces by tests/decisions.
ON_BOXES = [(name, "mixed") for name in KINDS] + [
    pytest.param(name, "mixed", marks=pytest.mark.slow)
    for name in EVERY
    if name not in (*KINDS, *ON_TABLES_ONLY, *SLOW_ON_BOXES)
]
KNOWN = GP(kernel="matern32", lengthscale=0.4, variance=1.0, noise=0.01)
OTHERS = [gp_bucb(belief=KNOWN, window=2), gp_ts(belief=GP(kernel="se", fit="ml", refit=2))]


def domain_named(name: str) -> Domain:
    return DOMAINS[name]()


def made(name: str, **parameters: Any) -> Recipe:
    return build(name, **{**PARAMETERS.get(name, {}), **parameters})


def reread(events: tuple[Event, ...]) -> list[Event]:
    """The log as another process finds it."""
    return [Event.from_json(json.loads(json.dumps(event.to_json(), allow_nan=False))) for event in events]


def value_at(study: Study, query: Query) -> float:
    return float(np.sin(4.0 * study.space.encode(query.point).sum() + 0.1 * query.id))


def eventful(study: Study, clock: Clock, rng: np.random.Generator, n_asks: int, contexts: bool = False) -> None:
    """So many queries; answers are late, out of order or lost; revisions, losses, data never asked."""
    for _ in range(n_asks):
        clock.now += float(rng.exponential(1.5))
        hour = {"hour": float(rng.uniform(0, 24)), "site": ["a", "b"][int(rng.integers(2))]} if contexts else None
        while isinstance(study.ask(context=hour), Balk):
            clock.now += 0.5
            waiting = study.pending()[0]
            study.tell(waiting, value_at(study, waiting))
        waiting_now = study.pending()
        for query in rng.permutation(len(waiting_now))[: int(rng.integers(0, 3))]:
            clock.now += float(rng.exponential(0.5))
            study.tell(waiting_now[query], value_at(study, waiting_now[query]))
        answered = [query for query in study.queries() if query.answer is not None]
        match study.record().counts.asked % 6:
            case 2 if answered:
                study.revise(answered[int(rng.integers(len(answered)))], float(rng.standard_normal()))
            case 0 | 4 if study.pending():
                study.abandon(study.pending()[-1], "lost")
            case 5:
                point = study.space.decode(study.space.sample(1, rng)[0])
                study.add(point, float(rng.standard_normal()), context=hour)


def life(
    recipe: Recipe, domain: Domain, seed: int = 11, goal: Any = "minimize", context: Context | None = None
) -> Study:
    """A study in which everything happens, changes of policy there and back included."""
    clock, rng = Clock(), np.random.default_rng(seed)
    study = Study.in_memory(domain, policy=recipe, goal=goal, seed=seed, context=context, clock=clock)
    eventful(study, clock, rng, 5, context is not None)
    study.change(policy=OTHERS[0])
    eventful(study, clock, rng, 2, context is not None)
    study.change(policy=recipe)
    eventful(study, clock, rng, 2, context is not None)
    study.change(policy=OTHERS[1])
    eventful(study, clock, rng, 1, context is not None)
    study.change(policy=recipe)
    eventful(study, clock, rng, 1, context is not None)
    return study


def assert_replays(study: Study) -> None:
    """Cold, and from a few prefixes of the log, the same points bit for bit as it asked them, warm."""
    events = reread(study.events)
    assert list(differences(events, forgetful=True)) == []
    places = [place for place, event in enumerate(events) if isinstance(event.body, Asked)]
    for place in (places[0], places[len(places) // 2], places[-1]):
        body = events[place].body
        assert isinstance(body, Asked)
        prefix = Study(events[:place], clock=Clock(events[place].at))
        query = prefix.ask(context=body.context)
        assert isinstance(query, Query)
        assert (query.id, repr(query.point)) == (body.query, repr(body.point))


@pytest.mark.parametrize("name, domain", [*ON_TABLES, *ON_BOXES])
def test_a_log_asked_again_asks_the_same_bit_for_bit(name: str, domain: str) -> None:
    study = life(made(name), domain_named(domain))
    assert study.record().counts.asked == 11
    kinds = {event.to_json()["event"] for event in study.events}
    assert kinds == {"created", "asked", "answered", "revised", "abandoned", "added", "policy-changed"}
    assert_replays(study)


# The others are asked again in contexts by tests/laws/test_contexts_before.py too.
IN_CONTEXTS = [
    *((name, domain) for domain in ("table", "box") for name in KINDS),
    *(pytest.param(name, "table", marks=pytest.mark.slow) for name in EVERY if name not in KINDS),
]


@pytest.mark.parametrize("name, domain", IN_CONTEXTS)
def test_a_log_in_a_context_asked_again_asks_the_same_bit_for_bit(name: str, domain: str) -> None:
    context = Context(hour=Float(0, 24), site=Choice("a", "b"), seen="before")
    assert_replays(life(made(name), domain_named(domain), seed=12, context=context))


@pytest.mark.parametrize(
    "width",
    [Finite(), Lipschitz(), BoundedNorm(), Martingale(), Delayed(Window(queries=3)), Delayed(Window(seconds=4.0), 0.5)],
    ids=repr,
)
def test_widths_that_look_at_the_log_replay_too(width: Any) -> None:
    context = Context(hour=Float(0, 24), site=Choice("a", "b"), seen="before")
    belief = GP(kernel="linear", lengthscale=0.3, variance=1.0, noise=0.05)
    assert_replays(life(made("gp-bucb", width=width, belief=belief), table(), seed=13, context=context))


@pytest.mark.parametrize("width", [BoundedNorm(premultiplier=1e-3), Martingale(delta=0.5)], ids=repr)
def test_widths_that_a_refit_changes_replay_too(width: Any) -> None:
    # In a box the point moves with every digit of the width.
    assert_replays(life(made("gp-bucb", width=width), box(), seed=13))


@pytest.mark.parametrize("name", EVERY)
def test_a_memory_lost_on_the_way_changes_nothing(name: str) -> None:
    clocks = [Clock(), Clock()]
    studies = [Study.in_memory(table(), policy=made(name), seed=5, clock=clock) for clock in clocks]
    generators = [np.random.default_rng(8), np.random.default_rng(8)]
    for step in range(6):
        for study, clock, rng in zip(studies, clocks, generators, strict=True):
            eventful(study, clock, rng, 1)
        studies[1]._knowledge.memory = Memory(lazy_from=0) if step == 3 else Memory()
    assert studies[0].events == studies[1].events


CHANGES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("sm-ucb", {"batch": 4, "width": 0.1}, {"batch": 4, "width": 9.0}),
    ("sm-ucb", {"belief": KNOWN}, {"belief": GP(lengthscale=0.05, variance=1.0, noise=0.01)}),
    ("sm-mei", {"batch": 4, "paths": 2}, {"batch": 4, "paths": 3}),
    ("bpe", {"horizon": 12, "width": 0.5}, {"horizon": 12, "width": 3.0}),
    ("bpe", {"horizon": 12}, {"horizon": 20}),
    ("gp-bucb", {"belief": GP(fit="map")}, {"belief": GP(fit="ml")}),
    ("gp-bts", {"belief": GP(refit=1)}, {"belief": GP(refit=4, ard=False)}),
    ("gp-ucb-sdf", {"window": 2, "floor": -1.0}, {"window": 5, "late": "accept"}),
    ("gp-aucb", {"minimum": 2}, {"minimum": 5, "belief": GP(kernel="se")}),
]


@pytest.mark.parametrize("name, first, second", CHANGES, ids=str)
def test_a_memory_of_other_parameters_misleads_nobody(name: str, first: dict[str, Any], second: dict[str, Any]) -> None:
    clock, rng = Clock(), np.random.default_rng(4)
    study = Study.in_memory(table(), policy=made(name, **first), seed=4, clock=clock)
    for parameters in (first, second, first, second, first):
        study.change(policy=made(name, **parameters))
        eventful(study, clock, rng, 2)
    assert_replays(study)


# Seeds.


@pytest.mark.parametrize("name", EVERY)
def test_the_same_seed_asks_the_same_and_another_asks_otherwise(name: str) -> None:
    def points(seed: int) -> list[dict[str, Any]]:
        study = Study.in_memory(table(), policy=made(name), seed=seed, clock=Clock())
        while study.record().counts.asked < 4:
            if not (query := study.ask()):
                query = study.pending()[0]
                study.tell(query, 1.0)
        return [query.point for query in study.queries()]

    assert points(3) == points(3)
    assert points(3) != points(4)
    assert points(3) != points(2**64 + 3)


@pytest.mark.parametrize("name", ["random", "gp-ts"])
def test_each_ask_has_randomness_of_its_own(name: str) -> None:
    study = Study.in_memory(box(), policy=made(name), seed=3, clock=Clock())
    assert len({repr(query.point) for query in study.ask(6)}) == 6


# Balks.

BALKING: dict[str, dict[str, Any]] = {
    "gp-aucb": {"limit": 0.5, "belief": KNOWN},
    "gp-aucb-local": {"maximum": 2},
    "gp-bucb-init": {"batch": 2, "threshold": 5.0, "belief": KNOWN},
    "hbbo-ucb": {"maximum": 2},
    "hbbo-mei": {"maximum": 2},
    "sm-ucb": {"batch": 2, "paths": 2},
    "sm-mei": {"batch": 2, "paths": 2},
}


@pytest.mark.parametrize("name", BALKING)
def test_a_balk_uses_up_no_randomness(name: str) -> None:
    patient, eager = (
        Study.in_memory(table(), policy=build(name, **BALKING[name]), seed=9, clock=Clock()) for _ in range(2)
    )
    n_balks = 0
    for _ in range(4):
        for _ in range(9):
            if query := eager.ask():
                assert query == patient.ask()
            else:
                n_balks += 1
        for query in eager.pending():
            for study in (patient, eager):
                study.tell(query.id, value_at(study, query))
    assert n_balks > 6
    assert eager.events == patient.events
    assert list(differences(eager.events, forgetful=True)) == []


def test_past_its_horizon_a_policy_balks_for_ever_and_another_can_take_over() -> None:
    study = Study.in_memory(table(), policy=build("bpe", horizon=4), seed=9, clock=Clock(), notices=False)
    assert len(study.ask(9)) == 4
    for query in study.pending():
        study.tell(query, 1.0)
    balk = study.ask()
    assert isinstance(balk, Balk)
    assert balk.reason == "the horizon of 4 queries is reached; change the policy to go on"
    study.change(policy="random")
    assert study.ask()
    assert list(differences(study.events)) == []


# What a replay finds.


def test_a_replay_finds_the_query_that_was_asked_otherwise() -> None:
    study = life(made("gp-bucb"), table())
    events = reread(study.events)
    place = [place for place, event in enumerate(events) if isinstance(event.body, Asked)][5]
    body = events[place].body
    assert isinstance(body, Asked)
    elsewhere = next(table().point(row) for row in range(40) if table().point(row) != body.point)
    events[place] = Event(events[place].number, events[place].at, Asked(body.query, elsewhere))
    found = list(differences(events))
    assert found[0].query == body.query
    assert found[0].asked == elsewhere
    assert found[0].now == body.point


def test_a_replay_finds_a_query_where_the_policy_would_have_balked() -> None:
    study = Study.in_memory(table(), policy="random", seed=9, clock=Clock())
    study.ask(3)
    events = list(study.events)
    balking = Study.in_memory(table(), policy=build("gp-aucb", limit=0.5, belief=KNOWN), seed=9, clock=Clock())
    events[0] = balking.events[0]
    found = list(differences(events))
    assert [difference.query for difference in found] == [1, 2, 3]
    assert isinstance(found[1].now, Balk)
