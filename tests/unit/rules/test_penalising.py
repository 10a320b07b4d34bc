"""Local penalisation: what it knows of a moment, and what it chooses on a table, by brute force."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm

from belated.beliefs import GP
from belated.pacing import Always
from belated.pending import Ignore
from belated.policies import Policy, registry
from belated.rules import Anew, Constant, Improvement, Moment, Penalise, Rule, UpperBound
from belated.rules.penalising import penalty_of
from belated.space import Array
from belated.study import Study
from tests.builders import DOMAINS, Given, moment_of, processes_of, random_study
from tests.reference.gp import PlainGP
from tests.tolerance import SLOPE_TOLERANCE, SOLVE_TOLERANCE, STEP

RULES: dict[str, Rule] = {"upper bound": UpperBound(Constant(1.5)), "improvement": Improvement()}
# Two points closer than this are the same place.
NEAR = 0.05
every_rule = pytest.mark.parametrize("rule", RULES)
every_domain = pytest.mark.parametrize("domain", DOMAINS)


def posed(domain: str, seed: int, n_answered: int = 9, n_pending: int = 4) -> tuple[Moment, PlainGP]:
    made = DOMAINS[domain]()
    evidence = random_study(seed, n_answered, n_pending, domain=made).evidence()
    prior, plain = processes_of(made)
    return moment_of(evidence, Given(prior), Ignore()), plain


def split(moment: Moment) -> tuple[Array, Array, Array]:
    """Answered points, their answers, and pending points."""
    evidence = moment.evidence
    answered = evidence.answered_mask
    return evidence.points[answered], evidence.values[answered], evidence.points[evidence.pending_mask]


@every_rule
@every_domain
def test_with_nothing_under_way_the_choice_is_the_rules_own_to_the_last_bit(domain: str, rule: str) -> None:
    moment, _ = posed(domain, 5, n_pending=0)
    assert_array_equal(
        np.asarray(Penalise().chosen(RULES[rule], moment)), np.asarray(Anew().chosen(RULES[rule], moment))
    )


@every_domain
def test_before_any_answer_nothing_is_penalised(domain: str) -> None:
    moment, _ = posed(domain, 5, n_answered=0)
    rule = RULES["upper bound"]
    assert_array_equal(np.asarray(Penalise().chosen(rule, moment)), np.asarray(Anew().chosen(rule, moment)))


@every_domain
def test_what_is_expected_of_queries_under_way_is_what_the_answers_say(domain: str) -> None:
    moment, plain = posed(domain, 3)
    points, values, pending = split(moment)
    penalty = penalty_of(moment)
    mean, deviation = plain.moments(points, values, pending)
    assert_array_equal(penalty.points, pending)
    assert_allclose(penalty.mean, mean, atol=SOLVE_TOLERANCE)
    assert_allclose(penalty.deviation, deviation, atol=SOLVE_TOLERANCE)
    assert penalty.best == pytest.approx(plain.moments(points, values, points)[0].max(), abs=SOLVE_TOLERANCE)


def test_the_slope_is_the_steepest_of_the_mean_where_it_is_looked_for() -> None:
    moment, plain = posed("table", 3)
    points, values, _ = split(moment)
    table = moment.domain.table  # type: ignore[union-attr]
    steps = [
        (plain.moments(points, values, table + step)[0] - plain.moments(points, values, table - step)[0]) / (2.0 * STEP)
        for step in (STEP * unit for unit in np.eye(2))
    ]
    assert penalty_of(moment).slope == pytest.approx(
        np.sqrt(np.sum(np.square(steps), axis=0)).max(), rel=SLOPE_TOLERANCE
    )


@pytest.mark.parametrize("seed", [3, 17, 91])
@every_rule
def test_on_a_table_the_choice_is_the_best_penalised_row(rule: str, seed: int) -> None:
    moment, plain = posed("table", seed)
    points, values, pending = split(moment)
    table = moment.domain.table  # type: ignore[union-attr]
    penalty = penalty_of(moment)
    mean, deviation = plain.moments(points, values, table)
    if rule == "improvement":
        z = (mean - penalty.best) / deviation
        gained = deviation * (norm.pdf(z) + z * norm.cdf(z))
    else:
        gained = np.log1p(np.exp((mean + 1.5 * deviation - 0.3) / math.sqrt(1.7)))
    for place, expected, spread in zip(pending, penalty.mean, penalty.deviation, strict=True):
        distances = np.linalg.norm(table - place, axis=1)
        gained = gained * norm.cdf((penalty.slope * distances - penalty.best + expected) / spread)
    chosen: Any = Penalise().chosen(RULES[rule], moment)
    assert_array_equal(chosen, table[int(np.argmax(gained))])


@pytest.mark.parametrize(("repeats", "apart"), [(Penalise(), True), (None, False)])
@every_rule
def test_a_batch_in_a_box_keeps_apart_where_one_that_ignores_asks_the_same_place(
    rule: str, repeats: Penalise | None, apart: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "POLICIES", replace(registry.POLICIES, entries=dict(registry.POLICIES.entries)))
    belief = GP(kernel="se", lengthscale=0.5, variance=1.0, noise=0.01)

    @registry.policy("composed-here")
    def composed_here() -> Policy:
        """A policy of this test."""
        return Policy(belief, Ignore(), RULES[rule], Always(), repeats=repeats)

    study = Study.in_memory(DOMAINS["box"](), policy="composed-here", seed=4, notices=False)
    for heat, value in ((-20.0, 0.1), (60.0, 0.9), (150.0, -0.3), (90.0, 0.5)):
        study.add({"heat": heat, "dose": 0.03}, value)
    asked = np.array([study.space.encode(query.point) for query in study.ask(4)])
    gaps = [math.dist(asked[i], asked[j]) for i in range(4) for j in range(i)]
    assert (min(gaps) > NEAR) is apart
