"""What every rule must do, and each one against its definition by brute force."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from belated.beliefs import GP, Function, GaussianProcess, Memory
from belated.errors import ParameterError
from belated.evidence import Evidence
from belated.log import Query, Window
from belated.pending import Censor, Hallucinate, Ignore, Rounds, WithinRound
from belated.policies import gp_ts, sm_ucb
from belated.randomness import Stream
from belated.rules import (
    Anywhere,
    BoundOrExplore,
    Constant,
    Delayed,
    Eliminate,
    Explore,
    ExploreFirst,
    Improvement,
    Initially,
    Match,
    NoisyImprovement,
    Rule,
    Situation,
    Thompson,
    UpperBound,
    point_of,
)
from belated.rules.improvement import log_expected_improvement, mean_excess
from belated.rules.matching import next_medoid
from belated.rules.thompson import Inflated
from belated.search import MomentScore
from belated.space import Array, Candidates, Space
from belated.study import Study, differences
from tests.builders import (
    DOMAINS,
    Clock,
    Given,
    batch_of,
    box,
    known_gp,
    mixed,
    probes_of,
    processes_of,
    random_evidence,
    random_study,
    situation_of,
    table,
)
from tests.pairs import first
from tests.reference import policies as reference
from tests.reference.gp import PlainGP
from tests.tolerance import ROUNDING, SLOPE_TOLERANCE, SOLVE_TOLERANCE, STANDARD_ERRORS, STEP

RULES: dict[str, Rule] = {
    "anywhere": Anywhere(),
    "initially": Initially(5, UpperBound(Constant())),
    "upper bound": UpperBound(Constant(2.0)),
    "upper bound, delayed": UpperBound(Delayed(Window(queries=3))),
    "thompson": Thompson(),
    "thompson, inflated": Thompson(Delayed(Window(queries=3))),
    "improvement": Improvement(),
    "noisy improvement": NoisyImprovement(16),
    "bound or explore": BoundOrExplore(),
    "bound or explore, exploring": BoundOrExplore(explore=1.0, bound=0.0),
    "explore": Explore(),
    "explore first": ExploreFirst(3, 0.5, UpperBound(Constant())),
    "match": Match(UpperBound(Constant(2.0)), 3, 3),
    "match improvement": Match(Improvement(), 2, 2),
}
ON_TABLES: dict[str, Rule] = {**RULES, "eliminate": Eliminate(Constant(2.0), Rounds(30))}
PAIRS = [(rule, domain) for rule in RULES for domain in DOMAINS] + [
    ("eliminate", "table"),
    ("eliminate", "mixed table"),
]
every_pair = pytest.mark.parametrize("rule, domain", PAIRS, ids=[f"{rule}-{domain}" for rule, domain in PAIRS])


def moment(domain: str, answered: int, pending: int, seed: int = 4, memory: Memory | None = None) -> Situation:
    made = DOMAINS[domain]()
    evidence = random_evidence(9, answered, pending, domain=made)
    return situation_of(evidence, Given(processes_of(made)[0]), Hallucinate(), seed=seed, memory=memory)


# Laws of every rule.


@every_pair
def test_a_rule_chooses_a_point_of_the_space(rule: str, domain: str) -> None:
    for answered, pending in ((0, 0), (1, 0), (0, 2), (8, 3)):
        situation = moment(domain, answered, pending)
        point = point_of(ON_TABLES[rule].choose(situation))
        space = situation.domain
        assert point.shape == (space.dimension,)
        if isinstance(space, Space):
            assert_array_equal(space.snap(point[None])[0], point)
        assert_allclose(space.encode(space.decode(point)), point, atol=ROUNDING)


@every_pair
def test_a_rule_is_a_function_of_the_situation_whatever_is_remembered(rule: str, domain: str) -> None:
    memory = Memory()
    first = point_of(ON_TABLES[rule].choose(moment(domain, 6, 2, memory=memory)))
    ON_TABLES[rule].choose(moment(domain, 3, 1, memory=memory))
    again = point_of(ON_TABLES[rule].choose(moment(domain, 6, 2, memory=memory)))
    cold = point_of(ON_TABLES[rule].choose(moment(domain, 6, 2)))
    assert_array_equal(first, again)
    assert_array_equal(first, cold)


# Scores of moments.


class Case:
    """A situation on a table, what it is made of, and the reference."""

    def __init__(self, seed: int, answered: int = 8, pending: int = 3, noise: float = 0.04) -> None:
        self.domain = table(60)
        prior, self.plain = processes_of(self.domain, noise=noise)
        study = random_study(seed, answered, pending, domain=self.domain)
        self.queries: Sequence[Query] = study.queries()
        self.evidence: Evidence = study.evidence()
        self.memory = Memory()
        self.situation: Situation = situation_of(
            self.evidence, Given(prior), Hallucinate(), seed=seed, memory=self.memory
        )


def dense_moments(evidence: Evidence, plain: PlainGP, probes: Array) -> tuple[Array, Array]:
    """μ of the answers and σ of all asked points."""
    answered, pending = evidence.answered_mask, evidence.pending_mask
    mean, _ = plain.moments(evidence.points[answered], evidence.values[answered], probes)
    return mean, plain.deviation(evidence.points[answered | pending], probes)


@pytest.mark.parametrize("width", [0.0, 0.5, 2.0, 20.0])
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_the_upper_bound_is_maximised_over_the_table(seed: int, width: float) -> None:
    case = Case(seed)
    situation, domain = case.situation, case.domain
    mean, deviation = dense_moments(case.evidence, case.plain, domain.table)
    expected = domain.table[np.argmax(mean + width * deviation)]
    assert_array_equal(UpperBound(Constant(width)).choose(situation), expected)


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_exploring_chooses_the_most_uncertain_row(seed: int) -> None:
    case = Case(seed)
    _, deviation = dense_moments(case.evidence, case.plain, case.domain.table)
    assert_array_equal(Explore().choose(case.situation), case.domain.table[np.argmax(deviation)])


@pytest.mark.parametrize("noise", [1e-8, 0.04])
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_expected_improvement_over_the_best_mean_is_maximised_over_the_table(seed: int, noise: float) -> None:
    case = Case(seed, noise=noise)
    situation, plain, domain, evidence = case.situation, case.plain, case.domain, case.evidence
    mean, deviation = dense_moments(evidence, plain, domain.table)
    best = dense_moments(evidence, plain, evidence.points[evidence.answered_mask])[0].max()
    expected = [
        reference.expected_improvement(m, d, best) if d > 1e-9 else 0.0 for m, d in zip(mean, deviation, strict=True)
    ]
    assert_array_equal(Improvement().choose(situation), domain.table[np.argmax(expected)])


@pytest.mark.parametrize("make", [box, mixed], ids=["box", "mixed"])
@pytest.mark.parametrize("rule", [UpperBound(Constant(1.5)), Explore(), Improvement()], ids=["UCB", "explore", "EI"])
def test_on_a_box_no_random_point_scores_better(rule: UpperBound | Explore | Improvement, make: object) -> None:
    space = box() if make is box else mixed()
    prior, _ = processes_of(space)
    situation = situation_of(random_evidence(5, 10, 2, domain=space), Given(prior), Hallucinate())
    score = rule.score(situation) if not isinstance(rule, Explore) else UpperBound(Constant(1e9)).score(situation)
    chosen = score.values(rule.choose(situation)[None])[0]
    others = score.values(space.sample(4000, np.random.default_rng(1)))
    assert chosen >= others.max() - 1e-6 * np.ptp(others[np.isfinite(others)])


# Log expected improvement.

DEPTHS = [-1e6, -1e5, -31623.0, -1000.1, -999.9, -100.0, -37.6, -10.0, -6.1, -5.9, -3.0, -1.01, -1.0, -0.99, -0.3]
ALL_DEPTHS = [*DEPTHS, -1e-3, 0.0, 1e-3, 0.5, 1.0, 3.0, 8.0, 20.0, 40.0]


@pytest.mark.parametrize("z", ALL_DEPTHS)
def test_log_expected_improvement_is_exact_to_nine_digits_at_every_depth(z: float) -> None:
    expected = reference.log_improvement_factor(z)
    assert mean_excess(np.array([z])).log_value[0] == pytest.approx(expected, rel=1e-12, abs=1e-9)
    for deviation in (1e-12, 0.3, 1e12):
        found = log_expected_improvement(np.array([z * deviation]), np.array([deviation]), 0.0).value[0]
        assert found == pytest.approx(expected + math.log(deviation), rel=1e-12, abs=2e-9)


@pytest.mark.parametrize("z", ALL_DEPTHS)
def test_the_slopes_of_log_expected_improvement_are_exact_to_six_digits_at_every_depth(z: float) -> None:
    # (log h)′ = Φ/h, and ∂/∂σ = (1 − z Φ/h)/σ = φ/(σ h); both from sixty digits.
    log_h = reference.log_improvement_factor(z)
    step = 1e-4 * max(1.0, abs(z)) if z > -50 else 0.0
    if step:
        by_mean = (reference.log_improvement_factor(z + 1e-6) - reference.log_improvement_factor(z - 1e-6)) / 2e-6
        by_deviation = math.exp(-z * z / 2 - 0.5 * math.log(2 * math.pi) - log_h)
    else:
        by_mean, by_deviation = -z + 2 / -z, z * z + 3 - 6 / z**2
    found = log_expected_improvement(np.array([z * 0.5]), np.array([0.5]), 0.0)
    assert found.by_mean[0] * 0.5 == pytest.approx(by_mean, rel=1e-6, abs=1e-12)
    assert found.by_deviation[0] * 0.5 == pytest.approx(by_deviation, rel=1e-6, abs=1e-300)


def test_log_expected_improvement_never_falls_as_mean_or_deviation_grow() -> None:
    grid = np.concatenate([-np.geomspace(1e8, 1e-3, 400), np.linspace(0, 40, 200)])
    values = mean_excess(grid).log_value
    assert np.all(np.diff(values) >= 0)
    deviations = np.geomspace(1e-200, 1e5, 500)
    found = log_expected_improvement(np.full(500, -1.0), deviations, 0.0)
    assert np.all(np.isfinite(found.value))
    assert np.all(np.diff(found.value) >= 0)
    assert np.all(found.by_mean > 0)
    assert np.all(found.by_deviation >= 0)


def test_log_expected_improvement_is_finite_without_deviation() -> None:
    found = log_expected_improvement(np.array([-1.0, 0.0, 1.0]), np.zeros(3), 0.0)
    for part in found:
        assert np.all(np.isfinite(part))
    assert np.all(np.diff(found.value) > 0)


def test_the_best_mean_is_the_prior_mean_before_any_answer() -> None:
    situation = Case(1, answered=0, pending=2).situation
    score = Improvement().score(situation)
    mean, deviation = situation.belief.moments(situation.candidates)
    assert_allclose(score.values(situation.candidates), log_expected_improvement(mean, deviation, 0.3).value)


# Thompson sampling.


def argmax_frequencies(mean: Array, covariance: Array, n: int = 200_000) -> Array:
    root = np.linalg.cholesky(covariance + 1e-12 * np.eye(len(mean)))
    draws = mean + np.random.default_rng(0).standard_normal((n, len(mean))) @ root.T
    return np.bincount(np.argmax(draws, axis=1), minlength=len(mean)) / n


@pytest.mark.parametrize("n", first(1, 1000, 4000))
@pytest.mark.parametrize("inflation", [1.0, 2.5])
def test_thompson_draws_choose_each_row_as_often_as_it_is_the_best(inflation: float, n: int) -> None:
    domain = Candidates(np.array([[2.0], [3.0], [5.5], [8.0], [9.0]]))
    belief, plain = known_gp("matern52", 0.3, 1.0, 0.3)
    study = Study.in_memory(domain, policy=gp_ts(belief=belief), seed=1, clock=Clock())
    for row, value in ((0, 0.5), (2, 0.9), (3, 1.0)):
        study.add(domain.point(row), value)
    evidence, memory = study.evidence(), Memory()
    rule = Thompson(Constant(inflation))
    counts = np.zeros(5)
    for seed in range(n):
        point = rule.choose(situation_of(evidence, belief, seed=seed, memory=memory))
        counts[domain.index(domain.decode(point))] += 1
    mean, covariance = plain.posterior(domain.table[[0, 2, 3]], np.array([0.5, 0.9, 1.0]), domain.table)
    expected = argmax_frequencies(mean, inflation**2 * covariance)
    error = np.sqrt(expected * (1 - expected) * (1 / n + 1 / 200_000))
    assert np.all(np.abs(counts / n - expected) <= STANDARD_ERRORS * error + 1e-3)


def test_inflation_stretches_a_draw_about_the_mean() -> None:
    space = mixed()
    prior, _ = processes_of(space)
    situation = situation_of(random_evidence(3, 6, 2, domain=space), Given(prior), Hallucinate(), seed=8)
    plain, stretched = Thompson().score(situation), Thompson(Constant(3.0)).score(situation)
    probes = probes_of(space, 9)
    mean = situation.belief.moments(probes).mean
    assert_allclose(stretched.values(probes), mean + 3.0 * (plain.values(probes) - mean), atol=SOLVE_TOLERANCE)
    assert isinstance(stretched, Inflated)
    at, slopes = stretched.slopes(probes)
    assert_allclose(at, stretched.values(probes), atol=SOLVE_TOLERANCE)
    for column in (0, 1):
        step = np.zeros(4)
        step[column] = STEP
        expected = (stretched.values(probes + step) - stretched.values(probes - step)) / (2 * STEP)
        assert_allclose(slopes[:, column], expected, atol=SLOPE_TOLERANCE * (1 + np.abs(expected).max()))


def test_the_inflation_of_thompson_sampling_is_nu() -> None:
    case = Case(3)
    situation, plain, domain = case.situation, case.plain, case.domain
    censored = situation_of(case.evidence, Given(situation.prior), Censor(Window(queries=4), -2.0), seed=3)
    score = Thompson(Delayed(Window(queries=4), 0.5)).score(censored)
    assert isinstance(score, Inflated)
    asked = [query for query in case.queries if query.number]
    everything = np.array([domain.encode(query.point) for query in case.queries])
    recent = np.array([domain.encode(query.point) for query in asked[-4:]])
    assert score.inflation == pytest.approx(0.5 * plain.deviation(everything, recent).sum() + 1.0, abs=SOLVE_TOLERANCE)


def test_two_asks_draw_different_functions_and_the_same_ask_the_same() -> None:
    case = Case(3)
    situation, domain = case.situation, case.domain
    first, again = (Thompson().score(situation).values(domain.table) for _ in range(2))
    assert_array_equal(first, again)
    other = situation_of(case.evidence, Given(situation.prior), Hallucinate(), seed=4)
    assert not np.allclose(first, Thompson().score(other).values(domain.table))


# Initial designs.


def test_an_initial_design_comes_first_and_is_cut_short_by_answers() -> None:
    domain = table(60)
    belief, _ = known_gp()
    rule = Initially(4, UpperBound(Constant(2.0)))
    design = domain.sample(4, situation_of(random_evidence(1, 0, 0, domain=domain), belief).random(Stream.DESIGN, 0))
    for asked in range(4):
        situation = situation_of(random_evidence(1, 0, asked, domain=domain), belief)
        assert_array_equal(rule.choose(situation), design[asked])
    for answered, pending in ((4, 0), (1, 3), (5, 2)):
        situation = situation_of(random_evidence(1, answered, pending, domain=domain), belief)
        assert_array_equal(rule.choose(situation), UpperBound(Constant(2.0)).choose(situation))


@pytest.mark.parametrize("domain", [box(), table(60)], ids=["box", "table"])
def test_in_a_box_the_design_goes_on_until_a_share_of_it_is_answered(domain: Space | Candidates) -> None:
    belief, _ = known_gp()
    then = UpperBound(Constant(2.0))
    rule, plain = Initially(4, then, answered=0.6), Initially(4, then)
    design = domain.sample(12, situation_of(random_evidence(1, 0, 0, domain=domain), belief).random(Stream.DESIGN, 0))
    for answered, pending in ((0, 2), (0, 4), (1, 4), (2, 9), (3, 0), (3, 1), (3, 8), (4, 0)):
        situation = situation_of(random_evidence(1, answered, pending, domain=domain), belief)
        asked = answered + pending
        goes_on = isinstance(domain, Space) and asked >= 4 and answered < 3  # 0.6 · 4, and no fewer
        expected = design[asked] if goes_on else plain.choose(situation)
        assert_array_equal(rule.choose(situation), expected)


@pytest.mark.parametrize("answered", [-0.1, 1.5, math.nan])
def test_a_share_of_a_design_is_from_0_to_1(answered: float) -> None:
    with pytest.raises(ParameterError, match=r"^Initially\(answered=.*\): answered must be a finite number"):
        Initially(4, UpperBound(Constant(2.0)), answered)


@pytest.mark.parametrize("asked", range(16))
def test_exploring_first_ends_when_lemma_4_says(asked: int) -> None:
    domain = table(60)
    belief, plain = known_gp("se", 0.4, 1.0, 0.1)
    evidence = random_evidence(3, 0, asked, domain=domain)
    situation = situation_of(evidence, belief, Hallucinate())
    rule = ExploreFirst(3, 1.5, UpperBound(Constant(2.0)))
    sizes = [n for n in range(asked + 1) if reference.initial_set_complete(plain, evidence.points[:n], 3, 1.5)]
    initial = rule.initial_set(situation)
    assert (None if initial is None else initial.tolist()) == (list(range(sizes[0])) if sizes else None)
    then = UpperBound(Constant(2.0)) if sizes else Explore()
    assert_array_equal(rule.choose(situation), then.choose(situation))


# Elimination.


@pytest.mark.parametrize("width", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("asked", [0, 3, 7, 8, 9, 29, 30, 31, 45])
def test_survivors_are_those_of_the_rounds_replayed(asked: int, width: float) -> None:
    domain = table(30)
    belief, plain = known_gp("se", 0.3, 1.0, 0.05)
    study = random_study(6, asked - asked // 3, asked // 3, domain=domain)
    asked_rows = []
    for query in study.queries():
        value, delay = (query.answer.value, query.answer.delay) if query.answer else (0.0, None)
        asked_rows.append(reference.Asked(domain.index(query.point), value, delay))
    rounds = Rounds(60)
    replayed = reference.elimination(plain, domain.table, asked_rows, reference.round_lengths(60, 0.0), width)
    rule = Eliminate(Constant(width), rounds)
    situation = situation_of(study.evidence(), belief, WithinRound(rounds))
    assert np.flatnonzero(rule.survivors(situation)).tolist() == replayed.alive
    chosen = domain.index(domain.decode(rule.choose(situation)))
    assert replayed.deviation[chosen] >= replayed.deviation.max() - SOLVE_TOLERANCE


# Simulation matching.


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5])
def test_medoids_are_picked_greedily_as_by_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.random((24, 3))
    picked: list[int] = []
    for _ in range(6):
        expected = reference.next_medoid(points.tolist(), points[picked].tolist())
        found = next_medoid(points, points[picked])
        assert found == expected
        picked.append(found)


def test_a_matched_batch_is_made_of_simulated_points_one_medoid_after_the_other() -> None:
    domain = table(60)
    belief, _ = known_gp()
    study = Study.in_memory(domain, policy=sm_ucb(batch=4, paths=5, belief=belief), seed=2, clock=Clock())
    for row in (3, 30, 50):
        study.add(domain.point(row), math.sin(row))
    situation = situation_of(study.evidence(), belief, Ignore(), seed=2)
    rule = Match(UpperBound(Constant(2.0)), 4, 5)
    simulated = rule.simulate(situation, situation.random(Stream.CHOICE, 1))
    assert simulated.shape == (20, 2)
    picked: list[list[float]] = []
    for query in batch_of(study, 4):
        place = reference.next_medoid(simulated.tolist(), picked)
        picked.append(simulated[place].tolist())
        assert domain.encode(query.point).tolist() == picked[-1]


def test_a_simulated_run_begins_with_the_choice_of_the_sequential_rule() -> None:
    situation = Case(5, pending=0).situation
    simulated = Match(UpperBound(Constant(2.0)), 3, 4).simulate(situation, np.random.default_rng(1))
    expected = UpperBound(Constant(2.0)).choose(situation)
    for path in range(4):
        assert_array_equal(simulated[3 * path], expected)


def test_each_simulated_run_answers_by_a_function_of_its_own_drawn_from_the_belief_with_noise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    situation, paths = Case(5, pending=0, noise=0.3).situation, 150
    functions: list[Array] = []
    values: list[float] = []
    answer = Match.answer

    def noted(self: Match, situation: Situation, drawn: Function, *rest: Any) -> float:
        functions.append(drawn.values(situation.candidates))
        values.append(answer(self, situation, drawn, *rest))
        return values[-1]

    monkeypatch.setattr(Match, "answer", noted)
    rule = Match(UpperBound(Constant(2.0)), 2, paths)
    asked = rule.simulate(situation, np.random.default_rng(1))
    first, second = functions[::2], functions[1::2]
    assert_array_equal(first, second)
    mean, deviation = situation.belief.moments(situation.candidates)
    error = deviation / math.sqrt(paths)
    assert np.all(np.abs(np.mean(first, axis=0) - mean) <= STANDARD_ERRORS * error)
    ratio = np.var(first, axis=0) / deviation**2
    assert np.all(np.abs(ratio - 1.0) <= STANDARD_ERRORS * math.sqrt(2.0 / paths))
    rows = [int(np.flatnonzero((situation.candidates == point).all(axis=1))[0]) for point in asked]
    noise = np.array(values) - np.array(functions)[np.arange(2 * paths), rows]
    assert abs(noise.mean()) <= STANDARD_ERRORS * math.sqrt(0.3 / (2 * paths))
    assert abs(np.var(noise) / 0.3 - 1.0) <= STANDARD_ERRORS * math.sqrt(2.0 / (2 * paths))


def test_simulating_leaves_the_memory_as_it_was() -> None:
    case = Case(5, pending=0)
    situation, domain = case.situation, case.domain
    before = situation.belief.moments(domain.table)
    Match(Improvement(), 4, 4).simulate(situation, np.random.default_rng(1))
    after = situation_of(case.evidence, Given(situation.prior), memory=case.memory).belief
    assert_array_equal(after.moments(domain.table).mean, before.mean)
    assert_array_equal(after.moments(domain.table).deviation, before.deviation)


def test_another_policy_in_the_middle_of_a_batch_simulates_afresh() -> None:
    domain = Candidates(np.linspace(0.0, 1.0, 60)[:, None])
    belief, _ = known_gp("se", 0.5)
    study = Study.in_memory(domain, policy=sm_ucb(batch=4, width=0.1, belief=belief), seed=3, clock=Clock())
    study.add(domain.point(3), 1.0)
    study.ask(2)
    study.change(policy=sm_ucb(batch=4, width=9.0, belief=belief))
    study.ask(2)
    assert list(differences(study.events, forgetful=True)) == []


def test_a_simulation_fits_no_hyperparameters(monkeypatch: pytest.MonkeyPatch) -> None:
    fits = 0
    prior = GP.prior

    def counted(self: GP, evidence: Evidence, memory: Memory) -> GaussianProcess:
        nonlocal fits
        fits += 1
        return prior(self, evidence, memory)

    domain = table(40)
    study = Study.in_memory(domain, policy=sm_ucb(batch=3, paths=4), seed=2, clock=Clock())
    for row in (3, 30, 35, 7, 9, 11):
        study.add(domain.point(row), math.sin(row))
    monkeypatch.setattr(GP, "prior", counted)
    study.ask()
    assert fits == 1


def test_scores_are_scores_of_moments() -> None:
    situation = Case(5).situation
    assert isinstance(UpperBound(Constant()).score(situation), MomentScore)
    assert isinstance(Improvement().score(situation), MomentScore)
