"""Laplace's approximation against plain optimisation and differences."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.stats import norm

from belated.beliefs.success.laplace import laplace
from belated.beliefs.success.probit import LAPSE

MEAN = 0.4


def problem(seed: int, n: int = 9) -> tuple[np.ndarray, np.ndarray]:
    """A covariance, and labels."""
    rng = np.random.default_rng(seed)
    points = rng.random((n, 2))
    squares = np.sum((points[:, None] - points) ** 2, axis=2)
    return 4.0 * np.exp(-3.0 * squares) + 0.5, np.where(rng.random(n) < 0.6, 1.0, -1.0)


def log_likelihood(labels: np.ndarray, latent: np.ndarray) -> float:
    share = np.where(labels < 0.0, LAPSE, 0.0)
    return float(np.log(share + (1.0 - share) * norm.cdf(labels * latent)).sum())


@pytest.mark.parametrize("seed", range(4))
def test_the_mode_is_that_of_the_posterior(seed: int) -> None:
    covariance, labels = problem(seed)
    steady = covariance + 1e-9 * np.eye(len(labels))
    inverse = np.linalg.inv(steady)

    def height(latent: np.ndarray) -> float:
        return 0.5 * float((latent - MEAN) @ inverse @ (latent - MEAN)) - log_likelihood(labels, latent)

    # Climbed in whitened coordinates, where the prior is round.
    root = np.linalg.cholesky(steady)

    def whitened(z: np.ndarray) -> float:
        return height(MEAN + root @ z)

    found = minimize(whitened, np.zeros(len(labels)), tol=1e-10)
    seen = laplace(steady, labels, MEAN)
    assert height(seen.latent) <= found.fun + 1e-6
    assert_allclose(seen.latent, MEAN + root @ found.x, atol=1e-2)


@pytest.mark.parametrize("seed", range(4))
def test_the_slope_of_the_evidence_is_that_of_differences(seed: int) -> None:
    covariance, labels = problem(seed)
    rng = np.random.default_rng(seed + 10)
    direction = rng.normal(size=covariance.shape)
    direction = direction @ direction.T / len(labels)
    step = 1e-5
    ahead, back = (laplace(covariance + s * direction, labels, MEAN).log_evidence for s in (step, -step))
    slope = float(np.sum(laplace(covariance, labels, MEAN).by_covariance() * direction))
    assert slope == pytest.approx((ahead - back) / (2.0 * step), abs=1e-4)


def test_the_evidence_of_one_try_is_close_to_its_integral() -> None:
    grid = np.linspace(-30.0, 30.0, 200_001)
    prior = norm.pdf(grid, MEAN, 1.5)
    for label in (1.0, -1.0):
        share = LAPSE if label < 0.0 else 0.0
        exact = float(np.trapezoid(prior * (share + (1.0 - share) * norm.cdf(label * grid)), grid))
        seen = laplace(np.array([[1.5**2]]), np.array([label]), MEAN)
        assert np.exp(seen.log_evidence) == pytest.approx(exact, rel=0.1)
