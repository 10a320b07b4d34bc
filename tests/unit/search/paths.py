"""Smooth functions to climb, drawn at random."""

from __future__ import annotations

import numpy as np

from belated.space import Array
from tests.unit.search.counted import Slopes


def sample_path(dimension: int, seed: int, lengthscale: float = 0.4) -> Slopes:
    """A draw of a GP by 200 random Fourier features."""
    rng = np.random.default_rng(seed)
    frequencies = rng.standard_normal((200, dimension)) / lengthscale
    phases, weights = rng.uniform(0.0, 2.0 * np.pi, 200), 0.1 * rng.standard_normal(200)

    def function(points: Array) -> tuple[Array, Array]:
        angles = points @ frequencies.T + phases
        return np.cos(angles) @ weights, -(np.sin(angles) * weights) @ frequencies

    return function
