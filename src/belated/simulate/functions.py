"""The test functions, as formulas over plain numbers and arrays."""

from __future__ import annotations

import numpy as np

from belated.beliefs import FORMS, Kernel
from belated.space import Array

HARTMANN_HEIGHTS = np.array([1.0, 1.2, 3.0, 3.2])
HARTMANN_RATES = np.array(
    [
        [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
        [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
        [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
        [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
    ]
)
HARTMANN_CENTRES = 1e-4 * np.array(
    [
        [1312.0, 1696.0, 5569.0, 124.0, 8283.0, 5886.0],
        [2329.0, 4135.0, 8307.0, 3736.0, 1004.0, 9991.0],
        [2348.0, 1451.0, 3522.0, 2883.0, 3047.0, 6650.0],
        [4047.0, 8828.0, 8732.0, 5743.0, 1091.0, 381.0],
    ]
)

# Solvent: how fast the product forms, how fast it decays, and the temperature in °C at which things dissolve.
SOLVENTS = {"DMF": (0.60, 0.010, 55.0), "THF": (0.50, 0.040, 30.0), "water": (0.30, 0.012, 75.0)}
HANDLING = 0.98  # what is left of the product after each step


def branin(points: Array) -> Array:
    """(y − 5.1 x²/4π² + 5 x/π − 6)² + 10 (1 − 1/8π) cos x + 10 for every row of (m, 2), with three equal minima."""
    x, y = points.T
    valley = y - 5.1 * x**2 / (4.0 * np.pi**2) + 5.0 * x / np.pi - 6.0
    return np.asarray(valley**2 + 10.0 * (1.0 - 1.0 / (8.0 * np.pi)) * np.cos(x) + 10.0)


def hartmann6(points: Array) -> Array:
    """Σᵢ αᵢ exp(−Σⱼ Aᵢⱼ (xⱼ − Pᵢⱼ)²) for every row x of (m, 6): four bumps, maximised."""
    squares = (points[:, None, :] - HARTMANN_CENTRES) ** 2
    return np.asarray(np.exp(-np.sum(HARTMANN_RATES * squares, axis=2)) @ HARTMANN_HEIGHTS)


def ackley(points: Array) -> Array:
    """20 + e − 20 exp(−0.2 √mean z²) − exp(mean cos 2πz) for every row z of (m, d): a funnel full of dents."""
    funnel = -20.0 * np.exp(-0.2 * np.sqrt(np.mean(points**2, axis=1)))
    dents = -np.exp(np.mean(np.cos(2.0 * np.pi * points), axis=1))
    return np.asarray(20.0 + np.e + funnel + dents)


def rosenbrock(x: Array, y: Array) -> Array:
    """−100 (y − x²)² − (1 − x)², a curved ridge, maximised [azimi2010]."""
    return np.asarray(-100.0 * (y - x**2) ** 2 - (1.0 - x) ** 2)


def cosines(x: Array, y: Array) -> Array:
    """1 − (u² + v² − 0.3 cos 3πu − 0.3 cos 3πv), u = 1.6x − 0.5, v = 1.6y − 0.5, maximised [azimi2010]."""
    u, v = 1.6 * x - 0.5, 1.6 * y - 0.5
    ripples = 0.3 * np.cos(3.0 * np.pi * u) + 0.3 * np.cos(3.0 * np.pi * v)
    return np.asarray(1.0 - (u**2 + v**2 - ripples))


def coupling(temperature: Array, loading: Array, solvent: str, steps: Array) -> Array:
    """The yield in percent of a made-up reaction A → B → C, of which B is wanted.

    After n steps of consecutive first-order reactions with rates k₁ and k₂ there is
        B = k₁ n exp(−k₁ n) (1 − exp(−u))/u,   u = (k₂ − k₁) n.
    Warmth quickens both, the decay more; catalyst does too, until its particles clump; in the cold, things do not
    dissolve; each step loses some product. So the best lies inside the box, elsewhere for every solvent.
    """
    formation, decay, dissolving = SOLVENTS[solvent]
    catalyst = loading / 0.01
    dispersed = catalyst / (1.0 + (catalyst / 2.0) ** 2)
    k1 = formation * dispersed**0.6 * np.exp((temperature - 70.0) / 28.0)
    k2 = decay * (0.3 + catalyst**0.7) * np.exp((temperature - 70.0) / 9.0)
    dissolved = 1.0 / (1.0 + np.exp(-(temperature - dissolving) / 5.0))
    product = k1 * steps * np.exp(-k1 * steps) * _relative_gain((k2 - k1) * steps)
    return np.asarray(100.0 * product * dissolved * HANDLING**steps)


def _relative_gain(u: Array) -> Array:
    """(1 − exp(−u))/u, which is 1 at 0."""
    safe = np.where(np.abs(u) < 1e-12, 1e-12, u)
    return np.asarray(-np.expm1(-safe) / safe)


def prior_draw(form: str, lengthscale: float, variance: float, points: Array, seed: list[int]) -> Array:
    """A function drawn from GP(0, k) at these points (N, d), as (N,)."""
    kernel = Kernel(FORMS[form], variance, (lengthscale,))
    # Close points make K singular in double precision; this ridge moves values by about 1e-4 deviations.
    covariance = kernel.gram(points, points) + 1e-8 * variance * np.eye(len(points))
    normal = np.random.default_rng(seed).standard_normal(len(points))
    return np.asarray(np.linalg.cholesky(covariance) @ normal)
