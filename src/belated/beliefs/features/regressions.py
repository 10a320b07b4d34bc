"""Linear regressions on random features: beliefs whose cost does not grow with the number of answers.

    f(x) = m + φ(x)ᵀ θ,   θ ~ N(0, I),   y = f(x) + ε,   ε ~ N(0, σ²).
All that n answers say is in the sums G = Σ φ φᵀ, Σ φ, Σ φ y, Σ y, Σ y² and n, that is, in the Gram matrix of the rows
[φ, 1, y]. An answer adds a matrix of rank one to it in O(D²), in any order, and nothing is ever subtracted: so a
million of them leave the posterior N(A⁻¹ b, A⁻¹), A = I + G/σ², b = Σ φ (y − m)/σ², symmetric and positive definite
[lu2022, eq. 9 and 11]. M regressions stand together on a leading axis and are updated together.

An answer with noise variance ν counts as w = σ²/ν of those: its row enters with this weight, and the mean of n repeats
enters as they would one by one.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from belated.beliefs.answer_noise import noise_variances
from belated.beliefs.belief import Imagine, Incumbents, Moments
from belated.beliefs.features.maps import FeatureKernel, FeatureMaps
from belated.beliefs.features.scenarios import FeatureScenarios, feature_scenarios
from belated.beliefs.memory import Memory
from belated.beliefs.process.cholesky import Cholesky, steadied
from belated.beliefs.process.information import greedy_gains
from belated.evidence import Data, Errors
from belated.space import Array, Mask

# Answers are added up in blocks of this many rows, counted from the first answer: the same answers give the same
# rounding whenever they were asked about, and a block is worth a matrix product.
BLOCK = 64
# Points are evaluated in pieces of this many feature values.
PIECE = 1 << 21
# What is remembered: of the answers alone, and of the same with some values filled in.
KEPT = 4


@dataclass(frozen=True, eq=False)
class Regressions:
    """M linear regressions, given the answers that they were conditioned on."""

    maps: FeatureMaps
    noises: Array  # (M,) σ², the variances of one measurement
    prior_means: Array  # (M,)
    key: Hashable  # what tells them, before any answer, from others
    memory: Memory = field(default_factory=Memory)
    origins: Array | None = None  # (M,) what values are measured from in the sums: the first of them
    gram: Array | None = None  # (M, 2 D + 2, 2 D + 2) of the rows [φ, 1, y − origin]; None before any answer
    whole: tuple[Regressions, int] | None = None  # those that one is taken from, and its place, before any answer
    measurements: float = 0.0  # how many all answers are
    log_weights: Array | float = 0.0  # (M,) Σ log w over the answers whose standard error was told

    @property
    def count(self) -> int:
        return self.maps.count

    @property
    def scales(self) -> Array:
        """The deviation of f before any answer. (M,)"""
        return np.asarray(self.maps.amplitudes * np.sqrt(self.maps.width // 2))

    def condition(self, points: Array, values: Array, errors: Errors | None = None) -> Regressions:
        """The regressions after these answers too; `values` are the same for all (n,), or each has its own (M, n)."""
        if self.gram is not None or values.ndim == 2:
            gram, origins = (self._nothing, self.prior_means) if self.gram is None else (self.gram, self.origins)
            assert origins is not None
            given = replace(self, origins=origins, gram=self._added(gram, Data(points, values, errors), origins, 0))
            return given._counted(len(points), errors)
        if self.whole is not None:
            together, place = self.whole
            return together.condition(points, values, errors).only(place)
        return self._remembered(Data(points, values, errors))

    def completed(self, known: Regressions, told: Data, missing: Mask, imagine: Imagine) -> Regressions:
        """What is known, and the missing answers imagined by it: in a sum the order does not matter."""
        points = told.points[missing]
        return known.condition(points, imagine(known, points))

    def with_mean(self, prior_mean: float) -> Regressions:
        """The same regressions around another prior mean."""
        whole = None if self.whole is None else (self.whole[0].with_mean(prior_mean), self.whole[1])
        return replace(self, prior_means=np.full(self.count, prior_mean), whole=whole)

    def remembering(self, memory: Memory) -> Regressions:
        """The same regressions with another memory."""
        whole = None if self.whole is None else (self.whole[0].remembering(memory), self.whole[1])
        return replace(self, memory=memory, whole=whole)

    def only(self, place: int) -> Regressions:
        """One of them; before any answer it takes them in together with the others, whose sums are remembered."""
        kept = slice(place, place + 1)
        return Regressions(
            self.maps.only(place),
            self.noises[kept],
            self.prior_means[kept],
            (self.key, place),
            self.memory,
            None if self.origins is None else self.origins[kept],
            None if self.gram is None else self.gram[kept],
            (self, place) if self.gram is None else None,
            self.measurements,
            self.log_weights[kept] if isinstance(self.log_weights, np.ndarray) else self.log_weights,
        )

    # Reading.

    def moments(self, points: Array) -> Moments:
        """Means and deviations at some points. (M, m), (M, m)"""
        step = max(1, PIECE // (self.count * self.maps.width))
        pieces = [self._moments(points[start : start + step]) for start in range(0, max(len(points), 1), step)]
        return Moments(*(np.concatenate(parts, axis=1) for parts in zip(*pieces, strict=True)))

    def total(self, points: Array, weights: Array) -> Moments:
        """Means and deviations of Σ_i w_i f(x_i), in which the features add up. (M,), (M,)"""
        features = np.einsum("mif,i->mf", self.maps(points), weights)
        mean = self.prior_means * weights.sum() + np.einsum("mf,mf->m", features, self.weights)
        whitened = np.einsum("mgf,mf->mg", self.inverse_roots, features)
        return Moments(mean, np.sqrt(np.einsum("mg,mg->m", whitened, whitened)))

    def incline(self, points: Array) -> FeatureIncline:
        """The moments at some points, and the way to their gradients."""
        features = self.maps(points)
        whitened = features @ self.inverse_roots.swapaxes(1, 2)
        mean = self.prior_means[:, None] + np.einsum("mif,mf->mi", features, self.weights)
        deviation = np.sqrt(np.einsum("mif,mif->mi", whitened, whitened))
        return FeatureIncline(self, features, whitened, mean, deviation)

    def draw(self, place: int, rng: np.random.Generator) -> FeaturePath:
        """One function drawn from one of the regressions: φᵀ θ with θ ~ N(A⁻¹ b, A⁻¹)."""
        spread = self.inverse_roots[place].T @ rng.standard_normal(self.maps.width)
        return FeaturePath(self.maps.only(place), self.weights[place] + spread, float(self.prior_means[place]))

    def scenarios(self, place: int, incumbents: Incumbents, count: int, rng: np.random.Generator) -> FeatureScenarios:
        """So many joint draws of the values of one of the regressions at the incumbents."""
        return feature_scenarios(self.only(place), incumbents, count, rng)

    def log_evidence(self) -> Array:
        """log N(y; m 1, Φ Φᵀ + N) of each, the product of all predictive likelihoods [lu2022, eq. 7 and 10]. (M,)

        For n measurements it is −½ (n log 2πσ² − Σ log w + log |A| + Σ w r²/σ² − bᵀ A⁻¹ b), in which no matrix is
        larger than 2 D.
        """
        if self.gram is None:
            return np.zeros(self.count)
        width = self.maps.width
        shift = self._shifts
        weight, total, squares = self.gram[:, width, width], self.gram[:, width, width + 1], self.gram[:, -1, -1]
        energy = squares - 2.0 * shift * total + shift**2 * weight
        log_determinant = 2.0 * np.log(np.einsum("mff->mf", self._roots)).sum(axis=1)
        explained = np.einsum("mf,mf->m", self._whitened, self._whitened)
        misfit = np.maximum(energy / self.noises - explained, 0.0)
        logs = self.measurements * np.log(2.0 * np.pi * self.noises) - self.log_weights
        return np.asarray(-0.5 * (logs + log_determinant + misfit))

    def gains(self, points: Array) -> Array:
        """What each of these points would tell about f after those before it. (M, k)"""
        whitened = self.maps(points) @ self.inverse_roots.swapaxes(1, 2)
        covariance = whitened @ whitened.swapaxes(1, 2) / self.noises[:, None, None]
        covariance[:, np.arange(len(points)), np.arange(len(points))] += 1.0
        return np.asarray(np.log(np.einsum("mkk->mk", np.linalg.cholesky(covariance))))

    def greedy_gains(self, points: Array, count: int) -> Array:
        """What each step of uncertainty sampling on these points would tell, before any answer. (M, count)"""
        kernels = [FeatureKernel(self.maps.only(place)) for place in range(self.count)]
        return np.array(
            [greedy_gains(kernel, noise, points, count) for kernel, noise in zip(kernels, self.noises, strict=True)]
        )

    @property
    def jitter(self) -> float:
        """What had to be added to A before it could be factorised, times the noise; 0 almost always."""
        return float(np.max(self._factors[1] * self.noises))

    @cached_property
    def weights(self) -> Array:
        """The mean of θ, A⁻¹ b. (M, 2 D)"""
        return np.asarray(np.einsum("mgf,mg->mf", self.inverse_roots, self._whitened))

    def precision(self) -> Array:
        """A = I + G/σ². (M, 2 D, 2 D)"""
        width = self.maps.width
        gram = self._nothing if self.gram is None else self.gram
        matrix = gram[:, :width, :width] / self.noises[:, None, None]
        matrix[:, np.arange(width), np.arange(width)] += 1.0
        return np.asarray(matrix)

    def _moments(self, points: Array) -> tuple[Array, Array]:
        incline = self.incline(points)
        return incline.mean, incline.deviation

    @property
    def _nothing(self) -> Array:
        size = self.maps.width + 2
        return np.zeros((self.count, size, size))

    @property
    def _shifts(self) -> Array:
        """How far the prior means are from what the sums measure values from. (M,)"""
        return self.prior_means - (self.prior_means if self.origins is None else self.origins)

    @cached_property
    def _factors(self) -> tuple[Array, Array]:
        """L with L Lᵀ = A, and the jitters. (M, 2 D, 2 D), (M,)"""
        precision = self.precision()
        try:
            return np.asarray(np.linalg.cholesky(precision)), np.zeros(self.count)
        except np.linalg.LinAlgError:
            found = [steadied("condition()", matrix, 0.0) for matrix in precision]
            return np.array([root.lower for root, _ in found]), np.array([jitter for _, jitter in found])

    @property
    def _roots(self) -> Array:
        return self._factors[0]

    @cached_property
    def inverse_roots(self) -> Array:
        """L⁻¹. (M, 2 D, 2 D)"""
        return np.array([Cholesky(root).inverse_lower for root in self._roots])

    @cached_property
    def _whitened(self) -> Array:
        """L⁻¹ b. (M, 2 D)"""
        if self.gram is None:
            return np.zeros((self.count, self.maps.width))
        width = self.maps.width
        residual = self.gram[:, :width, width + 1] - self._shifts[:, None] * self.gram[:, :width, width]
        return np.asarray(np.einsum("mgf,mf->mg", self.inverse_roots, residual / self.noises[:, None]))

    def _remembered(self, answers: Data) -> Regressions:
        """These, before any answer, after some: the very same object, with what it has computed, if it is known."""
        key, known = (self.key, self.prior_means.tobytes()), self.memory.shelf("regressions given answers")
        for own, some, given in known:
            if own == key and some.key() == answers.key():
                return given  # type: ignore[no-any-return]
        # Measured from an answer, whatever the prior means: then others around other means share the sums.
        origins = np.full(self.count, answers.values[_surest(answers)]) if len(answers.values) else self.prior_means
        given = replace(self, origins=origins, gram=self._summed(answers, origins))
        given = given._counted(len(answers.values), answers.errors)
        known[:] = [*known[-(KEPT - 1) :], (key, answers, given)]
        return given

    def _summed(self, answers: Data, origins: Array) -> Array:
        """The sums over these answers; of whole blocks, only those that were never added up before are."""
        n = len(answers.values) - len(answers.values) % BLOCK
        whole = answers.first(n)
        known = self.memory.shelf("sums of answers")
        origin = float(origins[0])
        usable = [each for each in known if each[0] == (self.key, origin) and each[1].begins(whole)]
        nothing = ((self.key, origin), answers.first(0), self._nothing)
        longest = max(usable, key=lambda each: len(each[1].values), default=nothing)
        start, gram = len(longest[1].values), longest[2]
        if start < n:
            gram = self._added(gram, whole, origins, start)
            kept = [each for each in known if each is not longest][-(KEPT - 1) :]
            known[:] = [*kept, ((self.key, origin), whole, gram)]
        return self._added(gram, answers, origins, n)

    def _added(self, gram: Array, answers: Data, origins: Array, start: int) -> Array:
        """The sums after the answers from row `start` on too, block by block."""
        total = gram.copy()
        width = self.maps.width
        for first in range(start, len(answers.points), BLOCK):
            part = slice(first, first + BLOCK)
            features = self.maps(answers.points[part])
            rows = np.empty((*features.shape[:2], width + 2))
            rows[:, :, :width] = features
            rows[:, :, width] = 1.0
            rows[:, :, width + 1] = np.atleast_2d(answers.values)[:, part] - origins[:, None]
            if answers.errors is not None and (errors := answers.errors.of(part)) is not None:
                rows *= np.sqrt(self._weights_of(errors))[:, :, None]
                total[:, width + 1, width + 1] += errors.scatters.sum()
            total += rows.swapaxes(1, 2) @ rows
        return total

    def _weights_of(self, errors: Errors) -> Array:
        """w = σ²/ν of answers: of the mean of n repeats n, to the last bit. (M, n)"""
        pairs = zip(self.noises, self.scales**2, strict=True)
        weights = [noise / noise_variances(errors, noise, variance) for noise, variance in pairs]
        return np.where(errors.told_mask, weights, errors.measurements)

    def _counted(self, count: int, errors: Errors | None) -> Regressions:
        """These after so many more answers."""
        if errors is None:
            return replace(self, measurements=self.measurements + count)
        logs = np.where(errors.told_mask, np.log(self._weights_of(errors)), 0.0).sum(axis=1)
        measurements = self.measurements + float(errors.measurements.sum())
        return replace(self, measurements=measurements, log_weights=self.log_weights + logs)


def _surest(answers: Data) -> int:
    """The place of an answer from which others are measured: of those with the least error the first."""
    if answers.errors is None:
        return 0
    errors = answers.errors
    # What was not told is no worse than what is fitted; beside it, an answer with a large error may be far off.
    return int(np.argmin(np.where(errors.told_mask, errors.sd, 0.0)))


@dataclass(frozen=True, eq=False)
class FeatureIncline:
    """Means and deviations at some points, and what their gradients need."""

    regressions: Regressions
    features: Array  # (M, m, 2 D)
    whitened: Array  # (M, m, 2 D)
    mean: Array  # (M, m)
    deviation: Array  # (M, m)

    def gradient(self, by_mean: Array, by_deviation: Array) -> Array:
        """Σ over the regressions of s_mean ∂mean + s_deviation ∂deviation. (m, d)

        With u = A⁻¹ φ, ∂mean = θᵀ ∂φ and ∂deviation = uᵀ ∂φ / deviation.
        """
        regressions = self.regressions
        # The deviation is at least that of f given infinitely many answers at the point, never zero.
        weights = (by_deviation / self.deviation)[:, :, None] * (self.whitened @ regressions.inverse_roots)
        weights += by_mean[:, :, None] * regressions.weights[:, None, :]
        return regressions.maps.slopes(self.features, weights)


@dataclass(frozen=True, eq=False)
class FeaturePath:
    """A function that is linear in random features."""

    map: FeatureMaps  # of one kernel
    weights: Array  # (2 D,)
    mean: float

    def values(self, points: Array) -> Array:
        """f at some points. (m,)"""
        step = max(1, PIECE // self.map.width)
        result = np.empty(len(points))
        for start in range(0, len(points), step):
            result[start : start + step] = self.map(points[start : start + step])[0] @ self.weights
        return self.mean + result

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """f and its gradient."""
        features = self.map(points)
        weights = np.broadcast_to(self.weights, features.shape)
        return self.mean + features[0] @ self.weights, self.map.slopes(features, weights)
