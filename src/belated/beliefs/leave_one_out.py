"""What a belief would say of an answer that it had not seen: how well it is calibrated shows there."""

from __future__ import annotations

import numpy as np

from belated.beliefs.belief import Moments
from belated.space import Array

# So much of the precision must be left when an answer is taken away, for rounding not to decide about it.
LEAST = 1e-9


def taken_away(moments: Moments, noise: float | Array, values: Array) -> Moments:
    """Mean and deviation of answers given all others, from the moments of f that they all made together.

    With μ and s² those at an answer y with noise variance σ², its own or that of all, the precision and the mean
    without it are 1/s² − 1/σ² and (μ/s² − y/σ²) over that; a belief that is not Gaussian is taken as if it were.
    """
    mean, deviation = moments
    own = 1.0 / np.maximum(deviation**2, np.finfo(float).tiny)
    precision = np.maximum(own - 1.0 / noise, LEAST * own)
    without = (mean * own - values / noise) / precision
    return Moments(without, np.sqrt(1.0 / precision + noise))
