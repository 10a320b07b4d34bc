"""The likelihood of successes and failures, and its slopes."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose
from scipy.stats import norm

from belated.beliefs.success.probit import LAPSE, hazard, lapses, log_likelihood, slopes, third_slope
from tests.tolerance import ROUNDING, SLOPE_TOLERANCE, STEP

LATENT = np.linspace(-6.0, 6.0, 41)
LABELS = np.where(np.arange(41) % 2, 1.0, -1.0)


def plain(labels: np.ndarray, latent: np.ndarray) -> np.ndarray:
    """The logarithm of the likelihood, as it is written down."""
    share = np.where(labels < 0.0, LAPSE, 0.0)
    return np.asarray(np.log(share + (1.0 - share) * norm.cdf(labels * latent)))


def test_a_failure_happens_now_and_then_though_the_point_works() -> None:
    likelihoods = np.exp(log_likelihood(LABELS * LATENT, lapses(LABELS)))
    assert_allclose(np.log(likelihoods), plain(LABELS, LATENT), atol=1e-9)
    assert np.all(likelihoods[LABELS < 0.0] >= LAPSE - ROUNDING)


def test_slopes_are_those_of_differences() -> None:
    def first(latent: np.ndarray) -> np.ndarray:
        return np.asarray(LABELS * hazard(LABELS * latent, lapses(LABELS)))

    slope, curvature = slopes(LABELS, LATENT)
    differences = (plain(LABELS, LATENT + STEP) - plain(LABELS, LATENT - STEP)) / (2.0 * STEP)
    assert_allclose(slope, differences, atol=SLOPE_TOLERANCE)
    assert_allclose(slope, first(LATENT), atol=ROUNDING)
    bent = -(first(LATENT + STEP) - first(LATENT - STEP)) / (2.0 * STEP)
    assert_allclose(curvature, np.maximum(bent, 0.0), atol=SLOPE_TOLERANCE)
    beyond, before = slopes(LABELS, LATENT + STEP)[1], slopes(LABELS, LATENT - STEP)[1]
    assert_allclose(third_slope(LABELS, LATENT), -(beyond - before) / (2.0 * STEP), atol=1e-3)


def test_far_out_nothing_overflows() -> None:
    far = np.array([-1e3, -40.0, 40.0, 1e3])
    for labels in (np.ones(4), -np.ones(4)):
        assert all(np.isfinite(part).all() for part in (*slopes(labels, far), third_slope(labels, far)))
