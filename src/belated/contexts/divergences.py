"""Aims that are robust within a ball of laws around that of the contexts, by a divergence.

With p_j the weights of a sample of the law and φ convex with φ(1) = 0, a law q is at the distance Σ_j p_j φ(q_j / p_j),
and a point with values g is worth the lowest Σ_j q_j g_j in the ball [huang2024, appendix A.3]. Its dual,
    max over α ≥ 0 and β of −β − δα − α Σ_j p_j φ*(−(g_j + β)/α),
is solved here for three φ, by a sort or in one number. Only the total variation moves mass to contexts that the sample
has not: the others would be infinite there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from belated.beliefs import Belief
from belated.checks import require_count
from belated.contexts.aims import (
    FEW,
    Average,
    View,
    Weighed,
    beginning,
    contexts_of,
    distinct,
    distinct_rows,
    lowest_columns,
    n_numeric,
    require_law,
    require_radius,
)
from belated.contexts.density import KernelDensity
from belated.contexts.law import EACH_SCORED, MOST_CONTEXTS, ContextLaw, Sample
from belated.errors import ParameterError
from belated.space import Array, Space

# Contexts of the coarse views and of a glance: of the law's sample and of the points among which an infimum is sought.
COARSE_PARTS = ((24, 8), (192, 64))
FEW_PARTS = (6, 2)
# Newton's method takes some eight steps; safeguarded ones, for laws with their least values far apart, a few dozen.
MOST_STEPS = 100
# A law is as far as the radius says to this share of it.
PRECISION = 1e-12


class Divergence(Protocol):
    """How far one law is from another."""

    def radius(self, distance: float) -> float:
        """The largest radius of which the ball is sure to lie within ∫|q − p| ≤ distance."""

    def ball(self, sample: Sample, further: Array, radius: float) -> View:
        """The lowest expectation under the laws of a ball around the sample; further contexts may be of use. (l, c)"""


@dataclass(frozen=True)
class TotalVariation:
    """∫|q − p|, φ(r) = |r − 1|, twice the usual total variation [huang2024, eq. 5].

    A law in the ball has moved mass δ/2 at most: the worst takes it from the contexts with the largest g and puts it
    where g is lowest. No solver is needed, only a sort.
    """

    def radius(self, distance: float) -> float:
        """The distance itself."""
        return distance

    def ball(self, sample: Sample, further: Array, radius: float) -> MovedMass:
        """Mass moved from the sample to the lowest of all contexts."""
        return MovedMass(np.concatenate([sample.points, further]), sample.weights, 0.5 * radius)


@dataclass(frozen=True)
class KullbackLeibler:
    """∫ q log(q/p), φ(r) = r log r: the worst law is q_j ∝ p_j exp(−λ g_j), as far as the radius lets it [hu2013].

    Contexts whose values differ little keep like weights, and none loses all of its own.
    """

    def radius(self, distance: float) -> float:
        """½ distance², by Pinsker's inequality ∫ q log(q/p) ≥ ½ (∫|q − p|)²."""
        return 0.5 * distance**2

    def ball(self, sample: Sample, further: Array, radius: float) -> View:
        """The sample tilted."""
        return Tilted(*sample, radius) if radius else Average(*sample)


@dataclass(frozen=True)
class ChiSquare:
    """∫ (q − p)²/p, φ(r) = (r − 1)²: the worst law is q_j ∝ p_j max(τ − g_j, 0) [namkoong2017].

    In a small ball the value is the mean less √(δ · variance): the variance of a score over contexts is what is feared.
    """

    def radius(self, distance: float) -> float:
        """distance², by the inequality of Cauchy and Schwarz, ∫ (q − p)²/p ≥ (∫|q − p|)²."""
        return distance**2

    def ball(self, sample: Sample, further: Array, radius: float) -> View:
        """The sample with weights that fall with the value."""
        return Sloped(*sample, radius) if radius else Average(*sample)


