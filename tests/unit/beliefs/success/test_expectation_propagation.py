"""Expectation propagation against the posterior itself, drawn from by its weights."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm

from belated.beliefs.success.expectation_propagation import propagated
from belated.beliefs.success.probit import LAPSE
from tests.pairs import first

MEAN = 0.4
# The approximation itself is off by a hundredth, and a million weighted draws by half as much.
CLOSE = 0.02


def covariance(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.asarray(9.0 * np.exp(-4.0 * (first[:, None] - second) ** 2) + 1.0)


@pytest.mark.parametrize("seed", first(1, *range(3)))
def test_chances_are_those_of_the_posterior(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points, elsewhere = rng.random(6), np.linspace(-0.5, 1.5, 5)
    labels = np.where(points > 0.6, -1.0, 1.0)
    latent = propagated(covariance(points, points), labels, MEAN)
    across = covariance(points, elsewhere)
    mean = MEAN + across.T @ latent.weights
    variance = 10.0 - np.sum((latent.whitening @ across) ** 2, axis=0)
    chances = norm.cdf(mean / np.sqrt(1.0 + variance))

    together = np.concatenate([points, elsewhere])
    steady = covariance(together, together) + 1e-9 * np.eye(11)
    draws = MEAN + np.linalg.cholesky(steady) @ rng.normal(size=(11, 1_000_000))
    share = np.where(labels < 0.0, LAPSE, 0.0)[:, None]
    weights = np.prod(share + (1.0 - share) * norm.cdf(labels[:, None] * draws[:6]), axis=0)
    exact = norm.cdf(draws[6:]) @ weights / weights.sum()
    assert_allclose(chances, exact, atol=CLOSE)


def test_many_failures_in_one_place_leave_little_hope() -> None:
    points = np.concatenate([np.linspace(0.0, 0.02, 12), np.linspace(0.6, 0.9, 12)])
    labels = np.where(points < 0.5, -1.0, 1.0)
    latent = propagated(covariance(points, points), labels, MEAN)
    across = covariance(points, np.array([0.01, 0.75]))
    variance = 10.0 - np.sum((latent.whitening @ across) ** 2, axis=0)
    failing, working = norm.cdf((MEAN + across.T @ latent.weights) / np.sqrt(1.0 + variance))
    assert failing < 0.1
    assert working > 0.95


def test_the_same_point_may_fail_and_succeed_many_times() -> None:
    labels = np.where(np.arange(60) % 3, 1.0, -1.0)
    latent = propagated(np.full((60, 60), 25.0), labels, MEAN)
    variance = 25.0 - float(np.sum((latent.whitening @ np.full(60, 25.0)) ** 2))
    chance = norm.cdf((MEAN + 25.0 * latent.weights.sum()) / np.sqrt(1.0 + variance))
    assert chance == pytest.approx(1.0 - (20.0 / 60.0 - LAPSE) / (1.0 - LAPSE), abs=0.05)
