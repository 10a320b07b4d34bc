"""Contexts known before the decision, for every policy: the belief is over (context, point), the search over points."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from belated.beliefs import GP, FullyBayesian, Memory
from belated.log import Balk, Query
from belated.pending import Ignore
from belated.policies import Recipe, build, gp_bucb, gp_ei, gp_ucb, names
from belated.rules import Moment, Situation
from belated.space import Array, Candidates, Choice, Context, Float, Int, Space
from belated.study import Study, differences
from tests.builders import ACROSS, Clock, Domain
from tests.reference.gp import PlainGP, PlainKernel
from tests.tolerance import SOLVE_TOLERANCE

PARTS: dict[str, Any] = {"hour": Float(0.0, 24.0), "shift": Int(1, 3), "site": Choice("north", "south")}
CONTEXT = Context(**PARTS, seen="before")
KNOWN = GP(kernel="se", lengthscale=0.4, variance=1.0, noise=0.01, mean=0.1)
PLAIN = PlainGP(PlainKernel("se", 1.0, (0.4,), (1.0,), (False, False, True, False, False)), 0.01, 0.1)
PARAMETERS: dict[str, dict[str, Any]] = {
    "bpe": {"horizon": 30},
    "bpe-delay": {"horizon": 30, "mean_delay": 1.0, "xi": 1.0, "b": 0.2},
    "sm-ucb": {"batch": 3, "paths": 2},
    "sm-mei": {"batch": 3, "paths": 2},
    "random": {},
    "fb-gp-ts": {"belief": FullyBayesian(draws=2)},
    **{
        name: {"dictionary": (KNOWN, replace(KNOWN, lengthscale=2.0))}
        for name in ("egp-ts", "egp-ei", "egp-ucb", "banditbo", "exp3bo")
    },
}
EVERY = [name for name in names() if name not in ACROSS]
# These look at every candidate, or search a box once for every imagined query.
ON_TABLES_ONLY = ("bpe", "bpe-delay", "gp-aucb-local", "sm-ucb", "sm-mei")


def small_table() -> Candidates:
    rng = np.random.default_rng(5)
    return Candidates(rng.random((15, 2)) * [250.0, 3e-3] + [-40.0, 7.0], names=["heat", "dose"])


def small_box() -> Space:
    return Space(heat=Float(-30.0, 170.0), steps=Int(1, 4))


def here(step: int) -> dict[str, Any]:
    """A context for each step."""
    return {"hour": 5.0 * step % 24.0, "shift": 1 + step % 3, "site": ["north", "south"][step % 2]}


def policy_of(name: str) -> Recipe:
    unknown = name in ("random", "fb-gp-ts", "egp-ts", "egp-ei", "egp-ucb", "banditbo", "exp3bo")
    return build(name, **PARAMETERS.get(name, {}), **({} if unknown else {"belief": KNOWN}))


def begun(recipe: Recipe, domain: Domain, context: Context = CONTEXT) -> Study:
    return Study.in_memory(domain, policy=recipe, context=context, seed=3, clock=Clock())


def value_of(study: Study, query: Query) -> float:
    assert query.context is not None
    row = np.concatenate([CONTEXT.encode(query.context), study.space.encode(query.point)])
    return float(np.sin(3.0 * row.sum()) + row[0])


def go_on(study: Study, n: int) -> None:
    """n queries in various contexts, of which two of three are answered one query late."""
    while study.record().counts.asked < n:
        step = study.record().counts.asked
        query = study.ask(context=here(step))
        waiting = study.pending()
        if isinstance(query, Balk) or (len(waiting) > 1 and step % 3):
            study.tell(waiting[0], value_of(study, waiting[0]))


def assert_valid(domain: Domain, point: dict[str, Any]) -> None:
    encoded = domain.encode(point)
    if isinstance(domain, Candidates):
        assert_array_equal(domain.table[domain.index(point)], encoded)
    else:
        assert domain.decode(domain.snap(encoded[None])[0]).keys() == point.keys()


@pytest.mark.parametrize(
    "name, space",
    [(name, "table") for name in EVERY] + [(name, "box") for name in EVERY if name not in ON_TABLES_ONLY],
)
def test_every_policy_asks_and_recommends_valid_points_in_mixed_contexts(name: str, space: str) -> None:
    domain = small_table() if space == "table" else small_box()
    study = begun(policy_of(name), domain)
    go_on(study, 6 if space == "table" else 3)
    study.add(study.queries()[0].point, 0.3, context=here(7))
    for query in study.queries():
        assert_valid(domain, dict(query.point))
    assert [query.context for query in study.queries()[:3]] == [here(0), here(1), here(2)]
    assert list(differences(study.events, forgetful=True)) == []
    for step in (0, 9):
        recommended = study.recommend(context=here(step))
        assert_valid(domain, recommended.point)
        assert math.isfinite(recommended.mean)
        assert recommended.deviation >= 0.0
    # Pending queries are rows of the belief in their own contexts.
    placed = study.policy.moment(study.evidence(), 1000.0, 3, Memory(), CONTEXT.encode(here(9))).evidence
    rows = placed.points[placed.pending_mask]
    assert_array_equal(rows[:, :3], [CONTEXT.encode(query.context or {}) for query in study.pending()])
    assert_array_equal(rows[:, 3:], [domain.encode(query.point) for query in study.pending()])


def told(recipe: Recipe, context: Context = CONTEXT, n_pending: int = 0) -> Study:
    """Twelve answers in various contexts, and so many queries that wait in one."""
    study = begun(recipe, small_table(), context)
    for row in range(12):
        study.add(small_table().point(row), math.sin(2.0 * row), context=here(row))
    if n_pending:
        study.ask(n_pending, context=here(4))
    return study


def plain_rows(study: Study) -> Array:
    return np.array(
        [
            np.concatenate([CONTEXT.encode(query.context or {}), study.space.encode(query.point)])
            for query in study.queries()
        ]
    )


@pytest.mark.parametrize("step", [0, 4, 5, 10])
def test_the_choice_in_a_context_is_the_best_of_the_plain_process_with_what_waits_in_others(step: int) -> None:
    study = told(gp_bucb(belief=KNOWN, width=1.5), n_pending=3)
    rows, table = plain_rows(study), small_table().table
    values = study.evidence().values[:12]
    inside = np.concatenate([np.tile(CONTEXT.encode(here(step)), (len(table), 1)), table], axis=1)
    mean, known = PLAIN.moments(rows[:12], values, inside)
    narrowed = PLAIN.deviation(rows, inside)
    moment = study.policy.moment(study.evidence(), 1000.0, 3, Memory(), CONTEXT.encode(here(step)))
    assert_allclose(moment.belief.moments(inside).mean, mean, atol=SOLVE_TOLERANCE)
    assert_allclose(moment.belief.moments(inside).deviation, narrowed, atol=SOLVE_TOLERANCE)
    # Nothing is narrowed as much elsewhere as where the three were asked.
    assert (known - narrowed).max() > 0.3 if step == 4 else (known - narrowed).max() < 0.3
    query = study.ask(context=here(step))
    assert isinstance(query, Query)
    chosen = small_table().index(query.point)
    scores = mean + 1.5 * narrowed
    assert scores[chosen] >= scores.max() - SOLVE_TOLERANCE


@pytest.mark.parametrize("step", [0, 4, 11])
def test_the_recommendation_in_a_context_has_the_highest_mean_there(step: int) -> None:
    study = told(gp_bucb(belief=KNOWN), n_pending=2)
    table = small_table().table
    inside = np.concatenate([np.tile(CONTEXT.encode(here(step)), (len(table), 1)), table], axis=1)
    mean, deviation = PLAIN.moments(plain_rows(study)[:12], study.evidence().values[:12], inside)
    found = study.recommend(context=here(step))
    best = int(np.argmax(mean))
    assert small_table().index(found.point) == best
    assert found.mean == pytest.approx(mean[best], abs=SOLVE_TOLERANCE)
    assert found.deviation == pytest.approx(deviation[best], abs=1e-7)


@pytest.mark.parametrize("policy", [gp_ucb(belief=KNOWN), gp_bucb(belief=KNOWN), gp_ei(belief=KNOWN)])
def test_the_order_in_which_the_context_is_declared_does_not_matter(policy: Recipe) -> None:
    orders = [["hour", "shift", "site"], ["site", "hour", "shift"]]
    studies = [told(policy, Context(**{name: PARTS[name] for name in order}, seen="before")) for order in orders]
    for step in range(6):
        queries = [study.ask(context=here(step)) for study in studies]
        points = [query.point for query in queries if isinstance(query, Query)]
        assert points[0] == points[1]
        first, second = (study.recommend(context=here(step)) for study in studies)
        assert first.point == second.point
        assert first.mean == pytest.approx(second.mean, abs=SOLVE_TOLERANCE)
        for study, query in zip(studies, queries, strict=True):
            if step % 2 and isinstance(query, Query):
                study.tell(query, math.cos(float(step)))


def test_the_order_in_which_a_context_is_given_does_not_matter() -> None:
    first, second = (told(gp_bucb(belief=KNOWN)) for _ in range(2))
    context = here(3)
    backwards = dict(reversed(list(context.items())))
    assert first.ask(context=context) == second.ask(context=backwards)


def test_an_improvement_is_one_in_the_context_of_the_ask() -> None:
    domain = Candidates(np.linspace(0.0, 1.0, 21), names=["x"])
    context = Context(level=Float(0.0, 1.0), seen="before")
    belief = GP(kernel="se", lengthscale=0.5, variance=4.0, noise=1e-4, mean=0.0)
    plain = PlainGP(PlainKernel("se", 4.0, (0.5,)), 1e-4, 0.0)
    study = Study.in_memory(domain, policy=gp_ei(belief=belief, initial=0), context=context, seed=3, clock=Clock())
    rows, values = [], []
    for level, place in ((0.0, 0), (1.0, 4), (0.0, 9), (1.0, 16), (0.0, 20)):
        x = float(domain.table[place, 0])
        rows.append([level, x])
        values.append(9.0 * level - 8.0 * (x - 0.2 - 0.5 * level) ** 2)
        study.add({"x": x}, values[-1], context={"level": level})
    query = study.ask(context={"level": 0.0})
    assert isinstance(query, Query)
    points, answers = np.array(rows), np.array(values)
    best = plain.moments(points, answers, np.column_stack([np.zeros(5), points[:, 1]]))[0].max()
    mean, deviation = plain.moments(points, answers, np.column_stack([np.zeros(21), domain.table[:, 0]]))
    z = (mean - best) / deviation
    tail = np.array([0.5 * math.erfc(-each / math.sqrt(2.0)) for each in z])
    improvement = deviation * (np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi) + z * tail)
    assert study.space.encode(query.point)[0] == domain.table[int(np.argmax(improvement)), 0]
    # The best of the other context would have sent it to where least is known.
    assert int(np.argmax(improvement)) != int(np.argmax(deviation))


def test_what_the_best_queries_could_tell_is_of_all_contexts() -> None:
    domain = Candidates(np.linspace(0.0, 1.0, 4), names=["x"])
    belief = GP(kernel="se", lengthscale=(0.05, 10.0), variance=1.0, noise=0.01, mean="zero")
    context = Context(level=Float(0.0, 1.0), seen="before")
    evidence = Study.in_memory(domain, policy="random", context=context).evidence()
    situation = Situation(Moment(belief, Ignore(), evidence, 0.0, 0, Memory(), np.array([0.5])))
    far_apart = np.column_stack([np.linspace(0.0, 1.0, 10), np.zeros(10)])
    told = situation.prior.information(far_apart)
    assert situation.maximum_information(10) >= told
    assert situation.maximum_information(10) <= 10 * situation.maximum_information(1) + SOLVE_TOLERANCE
