"""Random features: sines and cosines whose inner products are a kernel's covariances, on average.

    φ(x) = √(v/D) [sin ω_jᵀ z s_j(x), cos ω_jᵀ z s_j(x)]_{j ≤ D},   z = (x − ½)/ℓ,   E φ(a)ᵀ φ(b) = k(a, b)
with ω_j from the kernel's spectral law and s_j a random sign for the categorical columns [rahimi2007; lu2022, eq. 8].
The maps of several kernels stand together on a leading axis, so that one matrix product serves them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from belated.beliefs.kernels.expression import expression
from belated.beliefs.kernels.form import is_spectral
from belated.beliefs.kernels.kernel import Kernel
from belated.beliefs.kernels.simple import MIDDLE, SimpleKernel
from belated.beliefs.kernels.waves import level_of
from belated.errors import UnsupportedError
from belated.space import Array


@dataclass(frozen=True, eq=False)
class FeatureMaps:
    """The features of M kernels, 2 D of each."""

    frequencies: Array  # (M, D, d), divided by the lengthscales; zero in categorical columns
    amplitudes: Array  # (M,), √(v/D)
    signs: tuple[tuple[int, Array], ...]  # per categorical column: its index, and (M, levels, D)

    @property
    def count(self) -> int:
        """M."""
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
        return FeatureMaps(self.frequencies[kept], self.amplitudes[kept], signs)

    def _signed(self, points: Array) -> Array:
        """The amplitudes times the signs of the points' categories. (M, m or 1, D or 1)"""
        amplitudes: Array = self.amplitudes[:, None, None]
        for column, table in self.signs:
            amplitudes = amplitudes * table[:, level_of(points[:, column], table.shape[1])]
        return amplitudes


@dataclass(frozen=True, eq=False)
class Spectrum:
    """What is random in the features of a kernel, before its parameters come in."""

    frequencies: Array  # (D, number of numeric columns), for lengthscales of one
    common: Array  # (number of categorical columns, D), signs that all levels share
    own: tuple[Array, ...]  # per categorical column: (levels, D), signs of each level

    @property
    def count(self) -> int:
        """D."""
        return len(self.frequencies)

    def signs(self, kernel: SimpleKernel) -> list[Array]:
        """s(level) = √q common + √(1 − q) own with q = exp(−contrast): then E s(a) s(b) = q. [(levels, D)]"""
        shares = np.exp(-np.array(kernel.contrasts))
        return [
            np.sqrt(share) * common + np.sqrt(1.0 - share) * own
            for share, common, own in zip(shares, self.common, self.own, strict=True)
        ]


def spectral(kernel: Kernel) -> SimpleKernel:
    """The kernel, whose form has a spectral law; a policy's features were refused any other."""
    assert isinstance(kernel, SimpleKernel)
    return kernel


def drawn_spectrum(kernel: Kernel, levels: tuple[int | None, ...], count: int, rng: np.random.Generator) -> Spectrum:
    """So many spectral draws for a kernel of this form over columns with these levels."""
    kernel = spectral(kernel)
    assert is_spectral(kernel.form)
    mask = kernel.categorical or (False,) * len(levels)
    nominal = [number or 1 for number, categorical in zip(levels, mask, strict=True) if categorical]
    numeric = len(levels) - len(nominal)
    frequencies = kernel.form.frequencies(count, numeric, rng) if numeric else np.zeros((count, 0))
    common = rng.choice([-1.0, 1.0], size=(len(nominal), count))
    return Spectrum(frequencies, common, tuple(rng.choice([-1.0, 1.0], size=(number, count)) for number in nominal))


def feature_maps(kernels: Sequence[Kernel], spectra: Sequence[Spectrum], dimension: int) -> FeatureMaps:
    """The features of these kernels, each with its own spectral draws, as many for each."""
    singles = [spectral(kernel) for kernel in kernels]
    mask = np.array(singles[0].categorical or (False,) * dimension)
    frequencies = np.zeros((len(kernels), spectra[0].count, dimension))
    for place, (kernel, spectrum) in enumerate(zip(singles, spectra, strict=True)):
        frequencies[place][:, ~mask] = spectrum.frequencies / np.array(kernel.lengthscales)
    signs = [spectrum.signs(kernel) for kernel, spectrum in zip(singles, spectra, strict=True)]
    tables = [np.array(tables) for tables in zip(*signs, strict=True)]
    amplitudes = np.sqrt([kernel.variance / spectra[0].count for kernel in kernels])
    return FeatureMaps(frequencies, amplitudes, tuple(zip(np.flatnonzero(mask).tolist(), tables, strict=True)))


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


def require_spectral(call: str, kernel: str) -> None:
    """Refuse a kernel whose frequencies cannot be drawn once for all of its hyperparameters."""
    form = expression(kernel, call).single
    if is_spectral(form):
        return
    one = "one, whose frequencies are drawn"
    if form is None or form.pairing.stationary:
        one = "form, alone and without hyperparameters of its own, whose frequencies are drawn once"
    raise UnsupportedError(
        f"{call}: got the kernel {kernel!r}; random features need a stationary {one}; "
        f"give 'se' or a Matérn kernel, or use bl.GP itself."
    )
