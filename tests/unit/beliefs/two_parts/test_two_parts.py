"""A belief in two parts: its moments against draws, its slopes against differences, and silence against waiting."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from belated.beliefs import GP, Belief, Combine, Combined, Memory, TwoParts
from belated.evidence import Evidence
from belated.log import Query, Window
from belated.space import Array, Float, Space
from belated.study import Study
from tests.builders import Clock
from tests.pairs import first
from tests.tolerance import SLOPE_TOLERANCE, STANDARD_ERRORS, STEP

SPACE = Space(price=Float(1.0, 20.0), size=Float(0.0, 1.0))
PROBES = np.random.default_rng(3).random((5, 2))


def sold(n: int = 30, pending: int = 0, come: float = 0.3) -> Evidence:
    """Prices, of which some are paid, and some of the last are still waited for."""
    rng = np.random.default_rng(5)
    study = Study.in_memory(SPACE, policy="random", seed=1, silence=0.0, clock=Clock(), notices=False)
    for number in range(n):
        query = study.ask()
        assert isinstance(query, Query)
        price = query.point["price"]
        if number < n - pending and rng.random() < np.exp(-price / 6.0):
            study.tell(query, price)
    evidence = study.evidence()
    waiting = int(evidence.pending_mask.sum())
    return evidence.counting_silence(Window(queries=pending), 1000.0, np.full(waiting, come))


def belief(evidence: Evidence) -> Belief:
    return TwoParts(GP()).prior(evidence, Memory()).condition(*evidence.arrivals())


@pytest.mark.parametrize("count", first(1, 700, 2000))
def test_moments_are_those_of_drawn_chances_times_drawn_answers(count: int) -> None:
    believed = belief(sold())
    rng = np.random.default_rng(4)
    draws = np.array([believed.draw(rng).values(PROBES) for _ in range(count)])
    mean, deviation = believed.moments(PROBES)
    error = draws.std(axis=0) / np.sqrt(len(draws))
    # Paths of random features are themselves approximate, and the deviation is of first order in the chance.
    assert np.all(np.abs(draws.mean(axis=0) - mean) <= STANDARD_ERRORS * error + 0.05 * deviation)
    assert_allclose(draws.std(axis=0), deviation, rtol=0.35)


def test_a_score_climbs_by_central_differences() -> None:
    believed = belief(sold())

    def combine(mean: Array, deviation: Array) -> Combined:
        return Combined(mean**2 + 3.0 * deviation, 2.0 * mean, np.full(len(mean), 3.0))

    score: Combine = combine
    values, slopes = believed.slopes(PROBES, score)
    assert_allclose(values, combine(*believed.moments(PROBES)).value)
    for column in range(2):
        along = np.eye(2)[column] * STEP
        above, below = (combine(*believed.moments(PROBES + move)).value for move in (along, -along))
        assert_allclose(slopes[:, column], (above - below) / (2 * STEP), rtol=1e-3, atol=SLOPE_TOLERANCE)


def test_a_drawn_function_climbs_by_central_differences() -> None:
    drawn = belief(sold()).draw(np.random.default_rng(2))
    values, slopes = drawn.slopes(PROBES)
    assert_allclose(values, drawn.values(PROBES))
    for column in range(2):
        along = np.eye(2)[column] * STEP
        differences = (drawn.values(PROBES + along) - drawn.values(PROBES - along)) / (2 * STEP)
        assert_allclose(slopes[:, column], differences, rtol=1e-3, atol=SLOPE_TOLERANCE)


def test_while_none_stays_away_it_is_the_belief_of_the_answers() -> None:
    study = Study.in_memory(SPACE, policy="random", seed=1, silence=0.0, clock=Clock())
    for _ in range(6):
        query = study.ask()
        assert isinstance(query, Query)
        study.tell(query, query.point["price"])
    evidence = study.evidence()
    alone = GP().prior(evidence, Memory())
    assert TwoParts(GP()).prior(evidence, Memory()).key == alone.key


def test_the_longer_queries_are_silent_the_less_is_expected_of_their_places() -> None:
    def expected(share: float) -> Array:
        evidence = sold(pending=6, come=share)
        return belief(evidence).moments(evidence.points[evidence.pending_mask]).mean

    fresh, half, late = expected(0.0), expected(0.5), expected(0.95)
    assert np.all(half < fresh)
    assert np.all(late < half)


def test_imagining_narrows_the_deviation_and_keeps_the_mean() -> None:
    evidence = sold(pending=6)
    prior = TwoParts(GP()).prior(evidence, Memory())
    known = prior.condition(*evidence.arrivals())
    rows = evidence.answered_mask | evidence.pending_mask
    told = evidence.by_row(rows)
    imagined = prior.completed(known, told, evidence.pending_mask[rows], lambda of, points: of.moments(points).mean)
    places = evidence.points[evidence.pending_mask]
    before, after = known.moments(places), imagined.moments(places)
    assert np.all(after.deviation < before.deviation)
    # The chance is Φ(μ/√(1 + v)), and v is smaller.
    assert_allclose(after.mean, before.mean, rtol=0.25)


def test_what_is_read_beside_moments_is_finite_and_of_the_right_sign() -> None:
    evidence = sold()
    believed = belief(evidence)
    assert min(believed.noise, believed.scale) > 0.0
    assert believed.kernel is None
    assert believed.jitter == 0.0
    assert believed.information(PROBES) == pytest.approx(float(believed.gains(PROBES).sum()))
    mean, deviation = believed.total(PROBES, np.full(5, 0.2))
    assert mean == pytest.approx(float(believed.moments(PROBES).mean.mean()))
    assert deviation > 0.0
    left = believed.left_out(evidence.arrivals())
    assert np.all(np.isfinite(left.mean))
    assert np.all(left.deviation > 0.0)
