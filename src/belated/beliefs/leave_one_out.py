"""What a belief would say of an answer that it had not seen: how well it is calibrated shows there."""

from __future__ import annotations

import numpy as np

from belated.beliefs.belief import Belief, Moments
from belated.beliefs.process.gaussian import GaussianProcess
from belated.evidence import Data

# So much of the precision must be left when an answer is taken away, for rounding not to decide about it.
LEAST = 1e-9


def left_out(belief: Belief, answers: Data) -> Moments:
    """Mean and deviation of each of these answers, the last that the belief was conditioned on, given all others.

    An exact process has them at hand. Of any other, with μ and s² the moments of f at an answer y with noise σ², the
    precision and the mean without it are 1/s² − 1/σ² and (μ/s² − y/σ²) over that; for a mixture it is taken as if it
    were Gaussian.
    """
    if isinstance(belief, GaussianProcess):
        every, first = belief.left_out(), len(belief.values) - len(answers.values)
        return Moments(every.mean[first:], every.deviation[first:])
    mean, deviation = belief.moments(answers.points)
    own = 1.0 / np.maximum(deviation**2, np.finfo(float).tiny)
    precision = np.maximum(own - 1.0 / belief.noise, LEAST * own)
    without = (mean * own - answers.values / belief.noise) / precision
    return Moments(without, np.sqrt(1.0 / precision + belief.noise))
