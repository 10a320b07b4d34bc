"""The classic policies, which the papers compare with, against their definitions."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from belated.beliefs import Memory
from belated.log import Query
from belated.policies import Recipe, asy_ts, gp_ei, gp_ts, gp_ucb, random
from belated.space import Array, Candidates
from belated.study import Study
from tests.builders import Clock, Run, batch_of, delayed_run, known_gp, mixed, table
from tests.pairs import first
from tests.reference.policies import bucb_scores, expected_improvement
from tests.tolerance import STANDARD_ERRORS, TIE_TOLERANCE

every_seed = pytest.mark.parametrize("seed", first(1, 1, 2, 3))


def values_on(domain: Candidates) -> Array:
    return np.asarray(np.sin(5 * domain.table[:, 0]) + domain.table[:, 1] ** 2)


@pytest.mark.parametrize("delays", [[0] * 25, [2] * 25, [0, 5, 1, None, 3] * 5], ids=["none", "constant", "mixed"])
@every_seed
def test_gp_ucb_is_the_upper_bound_of_the_answers(seed: int, delays: list[int | None]) -> None:
    domain = table(50)
    belief, plain = known_gp("matern52", 0.3)
    scores: list[Array] = []

    def check(run: Run) -> None:
        rows = [run.rows[place] for place in run.arrived()]
        values = [run.values[place] for place in run.arrived()]
        scores.append(bucb_scores(plain, domain.table, rows, values, rows, 2.0))

    run = delayed_run(gp_ucb(belief=belief), domain, values_on(domain), delays, seed=seed, check=check)
    for row, expected in zip(run.rows, scores, strict=True):
        assert expected[row] >= expected.max() - TIE_TOLERANCE * np.ptp(expected)


@pytest.mark.parametrize("noise", [0.0, 0.01])
@pytest.mark.parametrize("delays", [[0] * 25, [0, 5, 1, None, 3] * 5], ids=["none", "mixed"])
@every_seed
def test_gp_ei_is_the_expected_improvement_over_the_best_mean(
    seed: int, delays: list[int | None], noise: float
) -> None:
    domain = table(50)
    belief, plain = known_gp("matern52", 0.3, 1.0, max(noise, 1e-9))
    improvements: list[Array] = []

    def check(run: Run) -> None:
        rows = [run.rows[place] for place in run.arrived()]
        values = np.array([run.values[place] for place in run.arrived()])
        mean, deviation = plain.moments(domain.table[rows], values, domain.table)
        best = max((mean[row] for row in rows), default=0.0)
        found = [expected_improvement(m, max(d, 1e-12), best) for m, d in zip(mean, deviation, strict=True)]
        improvements.append(np.array(found))

    policy = gp_ei(belief=known_gp("matern52", 0.3, 1.0, noise)[0])
    run = delayed_run(policy, domain, values_on(domain), delays, seed=seed, check=check)
    assert belief is not policy.beginning(domain).belief
    for row, expected in zip(run.rows, improvements, strict=True):
        if expected.max() > 1e-10:  # below, the dense formula itself is rounding
            assert expected[row] >= expected.max() * (1 - 1e-4)


@pytest.mark.parametrize("n", first(1, 1000, 3000))
@pytest.mark.parametrize("make", [gp_ts, asy_ts], ids=["gp-ts", "asy-ts"])
def test_thompson_sampling_draws_from_the_posterior_of_the_answers(make: Callable[..., Recipe], n: int) -> None:
    domain = Candidates(np.array([[1.0], [2.0], [4.5], [6.0], [9.0]]))
    belief, plain = known_gp("matern52", 0.3, 1.0, 0.2)
    study = Study.in_memory(domain, policy=make(belief=belief), seed=0, clock=Clock())
    queries = batch_of(study, 4)
    for query in queries[:2]:
        study.tell(query.id, 0.3 * query.id)
    policy, evidence = study.policy, study.evidence()
    points = np.array([domain.encode(query.point) for query in queries[:2]])
    mean, covariance = plain.posterior(points, np.array([0.3, 0.6]), domain.table)
    root = np.linalg.cholesky(covariance + 1e-12 * np.eye(5))
    draws = mean + np.random.default_rng(1).standard_normal((200_000, 5)) @ root.T
    expected = np.bincount(np.argmax(draws, axis=1), minlength=5) / 200_000
    memory = Memory()
    counts = np.zeros(5)
    for seed in range(n):
        point = policy.decide(evidence, 1000.0, seed, memory).outcome
        assert isinstance(point, np.ndarray)
        counts[domain.index(domain.decode(point))] += 1
    error = np.sqrt(expected * (1 - expected) * (1 / n + 1 / 200_000))
    assert np.all(np.abs(counts / n - expected) <= STANDARD_ERRORS * error + 1e-3)


def test_gp_ts_inflates_its_deviation_when_asked_to() -> None:
    domain = table(50)
    belief, plain = known_gp("matern52", 0.3)
    chosen = []
    for inflation in (1e-9, 1.0, 50.0):
        study = Study.in_memory(domain, policy=gp_ts(inflation=inflation, belief=belief), seed=3, clock=Clock())
        for row in range(0, 50, 4):
            study.add(domain.point(row), float(values_on(domain)[row]))
        query = study.ask()
        assert isinstance(query, Query)
        chosen.append(domain.index(query.point))
    rows = list(range(0, 50, 4))
    mean, _ = plain.moments(domain.table[rows], values_on(domain)[rows], domain.table)
    # With no deviation left it asks at the best mean.
    assert chosen[0] == int(np.argmax(mean))
    assert chosen[2] != chosen[0]


def test_random_asks_every_row_equally_often() -> None:
    domain = table(8)
    study = Study.in_memory(domain, policy=random(), seed=5, clock=Clock())
    n = 1600
    counts = np.zeros(8)
    for _ in range(n):
        query = study.ask()
        assert isinstance(query, Query)
        counts[domain.index(query.point)] += 1
        if len(study.evidence()) > 200:
            study = Study.in_memory(domain, policy=random(), seed=int(counts.sum()), clock=Clock())
    assert np.all(np.abs(counts - n / 8) <= STANDARD_ERRORS * math.sqrt(n * (1 / 8) * (7 / 8)))


def test_random_spreads_over_a_mixed_space() -> None:
    space = mixed()
    study = Study.in_memory(space, policy="random", seed=5, clock=Clock())
    units = np.array([space.encode(query.point) for query in batch_of(study, 300)])
    heat = units[:, 0]
    assert abs(heat.mean() - 0.5) <= STANDARD_ERRORS * math.sqrt(1 / 12 / 300)
    for column, levels in ((1, 8), (2, 3), (3, 2)):
        counts = np.bincount((units[:, column] * levels).astype(int), minlength=levels)
        share = 1 / levels
        assert np.all(np.abs(counts - 300 * share) <= STANDARD_ERRORS * math.sqrt(300 * share * (1 - share)))
