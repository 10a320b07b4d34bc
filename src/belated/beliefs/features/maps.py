"""Random features: sines and cosines whose inner products are a kernel's covariances, on average.

    φ(x) = √(v/D) [sin ω_jᵀ z s_j(x), cos ω_jᵀ z s_j(x)]_{j ≤ D},   z = (x − ½)/ℓ,   E φ(a)ᵀ φ(b) = k(a, b)
with ω_j from the kernel's spectral law and s_j a random sign for the categorical columns [rahimi2007; lu2022, eq. 15].
The maps of several kernels stand together on a leading axis, so that one matrix product serves them all. Unlike the
waves of a prior path, which have random phases, every frequency has a sine and a cosine, and every sign a slope in its
contrast: so the variance is exact, and hyperparameters can be fitted.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from belated.beliefs.features.spectrum import Placed, Spectrum
from belated.beliefs.kernels.expression import expression
from belated.beliefs.kernels.form import is_spectral
from belated.beliefs.kernels.kernel import Kernel
from belated.beliefs.kernels.simple import MIDDLE
from belated.beliefs.kernels.waves import level_of
from belated.checks import require_count
from belated.errors import UnsupportedError
from belated.space import Array


@dataclass(frozen=True, eq=False)
class FeatureMaps:
    """The features of M kernels, 2 D of each."""

    frequencies: Array  # (M, D, d), divided by the lengthscales; zero in categorical columns
    amplitudes: Array  # (M,), √(v/D)
    signs: tuple[tuple[int, Array], ...]  # per categorical column: its index, and (M, levels, D)
    weights: Array | None = None  # (M, D), where draws stand for unequal shares of the variance

    @property
    def count(self) -> int:
        return len(self.frequencies)

    @property
    def width(self) -> int:
        """2 D."""
        return 2 * int(self.frequencies.shape[1])

    def __call__(self, points: Array) -> Array:
        """φ of every kernel at some points. (M, m, 2 D)"""
        n_maps, n_spectral, dimension = self.frequencies.shape
        angles = (points - MIDDLE) @ self.frequencies.reshape(-1, dimension).T
        angles = angles.reshape(len(points), n_maps, n_spectral).swapaxes(0, 1)
        amplitudes = self._signed(points)
        features = np.empty((n_maps, len(points), 2 * n_spectral))
        np.multiply(np.sin(angles), amplitudes, out=features[:, :, :n_spectral])
        np.multiply(np.cos(angles), amplitudes, out=features[:, :, n_spectral:])
        return features

    def slopes(self, features: Array, weights: Array) -> Array:
        """Row i is Σ_mf w_mif ∂φ_mf(x_i)/∂x_i, given the features at the points. (m, d)

        A sine's slope is the cosine beside it times its frequency, and a cosine's the sine, turned.
        """
        n_maps, n_spectral, dimension = self.frequencies.shape
        sines, cosines = features[:, :, :n_spectral], features[:, :, n_spectral:]
        by_angle = weights[:, :, :n_spectral] * cosines - weights[:, :, n_spectral:] * sines
        return np.asarray(
            by_angle.swapaxes(0, 1).reshape(-1, n_maps * n_spectral) @ self.frequencies.reshape(-1, dimension)
        )

    def only(self, place: int) -> FeatureMaps:
        """The map of one kernel."""
        kept = slice(place, place + 1)
        signs = tuple((column, table[kept]) for column, table in self.signs)
        weights = None if self.weights is None else self.weights[kept]
        return FeatureMaps(self.frequencies[kept], self.amplitudes[kept], signs, weights)

    def _signed(self, points: Array) -> Array:
        """The amplitudes times the signs of the points' categories. (M, m or 1, D or 1)"""
        amplitudes: Array = self.amplitudes[:, None, None]
        if self.weights is not None:
            amplitudes = amplitudes * self.weights[:, None, :]
        for column, table in self.signs:
            amplitudes = amplitudes * table[:, level_of(points[:, column], table.shape[1])]
        return amplitudes


