"""The improvement on an unknown best against dense joint draws, in its limits, and its slopes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import log_ndtr

from belated.beliefs import (
    GP,
    Ensemble,
    Features,
    GaussianProcess,
    Incumbents,
    Memory,
    Mixture,
    Moments,
    Regressions,
    Scenarios,
    SimpleKernel,
)
from belated.beliefs.kernels.forms import FORMS
from belated.beliefs.process.scenarios import ProcessScenarios
from belated.errors import ParameterError
from belated.evidence import Evidence
from belated.log import Window
from belated.pending import Hallucinate, Ignore, Open, Treatment
from belated.rules import Improvement, Model, NoisyImprovement, Situation
from belated.rules.noisy_improvement import ScenarioImprovement, excesses
from belated.space import Array, Space
from tests.builders import Domain, Given, box, mixed, probes_of, processes_of, random_evidence, situation_of, table
from tests.reference import noisy_improvement as reference
from tests.reference.gp import PlainGP
from tests.reference.policies import log_improvement_factor
from tests.tolerance import ROUNDING, SLOPE_TOLERANCE, SOLVE_TOLERANCE, STANDARD_ERRORS, STEP


class Case:
    """A situation with noise and pending queries, and the reference."""

    def __init__(
        self,
        seed: int,
        answered: int = 8,
        pending: int = 3,
        noise: float = 0.3,
        domain: Domain | None = None,
        treatment: Treatment | None = None,
    ) -> None:
        self.domain = domain or box()
        self.prior, self.plain = processes_of(self.domain, noise=noise)
        self.evidence: Evidence = random_evidence(seed, answered, pending, domain=self.domain)
        self.situation: Situation = situation_of(self.evidence, Given(self.prior), treatment or Open(), seed=seed)
        self.probes = probes_of(self.domain, 6)

    @property
    def answers(self) -> tuple[Array, Array]:
        answered = self.evidence.answered_mask
        return self.evidence.points[answered], self.evidence.values[answered]

    @property
    def incumbents(self) -> Array:
        """All that were asked and may still be the best."""
        mask = self.evidence.answered_mask | self.evidence.pending_mask
        return self.evidence.points[mask]

    def score(self, draws: int = 64) -> ScenarioImprovement:
        score = NoisyImprovement(draws).score(self.situation)
        assert isinstance(score, ScenarioImprovement)
        return score

    def scenarios(self) -> ProcessScenarios:
        scenarios = self.score().members[0].scenarios
        assert isinstance(scenarios, ProcessScenarios)
        return scenarios


def moments_of(scenarios: Scenarios, points: Array) -> Moments:
    """Means in each scenario (S, m), and the deviation (m,)."""
    mean, deviation, rest = scenarios.foreseen(points)
    return Moments(mean + scenarios.draws @ rest, deviation)


def gains_of(scenarios: Scenarios, probes: Array) -> tuple[Array, Array]:
    """The mean gain at probes and its standard error, were the draws independent, from `moments` alone."""
    mean, deviation = moments_of(scenarios, probes)
    z = (mean - scenarios.best[:, None]) / deviation
    tail = 0.5 * np.vectorize(math.erfc)(-z / math.sqrt(2.0))
    gains = deviation * (np.exp(-0.5 * z**2) / math.sqrt(2.0 * math.pi) + z * tail)
    return gains.mean(axis=0), gains.std(axis=0) / math.sqrt(len(gains))


# Against dense joint draws.


@pytest.mark.parametrize("make", [box, mixed], ids=["box", "mixed"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_it_is_the_mean_over_joint_draws_of_all_that_was_asked(seed: int, make: type) -> None:
    case = Case(seed, domain=make())
    expected = reference.improvement(case.plain, *case.answers, case.incumbents, case.probes, 200_000, seed)
    _, error = gains_of(case.score(1024).members[0].scenarios, case.probes)
    found = np.exp(case.score(1024).values(case.probes))
    # Quasi-random draws are no worse than independent ones.
    assert np.all(np.abs(found - expected.value) <= STANDARD_ERRORS * np.hypot(expected.error, error))
    assert np.any(expected.value > STANDARD_ERRORS * expected.error)


@pytest.mark.parametrize("make", [box, mixed], ids=["box", "mixed"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_given_its_draws_it_is_the_closed_form_of_dense_conditioning(seed: int, make: type) -> None:
    case = Case(seed, domain=make())
    scenarios, score = case.scenarios(), case.score()
    known = scenarios.points
    drawn = moments_of(scenarios, known).mean
    expected = reference.log_improvement_given(case.plain, *case.answers, known, drawn, scenarios.best, case.probes)
    assert_allclose(score.values(case.probes), expected, atol=SOLVE_TOLERANCE)


def test_the_draws_are_those_of_the_posterior() -> None:
    case = Case(4)
    n = 1024
    scenarios = case.score(n).members[0].scenarios
    mean, covariance = case.plain.posterior(*case.answers, case.incumbents)
    drawn = moments_of(scenarios, case.incumbents).mean
    # At points whose values were dropped, scenarios keep a deviation; at those that are known, they have none.
    known = moments_of(scenarios, case.incumbents).deviation < 1e-6
    assert np.count_nonzero(known) >= 3
    error = np.sqrt(np.diagonal(covariance) / n)
    assert np.all(np.abs(drawn.mean(axis=0) - mean)[known] <= STANDARD_ERRORS * error[known])
    centred = drawn[:, known] - mean[known]
    spread = np.sqrt(2.0 / n) * np.sqrt(np.outer(np.diagonal(covariance)[known], np.diagonal(covariance)[known]))
    assert np.all(np.abs(centred.T @ centred / n - covariance[np.ix_(known, known)]) <= STANDARD_ERRORS * spread)


def test_the_best_is_the_highest_value_of_all_incumbents_in_every_draw() -> None:
    case = Case(5)
    scenarios = case.scenarios()
    mean, deviation = moments_of(scenarios, case.incumbents)
    known = deviation < 1e-6
    assert_allclose(scenarios.best, mean[:, known].max(axis=1), atol=1e-6)


# Slopes.


@pytest.mark.parametrize("kind", ["process", "features", "ensemble"])
@pytest.mark.parametrize("make", [box, mixed], ids=["box", "mixed"])
def test_slopes_are_those_of_differences(make: type, kind: str) -> None:
    domain: Space = make()
    evidence = random_evidence(6, 9, 3, domain=domain)
    models: dict[str, Model] = {
        "process": GP(),
        "features": Features(GP(kernel="se"), 12),
        "ensemble": Ensemble((GP(kernel="se"), GP(kernel="matern52"), Features(GP(kernel="se"), 10))),
    }
    score = NoisyImprovement(16).score(situation_of(evidence, models[kind], Open(), seed=6))
    probes = probes_of(domain, 6)
    values, slopes = score.slopes(probes)
    assert_allclose(values, score.values(probes), atol=SOLVE_TOLERANCE)
    for column in np.flatnonzero([levels is None for levels in domain.levels]):
        step = np.zeros(domain.dimension)
        step[column] = STEP
        expected = (score.values(probes + step) - score.values(probes - step)) / (2 * STEP)
        assert_allclose(slopes[:, column], expected, atol=SLOPE_TOLERANCE * (1 + np.abs(expected).max()))


# Limits.


@pytest.mark.parametrize("treatment", [Open(), Ignore(), Hallucinate()], ids=["open", "ignore", "hallucinate"])
@pytest.mark.parametrize("answered", [0, 1, 8])
def test_without_noise_and_pending_queries_it_is_the_classical_improvement(answered: int, treatment: Treatment) -> None:
    case = Case(2, answered, 0, noise=1e-12, treatment=treatment)
    classical = Improvement().score(case.situation)
    # The noise that is left moves the best by its deviation.
    assert_allclose(case.score().values(case.probes), classical.values(case.probes), atol=1e-5)


def test_without_incumbents_the_best_is_the_prior_mean() -> None:
    case = Case(2, 0, 0)
    assert_array_equal(case.score().values(case.probes), Improvement().score(case.situation).values(case.probes))


@pytest.mark.parametrize("noise", [1e-9, 0.3])
def test_nothing_is_expected_at_a_pending_query_or_where_the_best_may_be(noise: float) -> None:
    case = Case(3, noise=noise)
    pending = case.evidence.points[case.evidence.pending_mask]
    score = case.score()
    assert score.values(pending).max() < score.values(case.probes).max() - 10.0
    ignored = NoisyImprovement().score(situation_of(case.evidence, Given(case.prior), Ignore(), seed=3))
    assert ignored.values(pending).max() > score.values(pending).max() + 5.0


def test_pending_queries_can_only_raise_the_best() -> None:
    case = Case(3)
    ignored = situation_of(case.evidence, Given(case.prior), Ignore(), seed=3)
    without = NoisyImprovement(1024).score(ignored)
    assert isinstance(without, ScenarioImprovement)
    slack = STANDARD_ERRORS * gains_of(without.members[0].scenarios, case.probes)[1]
    assert np.all(np.exp(case.score(1024).values(case.probes)) <= np.exp(without.values(case.probes)) + slack)


def test_a_window_changes_nothing_of_what_is_open() -> None:
    case = Case(3)
    short = situation_of(case.evidence, Given(case.prior), Open(Window(queries=0)), seed=3)
    assert_array_equal(NoisyImprovement().score(short).values(case.probes), case.score().values(case.probes))


def test_incumbents_told_again_and_again_count_once() -> None:
    case = Case(7)
    answered, open_ = case.situation.past.incumbents
    often = Incumbents(np.tile(answered, (5, 1)), np.concatenate([open_, open_, answered[:2]]))
    belief = case.situation.belief
    assert isinstance(belief, GaussianProcess)
    once, again = (
        ScenarioImprovement(belief.scenarios(points, 1024, np.random.default_rng(1)))
        for points in (Incumbents(answered, open_), often)
    )
    errors = [gains_of(score.members[0].scenarios, case.probes)[1] for score in (once, again)]
    difference = np.exp(once.values(case.probes)) - np.exp(again.values(case.probes))
    assert np.all(np.abs(difference) <= STANDARD_ERRORS * np.hypot(*errors))
    assert np.all(np.isfinite(again.slopes(case.probes)[1]))


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_answers_in_another_unit_move_it_by_the_logarithm_of_the_unit(scale: float) -> None:
    case = Case(8)
    kernel = case.prior.kernel
    assert isinstance(kernel, SimpleKernel)
    prior = replace(
        case.prior,
        kernel=kernel.scaled(scale**2),
        noise=case.prior.noise * scale**2,
        prior_mean=case.prior.prior_mean * scale,
    )
    points, values = case.answers
    incumbents = case.situation.past.incumbents
    plain, scaled = (
        ScenarioImprovement(process.condition(points, told).scenarios(incumbents, 64, np.random.default_rng(1)))
        for process, told in ((case.prior, values), (prior, values * scale))
    )
    assert_allclose(scaled.values(case.probes), plain.values(case.probes) + math.log(scale), atol=1e-6)
    slopes, expected = scaled.slopes(case.probes)[1], plain.slopes(case.probes)[1]
    assert_allclose(slopes, expected, atol=1e-5 * (1.0 + np.abs(expected).max()))


@pytest.mark.parametrize("noise", [1e-9, 1e-2])
def test_a_nearly_singular_kernel_is_endured(noise: float) -> None:
    space = box()
    setting = processes_of(space)[0].setting
    kernel = SimpleKernel(FORMS["se"], 1.0, (20.0, 30.0), (), None)
    prior = GaussianProcess(kernel, noise, 0.0, replace(setting, memory=Memory()))
    rng = np.random.default_rng(2)
    points = 0.5 + 1e-3 * rng.random((12, 2))
    belief = prior.condition(points, rng.standard_normal(12))
    score = ScenarioImprovement(belief.scenarios(Incumbents(points, points[:4] + 1e-9), 64, rng))
    for at in (space.sample(40, rng), points, points + 1e-12):
        values, slopes = score.slopes(at)
        assert np.all(np.isfinite(values))
        assert np.all(np.isfinite(slopes))


DEPTHS = (-1e6, -1e5, -1000.1, -100.0, -60.1, -59.9, -37.6, -6.1, -1.01, -0.3, -1e-3, 0.0, 1e-3, 0.5, 3.0, 8.0, 40.0)


@pytest.mark.parametrize("deviation", [1e-12, 0.3, 1e12])
@pytest.mark.parametrize("shifts", [(0.0,), (0.0, -0.5, -3.0, -1e3)], ids=["one draw", "four draws"])
def test_excesses_are_exact_to_nine_digits_at_every_depth(shifts: tuple[float, ...], deviation: float) -> None:
    depths = np.array(DEPTHS)
    mean = deviation * (depths + np.array(shifts)[:, None])
    found = excesses(mean + 0.25 * deviation, np.full(len(depths), deviation), np.full(len(shifts), 0.25 * deviation))
    logs = [[log_improvement_factor(float(z)) for z in depths + shift] for shift in shifts]
    expected = np.logaddexp.reduce(logs, axis=0) - math.log(len(shifts)) + math.log(deviation)
    assert_allclose(found.log_mean, expected, rtol=1e-12, atol=1e-8)


@pytest.mark.parametrize("depth", DEPTHS)
def test_slopes_of_excesses_are_exact_at_every_depth(depth: float) -> None:
    # (log h)′ = Φ/h, of which log Φ comes from SciPy, and ∂/∂σ log(σ h) = φ/(σ h).
    log_h = log_improvement_factor(depth)
    by_mean, by_deviation = excesses(np.array([[depth * 0.5]]), np.array([0.5]), np.zeros(1)).slopes()
    if depth > -100.0:
        assert by_mean[0, 0] * 0.5 == pytest.approx(math.exp(float(log_ndtr(depth)) - log_h), rel=1e-9)
        density = math.exp(-0.5 * depth**2 - 0.5 * math.log(2.0 * math.pi) - log_h)
        assert by_deviation[0] * 0.5 == pytest.approx(density, rel=1e-9, abs=1e-300)
    else:
        assert by_mean[0, 0] * 0.5 == pytest.approx(-depth + 2 / -depth, rel=1e-6)
        assert by_deviation[0] * 0.5 == pytest.approx(depth**2 + 3, rel=1e-6)


# Tables, mixtures, and the choice.


@pytest.mark.parametrize("lazy_from", [250_000, 1], ids=["whole", "lazy"])
@pytest.mark.parametrize("seed", [1, 2])
def test_on_a_table_it_is_what_it_is_at_the_same_points_of_a_box(seed: int, lazy_from: int) -> None:
    domain = table(60)
    prior, _ = processes_of(domain)
    evidence = random_evidence(seed, 9, 3, domain=domain)
    settings = [replace(prior.setting, memory=Memory(lazy_from)), replace(prior.setting, table=None, memory=Memory())]
    on, off = (
        NoisyImprovement().score(situation_of(evidence, Given(replace(prior, setting=setting)), Open(), seed=seed))
        for setting in settings
    )
    asked = (domain.table[:, None] == evidence.points).all(axis=2).any(axis=1)
    found, expected = on.values(domain.table), off.values(domain.table)
    assert_allclose(found[~asked], expected[~asked], atol=SOLVE_TOLERANCE)
    assert found[asked].max() < found[~asked].max()


def test_under_a_mixture_it_is_the_mean_over_the_members() -> None:
    domain = box()
    evidence = random_evidence(3, 9, 3, domain=domain)
    model = Ensemble((GP(kernel="se"), Features(GP(kernel="se"), 12), GP(kernel="matern32")))
    situation = situation_of(evidence, model, Open(), seed=3)
    mixture, probes = situation.belief, probes_of(domain, 5)
    assert isinstance(mixture, Mixture)
    score = NoisyImprovement(32).score(situation)
    assert isinstance(score, ScenarioImprovement)
    assert [weight for weight, _ in score.members] == mixture.weights.tolist()
    alone = [
        math.log(member.weight) + ScenarioImprovement((member._replace(weight=1.0),)).values(probes)
        for member in score.members
    ]
    assert_allclose(score.values(probes), np.log(np.exp(alone).sum(axis=0)), atol=ROUNDING * 1e3)
    assert sum(len(member.scenarios.best) for member in score.members) >= 32


def test_a_regression_on_features_is_the_process_with_their_kernel() -> None:
    domain = box()
    evidence = random_evidence(4, 9, 2, domain=domain)
    situation = situation_of(evidence, Features(GP(kernel="se"), 12), Open(), seed=4)
    mixture, probes = situation.belief, probes_of(domain, 5)
    assert isinstance(mixture, Mixture)
    regression = mixture.parts[0]
    assert isinstance(regression, Regressions)
    maps, answered = regression.maps, evidence.answered_mask
    noise, mean = float(regression.noises[0]), float(regression.prior_means[0])

    class OfFeatures:
        variance = 1.0

        def matrix(self, first: Array, second: Array) -> Array:
            return np.asarray(maps(first)[0] @ maps(second)[0].T)

    plain = PlainGP(OfFeatures(), noise, mean)  # type: ignore[arg-type]
    asked = evidence.points[answered | evidence.pending_mask]
    expected = reference.improvement(
        plain, evidence.points[answered], evidence.values[answered], asked, probes, 200_000, 1
    )
    score = NoisyImprovement(1024).score(situation)
    assert isinstance(score, ScenarioImprovement)
    _, error = gains_of(score.members[0].scenarios, probes)
    assert np.all(
        np.abs(np.exp(score.values(probes)) - expected.value) <= STANDARD_ERRORS * np.hypot(expected.error, error)
    )


@pytest.mark.parametrize("make", [box, mixed], ids=["box", "mixed"])
def test_on_a_box_no_random_point_scores_better(make: type) -> None:
    space: Space = make()
    case = Case(5, 10, 2, domain=space)
    score = case.score()
    chosen = score.values(NoisyImprovement().choose(case.situation)[None])[0]
    others = score.values(space.sample(4000, np.random.default_rng(1)))
    assert chosen >= others.max() - 1e-6 * np.ptp(others[np.isfinite(others)])


def test_of_many_answers_only_the_highest_means_can_be_the_best() -> None:
    case = Case(6, 300, 4, noise=0.5)
    scenarios = case.scenarios()
    assert len(scenarios.points) <= 64 + 4
    expected = reference.improvement(case.plain, *case.answers, case.incumbents, case.probes, 20_000, 1)
    found = np.exp(case.score(1024).values(case.probes))
    _, error = gains_of(case.score(1024).members[0].scenarios, case.probes)
    assert np.all(np.abs(found - expected.value) <= STANDARD_ERRORS * np.hypot(expected.error, error))


@pytest.mark.parametrize("draws", [0, 1.5, 1025, "2"])
def test_draws_are_a_whole_number_from_1_to_1024(draws: object) -> None:
    with pytest.raises(ParameterError, match=r"draws"):
        NoisyImprovement(draws)  # type: ignore[arg-type]
