"""Ensembles and bandits over kernels against [lu2022], by plain formulas that share no code with the library."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

import belated as bl
from belated.beliefs import GP, Features, FullyBayesian, Intervals, Memory, Regressions
from belated.evidence import Evidence
from belated.policies import Policy, Recipe, banditbo, egp_ei, egp_ts, egp_ucb, exp3bo, fb_gp_ts
from belated.rules import point_of
from belated.space import Array, Candidates
from belated.study import Study
from tests.builders import Clock
from tests.pairs import first
from tests.reference.features import PlainRegression
from tests.reference.gp import PlainGP, PlainKernel
from tests.tolerance import STANDARD_ERRORS

DOMAIN = Candidates(np.array([[1.0], [2.0], [4.5], [6.0], [9.0]]))
SPECTRAL, NOISE, SAMPLES = 20, 0.2, 200_000
decisions = pytest.mark.parametrize("decisions", first(1, 1000, 3000))
KERNELS = (
    GP(kernel="se", lengthscale=0.3, variance=1.0, noise=NOISE, mean="zero"),
    GP(kernel="matern32", lengthscale=0.1, variance=1.0, noise=NOISE, mean="zero"),
    GP(kernel="se", lengthscale=2.0, variance=1.0, noise=NOISE, mean="zero"),
)


def told(policy: Recipe, seed: int = 0) -> Study:
    """A study with five answers."""
    study = Study.in_memory(DOMAIN, policy=policy, seed=seed, clock=Clock())
    for row, value in ((0, 0.2), (2, 0.9), (4, -0.4), (2, 0.7), (1, 0.4)):
        study.add(DOMAIN.point(row), value)
    return study


def frequencies(policy: Policy, evidence: Evidence, decisions: int) -> Array:
    """How often each row is asked, over many seeds of the decision."""
    memory, counts = Memory(), np.zeros(len(DOMAIN))
    for seed in range(decisions):
        choice = policy.decide(evidence, 1000.0, seed, memory).outcome
        assert not isinstance(choice, bl.Balk)
        counts[DOMAIN.index(DOMAIN.decode(point_of(choice)))] += 1
    return counts / decisions


def assert_alike(found: Array, expected: Array, decisions: int) -> None:
    error = np.sqrt(expected * (1 - expected) * (1 / decisions + 1 / SAMPLES))
    assert np.all(np.abs(found - expected) <= STANDARD_ERRORS * error + 1e-3), (found, expected)


def features_of(policy: Policy, evidence: Evidence) -> Array:
    """The features of the table that the members have drawn. (M, N, 2 D)"""
    belief = policy.belief.prior(evidence, Memory())
    assert isinstance(belief, bl.beliefs.Mixture)
    (part,) = belief.parts
    assert isinstance(part, Regressions)
    return part.maps(DOMAIN.table)


def member_draws(features: Array, rows: list[int], values: Array, count: int, rng: np.random.Generator) -> Array:
    """Functions on the table drawn from one regression. (count, N)"""
    mean, covariance = PlainRegression(NOISE).posterior(features[rows], values, features)
    root = np.linalg.cholesky(covariance + 1e-12 * np.eye(len(features)))
    return np.asarray(mean + rng.standard_normal((count, len(mean))) @ root.T)


@decisions
def test_egp_ts_draws_a_member_by_its_weight_and_then_a_function(decisions: int) -> None:
    study = told(egp_ts(KERNELS, features=SPECTRAL, initial=0))
    policy, evidence = study.policy, study.evidence()
    features, rng = features_of(policy, evidence), np.random.default_rng(1)
    rows = [DOMAIN.index(query.point) for query in study.queries()]
    values = evidence.arrivals().values
    # The weights by the recursion of the paper: uniform at first, times each predictive likelihood [lu2022, eq. 10].
    likelihoods = [sum(PlainRegression(NOISE).predictive_log_likelihoods(each[rows], values)) for each in features]
    weights = np.exp(likelihoods) / np.exp(likelihoods).sum()
    assert weights.min() > 0.02  # all of them are heard
    expected = np.zeros(len(DOMAIN))
    for weight, own in zip(weights, features, strict=True):
        best = np.argmax(member_draws(own, rows, values, SAMPLES, rng), axis=1)
        expected += weight * np.bincount(best, minlength=len(DOMAIN)) / SAMPLES
    assert_alike(frequencies(policy, evidence, decisions), expected, decisions)


def improvement(mean: float, deviation: float, best: float) -> float:
    """E max(f − best, 0) for a Gaussian f."""
    z = (mean - best) / deviation
    return deviation * (z * 0.5 * math.erfc(-z / math.sqrt(2.0)) + math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi))


def upper_bound(mean: float, deviation: float, best: float) -> float:
    """The mean and one and a half deviations."""
    return mean + 1.5 * deviation


@decisions
@pytest.mark.parametrize(
    "recipe, score",
    [(egp_ei(KERNELS, initial=0), improvement), (egp_ucb(KERNELS, width=1.5, initial=0), upper_bound)],
    ids=["egp-ei", "egp-ucb"],
)
def test_another_rule_looks_at_a_member_drawn_by_its_weight(
    recipe: Recipe, score: Callable[[float, float, float], float], decisions: int
) -> None:
    study = told(recipe)
    policy, evidence = study.policy, study.evidence()
    points, values, _ = evidence.arrivals()
    plain = [
        PlainGP(PlainKernel(kernel.kernel, 1.0, (float(kernel.lengthscale),)), NOISE)  # type: ignore[arg-type]
        for kernel in KERNELS
    ]
    logs = np.array([process.log_likelihood(points, values) for process in plain])
    weights = np.exp(logs) / np.exp(logs).sum()
    expected = np.zeros(len(DOMAIN))
    for weight, process in zip(weights, plain, strict=True):
        mean, deviation = process.moments(points, values, DOMAIN.table)
        best = process.moments(points, values, points)[0].max()
        expected[np.argmax([score(*each, best) for each in zip(mean, deviation, strict=True)])] += weight
    assert_alike(frequencies(policy, evidence, decisions), expected, decisions)


@decisions
def test_banditbo_asks_the_highest_maximum_of_all_draws(decisions: int) -> None:
    study = told(banditbo(KERNELS, features=SPECTRAL, initial=0))
    policy, evidence = study.policy, study.evidence()
    rng = np.random.default_rng(2)
    rows = [DOMAIN.index(query.point) for query in study.queries()]
    values = evidence.arrivals().values
    drawn = []
    for kernel in KERNELS:
        # Added data are every arm's; alone, an arm draws the features of the first place.
        alone = Policy(Features(kernel, SPECTRAL), policy.treatment, policy.rule, policy.pacing)
        drawn.append(member_draws(features_of(alone, evidence)[0], rows, values, SAMPLES, rng))
    tops = np.array([draws.max(axis=1) for draws in drawn])
    played = np.argmax(tops, axis=0)
    places = np.array([np.argmax(draws, axis=1) for draws in drawn])[played, np.arange(SAMPLES)]
    expected = np.bincount(places, minlength=len(DOMAIN)) / SAMPLES
    assert_alike(frequencies(policy, evidence, decisions), expected, decisions)


def exp3(arms: list[int], values: list[float], added: int, exploration: float) -> Array:
    """The chances of three arms after these plays, answered at once, one after another [auer2002, EXP3]."""
    played: list[float] = []
    for plays in range(len(arms) + 1):
        known = values[: added + plays]
        low, high = min(known), max(known)
        gains = [0.0, 0.0, 0.0]
        for place in range(plays):
            reward = (values[added + place] - low) / (high - low)
            gains[arms[place]] += exploration / 3 * reward / played[place]
        total = sum(math.exp(gain) for gain in gains)
        chances = [(1 - exploration) * math.exp(gain) / total + exploration / 3 for gain in gains]
        if plays < len(arms):
            played.append(chances[arms[plays]])
    return np.array(chances)


@decisions
def test_exp3bo_draws_an_arm_by_exp3_and_a_function_from_that_arms_own_answers(decisions: int) -> None:
    exploration, added = 0.6, 5
    study = told(exp3bo(KERNELS, features=SPECTRAL, exploration=exploration, initial=0))
    for turn in range(9):
        query = study.ask()
        assert isinstance(query, bl.Query)
        study.tell(query, 0.9 - 0.3 * abs(float(query.point["x0"]) - 4.5) + 0.1 * turn)
    policy, evidence, rng = study.policy, study.evidence(), np.random.default_rng(3)
    queries = list(study.queries())
    arms = [query.arm for query in queries[added:] if query.arm is not None]
    assert len(set(arms)) > 1
    values = [query.answer.value for query in queries if query.answer is not None]
    chances = exp3(arms, values, added, exploration)
    assert np.ptp(chances) > 0.1  # what the arms have earned shows
    rows = np.array([DOMAIN.index(query.point) for query in queries])
    owners = np.array([-1] * added + arms)
    expected = np.zeros(len(DOMAIN))
    for arm, (chance, kernel) in enumerate(zip(chances, KERNELS, strict=True)):
        alone = Policy(Features(kernel, SPECTRAL), policy.treatment, policy.rule, policy.pacing)
        own = np.flatnonzero((owners == -1) | (owners == arm))
        draws = member_draws(features_of(alone, evidence)[0], rows[own].tolist(), np.array(values)[own], SAMPLES, rng)
        expected += chance * np.bincount(np.argmax(draws, axis=1), minlength=len(DOMAIN)) / SAMPLES
    assert_alike(frequencies(policy, evidence, decisions), expected, decisions)


def test_fully_bayesian_gp_ts_averages_over_hyperparameters_that_are_uniform_beforehand() -> None:
    pytest.importorskip("emcee")
    variances, lengthscales, noises = (0.2, 3.0), (0.1, 2.0), (0.02, 0.4)
    law = Intervals(variance=variances, lengthscale=lengthscales, noise=noises)
    belief = FullyBayesian(GP(kernel="se", ard=False, mean="zero"), law, draws=64)
    studies = [told(fb_gp_ts(belief, initial=0), seed) for seed in range(6)]
    found = np.mean([frequencies(study.policy, study.evidence(), 200) for study in studies], axis=0)
    # By the middles of a grid over the hyperparameters, each weighed by the likelihood alone.
    points, values, _ = studies[0].evidence().arrivals()
    rng, logs, asked = np.random.default_rng(4), [], []
    middles = [low + (high - low) * (np.arange(9) + 0.5) / 9 for low, high in (variances, lengthscales, noises)]
    for variance, lengthscale, noise in product(*middles):
        process = PlainGP(PlainKernel("se", variance, (lengthscale,)), noise)
        mean, covariance = process.posterior(points, values, DOMAIN.table)
        draws = rng.multivariate_normal(mean, covariance, size=400, method="eigh")
        logs.append(process.log_likelihood(points, values))
        asked.append(np.bincount(np.argmax(draws, axis=1), minlength=len(DOMAIN)) / 400)
    weights = np.exp(np.array(logs) - max(logs))
    expected = weights @ np.array(asked) / weights.sum()
    # A decision picks one of 64 draws of a study: what differs between these, and what is picked, err once each.
    assert_alike(found, expected, 6 * 64 // 2)


@pytest.mark.parametrize("size", [4, 10])
def test_a_batch_is_so_many_draws_from_one_posterior(size: int) -> None:
    # Synchronous, asynchronous and sequential differ in when answers come, and in nothing else [lu2022, section 4.2].
    policy = egp_ts(KERNELS, features=SPECTRAL, initial=0)
    study = Study.in_memory(DOMAIN, policy=policy, seed=3, clock=Clock())
    for query in told(policy).queries():
        assert query.answer is not None
        study.add(dict(query.point), query.answer.value)
    before = study.policy.moment(study.evidence(), 1000.0, 0, Memory()).belief.moments(DOMAIN.table)
    assert len(study.ask(size)) == size
    after = study.policy.moment(study.evidence(), 1000.0, 0, Memory()).belief.moments(DOMAIN.table)
    np.testing.assert_array_equal(before.mean, after.mean)
    np.testing.assert_array_equal(before.deviation, after.deviation)
