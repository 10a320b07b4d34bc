"""Who was answered, as observations of a latent: against plain optimisation and central differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from belated.beliefs.two_parts.latent import log_probability, observed
from tests.tolerance import SLOPE_TOLERANCE, STEP

RNG = np.random.default_rng(8)
POINTS = np.sort(RNG.random(12))
COVARIANCE = 2.0 * np.exp(-0.5 * ((POINTS[:, None] - POINTS) / 0.4) ** 2)
ANSWERED = RNG.random(12) < 0.5
SHARES = np.where(np.arange(12) % 3 == 0, 0.4, 1.0)
# Newton ends when a step gains less than 1e-8 nats, within about 1e-4 of the top.
AT_THE_TOP = 1e-3


def chance(latent: float, answered: bool, share: float) -> float:
    success = 0.5 * math.erfc(-latent / math.sqrt(2.0))
    return success if answered else 1.0 - share * success


def log_posterior(latent: np.ndarray, mean: float) -> float:
    gap = latent - mean
    likely = sum(math.log(chance(*each)) for each in zip(latent, ANSWERED, SHARES, strict=True))
    return likely - 0.5 * float(gap @ np.linalg.solve(COVARIANCE + 1e-9 * np.eye(12), gap))


def test_the_value_is_the_sum_of_the_logarithms_of_plain_chances() -> None:
    latent = RNG.normal(size=12)
    plain = sum(math.log(chance(*each)) for each in zip(latent, ANSWERED, SHARES, strict=True))
    assert log_probability(latent, ANSWERED, SHARES).value == pytest.approx(plain)


def test_slopes_are_central_differences() -> None:
    latent = RNG.normal(size=12)
    seen = log_probability(latent, ANSWERED, SHARES)
    for place, along in enumerate(np.eye(12) * STEP):
        above, below = (log_probability(latent + move, ANSWERED, SHARES) for move in (along, -along))
        assert seen.slope[place] == pytest.approx((above.value - below.value) / (2 * STEP), abs=SLOPE_TOLERANCE)
        if ANSWERED[place] or SHARES[place] == 1.0:
            bend = (below.slope[place] - above.slope[place]) / (2 * STEP)
            assert seen.curvature[place] == pytest.approx(bend, abs=SLOPE_TOLERANCE)


def test_the_posterior_mean_after_the_observations_is_the_mode() -> None:
    mean = -0.3
    found = observed(COVARIANCE, mean, ANSWERED, SHARES)
    gain = COVARIANCE @ np.linalg.inv(COVARIANCE + np.diag(found.variances))
    mode = mean + gain @ (found.values - mean)
    height = log_posterior(mode, mean)
    for _ in range(200):
        # Moves that the covariance allows: any other falls at once.
        move = COVARIANCE @ RNG.normal(size=12)
        assert log_posterior(mode + AT_THE_TOP * move / np.linalg.norm(move), mean) <= height + 1e-6


def test_far_out_nothing_overflows() -> None:
    latent = np.array([-300.0, 300.0, -300.0, 300.0])
    seen = log_probability(latent, np.array([True, True, False, False]), np.ones(4))
    assert all(np.all(np.isfinite(part)) for part in (seen.value, seen.slope, seen.curvature))


def test_a_query_just_asked_says_nothing() -> None:
    asked = np.zeros(3, dtype=bool)
    found = observed(np.eye(3), 0.4, asked, np.zeros(3))
    assert_allclose(found.values, 0.4)
    assert found.log_evidence == pytest.approx(0.0, abs=1e-5)