@dataclass(frozen=True)
class DensityBall:
    """min over q with D(q, p̂) ≤ δ of the expectation of g under q, p̂ the law of contexts [huang2024, eq. 5].

    D is the divergence; for the total variation the `infimum` further contexts, even over their box, are where the
    lowest g is sought. Without a `radius` the ball is the largest that is sure to lie within ∫|q − p̂| ≤ δ,
        δ = n^{−2/(4+D_c)},   n the contexts seen, D_c their numeric columns [huang2024, appendix B.1].
    """

    law: ContextLaw = KernelDensity()
    samples: int = 1024
    infimum: int = 1024
    radius: float | None = None
    divergence: Divergence = TotalVariation()

    def __post_init__(self) -> None:
        require_law("DensityBall", self.law)
        require_count("DensityBall", "samples", self.samples, most=MOST_CONTEXTS, reason=EACH_SCORED)
        require_count("DensityBall", "infimum", self.infimum, most=MOST_CONTEXTS, reason=EACH_SCORED)
        require_radius("DensityBall", self.radius)
        if not callable(getattr(self.divergence, "ball", None)) or isinstance(self.divergence, type):
            raise ParameterError(
                f"DensityBall(divergence={self.divergence!r}): divergence must be one of bl.contexts, as "
                f"KullbackLeibler()."
            )

    def describe(self) -> str:
        """Over which contexts, in words."""
        return f"under the worst law near that of {contexts_of(self.law)}"

    def views(self, seen: Array, space: Space, belief: Belief, rng: np.random.Generator) -> tuple[View, ...]:
        """Balls around beginnings of one sample."""
        radius = self.distance(len(seen), space)
        sample = self.law.sample(seen, space, self.samples, rng)
        lows = distinct_rows(space.sample(self.infimum, rng))
        if radius == 0.0:
            lows = lows[:0]
        whole = len(sample.points), len(lows)
        counts = distinct([*((min(k, whole[0]), min(low, whole[1])) for k, low in COARSE_PARTS), whole])
        return tuple(
            self.divergence.ball(beginning(sample, count), lows[:count_low], radius) for count, count_low in counts
        )

    def distance(self, n_seen: int, space: Space) -> float:
        """δ after this many contexts; before the first it is as after one."""
        if self.radius is not None:
            return float(self.radius)
        return self.divergence.radius(float(max(n_seen, 1) ** (-2.0 / (4.0 + n_numeric(space)))))


@dataclass(frozen=True, eq=False)
class MovedMass:
    """The lowest Σ_j q_j g_j with at most `mass` of the weights moved; contexts past the weights have none at first."""

    contexts: Array  # (k + l, c)
    weights: Array  # (k,), they sum to one
    mass: float

    @np.errstate(invalid="ignore")  # non-finite inputs give non-finite outputs
    def weigh(self, values: Array) -> Weighed:
        """The largest values first, q_j = w_j − clip(mass − Σ_{i<j} w_i, 0, w_j); what is moved goes to the lowest."""
        rows, lowest = np.arange(len(values)), values.argmin(axis=1)
        drawn = values[:, : len(self.weights)]
        order = np.argsort(-drawn, axis=1)
        weights = self.weights[order]
        larger = np.cumsum(weights, axis=1) - weights
        # Rounding may leave a sum of all weights just above one.
        mass = self.mass if self.mass < 1.0 else np.inf
        moved = np.clip(mass - larger, 0.0, weights)
        arrived = moved.sum(axis=1)
        kept = weights - moved
        shares = np.zeros(values.shape)
        np.put_along_axis(shares, order, kept, axis=1)
        shares[rows, lowest] += arrived
        # Summed over the sample alone, so that a narrowed view gives the same to the last bit.
        stayed = np.einsum("ij,ij->i", kept, np.take_along_axis(drawn, order, axis=1))
        return Weighed(stayed + arrived * values[rows, lowest], shares)

    def narrowed(self, values: Array) -> MovedMass:
        """The same weights, with those further contexts that have the lowest values."""
        n_weights = len(self.weights)
        lowest = lowest_columns(values[:, n_weights:])
        kept = np.concatenate([np.arange(n_weights), n_weights + lowest])
        return self if len(kept) == len(self.contexts) else replace(self, contexts=self.contexts[kept])

    def glance(self) -> MovedMass:
        """The same with the first of the contexts that have weights, and of the others."""
        n_weights, (few, few_low) = len(self.weights), FEW_PARTS
        if len(self.contexts) <= FEW:
            return self
        points, weights = beginning(Sample(self.contexts[:n_weights], self.weights), few)
        return MovedMass(np.concatenate([points, self.contexts[n_weights:][:few_low]]), weights, self.mass)


