"""Expected improvement, in logarithms: it keeps its slope where the improvement itself underflows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from belated.beliefs import Combined, Mixed
from belated.rules.needs import Need
from belated.rules.situation import Situation
from belated.search import Score, log_expectation
from belated.space import Array

LOG_ROOT_TWO_PI = 0.5 * np.log(2.0 * np.pi)
# So that neither z nor the slopes, which grow as z²/σ, overflow.
SMALLEST_DEVIATION = 1e-100
FARTHEST = 1e60


@dataclass(frozen=True)
class Improvement:
    """x_t = argmax log E[max(f(x) − best, 0)], best being the highest mean here of answered points [jones1998].

    Here means in the context of this ask. Under a Gaussian belief this is log σ + log h(z) with z = (μ − best)/σ and
    h(z) = φ(z) + z Φ(z) [ament2023, eq. 9]; under a mixture, the logarithm of the members' mean.
    """

    needs: ClassVar = frozenset({Need.ONE_CONTEXT})

    def describe(self) -> str:
        """What it does, in words."""
        return "the highest expected improvement on the best so far"

    def choose(self, situation: Situation) -> Array:
        """The point with the highest expected improvement."""
        return situation.maximise(self.score(situation))

    def score(self, situation: Situation) -> Score:
        """Log expected improvement as a score."""
        belief = situation.belief
        means = belief.moments(situation.past.answered_here).mean
        best = float(means.max()) if len(means) else situation.prior.prior_mean

        def combine(mean: Array, deviation: Array) -> Combined:
            return log_expected_improvement(mean, deviation, best)

        return log_expectation(belief, combine)


@dataclass(frozen=True)
class ImprovementOnAsked:
    """x_t = argmax log E[max(f(x) − best, 0)], best being the highest mean here of all asked points, pending too.

    It goes with treatments that give pending queries a value: what they are thought to bring is no improvement any more
    [ginsbourger2010]. In a mixture over what they may say, each member has its own best, and the
    expectation is the mean over the members [snoek2012, section 3.2].
    """

    needs: ClassVar = frozenset({Need.ONE_CONTEXT})

    def describe(self) -> str:
        """What it does, in words."""
        return "the highest expected improvement on the best so far, pending queries included"

    def choose(self, situation: Situation) -> Array:
        """The point with the highest expected improvement."""
        return situation.maximise(self.score(situation))

    def score(self, situation: Situation) -> Score:
        """Log expected improvement as a score."""
        belief, asked = situation.belief, situation.past.asked_here
        best: float | Array = situation.prior.prior_mean
        if len(asked):
            several = isinstance(belief, Mixed)
            means = belief.member_moments(asked).mean if isinstance(belief, Mixed) else belief.moments(asked).mean
            best = means.max(axis=-1, keepdims=several)

        def combine(mean: Array, deviation: Array) -> Combined:
            return log_expected_improvement(mean, deviation, best)

        return log_expectation(belief, combine)


def log_expected_improvement(mean: Array, deviation: Array, best: float | Array) -> Combined:
    """log E[max(f − best, 0)] for f ~ N(mean, deviation²), and its partial derivatives.

    With h the mean excess, ∂/∂μ = Φ(z) / (σ h(z)) and ∂/∂σ = φ(z) / (σ h(z)).
    """
    safe = np.maximum(deviation, SMALLEST_DEVIATION)
    z = np.clip((mean - best) / safe, -FARTHEST, FARTHEST)
    excess = mean_excess(z)
    return Combined(np.log(safe) + excess.log_value, excess.by_tail / safe, excess.by_density / safe)


class Excess(NamedTuple):
    """log h(z), and the ratios Φ(z)/h(z) and φ(z)/h(z)."""

    log_value: Array
    by_tail: Array
    by_density: Array


def mean_excess(z: Array) -> Excess:
    """h(z) = φ(z) + z Φ(z), the mean of a standard normal's excess over −z, to full precision for every z.

    For z < −1, h = φ(z) b(z) with b = 1 − |z| √(π/2) erfcx(|z|/√2) [ament2023, eq. 9], which tends to 1/z². Far out
    the difference is taken between nearly equal numbers, and its asymptotic series takes over.
    """
    from scipy.special import erfcx, log_ndtr  # as long to import as a whole room, and few need it

    density = np.exp(-0.5 * np.minimum(z * z, 1400.0) - LOG_ROOT_TWO_PI)
    tail = np.exp(log_ndtr(np.maximum(z, -30.0)))
    value = np.maximum(density + z * tail, np.finfo(float).tiny)
    x = np.maximum(-z, 1.0)
    ratio = np.sqrt(0.5 * np.pi) * erfcx(x / np.sqrt(2.0))  # Φ(z)/φ(z)
    inverse_square = 1.0 / (x * x)
    series = inverse_square * (1.0 - 3.0 * inverse_square * (1.0 - 5.0 * inverse_square * (1.0 - 7.0 * inverse_square)))
    bracket = np.where(x < 100.0, 1.0 - x * ratio, series)
    near = z > -1.0
    return Excess(
        np.where(near, np.log(value), -0.5 * x * x - LOG_ROOT_TWO_PI + np.log(bracket)),
        np.where(near, tail / value, ratio / bracket),
        np.where(near, density / value, 1.0 / bracket),
    )
