"""A mixture of Gaussian beliefs: which of them is right is not known, only how well each has done.

    f ~ Σ_m w_m N(μ_m, σ_m²):   mean = Σ w_m μ_m,   variance = Σ w_m (σ_m² + μ_m²) − mean²   [lu2022, eq. 6].
The weights are learned from answers that came, like hyperparameters; values that are only imagined or censored are
taken in by the members and teach no weights.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from belated.beliefs.answer_noise import noise_variances
from belated.beliefs.belief import Combine, Function, Imagine, Incumbents, Moments, Weighted
from belated.beliefs.leave_one_out import taken_away
from belated.beliefs.memory import Memory
from belated.beliefs.mixtures.members import Exact, Inclines, Members
from belated.beliefs.process.gaussian import GaussianProcess
from belated.evidence import Data, Errors
from belated.space import Array, Mask

# Of a member with little weight so many scenarios are drawn, so that what they come to is no accident of one.
LEAST_SCENARIOS = 8


@dataclass(frozen=True, eq=False)
class Mixture:
    """Members with weights, read as one belief."""

    parts: tuple[Members, ...]
    weights: Array  # (M,) over the members of all parts; they sum to one

    def condition(self, points: Array, values: Array, errors: Errors | None = None) -> Mixture:
        """The mixture after these answers too; the weights stay."""
        return replace(self, parts=tuple(part.condition(points, values, errors) for part in self.parts))

    def completed(self, known: Mixture, told: Data, missing: Mask, imagine: Imagine) -> Mixture:
        """This prior after these answers, of which each member imagines the missing ones by what it knows."""
        pairs = zip(self.parts, known.parts, strict=True)
        return replace(self, parts=tuple(part.completed(own, told, missing, imagine) for part, own in pairs))

    def with_mean(self, prior_mean: float) -> Mixture:
        """The same mixture around another prior mean."""
        return replace(self, parts=tuple(part.with_mean(prior_mean) for part in self.parts))

    def remembering(self, memory: Memory) -> Mixture:
        """The same mixture with another memory."""
        return replace(self, parts=tuple(part.remembering(memory) for part in self.parts))

    def weighted(self, weights: Array) -> Mixture:
        """The same members with other weights."""
        return replace(self, weights=weights)

    # Reading.

    def moments(self, points: Array) -> Moments:
        """Mean and deviation of the mixture."""
        return self._mixed(*self.member_moments(points))

    def member_moments(self, points: Array) -> Moments:
        """Means and deviations of every member. (M, m)"""
        return _stacked([part.moments(points) for part in self.parts])

    def on(self, points: Array) -> None:
        """Nothing is kept on a table."""

    def deviation(self, points: Array) -> Array:
        """The deviation of the mixture."""
        return self.moments(points).deviation

    def total(self, points: Array, weights: Array) -> tuple[float, float]:
        """Mean and deviation of Σ_i w_i f(x_i)."""
        means, deviations = _stacked([part.total(points, weights) for part in self.parts])
        mean, deviation = self._mixed(means[:, None], deviations[:, None])
        return float(mean[0]), float(deviation[0])

    def slopes(self, points: Array, combine: Combine) -> tuple[Array, Array]:
        """A score made of the mixture's moments, and its gradient.

        For a score s(μ, σ) it is Σ_m w_m ((s_μ + s_σ (μ_m − μ)/σ) ∂μ_m + (s_σ σ_m/σ) ∂σ_m).
        """
        inclines = [part.incline(points) for part in self.parts]
        means, deviations = _stacked([Moments(incline.mean, incline.deviation) for incline in inclines])
        mean, deviation = self._mixed(means, deviations)
        combined = combine(mean, deviation)
        by_spread = combined.by_deviation / np.maximum(deviation, np.finfo(float).tiny)
        by_means = self.weights[:, None] * (combined.by_mean + by_spread * (means - mean))
        by_deviations = self.weights[:, None] * by_spread * deviations
        return combined.value, self._gradient(inclines, by_means, by_deviations)

    def log_expectation(self, points: Array, log_score: Combine) -> Array:
        """log Σ_m w_m exp s(μ_m, σ_m), for a score s that is itself the logarithm of an expectation. (m,)"""
        return self._log_expectation(log_score(*self.member_moments(points)).value)

    def log_expectation_slopes(self, points: Array, log_score: Combine) -> tuple[Array, Array]:
        """The same and its gradient, in which each member has the share of its term. (m,), (m, d)"""
        inclines = [part.incline(points) for part in self.parts]
        means, deviations = _stacked([Moments(incline.mean, incline.deviation) for incline in inclines])
        combined = log_score(means, deviations)
        values = self._log_expectation(combined.value)
        shares = np.exp(self._log_weights + combined.value - values)
        return values, self._gradient(inclines, shares * combined.by_mean, shares * combined.by_deviation)

    def scenarios(self, incumbents: Incumbents, count: int, rng: np.random.Generator) -> tuple[Weighted, ...]:
        """Joint draws of the values at the incumbents under each member that has a weight, which shares the count."""
        places = [(part, place) for part in self.parts for place in range(part.count)]
        drawn = []
        for (part, place), weight in zip(places, self.weights.tolist(), strict=True):
            if weight > 0.0:
                own = max(LEAST_SCENARIOS, math.ceil(count * weight))
                drawn.append(Weighted(weight, part.scenarios(place, incumbents, own, rng)))
        return tuple(drawn)

    def left_out(self, answers: Data) -> Moments:
        """What all others say of each of these answers, as if the mixture were Gaussian."""
        noise: float | Array = self.noise
        if answers.errors is not None:
            noise = noise_variances(answers.errors, self.noise, self.scale**2)
        return taken_away(self.moments(answers.points), noise, answers.values)

    def earlier(self, prior: Mixture, answers: Data, count: int) -> Mixture:
        """The mixture after the first `count` of these answers, which made it of the prior."""
        return prior.remembering(Memory()).condition(*answers.first(count))

    def draw(self, rng: np.random.Generator) -> Function:
        """One function: a member drawn by weight, then a function drawn from it [lu2022, eq. 8]."""
        part, place = self._drawn(rng)
        return part.draw(place, rng)

    def expert(self, rng: np.random.Generator) -> Mixture:
        """One member drawn by weight, alone."""
        part, place = self._drawn(rng)
        return Mixture((part.only(place),), np.ones(1))

    # What answers would tell, given which member is right: I(f; y_A | m), the mean over the members.

    def information(self, points: Array) -> float:
        """Σ_m w_m I_m(f; y_A)."""
        return float(self.gains(points).sum()) if len(points) else 0.0

    def gains(self, points: Array) -> Array:
        """What each of these points would tell about f after those before it. (k,)"""
        return np.asarray(self.weights @ np.concatenate([part.gains(points) for part in self.parts]))

    def greedy_gains(self, points: Array, count: int) -> Array:
        """What each step of uncertainty sampling on these points would tell, before any answer. (count,)"""
        return np.asarray(self.weights @ np.concatenate([part.greedy_gains(points, count) for part in self.parts]))

    @property
    def kernel(self) -> None:
        """Its members have their own."""
        return None

    @property
    def prior_mean(self) -> float:
        """The mean before any answer."""
        return float(self.weights @ np.concatenate([part.prior_means for part in self.parts]))

    @property
    def scale(self) -> float:
        """The deviation before any answer."""
        means = np.concatenate([part.prior_means for part in self.parts])
        scales = np.concatenate([part.scales for part in self.parts])
        return float(self._mixed(means[:, None], scales[:, None]).deviation[0])

    @property
    def noise(self) -> float:
        """The variance of an answer about f, where it is a single measurement of which no error was told."""
        return float(self.weights @ np.concatenate([part.noises for part in self.parts]))

    @property
    def jitter(self) -> float:
        """The largest jitter of a member."""
        return max(part.jitter for part in self.parts)

    @property
    def key(self) -> Hashable:
        """The members' keys, their prior means and their weights."""
        return tuple((part.key, part.prior_means.tobytes()) for part in self.parts), self.weights.tobytes()

    @cached_property
    def log_evidence(self) -> Array:
        """How well each member explains what it was conditioned on. (M,)"""
        return np.concatenate([part.log_evidence() for part in self.parts])

    def _mixed(self, means: Array, deviations: Array) -> Moments:
        mean = self.weights @ means
        # About the mean, not about zero: no difference of large numbers.
        variance = self.weights @ (deviations**2 + (means - mean) ** 2)
        return Moments(mean, np.sqrt(variance))

    def _log_expectation(self, log_scores: Array) -> Array:
        terms = self._log_weights + log_scores
        # The largest term, not the largest score: that may be of a member without weight.
        largest = terms.max(axis=0)
        return np.asarray(largest + np.log(np.exp(terms - largest).sum(axis=0)))

    @cached_property
    def _log_weights(self) -> Array:
        with np.errstate(divide="ignore"):
            return np.log(self.weights)[:, None]

    def _gradient(self, inclines: Sequence[Inclines], by_means: Array, by_deviations: Array) -> Array:
        ends = np.cumsum([part.count for part in self.parts])[:-1]
        pieces = zip(inclines, np.split(by_means, ends), np.split(by_deviations, ends), strict=True)
        return np.asarray(sum(incline.gradient(by_mean, by_deviation) for incline, by_mean, by_deviation in pieces))

    def _drawn(self, rng: np.random.Generator) -> tuple[Members, int]:
        place = int(rng.choice(len(self.weights), p=self.weights))
        for part in self.parts:
            if place < part.count:
                return part, place
            place -= part.count
        raise AssertionError("there are as many weights as members")


def even_mixture(prior: GaussianProcess | Mixture, told: Sequence[Data]) -> Mixture:
    """The even mixture of what the prior is after each of these answers; it takes them in when it is first read."""
    if isinstance(prior, Mixture):
        after = [prior.condition(*data) for data in told]
        parts = tuple(part for mixture in after for part in mixture.parts)
        return Mixture(parts, np.tile(prior.weights, len(told)) / len(told))
    parts = tuple(Exact(prior).condition(*data) for data in told)
    return Mixture(parts, np.full(len(told), 1.0 / len(told)))


def _stacked(moments: Sequence[Moments]) -> Moments:
    return Moments(*(np.concatenate(parts) for parts in zip(*moments, strict=True)))
