"""Climbing to the top of a smooth function of a few variables inside a box, in few evaluations.

A quasi-Newton method by projection [bertsekas1982]: variables pressed against a bound rest, the others move
by the BFGS metric, and the step is clipped to the box. The metric is taken in and given back, so that a climb
on few answers tells the climb on all of them how long its steps should be; L-BFGS-B has no door for that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from belated.space.arrays import Array, Mask

# A function that returns its value and its gradient.
Slope = Callable[[Array], tuple[float, Array]]

# The longest step in any one variable: a factor of e² in a hyperparameter.
LONGEST_STEP = 2.0
# The share of the promised gain that a step must bring [nocedal2006, section 3.1].
SUFFICIENT = 1e-4
# How often one step is shortened before the climb is over.
SHORTENINGS = 12
# The smallest cosine between a step and the change of gradient that the metric learns from.
CURVATURE = 1e-8


@dataclass(frozen=True)
class Summit:
    """Where a climb ended, how high, and its metric: minus the inverse of the Hessian, about."""

    place: Array
    value: float
    metric: Array


def climb(
    slope: Slope,
    start: Array,
    low: Array,
    high: Array,
    *,
    tolerance: float,
    metric: Array | None = None,
    steps: int = 100,
) -> Summit:
    """The highest place found in the box low ≤ x ≤ high.

    Ends once the metric promises, or promised and the last step brought, about `tolerance` or less.
    """
    place = np.clip(start, low, high)
    value, gradient = slope(place)
    fresh = metric is None
    metric = np.eye(len(place)) if metric is None else metric
    for _ in range(steps):
        free = _free(place, gradient, low, high)
        direction = np.where(free, metric @ np.where(free, gradient, 0.0), 0.0)
        if fresh:
            direction /= max(1.0, float(np.abs(direction).max()))
        promise = float(direction @ gradient)
        if promise <= 2.0 * tolerance:
            break
        ahead = _step(slope, place, value, gradient, direction, low, high)
        if ahead is None:
            break
        beyond, height, incline = ahead
        metric = _learned(metric, beyond - place, gradient - incline, fresh)
        gain, fresh = height - value, False
        place, value, gradient = beyond, height, incline
        if gain <= tolerance and promise <= 20.0 * tolerance:
            break
    return Summit(place, value, metric)


def _free(place: Array, gradient: Array, low: Array, high: Array) -> Mask:
    """The variables that are not pressed against a bound."""
    free: Mask = ~(((place <= low) & (gradient <= 0.0)) | ((place >= high) & (gradient >= 0.0)))
    return free


def _step(
    slope: Slope, place: Array, value: float, gradient: Array, direction: Array, low: Array, high: Array
) -> tuple[Array, float, Array] | None:
    """The first place along the clipped direction that is high enough, with its value and gradient."""
    length = min(1.0, LONGEST_STEP / float(np.abs(direction).max()))
    for _ in range(SHORTENINGS):
        beyond = np.clip(place + length * direction, low, high)
        promise = float(gradient @ (beyond - place))
        height, incline = slope(beyond)
        if height >= value + SUFFICIENT * promise:
            return beyond, height, incline
        # The top of the parabola through both heights and the first slope, not too near nor too far; where clipping
        # has turned the step downhill, there is no such top.
        shortfall = value + promise - height
        length *= min(0.5, max(0.1, 0.5 * promise / shortfall)) if promise > 0.0 and shortfall > 0.0 else 0.1
    return None


def _learned(metric: Array, step: Array, change: Array, fresh: bool) -> Array:
    """The metric after a step s along which the gradient fell by y [nocedal2006, eq. 6.17 and 6.20]."""
    curvature = float(step @ change)
    if curvature <= CURVATURE * float(np.linalg.norm(step) * np.linalg.norm(change)):
        return metric
    if fresh:
        metric = np.eye(len(step)) * (curvature / float(change @ change))
    turned = metric @ change
    cross = np.outer(turned, step) / curvature
    growth = (1.0 + float(change @ turned) / curvature) / curvature
    updated: Array = metric - cross - cross.T + growth * np.outer(step, step)
    return updated
