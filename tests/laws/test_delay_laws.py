"""What every law of delays keeps: delays that can be, the same for the same chance, and a form as data."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import belated as bl
from belated import simulate
from belated.simulate import DelayLaw, Occasion, laws
from belated.simulate.laws import registry


def further_is_later(point: Mapping[str, Any]) -> DelayLaw:
    return simulate.exponential(1 + point["x"] ** 2)


def further_is_worse(point: Mapping[str, Any]) -> float:
    return -abs(float(point["x"]))


def bad_is_lost(value: float) -> DelayLaw:
    return simulate.never() if value < -1 else simulate.poisson(2)


WRITTEN: list[DelayLaw] = [
    simulate.none(),
    simulate.constant(2.5),
    simulate.poisson(10),
    simulate.geometric(0.2),
    simulate.batch(4),
    simulate.adaptive_batch(5),
    simulate.exponential(3),
    simulate.exponential(0),
    simulate.lognormal(4, 1.5),
    simulate.pareto(0.5, 0.7),
    simulate.never(),
    simulate.lost(0.3, simulate.poisson(3)),
    simulate.mixture([0.2, 0.8], [simulate.pareto(1, 1), simulate.lost(0.1, simulate.none())]),
    simulate.replayed([0, 1.5, math.inf]),
    simulate.replayed([0, 1.5], then=simulate.poisson(2)),
    simulate.along("x", [-1, 0, 2], [0, 4, 1], simulate.pareto(1, 0.1)),
    simulate.sooner(-2, 2, simulate.lost(0.5, simulate.exponential(4))),
    simulate.sooner(2, -2, simulate.constant(4), at_best=0.25),
    simulate.lost_below(0.0, simulate.poisson(4)),
    simulate.lost_above(0.0, simulate.workers([1], simulate.constant(3))),
    simulate.workers([1, 0.5, 3], simulate.lost(0.2, simulate.lognormal(5, 1))),
    simulate.business_days(simulate.exponential(4)),
    simulate.business_days(simulate.pareto(1, 0.05), day=24, opens=8.5, closes=17, workdays=6, monday=-3.5),
    simulate.bathtub(10, 25),
    simulate.bathtub(0.5, 3, early_shape=0.02, late_shape=40),
    simulate.visits(simulate.lost(0.1, simulate.exponential(6))),
    simulate.visits(simulate.pareto(1, 0.05), every=2.5, dropout=0.3),
]
NAMED: list[DelayLaw] = [simulate.by_point(further_is_later), simulate.by_value(bad_is_lost)]
every_law = pytest.mark.parametrize(
    "law", WRITTEN + NAMED, ids=lambda law: laws.text(law) if law in WRITTEN else type(law).__name__
)
every_written_law = pytest.mark.parametrize("law", WRITTEN, ids=laws.text)


def occasions(seed: int, count: int = 60) -> list[Occasion]:
    """Queries at random points and instants, with random fates of those before."""
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.exponential(1.0, count)).tolist()
    fates = rng.lognormal(1.0, 1.0, count)
    fates[rng.random(count) < 0.1] = np.inf
    earlier = list(zip(times, fates.tolist(), strict=True))
    return [
        Occasion(place + 1, times[place], {"x": float(rng.normal())}, float(3 * rng.normal()), earlier[:place])
        for place in range(count)
    ]


def delays(law: DelayLaw, seed: int = 7) -> list[float]:
    return [law.draw(occasion, np.random.default_rng([seed, occasion.number])) for occasion in occasions(seed)]


def test_every_kind_of_law_is_here() -> None:
    kinds = {type(law) for law in WRITTEN}
    assert kinds == {builder for builder in registry.LAWS.entries.values() if isinstance(builder, type)}
    named = {kind for kind in vars(laws).values() if isinstance(kind, type) and hasattr(kind, "draw")}
    assert kinds | {type(law) for law in NAMED} == named - {DelayLaw}


@every_law
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_delay_is_a_number_of_at_least_0(law: DelayLaw, seed: int) -> None:
    for delay in delays(law, seed):
        assert type(delay) is float
        assert delay >= 0.0


@every_law
def test_the_same_occasion_and_seed_give_the_same_delay_whatever_was_drawn_between(law: DelayLaw) -> None:
    before = delays(law)
    delays(law, seed=8)
    assert delays(law) == before


@every_law
def test_a_law_leaves_its_occasion_as_it_was(law: DelayLaw) -> None:
    occasion = occasions(4)[-1]
    law.draw(occasion, np.random.default_rng(0))
    assert occasion == occasions(4)[-1]


@every_law
def test_a_law_travels_between_processes(law: DelayLaw) -> None:
    copy = pickle.loads(pickle.dumps(law))
    assert copy == law
    assert hash(copy) == hash(law)
    assert delays(copy) == delays(law)


@every_written_law
def test_the_repr_of_a_law_evaluates_to_it(law: DelayLaw) -> None:
    assert eval(repr(law), {**vars(laws), "inf": math.inf}) == law


@every_written_law
def test_a_law_is_kept_in_json_as_its_text(law: DelayLaw) -> None:
    again = laws.parse(json.loads(json.dumps(laws.text(law))))
    assert again == law
    assert laws.text(again) == laws.text(law)
    assert delays(again) == delays(law)


@every_law
def test_a_run_tells_exactly_the_answers_whose_delay_has_passed(law: DelayLaw) -> None:
    space = bl.Space(x=bl.Float(-3, 3))
    problem = simulate.Problem("line", space, further_is_worse, 0.1, "maximize", 0.0, {"x": 0})
    run = simulate.run(problem, "random", law, rounds=20, seed=1, every=0.5)
    for outcome, query in zip(run.outcomes, run.study.queries(), strict=True):
        if not isinstance(law, laws.adaptive_batch):
            assert (query.answer is not None) == (outcome.delay <= 10.0 - query.asked_at)
