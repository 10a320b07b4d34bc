"""GP-UCB-SDF and GP-TS-SDF against [verma2022], by dense formulas along whole runs."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import belated as bl
from belated.beliefs import GP, Memory
from belated.log import Query, Window
from belated.policies import asy_ts, gp_bts, gp_bucb, gp_ts, gp_ts_sdf, gp_ucb, gp_ucb_sdf
from belated.space import Array, Candidates
from belated.study import Study
from tests.builders import (
    Clock,
    Domain,
    Run,
    batch_of,
    box,
    delayed_run,
    known_gp,
    mixed,
    mixed_table,
    points_asked,
    table,
)
from tests.pairs import first, in_turn
from tests.reference.policies import Asked, censored, sdf_scores
from tests.tolerance import STANDARD_ERRORS, TIE_TOLERANCE

every_seed = pytest.mark.parametrize("seed", first(1, 1, 2, 3, 4))


def objective_on(domain: Candidates, seed: int) -> Array:
    """Values from 0 to 1."""
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(3, 9, 2)
    values = np.sin(a * domain.table[:, 0]) + np.cos(b * domain.table[:, 1])
    return np.asarray((values - values.min()) / np.ptp(values))


def poisson(seed: int, n: int, mean: float) -> list[int | None]:
    return [int(delay) for delay in np.random.default_rng([seed, 9]).poisson(mean, n)]


def as_asked(run: Run) -> list[Asked]:
    return [Asked(*parts) for parts in zip(run.rows, run.values, run.delays, strict=True)]


@pytest.mark.parametrize("window", [0, 2, 6, 12])
@every_seed
def test_gp_ucb_sdf_equals_the_whole_algorithm_in_plain_loops(seed: int, window: int) -> None:
    domain = table(40)
    belief, plain = known_gp("se", 0.15, 1.0, 0.01)
    scores: list[Array] = []
    run = delayed_run(
        gp_ucb_sdf(window=window, floor=0.0, bound=0.8, base=1.2, belief=belief),
        domain,
        objective_on(domain, seed),
        poisson(seed, 25, 3.0),
        seed=seed,
        noise=0.05,
        check=lambda run: scores.append(sdf_scores(plain, domain.table, as_asked(run), window, 0.8, 1.2)),
    )
    for row, expected in zip(run.rows, scores, strict=True):
        assert expected[row] >= expected.max() - TIE_TOLERANCE * np.ptp(expected)
    if window <= 2:
        assert max(delay for delay in run.delays if delay is not None) > window


def test_the_indicator_censors_the_pending_and_the_late() -> None:
    asked = [Asked(0, 5.0, 0), Asked(1, 6.0, 2), Asked(2, 7.0, 2), Asked(3, 8.0, 3), Asked(4, 9.0, None)]
    assert censored(asked, 2) == [5.0, 6.0, 7.0, 0.0, 0.0]
    assert censored(asked, 1) == [5.0, 0.0, 0.0, 0.0, 0.0]
    assert censored(asked[:3], 9) == [5.0, 0.0, 0.0]


@every_seed
def test_only_values_above_the_floor_matter(seed: int) -> None:
    domain = table(40)
    values = objective_on(domain, seed)
    runs = []
    for floor in (0.0, -70.0, 5.0):
        belief = GP(kernel="se", lengthscale=0.15, variance=1.0, noise=0.01, mean="zero")
        policy = gp_ucb_sdf(window=4, floor=floor, belief=belief)
        runs.append(delayed_run(policy, domain, values + floor, poisson(seed, 20, 3.0), seed=seed).rows)
    assert runs[0] == runs[1] == runs[2]


@every_seed
def test_minimising_with_a_floor_is_maximising_the_negative(seed: int) -> None:
    domain = table(40)
    belief, _ = known_gp("se", 0.15)
    values = objective_on(domain, seed)
    points = []
    for goal, sign in (("maximize", 1.0), ("minimize", -1.0)):
        policy = gp_ucb_sdf(window=4, floor=sign * -0.5, belief=belief)
        study = Study.in_memory(domain, policy=policy, goal=goal, seed=seed, clock=Clock())  # type: ignore[arg-type]
        asked = []
        for step in range(15):
            query = study.ask()
            assert isinstance(query, Query)
            asked.append(query.point)
            if step % 3:
                study.tell(query.id, sign * float(values[domain.index(query.point)]))
        points.append(asked)
    assert points[0] == points[1]


@every_seed
def test_an_unknown_floor_is_the_smallest_value_seen_so_far(seed: int) -> None:
    domain = table(40)
    belief, plain = known_gp("se", 0.15, 1.0, 0.01)
    values = objective_on(domain, seed) - 3.0
    scores: list[Array] = []

    def check(run: Run) -> None:
        arrived = [run.values[place] for place in run.arrived()]
        floor = min(arrived, default=0.0)
        shifted = [Asked(query.row, query.value - floor, query.delay) for query in as_asked(run)]
        # Late answers are accepted here, so the window is that of the sum alone.
        waited = sdf_scores(plain, domain.table, shifted, 10**6, 0.0, 0.0)
        full = [query.row for query in shifted]
        deviation = plain.deviation(domain.table[full], domain.table)
        width = 1.0 + float(sum(deviation[row] for row in full[-4:]))
        scores.append(waited + width * deviation)

    policy = gp_ucb_sdf(window=4, late="accept", belief=belief)
    run = delayed_run(policy, domain, values, poisson(seed, 20, 3.0), seed=seed, check=check)
    for row, expected in zip(run.rows, scores, strict=True):
        assert expected[row] >= expected.max() - TIE_TOLERANCE * np.ptp(expected)


@every_seed
def test_hallucination_as_the_authors_code_has_it_builds_on_older_hallucinations(seed: int) -> None:
    domain = table(40)
    belief, plain = known_gp("se", 0.5, 1.0, 0.1)
    before: list[tuple[list[int], list[float]]] = [([], [])]  # what was answered or imagined, at each ask so far
    scores: list[Array] = []

    def check(run: Run) -> None:
        rows, values = before[-1]
        expected, _ = plain.moments(domain.table[rows], np.array(values), domain.table)
        known = run.arrived()
        values = [run.values[i] if i in known else float(expected[row]) for i, row in enumerate(run.rows)]
        mean, deviation = plain.moments(domain.table[run.rows], np.array(values), domain.table)
        before.append((list(run.rows), values))
        scores.append(mean + 1.5 * deviation)

    objective = objective_on(domain, seed)
    run = delayed_run(
        gp_bucb(width=1.5, belief=belief, rehallucinate=True),
        domain,
        objective,
        poisson(seed, 20, 3.0),
        seed=seed,
        check=check,
    )
    for row, expected in zip(run.rows, scores, strict=True):
        assert expected[row] >= expected.max() - TIE_TOLERANCE * np.ptp(expected)
    plainly = delayed_run(gp_bucb(width=1.5, belief=belief), domain, objective, poisson(seed, 20, 3.0), seed=seed)
    assert plainly.rows != run.rows


@every_seed
def test_a_window_in_time_censors_by_ages_in_time(seed: int) -> None:
    # The clock ticks once per ask, and an answer told before the d-th ask after its own has waited d + 1 ticks.
    domain = table(40)
    belief, _ = known_gp("se", 0.15)
    values = objective_on(domain, seed)
    rows = []
    for window in (Window(queries=3), Window(seconds=4.0)):
        policy = gp_ucb_sdf(window=window, floor=0.0, bound=0.0, base=1.5, belief=belief)
        rows.append(delayed_run(policy, domain, values, poisson(seed, 20, 3.0), seed=seed, clock=Clock()).rows)
    assert rows[0] == rows[1]


def test_the_contextual_policy_knows_the_context_before_it_chooses() -> None:
    domain = Candidates(np.linspace(2.0, 8.0, 25)[:, None])
    belief, plain = known_gp("se", 0.25, 1.0, 0.02)
    context = bl.Context(hour=bl.Float(0.0, 24.0), seen="before")
    study = Study.in_memory(
        domain, policy=gp_ucb_sdf(window=3, floor=0.0, belief=belief), context=context, seed=5, clock=Clock()
    )
    rng = np.random.default_rng(3)
    inputs: list[list[float]] = []
    values: list[float] = []
    delays = [int(delay) for delay in rng.poisson(2.0, 18)]
    for t, hour in enumerate(rng.uniform(0, 24, 18).tolist()):
        for s in range(t):
            if s + delays[s] < t:
                study.tell(s + 1, values[s])
        here = np.array([[hour / 24.0, unit] for unit in domain.table[:, 0]])
        told = [y if s + delays[s] < t and delays[s] <= 3 else 0.0 for s, y in enumerate(values)]
        points = np.array(inputs).reshape(t, 2)
        mean, deviation = plain.moments(points, np.array(told), here)
        width = 1.0 + float(plain.deviation(points, points[max(0, t - 3) :]).sum())
        scores = mean + width * deviation
        query = study.ask(context={"hour": hour})
        assert isinstance(query, Query)
        row = domain.index(query.point)
        assert scores[row] >= scores.max() - TIE_TOLERANCE * np.ptp(scores)
        inputs.append(here[row].tolist())
        values.append(0.5 + 0.5 * math.sin(hour / 4 + 3 * float(domain.table[row, 0])))


@pytest.mark.parametrize("n", first(1, 1000, 3000))
@pytest.mark.parametrize("inflate", [True, False], ids=["inflated", "plain"])
def test_gp_ts_sdf_asks_each_row_as_often_as_a_draw_of_the_censored_posterior_is_largest_there(
    inflate: bool, n: int
) -> None:
    domain = Candidates(np.array([[1.0], [2.0], [4.5], [6.0], [9.0]]))
    belief, plain = known_gp("matern52", 0.3, 1.0, 0.2)
    recipe = gp_ts_sdf(window=2, floor=0.0, bound=0.5, base=1.1, inflate=inflate, belief=belief)
    study = Study.in_memory(domain, policy=recipe, seed=0, clock=Clock())
    queries = batch_of(study, 5)
    for query in (queries[0], queries[1], queries[3]):
        study.tell(query.id, 0.4 + 0.1 * query.id)
    policy, evidence = study.policy, study.evidence()
    asked = np.array([domain.encode(query.point) for query in study.queries()])
    # Answers came after 4, 3 and 1 further queries; the window holds 2.
    told = np.array([0.0, 0.0, 0.0, 0.4 + 0.4, 0.0])
    mean, covariance = plain.posterior(asked, told, domain.table)
    width = 1.1 + 0.5 * float(plain.deviation(asked, asked[-2:]).sum()) if inflate else 1.0
    root = np.linalg.cholesky(covariance + 1e-12 * np.eye(5))
    draws = mean + width * np.random.default_rng(1).standard_normal((200_000, 5)) @ root.T
    expected = np.bincount(np.argmax(draws, axis=1), minlength=5) / 200_000
    memory = Memory()
    counts = np.zeros(5)
    for seed in range(n):
        point = policy.decide(evidence, 1000.0, seed, memory).outcome
        assert isinstance(point, np.ndarray)
        counts[domain.index(domain.decode(point))] += 1
    error = np.sqrt(expected * (1 - expected) * (1 / n + 1 / 200_000))
    assert np.all(np.abs(counts / n - expected) <= STANDARD_ERRORS * error + 1e-3)


SPACES: dict[str, Callable[[], Domain]] = {"table": table, "mixed table": mixed_table, "box": box, "mixed": mixed}


@pytest.mark.parametrize("domain", SPACES)
def test_with_no_delay_and_no_window_gp_ucb_sdf_is_gp_ucb(domain: str) -> None:
    space = SPACES[domain]()
    belief = GP(kernel="se", lengthscale=0.3, variance=1.0, noise=0.01, mean=-2.0)
    asked = []
    for policy in (gp_ucb_sdf(window=0, floor=-2.0, base=1.5, belief=belief), gp_ucb(width=1.5, belief=belief)):
        study = Study.in_memory(space, policy=policy, seed=4, clock=Clock())
        asked.append(points_asked(study, 7, lambda point: math.sin(float(space.encode(point).sum() * 5))))
    assert asked[0] == asked[1]


@in_turn(domain=SPACES, fitted=[False, True])
def test_with_no_delay_all_thompson_samplers_are_one(domain: str, fitted: bool) -> None:
    space = SPACES[domain]()
    belief = GP() if fitted else GP(kernel="se", lengthscale=0.3, variance=1.0, noise=0.01, mean=-2.0)
    policies = [gp_ts(belief=belief), asy_ts(belief=belief), gp_bts(belief=belief)]
    if not fitted:
        policies.append(gp_ts_sdf(window=0, floor=-2.0, base=1.0, belief=belief))
    asked = []
    for policy in policies:
        study = Study.in_memory(space, policy=policy, seed=4, clock=Clock())
        asked.append(points_asked(study, 6, lambda point: math.sin(float(space.encode(point).sum() * 5))))
    assert all(points == asked[0] for points in asked)
