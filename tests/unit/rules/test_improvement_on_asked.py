"""Expected improvement on all that was asked, pending queries included, against brute force on a table."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm

from belated.evidence import Evidence
from belated.pending import Fantasise, Hallucinate, Ignore, Lie
from belated.pending.fantasies import draws
from belated.rules import Improvement, ImprovementOnAsked
from belated.space import Array
from tests.builders import Given, processes_of, random_evidence, situation_of, table
from tests.reference.gp import PlainGP
from tests.tolerance import SOLVE_TOLERANCE


def parted(evidence: Evidence) -> tuple[Array, Array, Array]:
    """Answered points, their answers, and pending points."""
    answered = evidence.answered_mask
    return evidence.points[answered], evidence.values[answered], evidence.points[evidence.pending_mask]


def improvement(plain: PlainGP, points: Array, values: Array, rows: Array) -> Array:
    """E[max(f − best, 0)] with best the highest mean at these points."""
    mean, deviation = plain.moments(points, values, rows)
    best = plain.moments(points, values, points)[0].max()
    z = (mean - best) / deviation
    return np.asarray(deviation * (norm.pdf(z) + z * norm.cdf(z)))


@pytest.mark.parametrize("seed", [3, 17])
def test_with_nothing_pending_it_is_expected_improvement_to_the_last_bit(seed: int) -> None:
    prior, _ = processes_of(table())
    situation = situation_of(random_evidence(seed, 9, 0), Given(prior), Ignore())
    rows = table().table
    assert_array_equal(ImprovementOnAsked().score(situation).values(rows), Improvement().score(situation).values(rows))


@pytest.mark.parametrize("seed", [3, 17, 91])
def test_what_pending_queries_are_thought_to_bring_is_no_improvement(seed: int) -> None:
    evidence, rows = random_evidence(seed, 9, 4), table().table
    prior, plain = processes_of(table())
    points, values, pending = parted(evidence)
    imagined, _ = plain.moments(points, values, pending)
    every, told = np.concatenate([points, pending]), np.concatenate([values, imagined])
    score = ImprovementOnAsked().score(situation_of(evidence, Given(prior), Hallucinate()))
    assert_allclose(np.exp(score.values(rows)), improvement(plain, every, told, rows), atol=SOLVE_TOLERANCE)


def test_after_an_optimistic_lie_the_lie_is_to_be_beaten() -> None:
    evidence, rows = random_evidence(17, 9, 4), table().table
    prior, plain = processes_of(table())
    points, values, pending = parted(evidence)
    every, told = np.concatenate([points, pending]), np.concatenate([values, np.full(len(pending), values.max())])
    score = ImprovementOnAsked().score(situation_of(evidence, Given(prior), Lie("best")))
    assert_allclose(np.exp(score.values(rows)), improvement(plain, every, told, rows), atol=SOLVE_TOLERANCE)


@pytest.mark.parametrize("seed", [3, 17, 91])
def test_over_fantasies_it_is_the_mean_improvement_each_draw_having_its_own_best(seed: int) -> None:
    evidence, rows = random_evidence(seed, 9, 4), table().table
    prior, plain = processes_of(table())
    points, values, pending = parted(evidence)
    every = np.concatenate([points, pending])
    drawn = draws(prior.condition(*evidence.arrivals()), pending, 6)
    expected = np.mean([improvement(plain, every, np.concatenate([values, each]), rows) for each in drawn], axis=0)
    score = ImprovementOnAsked().score(situation_of(evidence, Given(prior), Fantasise(6)))
    assert_allclose(np.exp(score.values(rows)), expected, atol=SOLVE_TOLERANCE)


def test_before_anything_was_asked_the_prior_mean_is_to_be_beaten() -> None:
    prior, _ = processes_of(table())
    situation = situation_of(random_evidence(3, 0, 0), Given(prior), Hallucinate())
    rows = table().table
    assert_array_equal(ImprovementOnAsked().score(situation).values(rows), Improvement().score(situation).values(rows))
