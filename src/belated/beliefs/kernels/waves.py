"""Random functions with the covariance of a kernel: sums of many waves, and products of such where kernels multiply.

    g(x) = Σ_j a_j Π_f w_f(ω_fjᵀ x + b_fj) s_fj(x),   a_j normal
where w is a cosine, with ω_j from the spectral law of a stationary form [rahimi2007], or the identity for a linear one,
and s_j a random sign for the categorical columns: with probability exp(−contrast) it is the same for all levels, else
one sign for each, so that E s_j(a) s_j(b) is the kernel's factor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from belated.beliefs.kernels.arithmetic import others, product, total
from belated.space.arrays import Array, Indices

# Points evaluated together, to bound the memory of an (m, number of waves) array.
CHUNK = 16384


class Oscillation(Protocol):
    """A function w of an angle."""

    @property
    def power(self) -> float:
        """1/E w² over the angles of draws for one point."""

    def values(self, angles: Array) -> Array:
        """w; may overwrite the angles."""

    def derivatives(self, angles: Array) -> Array:
        """The derivatives of w at these angles."""


@dataclass(frozen=True)
class Cosine:
    """cos: where phases are uniform around the circle, E 2 cos(ω·a + b) cos(ω·b + b) is E cos ω·(a − b)."""

    power = 2.0

    def values(self, angles: Array) -> Array:
        return np.cos(angles, out=angles)

    def derivatives(self, angles: Array) -> Array:
        """−sin."""
        return -np.sin(angles)


@dataclass(frozen=True)
class Line:
    """The angle itself."""

    power = 1.0

    def values(self, angles: Array) -> Array:
        return angles

    def derivatives(self, angles: Array) -> Array:
        return np.ones_like(angles)


@dataclass(frozen=True, eq=False)
class WaveFactor:
    """w(ω_jᵀ x + b_j) s_j(x) for D waves j."""

    oscillation: Oscillation
    frequencies: Array  # (D, d), zero in categorical columns
    phases: Array  # (D,)
    signs: tuple[tuple[int, Array], ...]  # per categorical column: its index, and (levels, D)

    def values(self, points: Array) -> Array:
        """All waves at some points. (m, D)"""
        return self._signed(self.oscillation.values(self._angles(points)), points)

    def both(self, points: Array) -> tuple[Array, Array]:
        """All waves at some points, and their derivatives in the angle. (m, D), (m, D)"""
        angles = self._angles(points)
        derivatives = self.oscillation.derivatives(angles)
        return self._signed(self.oscillation.values(angles), points), self._signed(derivatives, points)

    def over(self, columns: Sequence[int], dimension: int) -> WaveFactor:
        """The same as a function of more columns, of which it looks at these."""
        frequencies = np.zeros((len(self.frequencies), dimension))
        frequencies[:, list(columns)] = self.frequencies
        signs = tuple((columns[column], table) for column, table in self.signs)
        return replace(self, frequencies=frequencies, signs=signs)

    def _angles(self, points: Array) -> Array:
        angles = points @ self.frequencies.T
        angles += self.phases
        return angles

    def _signed(self, waves: Array, points: Array) -> Array:
        for column, table in self.signs:
            waves = waves * table[level_of(points[:, column], len(table))]
        return waves


@dataclass(frozen=True, eq=False)
class Waves:
    """D waves with amplitudes."""

    factors: tuple[WaveFactor, ...]
    amplitudes: Array  # (D,)

    def values(self, points: Array) -> Array:
        """Their sum at some points. (m,)"""
        result = np.empty(len(points))
        for start in range(0, len(points), CHUNK):
            part = points[start : start + CHUNK]
            result[start : start + CHUNK] = product([factor.values(part) for factor in self.factors]) @ self.amplitudes
        return result

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """Their sum and its gradient. (m,), (m, d)"""
        pairs = [factor.both(points) for factor in self.factors]
        values = [each for each, _ in pairs]
        gradients = [
            (product([derivatives, *others(values, place)]) * self.amplitudes) @ factor.frequencies
            for place, (factor, (_, derivatives)) in enumerate(zip(self.factors, pairs, strict=True))
        ]
        return product(values) @ self.amplitudes, total(gradients)

    def times(self, other: Waves) -> Waves:
        """Waves whose covariance is the product of both."""
        amplitudes = self.amplitudes * other.amplitudes * np.sqrt(len(self.amplitudes))
        return Waves(self.factors + other.factors, amplitudes)

    def over(self, columns: Sequence[int], dimension: int) -> Waves:
        """The same as a function of more columns, of which it looks at these."""
        return replace(self, factors=tuple(factor.over(columns, dimension) for factor in self.factors))


def random_signs(contrast: float, levels: int, count: int, rng: np.random.Generator) -> Array:
    """Signs s(level) with E s(a) s(b) = exp(−contrast) for a ≠ b. (levels, count)"""
    each = rng.choice([-1.0, 1.0], size=(levels, count))
    same = rng.random(count) < np.exp(-contrast)
    return np.where(same, each[0], each)


def level_of(units: Array, levels: int) -> Indices:
    """Which of its levels a categorical column has, at places in the unit interval."""
    return np.asarray(np.minimum((units * levels).astype(int), levels - 1))