@dataclass(frozen=True, eq=False)
class Tilted:
    """The lowest Σ_j q_j g_j with Σ_j q_j log(q_j / p_j) ≤ δ."""

    contexts: Array  # (k, c)
    weights: Array  # (k,), they sum to one
    radius: float  # δ, above 0

    @np.errstate(invalid="ignore", divide="ignore")  # non-finite inputs give non-finite outputs
    def weigh(self, values: Array) -> Weighed:
        """q_j ∝ p_j exp(−λ g_j) with λ so large that q is at the distance δ; all mass at the lowest if that is nearer.

        Values are counted from the lowest in units of their range, in which λ is found.
        """
        low, span = values.min(axis=1), np.ptp(values, axis=1)
        excess = (values - low[:, None]) / np.where(span > 0.0, span, 1.0)[:, None]
        shares = np.where(excess == 0.0, self.weights, 0.0)
        at_lowest = shares.sum(axis=1)
        shares /= at_lowest[:, None]
        far = np.flatnonzero((-np.log(at_lowest) > self.radius) & np.isfinite(span))
        shares[far] = self._tilted(excess[far])
        return Weighed(low + span * (shares * excess).sum(axis=1), shares)

    def _tilted(self, excess: Array) -> Array:
        """The laws at the distance δ: with D(λ) its distance, Newton's method for √D(λ) = √δ, between bounds of λ."""
        weights, radius = self.weights, self.radius
        mean = (weights * excess).sum(axis=1)
        variance = (weights * (excess - mean[:, None]) ** 2).sum(axis=1)
        rates = np.sqrt(2.0 * radius / variance)
        least, most = np.zeros(len(excess)), np.full(len(excess), np.inf)
        laws, active = np.empty(excess.shape), np.arange(len(excess))
        for _ in range(MOST_STEPS):
            if not len(active):
                break
            rate, rows = rates[active], excess[active]
            law = weights * np.exp(-rate[:, None] * rows)
            total = law.sum(axis=1)
            law /= total[:, None]
            laws[active] = law
            mean = (law * rows).sum(axis=1)
            variance = (law * (rows - mean[:, None]) ** 2).sum(axis=1)
            distance = np.maximum(-rate * mean - np.log(total), 0.0)
            least[active] = np.where(distance < radius, rate, least[active])
            most[active] = np.where(distance < radius, most[active], rate)
            root = np.sqrt(distance)
            new = rate + (np.sqrt(radius) - root) * 2.0 * root / (rate * variance)
            lower, upper = least[active], most[active]
            middle = np.where(np.isfinite(upper), np.sqrt(np.maximum(lower, 1e-3 * upper) * upper), 4.0 * lower)
            rates[active] = np.where((new > lower) & (new < upper), new, middle)
            active = active[np.abs(distance - radius) > PRECISION * radius]
        return laws

    def narrowed(self, values: Array) -> Tilted:
        """Itself: every context has a share."""
        return self

    def glance(self) -> Tilted:
        """The same with the first contexts."""
        few = beginning(Sample(self.contexts, self.weights), FEW)
        return self if len(self.contexts) <= FEW else Tilted(*few, self.radius)


@dataclass(frozen=True, eq=False)
class Sloped:
    """The lowest Σ_j q_j g_j with Σ_j (q_j − p_j)² / p_j ≤ δ."""

    contexts: Array  # (k, c)
    weights: Array  # (k,), they sum to one
    radius: float  # δ, above 0

    @np.errstate(invalid="ignore", divide="ignore")  # non-finite inputs give non-finite outputs
    def weigh(self, values: Array) -> Weighed:
        """q_j ∝ p_j max(τ − g_j, 0); all mass at the lowest if that is nearer than δ.

        With P, m and v the mass, the mean and the variance of the contexts whose values are below τ, the distance is
        ((τ − m)² + v)/(P (τ − m)²) − 1, which falls in τ. So a context is among them if the distance for τ = g_j is
        above δ, and then τ = m + √(v/(P (1 + δ) − 1)).
        """
        rows, low, span = np.arange(len(values)), values.min(axis=1), np.ptp(values, axis=1)
        excess = (values - low[:, None]) / np.where(span > 0.0, span, 1.0)[:, None]
        order = np.argsort(excess, axis=1, kind="stable")
        weights, sorted_excess = self.weights[order], np.take_along_axis(excess, order, axis=1)
        mass = np.cumsum(weights, axis=1)
        first = np.cumsum(weights * sorted_excess, axis=1)
        second = np.cumsum(weights * sorted_excess**2, axis=1)
        gap = sorted_excess * mass - first
        distance = (sorted_excess * (gap - first) + second) / gap**2 - 1.0
        below = (sorted_excess == 0.0) | (distance > self.radius)
        last = np.maximum(np.count_nonzero(below, axis=1) - 1, 0)
        mean = first[rows, last] / mass[rows, last]
        variance = np.maximum(second[rows, last] / mass[rows, last] - mean**2, 0.0)
        top = mean + np.sqrt(variance / (mass[rows, last] * (1.0 + self.radius) - 1.0))
        lowest = np.where(excess == 0.0, self.weights, 0.0)
        near = lowest.sum(axis=1) * (1.0 + self.radius) >= 1.0
        shares = np.where(near[:, None], lowest, self.weights * np.maximum(top[:, None] - excess, 0.0))
        shares /= shares.sum(axis=1)[:, None]
        return Weighed(low + span * (shares * excess).sum(axis=1), shares)

    def narrowed(self, values: Array) -> Sloped:
        """Itself: every context may have a share."""
        return self

    def glance(self) -> Sloped:
        """The same with the first contexts."""
        few = beginning(Sample(self.contexts, self.weights), FEW)
        return self if len(self.contexts) <= FEW else Sloped(*few, self.radius)
