"""The noise variances of answers, and what repeats of one measurement say of σ² beside their mean."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from belated.evidence import Errors
from belated.space import Array

# The least noise of an answer, as a share of the variance of f: a smaller ridge is lost in rounding.
LEAST_RIDGE = 1e-9


def noise_variances(errors: Errors, noise: float, variance: float) -> Array:
    """Those of these answers for a variance σ² of one measurement, none too small beside the variance of f. (n,)"""
    return np.maximum(errors.variances(noise), min(noise, LEAST_RIDGE * variance))


class LogScatter(NamedTuple):
    """A log density, and its slope in log σ²."""

    value: float
    slope: float


def log_scatter(errors: Errors, noise: float) -> LogScatter:
    """The log density of repeats about their means, for a variance σ² of one measurement.

    The density of n measurements y_j is that of their mean, N(ȳ; f, σ²/n), times what is computed here, which does not
    depend on f: with S the sum of squares about the mean, log of (2π σ²)^−(n−1)/2 n^−½ exp(−S/2σ²). So n repeats told
    as one answer are, in every likelihood, n answers at one point.
    """
    counts, squares = errors.measurements, float(errors.scatters.sum())
    freedom = float(np.sum(counts - 1.0))
    logs = freedom * np.log(2.0 * np.pi * noise) + np.log(counts).sum()
    return LogScatter(float(-0.5 * (logs + squares / noise)), 0.5 * (squares / noise - freedom))
