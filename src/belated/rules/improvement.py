"""Expected improvement, in logarithms: it keeps its slope where the improvement itself underflows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import erfcx, log_ndtr

from belated.beliefs import Combined
from belated.rules.situation import Situation
from belated.search import MomentScore
from belated.space import Array

LOG_ROOT_TWO_PI = 0.5 * np.log(2.0 * np.pi)


@dataclass(frozen=True)
class Improvement:
    """x_t = argmax log E[max(f(x) − best, 0)], best being the highest mean among answered points [jones1998].

    Under the belief this is log σ + log h(z) with z = (μ − best)/σ and h(z) = φ(z) + z Φ(z) [ament2023, eq. 9].
    """

    def choose(self, situation: Situation) -> Array:
        """The point with the highest expected improvement."""
        return situation.maximise(self.score(situation))

    def score(self, situation: Situation) -> MomentScore:
        """Log expected improvement as a score."""
        belief = situation.belief
        means = belief.moments(situation.answered).mean
        best = float(means.max()) if len(means) else situation.prior.prior_mean

        def combine(mean: Array, deviation: Array) -> Combined:
            return log_expected_improvement(mean, deviation, best)

        return MomentScore(belief, combine)


def log_expected_improvement(mean: Array, deviation: Array, best: float) -> Combined:
    """log E[max(f − best, 0)] for f ~ N(mean, deviation²), and its partial derivatives.

    ∂/∂μ = Φ(z) / (σ h(z)) and ∂/∂σ = φ(z) / (σ h(z)), both formed in logarithms.
    """
    safe = np.maximum(deviation, np.finfo(float).tiny)
    with np.errstate(over="ignore"):
        z = np.clip((mean - best) / safe, -1e150, 1e150)
    log_h = log_mean_excess(z)
    by_mean = np.exp(log_ndtr(z) - log_h) / safe
    by_deviation = np.exp(-0.5 * z * z - LOG_ROOT_TWO_PI - log_h) / safe
    return Combined(np.log(safe) + log_h, by_mean, by_deviation)


def log_mean_excess(z: Array) -> Array:
    """log h(z) with h(z) = φ(z) + z Φ(z), to full precision for every z [ament2023, eq. 9].

    For z < −1, h = φ(z) (1 − |z| √(π/2) erfcx(|z|/√2)), whose bracket tends to 1/z².
    """
    result = np.empty_like(z)
    near = z > -1.0
    x = z[near]
    result[near] = np.log(np.exp(-0.5 * x * x - LOG_ROOT_TWO_PI) + x * np.exp(log_ndtr(x)))
    x = -z[~near]
    # Past about 1e3 the difference is taken between nearly equal numbers: use its asymptotic series instead.
    far = x > 1e3
    bracket = np.empty_like(x)
    bracket[~far] = 1.0 - x[~far] * np.sqrt(0.5 * np.pi) * erfcx(x[~far] / np.sqrt(2.0))
    inverse_square = 1.0 / (x[far] * x[far])
    bracket[far] = inverse_square * (1.0 - 3.0 * inverse_square)
    result[~near] = -0.5 * x * x - LOG_ROOT_TWO_PI + np.log(bracket)
    return result
