"""A belief in two parts, where no answer means a value s: f(x) = s + Φ(g(x)) (e(x) − s).

Φ(g) is the probability of an answer and e the expected one: two processes, each of its own kind. Values of s beside
others are no noise about a smooth function, and their spread is widest where answers are large and rare; in two parts
nobody takes the one for the other [duan1983]. A told value of s is the same as silence.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from belated.beliefs.belief import Belief, Combine, Combined, Expecting, Function, Imagine, Moments
from belated.beliefs.leave_one_out import taken_away
from belated.beliefs.memory import Memory
from belated.beliefs.process.gaussian import GaussianProcess
from belated.beliefs.two_parts.answering import Answering
from belated.evidence import Data, Errors
from belated.space import Array, Mask


class Chances(NamedTuple):
    """Φ(g) at some points: its mean q = Φ(z) with z = μ/√(1 + v), its slope in μ, and its deviation r."""

    mean: Array
    slope: Array
    deviation: Array


@dataclass(frozen=True, eq=False)
class TwoPartBelief:
    """Whether queries are answered, and with what."""

    silence: float  # s
    answering: Answering
    value: Belief  # e
    latent: GaussianProcess  # g

    # Learning.

    def condition(self, points: Array, values: Array, errors: Errors | None = None) -> TwoPartBelief:
        """The belief after these answers too, of which those of value s are silence."""
        told = Data(points, values, errors)
        heard = values != self.silence
        answering = self.answering.after(points, heard)
        return replace(self, answering=answering, value=self.value.condition(*told.of(heard)), latent=answering.process)

    def completed(self, known: TwoPartBelief, told: Data, missing: Mask, imagine: Imagine) -> TwoPartBelief:
        """This prior after these answers, the missing ones imagined as each part expects them: means stay, deviations
        narrow. How long they have waited, the chance of an answer knows already.
        """
        heard = missing | (told.values != self.silence)
        value = self.value.completed(known.value, told.of(heard), missing[heard], _own_mean)
        latent = known.answering.imagining(told.points[missing]) if missing.any() else known.latent
        return replace(known, value=value, latent=latent)

    def with_mean(self, prior_mean: float) -> TwoPartBelief:
        """The same around another prior mean of answers."""
        return replace(self, value=self.value.with_mean(prior_mean))

    def remembering(self, memory: Memory) -> TwoPartBelief:
        """The same with another memory; the latent process has its own."""
        return replace(self, value=self.value.remembering(memory))

    def earlier(self, prior: TwoPartBelief, answers: Data, count: int) -> TwoPartBelief:
        """The belief after the first `count` of these answers, which made it of the prior."""
        return prior.remembering(Memory()).condition(*answers.first(count))

    def expert(self, rng: np.random.Generator) -> TwoPartBelief:
        """The belief with one Gaussian belief of the answers."""
        return replace(self, value=self.value.expert(rng))

    # Reading.

    def moments(self, points: Array) -> Moments:
        """s + q (μ − s), and (q² σ² + r² (μ − s)² + r² σ²)^½, with μ and σ those of the answers."""
        chances = _chances(*self.latent.moments(points))
        return self._product(chances, *self.value.moments(points))

    def on(self, points: Array) -> None:
        """Nothing is kept on a table."""

    def deviation(self, points: Array) -> Array:
        """The deviation at some points."""
        return self.moments(points).deviation

    def total(self, points: Array, weights: Array) -> tuple[float, float]:
        """Mean and deviation of Σ_i w_i f(x_i), to first order in both parts."""
        mean, _ = self.moments(points)
        latent, value = self.latent.moments(points), self.value.moments(points)
        chances = _chances(*latent)
        of_value = self.value.total(points, weights * chances.mean)[1]
        of_chance = self.latent.total(points, weights * (value.mean - self.silence) * chances.slope)[1]
        return float(weights @ mean), float(np.hypot(of_value, of_chance))

    def slopes(self, points: Array, combine: Combine) -> tuple[Array, Array]:
        """A score made of the moments, and its gradient, by the chain rule through both parts."""
        incline = self.latent.incline(points)
        mu, sigma = incline.mean, incline.deviation
        chances = _chances(mu, sigma)
        q, slope, r = chances
        root = np.sqrt(1.0 + sigma**2)
        z = mu / root
        # ∂slope/∂μ and ∂/∂σ; r = slope σ.
        slope_by_mu, slope_by_sigma = -z * slope / root, slope * sigma * (z**2 - 1.0) / root**2
        q_by_sigma = -slope * z * sigma / root
        r_by_mu, r_by_sigma = sigma * slope_by_mu, slope + sigma * slope_by_sigma
        kept: list[tuple[Array, Array]] = []

        def of_values(mean: Array, deviation: Array) -> Combined:
            product = self._product(chances, mean, deviation)
            combined, above = combine(*product), mean - self.silence
            by_variance = 0.5 * combined.by_deviation / np.maximum(product.deviation, np.finfo(float).tiny)
            by_q = combined.by_mean * above + by_variance * 2.0 * q * deviation**2
            by_r = by_variance * 2.0 * r * (above**2 + deviation**2)
            kept.append((by_q * slope + by_r * r_by_mu, by_q * q_by_sigma + by_r * r_by_sigma))
            by_above = combined.by_mean * q + by_variance * 2.0 * r**2 * above
            return Combined(combined.value, by_above, by_variance * 2.0 * deviation * (q**2 + r**2))

        values, gradient = self.value.slopes(points, of_values)
        return values, gradient + incline.gradient(*kept[0])

    def draw(self, rng: np.random.Generator) -> Function:
        """One function drawn from both parts."""
        return _Drawn(self.silence, self.latent.draw(rng), self.value.draw(rng))

    def left_out(self, answers: Data) -> Moments:
        """What all others say of each of these answers, as if it were Gaussian."""
        chances, value = _chances(*self.latent.moments(answers.points)), self.value.moments(answers.points)
        noise = chances.mean * (1.0 - chances.mean) * (value.mean - self.silence) ** 2 + chances.mean * self.value.noise
        return taken_away(self.moments(answers.points), np.maximum(noise, np.finfo(float).tiny), answers.values)

    # How much answers would tell: whether they come, and what they are.

    def information(self, points: Array) -> float:
        """I(f; y_A) of both parts."""
        return self.value.information(points) + self.latent.information(points)

    def gains(self, points: Array) -> Array:
        """What each of these points would tell after those before it. (k,)"""
        return self.value.gains(points) + self.latent.gains(points)

    def greedy_gains(self, points: Array, count: int) -> Array:
        """What each step of uncertainty sampling on these points would tell, before any answer. (count,)"""
        return self.value.greedy_gains(points, count) + self.latent.greedy_gains(points, count)

    # What it is.

    @property
    def prior_mean(self) -> float:
        """The mean before any answer."""
        return self.silence + self._share * (self.value.prior_mean - self.silence)

    @property
    def scale(self) -> float:
        """The deviation before any answer."""
        prior = self.answering.prior
        latent = np.full(1, prior.prior_mean), np.full(1, prior.scale)
        value = np.full(1, self.value.prior_mean), np.full(1, self.value.scale)
        return float(self._product(_chances(*latent), *value).deviation[0])

    @property
    def noise(self) -> float:
        """The variance of an answer about f, where it is answered as likely as the average one and then as large."""
        q = self._share
        return q * (1.0 - q) * (self.value.prior_mean - self.silence) ** 2 + q * self.value.noise

    @property
    def _share(self) -> float:
        prior = self.answering.prior
        return float(_chances(np.full(1, prior.prior_mean), np.full(1, prior.scale)).mean[0])

    @property
    def kernel(self) -> None:
        """Its parts have their own."""
        return None

    @property
    def jitter(self) -> float:
        """The larger one of both parts."""
        return max(self.value.jitter, self.latent.jitter)

    @property
    def key(self) -> Hashable:
        """The keys of both parts, and who is waited for."""
        waiting = self.answering
        return self.silence, self.value.key, waiting.prior.key, waiting.points.tobytes(), waiting.shares.tobytes()

    def _product(self, chances: Chances, mean: Array, deviation: Array) -> Moments:
        above, (q, _, r) = mean - self.silence, chances
        variance = (q * deviation) ** 2 + (r * above) ** 2 + (r * deviation) ** 2
        return Moments(self.silence + q * above, np.sqrt(variance))


@dataclass(frozen=True)
class _Drawn:
    """s + Φ(g) (e − s) for one g and one e."""

    silence: float
    latent: Function
    value: Function

    def values(self, points: Array) -> Array:
        from scipy.special import ndtr

        return np.asarray(self.silence + ndtr(self.latent.values(points)) * (self.value.values(points) - self.silence))

    def slopes(self, points: Array) -> tuple[Array, Array]:
        from scipy.special import ndtr

        latent, by_latent = self.latent.slopes(points)
        value, by_value = self.value.slopes(points)
        chance, above = ndtr(latent), value - self.silence
        return (
            np.asarray(self.silence + chance * above),
            by_value * chance[:, None] + by_latent * (_density(latent) * above)[:, None],
        )


def _own_mean(known: Expecting, points: Array) -> Array:
    return known.moments(points).mean


def _chances(mean: Array, deviation: Array) -> Chances:
    from scipy.special import ndtr

    root = np.sqrt(1.0 + deviation**2)
    slope = _density(mean / root) / root
    return Chances(ndtr(mean / root), slope, slope * deviation)


def _density(z: Array) -> Array:
    return np.asarray(np.exp(-0.5 * z**2) / np.sqrt(2.0 * np.pi))
