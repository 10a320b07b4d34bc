"""The same data for everybody: Hartmann-6 with a little noise at Sobol points."""

from __future__ import annotations

import numpy as np
from scipy.stats import qmc

from belated.simulate import problems
from belated.space import Array

DIMENSION = 6
NOISE = 0.01
SIZES = (50, 200, 1000)

_HARTMANN = problems.build("hartmann6")
SPACE = _HARTMANN.space


def objective(unit: Array, rng: np.random.Generator) -> float:
    """A noisy value, larger is better."""
    sign = 1.0 if _HARTMANN.goal == "maximize" else -1.0
    return sign * _HARTMANN.objective(SPACE.decode(unit)) + NOISE * float(rng.standard_normal())


def design(size: int, seed: int = 0) -> tuple[Array, Array]:
    """Points in the unit cube and their values."""
    rng = np.random.default_rng(seed)
    points = qmc.Sobol(DIMENSION, seed=seed).random(1 << (size - 1).bit_length())[:size]
    return points, np.array([objective(point, rng) for point in points])
