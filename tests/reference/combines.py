"""What rules make of a mean and a deviation, with slopes: a bound, the deviation alone, an improvement."""

from __future__ import annotations

import numpy as np

from belated.beliefs import Combine, Combined
from belated.rules.improvement import log_expected_improvement
from belated.space import Array


def upper_bound(mean: Array, deviation: Array) -> Combined:
    return Combined(mean + 1.5 * deviation, np.ones_like(mean), np.full_like(mean, 1.5))


def deviation_alone(mean: Array, deviation: Array) -> Combined:
    return Combined(deviation, np.zeros_like(mean), np.ones_like(mean))


def improvement(mean: Array, deviation: Array) -> Combined:
    return log_expected_improvement(mean, deviation, 0.8)


COMBINES: dict[str, Combine] = {"upper bound": upper_bound, "deviation": deviation_alone, "log EI": improvement}
