"""Local penalisation against its formula, written out one query at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from belated.beliefs import Combined
from belated.search import MomentScore, Penalised, Penalty
from belated.space import Array
from tests.builders import box, processes_of
from tests.tolerance import ROUNDING, SLOPE_TOLERANCE, STEP

PENDING = np.array([[0.2, 0.7], [0.5, 0.5], [0.9, 0.1]])
PENALTY = Penalty(PENDING, np.array([0.1, 0.8, -0.4]), np.array([0.5, 0.2, 0.9]), 3.0, 0.9, 0.3, 1.3)
POINTS = np.random.default_rng(4).random((12, 2))


def log_penalty(point: Array) -> float:
    """Σ_j log ½ erfc(−z_j) with z_j = (L |x − x_j| − M + μ_j)/√(2 σ_j²) [gonzalez2016, proposition 1]."""
    total = 0.0
    for place, mean, deviation in zip(PENDING, PENALTY.mean, PENALTY.deviation, strict=True):
        z = (3.0 * math.dist(point, place) - 0.9 + mean) / math.sqrt(2.0 * deviation**2)
        total += math.log(0.5 * math.erfc(-z))
    return total


def score(logarithmic: bool, shift: float = 0.0) -> MomentScore:
    prior, _ = processes_of(box())
    belief = prior.condition(POINTS[:5], np.sin(9.0 * POINTS[:5, 0]) + shift)
    return MomentScore(
        belief,
        lambda mean, deviation: Combined(mean + 2.0 * deviation, np.ones_like(mean), np.full_like(mean, 2.0)),
        logarithmic,
    )


def slopes_by_steps(of: Penalised | Penalty, points: Array) -> Array:
    steps = [STEP * unit for unit in np.eye(2)]
    return np.stack([(of.values(points + step) - of.values(points - step)) / (2.0 * STEP) for step in steps], axis=1)


def test_the_penalty_is_the_chance_that_no_query_under_way_rules_a_point_out() -> None:
    assert_allclose(PENALTY.values(POINTS), [log_penalty(point) for point in POINTS], rtol=1e-10)


def test_at_a_query_of_which_nothing_less_than_the_best_is_expected_a_half_is_left() -> None:
    penalty = Penalty(PENDING[:1], np.array([0.9]), np.array([0.5]), 3.0, 0.9, 0.0, 1.0)
    assert_allclose(np.exp(penalty.values(PENDING[:1])), 0.5, rtol=ROUNDING)


@pytest.mark.parametrize("logarithmic", [True, False])
def test_a_penalised_score_is_multiplied_by_the_chance(logarithmic: bool) -> None:
    own = score(logarithmic)
    found = Penalised(own, PENALTY).values(POINTS)
    for place, value, together in zip(POINTS, own.values(POINTS), found, strict=True):
        gained = value if logarithmic else math.log(math.log1p(math.exp((value - 0.3) / 1.3)))
        assert together == pytest.approx(gained + log_penalty(place), rel=1e-9)


@pytest.mark.parametrize("shift", [0.0, -200.0])
@pytest.mark.parametrize("logarithmic", [True, False])
def test_slopes_are_those_of_the_values(logarithmic: bool, shift: float) -> None:
    penalised = Penalised(score(logarithmic, shift), PENALTY)
    values, slopes = penalised.slopes(POINTS[5:])
    assert_allclose(values, penalised.values(POINTS[5:]), rtol=ROUNDING)
    assert_allclose(slopes, slopes_by_steps(penalised, POINTS[5:]), rtol=SLOPE_TOLERANCE, atol=SLOPE_TOLERANCE)


def test_at_a_query_itself_the_penalty_has_no_slope_of_its_own() -> None:
    alone = Penalty(PENDING[:1], np.array([0.1]), np.array([0.5]), 3.0, 0.9, 0.0, 1.0)
    _, slopes = alone.slopes(PENDING[:1])
    assert_allclose(slopes, 0.0)