def feature_maps(kernels: Sequence[Kernel], spectra: Sequence[Spectrum], dimension: int) -> FeatureMaps:
    """The features of these kernels, each with its own spectral draws, as many for each."""
    placed = [spectrum.placed(kernel, dimension) for kernel, spectrum in zip(kernels, spectra, strict=True)]
    return placed_maps(kernels, placed, spectra[0].count, dimension)


def placed_maps(
    kernels: Sequence[Kernel], placed: Sequence[list[tuple[Placed, ...]]], count: int, dimension: int
) -> FeatureMaps:
    """The features of these kernels, given their draws, product by product."""
    frequencies = np.zeros((len(kernels), count, dimension))
    for place, terms in enumerate(placed):
        for each in itertools.chain(*terms):
            frequencies[place, each.stretch] += each.frequencies
    tables = [sign_tables(list(itertools.chain(*terms)), count) for terms in placed]
    levels = {column: len(table) for own in tables for column, table in own.items()}
    signs = tuple(
        (column, np.array([own[column] if column in own else np.ones((levels[column], count)) for own in tables]))
        for column in sorted(levels)
    )
    amplitudes = np.sqrt([kernel.variance / count for kernel in kernels])
    return FeatureMaps(frequencies, amplitudes, signs, _weights(kernels, placed, count))


def sign_tables(placed: Sequence[Placed], count: int) -> dict[int, Array]:
    """The signs of every categorical column, which multiply within a product. {column: (levels, D)}"""
    tables: dict[int, Array] = {}
    for each in placed:
        for column, signs in each.signs().items():
            table = tables.setdefault(column, np.ones((len(signs), count)))
            table[:, each.stretch] *= signs
    return tables


def _weights(kernels: Sequence[Kernel], placed: Sequence[list[tuple[Placed, ...]]], count: int) -> Array | None:
    """√(v_t D/(D_t v)) where a product has D_t of the D draws and v_t of the variance; None without sums. (M, D)"""
    if all(len(terms) == 1 for terms in placed):
        return None
    weights = np.ones((len(kernels), count))
    for place, (kernel, terms) in enumerate(zip(kernels, placed, strict=True)):
        for term in terms:
            variance = math.prod(each.leaf.kernel.variance for each in term)
            share = term[0].draws.count / count
            weights[place, term[0].stretch] = np.sqrt(variance / kernel.variance / share) if share else 0.0
    return weights


@dataclass(frozen=True)
class FeatureKernel:
    """The covariance that one map stands for: k(a, b) = φ(a)ᵀ φ(b)."""

    maps: FeatureMaps

    def gram(self, first: Array, second: Array) -> Array:
        """φ(aᵢ)ᵀ φ(bⱼ). (n, m)"""
        return np.asarray(self.maps(first)[0] @ self.maps(second)[0].T)

    def diagonal(self, points: Array) -> Array:
        """|φ(a)|² = v/D Σ_j s_j(a)², since sin² + cos² = 1: the same to the last bit where the categories are. (m,)"""
        signed = np.broadcast_to(self.maps._signed(points)[0], (len(points), self.maps.width // 2))
        return np.asarray(np.sum(signed**2, axis=1))


def require_spectral(call: str, kernel: str, count: int) -> None:
    """Refuse a kernel whose frequencies cannot be drawn once for all hyperparameters, or too few draws for it."""
    written = expression(kernel, call)
    for form in written.forms:
        if not is_spectral(form):
            forms = "one, whose frequencies are drawn"
            if form.pairing.stationary:
                forms = "one without hyperparameters of its own, whose frequencies are drawn once"
            raise UnsupportedError(
                f"{call}: got the kernel {kernel!r}; random features need a stationary {forms}; "
                f"give 'se' or a Matérn kernel, or use bl.GP itself."
            )
    require_count("Features", "count", count, least=len(written.terms))
