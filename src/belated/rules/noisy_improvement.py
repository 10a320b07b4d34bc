"""Expected improvement on a best that is not known: answers have noise, and pending queries may beat them all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from belated.beliefs import Foreseeing, Scenarios, Weighted
from belated.checks import require_count
from belated.randomness import Stream
from belated.rules.improvement import LOG_ROOT_TWO_PI, SMALLEST_DEVIATION, Improvement
from belated.rules.needs import Need
from belated.rules.situation import Situation
from belated.search import Score
from belated.space import Array

# Each draw costs as much as a few answers in every score that is looked at.
MOST_DRAWS = 1024
# So that neither z nor its square overflows.
FARTHEST = 1e60
# Where the mean excess is so far below −z that the difference loses digits, its asymptotic series has them.
SERIES_FROM = 60.0
# Values that stand in memory at once: draws times points.
PIECE = 1 << 20


@dataclass(frozen=True)
class NoisyImprovement:
    """x_t = argmax log E[max(f(x) − max_i f(x_i), 0)], over joint draws of f at the incumbents x_i [letham2019].

    Incumbents are all answered points and those that the treatment leaves open. Given a draw of their values the best
    is a number, and the improvement on it has a closed form. So only these values are drawn, quasi-randomly and the
    same for all x,
        log 1/S Σ_s σ(x) h((μ_s(x) − best_s)/σ(x)),
    with μ_s and σ those of f given the draw, and h as in [ament2023, eq. 9]. Without noise and open points it is
    `Improvement`. So it is, too, where the belief is not Gaussian, as that in two parts where silence means a value.
    """

    draws: int = 64

    needs: ClassVar = frozenset({Need.ONE_CONTEXT})

    def __post_init__(self) -> None:
        require_count(None, "draws", self.draws, most=MOST_DRAWS, reason="each is part of every score")

    def describe(self) -> str:
        """What it does, in words."""
        return "the highest expected improvement on the best so far, whichever point and whatever value that is"

    def choose(self, situation: Situation) -> Array:
        """The point with the highest expected improvement."""
        return situation.maximise(self.score(situation))

    def score(self, situation: Situation) -> Score:
        """Log expected improvement as a score."""
        belief = situation.belief
        if not isinstance(belief, Foreseeing):
            return Improvement().score(situation)
        chance = situation.random(Stream.CHOICE)
        return ScenarioImprovement(belief.scenarios(situation.past.incumbents, self.draws, chance))


@dataclass(frozen=True, eq=False)
class ScenarioImprovement:
    """log Σ_m w_m 1/S_m Σ_s E[max(f(x) − best_s, 0)], over the members of a belief and their scenarios."""

    members: tuple[Weighted, ...]
    logarithmic: ClassVar = True

    def values(self, points: Array) -> Array:
        """The score at some points. (m,)"""
        logs = [np.log(weight) + self._log_means(scenarios, points) for weight, scenarios in self.members]
        return np.asarray(np.logaddexp.reduce(logs, axis=0))

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """The score and its gradient, in which each member has the share of its term. (m,), (m, d)"""
        outlooks = [scenarios.outlook(points) for _, scenarios in self.members]
        found = [
            excesses(outlook.mean, outlook.deviation, scenarios.best)
            for outlook, (_, scenarios) in zip(outlooks, self.members, strict=True)
        ]
        weights = [weight for weight, _ in self.members]
        logs = np.array([gains.log_mean for gains in found]) + np.log(weights)[:, None]
        values = np.logaddexp.reduce(logs, axis=0)
        gradient = np.zeros_like(points)
        for outlook, gains, share in zip(outlooks, found, np.exp(logs - values), strict=True):
            by_mean, by_deviation = gains.slopes()
            gradient += outlook.gradient(share * by_mean, share * by_deviation)
        return np.asarray(values), gradient

    def _log_means(self, scenarios: Scenarios, points: Array) -> Array:
        """Those of one member; of many points, some at a time. (m,)"""
        mean, deviation, rest = scenarios.foreseen(points)
        step = max(1, PIECE // len(scenarios.best))
        pieces = [slice(start, start + step) for start in range(0, max(1, len(points)), step)]
        return np.concatenate(
            [
                excesses(mean[piece] + scenarios.draws @ rest[:, piece], deviation[piece], scenarios.best).log_mean
                for piece in pieces
            ]
        )


@dataclass(frozen=True, eq=False)
class Excesses:
    """h(z) = φ(z) + z Φ(z) in every scenario, each point's times exp(m) so that none underflows that counts."""

    z: Array  # (S, m)
    deviation: Array  # (m,)
    density: Array  # (S, m) φ(z) exp(m)
    ratio: Array  # (S, m) Φ(−|z|)/φ(z)
    value: Array  # (S, m) h(z) exp(m)
    log_mean: Array  # (m,) log of the mean of σ h(z)

    def slopes(self) -> tuple[Array, Array]:
        """The slopes of `log_mean` in means and deviation, of which ∂(σ h) are Φ(z) and φ(z). (S, m), (m,)"""
        total = self.deviation * self.value.sum(axis=0)
        below = self.density * self.ratio
        # Where z is above zero somewhere, m is zero.
        return np.where(self.z > 0.0, 1.0 - below, below) / total, self.density.sum(axis=0) / total


def excesses(mean: Array, deviation: Array, best: Array) -> Excesses:
    """The mean excesses over the best, (S, m), for deviations (m,) and a best in each scenario (S,).

    For t = |z|, h(−t) = φ(t) (1 − t r(t)) with r(t) = Φ(−t)/φ(t) = √(π/2) erfcx(t/√2), and h(t) = t + h(−t).
    """
    from scipy.special import erfcx  # as long to import as a whole room, and few need it

    safe = np.maximum(deviation, SMALLEST_DEVIATION)
    z = np.clip((mean - best[:, None]) / safe, -FARTHEST, FARTHEST)
    depth = np.abs(z)
    nearest = np.minimum(z.max(axis=0), 0.0)
    ratio = np.sqrt(0.5 * np.pi) * erfcx(np.sqrt(0.5) * depth)
    density = np.exp(-0.5 * (depth * depth - nearest * nearest) - LOG_ROOT_TWO_PI)
    bracket = 1.0 - depth * ratio
    far = depth > SERIES_FROM
    if far.any():
        bracket[far] = _series(depth[far])
    value = np.maximum(z, 0.0) + density * bracket
    log_mean = np.log(safe) - 0.5 * nearest * nearest + np.log(value.mean(axis=0))
    return Excesses(z, safe, density, ratio, value, log_mean)


def _series(depth: Array) -> Array:
    """1 − t r(t) for large t: t⁻² (1 − 3 t⁻² (1 − 5 t⁻² (1 − 7 t⁻² (1 − 9 t⁻²))))."""
    square = 1.0 / (depth * depth)
    return np.asarray(
        square * (1.0 - 3.0 * square * (1.0 - 5.0 * square * (1.0 - 7.0 * square * (1.0 - 9.0 * square))))
    )
