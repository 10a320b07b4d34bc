"""Treatments that lie about pending queries, or draw what they will say, against the dense formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from belated.beliefs import Mixture
from belated.errors import ParameterError
from belated.log import FOREVER
from belated.pending import ExpectLess, Fantasise, Hallucinate, Ignore, Lie
from belated.pending.fantasies import draws
from tests.laws.test_treatments import TREATMENTS, Case, every_domain, every_seed
from tests.tolerance import SOLVE_TOLERANCE, STANDARD_ERRORS

# Lies.


@pytest.mark.parametrize("told, summary", [("worst", min), ("mean", np.mean), ("best", max)])
@every_seed
@every_domain
def test_a_lie_is_conditioning_on_one_value_for_all_that_is_pending(
    domain: str, seed: int, told: Any, summary: Any
) -> None:
    case = Case(domain, seed)
    points, values = case.answers()
    pending = case.points(case.waiting(FOREVER))
    lies = np.full(len(pending), float(summary(values)))
    case.check(Lie(told), np.concatenate([points, pending]), np.concatenate([values, lies]))


def test_before_any_answer_a_lie_is_the_prior_mean() -> None:
    case = Case("box", 4, n_answered=0, n_added=0)
    pending = case.points(case.waiting(FOREVER))
    case.check(Lie("best"), pending, np.full(len(pending), 0.3))


@pytest.mark.parametrize("deviations", [0.0, 0.5, 2.0])
@every_seed
@every_domain
def test_expecting_less_is_conditioning_on_so_many_deviations_below_the_mean(
    domain: str, seed: int, deviations: float
) -> None:
    case = Case(domain, seed)
    points, values = case.answers()
    pending = case.points(case.waiting(FOREVER))
    mean, deviation = case.plain.moments(points, values, pending)
    told = np.concatenate([values, mean - deviations * deviation])
    case.check(ExpectLess(deviations), np.concatenate([points, pending]), told)


def test_a_lie_that_is_none_of_the_three_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"Lie\(told='median'\): .* 'worst' .* give one of them"):
        Lie("median")  # type: ignore[arg-type]


# Fantasies.


@every_domain
def test_fantasies_are_the_even_mixture_of_what_each_draw_would_teach(domain: str) -> None:
    """Each member against the dense posterior of the answers and its draw, mixed by the law of total variance."""
    case = Case(domain, 17)
    points, values = case.answers()
    pending = case.points(case.waiting(FOREVER))
    known = case.prior.condition(*case.evidence.arrivals())
    drawn = draws(known, pending, 6)
    members = [
        case.plain.moments(np.concatenate([points, pending]), np.concatenate([values, each]), case.probes)
        for each in drawn
    ]
    means, deviations = np.array([mean for mean, _ in members]), np.array([deviation for _, deviation in members])
    mean = means.mean(axis=0)
    deviation = np.sqrt((deviations**2 + (means - mean) ** 2).mean(axis=0))
    belief = Fantasise(6)(case.prior, case.evidence, case.now)
    assert_allclose(belief.moments(case.probes).mean, mean, atol=SOLVE_TOLERANCE)
    assert_allclose(belief.moments(case.probes).deviation, deviation, atol=SOLVE_TOLERANCE)


@every_domain
def test_the_mean_of_fantasies_is_that_of_the_answers_and_each_is_as_wide_as_hallucination(domain: str) -> None:
    """So an upper bound that is averaged over the draws is that of hallucination."""
    case = Case(domain, 3)
    fantasies = Fantasise(8)(case.prior, case.evidence, case.now)
    hallucinated = Hallucinate()(case.prior, case.evidence, case.now).moments(case.probes)
    assert isinstance(fantasies, Mixture)
    means, deviations = fantasies.member_moments(case.probes)
    assert_allclose(means.mean(axis=0), hallucinated.mean, atol=SOLVE_TOLERANCE)
    assert_allclose(deviations, np.tile(hallucinated.deviation, (8, 1)), atol=SOLVE_TOLERANCE)


@pytest.mark.parametrize("domain", ["box", "mixed table"])
def test_draws_of_pending_answers_have_the_law_that_the_answers_give(domain: str) -> None:
    case = Case(domain, 91)
    pending = case.points(case.waiting(FOREVER))
    known = case.prior.condition(*case.evidence.arrivals())
    mean, covariance = case.plain.posterior(*case.answers(), pending)
    drawn = draws(known, pending, 20_000)
    wanted = covariance + case.plain.noise * np.eye(len(pending))
    assert_allclose(drawn.mean(axis=0), mean, atol=SOLVE_TOLERANCE)  # in mirrored pairs
    centred = drawn[::2] - mean
    found = centred.T @ centred / len(centred)
    variances = np.diag(wanted)
    error = np.sqrt((variances[:, None] * variances + wanted**2) / len(centred))
    assert np.all(np.abs(found - wanted) <= STANDARD_ERRORS * error)


@pytest.mark.parametrize(
    "treatment", ["hallucinate", "lie", "lie, mean", "lie, best", "expect less", "fantasise", "nearest"]
)
@every_domain
def test_with_nothing_pending_these_treatments_ignore_to_the_last_bit(treatment: str, domain: str) -> None:
    case = Case(domain, 8, n_pending=0)
    ignored = Ignore()(case.prior, case.evidence, case.now).moments(case.probes)
    found = TREATMENTS[treatment](case.prior, case.evidence, case.now).moments(case.probes)
    assert_array_equal(found.mean, ignored.mean)
    assert_array_equal(found.deviation, ignored.deviation)
