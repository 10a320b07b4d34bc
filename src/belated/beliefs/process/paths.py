"""Functions drawn from a belief: exactly joint on a table, or paths over the whole cube.

A prior path is a sum of random features, g(x) = √(2v/D) Σ_j w_j cos(ω_jᵀ z + b_j) s_j(x), with ω_j from the
kernel's spectral law [rahimi2007] and s_j a random sign for the categorical columns: with probability
exp(−contrast) it is the same for all levels, else one sign for each, so that E s_j(a) s_j(b) is the kernel's factor.
Answers enter through an exact correction [wilson2020].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from belated.beliefs.kernels.forms import Linear
from belated.beliefs.kernels.kernel import Kernel
from belated.beliefs.process.cholesky import steadied
from belated.space import Array

if TYPE_CHECKING:
    from belated.beliefs.process.gaussian import GaussianProcess

# Features of a prior path: the error of the prior covariance falls as one over the root of this number.
FEATURES = 1024
# Points evaluated together, to bound the memory of an (m, FEATURES) array.
CHUNK = 16384
# A joint prior draw needs this much of the variance on the diagonal of a smooth kernel's matrix.
TABLE_JITTER = 1e-9


@dataclass(frozen=True)
class PriorPath:
    """g(x) = Σ_j a_j cos(ω_jᵀ x + b_j) s_j(x), or a random linear function times such signs."""

    frequencies: Array  # (D, d), zero in categorical columns
    phases: Array  # (D,)
    amplitudes: Array  # (D,)
    signs: tuple[tuple[int, Array], ...]  # per categorical column: its index, and (levels, D)
    linear: bool

    def values(self, points: Array) -> Array:
        """g at some points. (m,)"""
        result = np.empty(len(points))
        for start in range(0, len(points), CHUNK):
            part = points[start : start + CHUNK]
            angles = self._angles(part)
            features = angles if self.linear else np.cos(angles, out=angles)
            result[start : start + CHUNK] = self._signed(features, part) @ self.amplitudes
        return result

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """g and its gradient."""
        angles = self._angles(points)
        features = angles if self.linear else np.cos(angles)
        derivatives = np.ones_like(angles) if self.linear else -np.sin(angles)
        gradient = (self._signed(derivatives, points) * self.amplitudes) @ self.frequencies
        return self._signed(features, points) @ self.amplitudes, gradient

    def _angles(self, points: Array) -> Array:
        """ω_jᵀ x + b_j. (m, D)"""
        angles = points @ self.frequencies.T
        angles += self.phases
        return angles

    def _signed(self, features: Array, points: Array) -> Array:
        """The features times the signs of their points' categories. (m, D)"""
        for column, table in self.signs:
            level = np.minimum((points[:, column] * len(table)).astype(int), len(table) - 1)
            features = features * table[level]
        return features


def prior_path(kernel: Kernel, levels: tuple[int | None, ...], dimension: int, rng: np.random.Generator) -> PriorPath:
    """A path drawn from the prior with mean zero."""
    mask = np.array(kernel.categorical or (False,) * dimension)
    numeric = np.flatnonzero(~mask)
    linear = isinstance(kernel.form, Linear)
    frequencies = np.zeros((FEATURES, dimension))
    if linear:
        # 1 + z·z′ = E (w₀ + w·z)(w₀ + w·z′); many such functions are only needed to carry the signs.
        frequencies[:, numeric] = rng.standard_normal((FEATURES, len(numeric)))
        offsets, scale = rng.standard_normal(FEATURES), 1.0
    else:
        if len(numeric):
            frequencies[:, numeric] = kernel.form.frequencies(FEATURES, len(numeric), rng)
        offsets, scale = rng.uniform(0.0, 2.0 * np.pi, FEATURES), 2.0
    frequencies[:, numeric] /= np.array(kernel.lengthscales)
    phases = offsets - 0.5 * frequencies.sum(axis=1)
    amplitudes = rng.standard_normal(FEATURES) * np.sqrt(scale * kernel.variance / FEATURES)
    signs = tuple(
        (int(column), random_signs(contrast, levels[column] or 1, FEATURES, rng))
        for column, contrast in zip(np.flatnonzero(mask), kernel.contrasts, strict=True)
    )
    return PriorPath(frequencies, phases, amplitudes, signs, linear)


def random_signs(contrast: float, levels: int, count: int, rng: np.random.Generator) -> Array:
    """Signs s(level) with E s(a) s(b) = exp(−contrast) for a ≠ b. (levels, count)"""
    each = rng.choice([-1.0, 1.0], size=(levels, count))
    same = rng.random(count) < np.exp(-contrast)
    return np.where(same, each[0], each)


@dataclass(frozen=True)
class Path:
    """A function drawn from a Gaussian process, over the whole cube."""

    kernel: Kernel
    mean: float
    prior: PriorPath
    points: Array  # (n, d)
    weights: Array  # (n,)

    def values(self, points: Array) -> Array:
        """f at some points. (m,)"""
        result = self.mean + self.prior.values(points)
        for start in range(0, len(points), CHUNK):
            part = slice(start, start + CHUNK)
            result[part] += self.weights @ self.kernel.gram(self.points, points[part])
        return result

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """f and its gradient."""
        values, gradient = self.prior.slopes(points)
        crossing = self.kernel.crossing(self.points, points)
        return self.mean + values + self.weights @ crossing.gram, gradient + crossing.slopes(self.weights[:, None])


@dataclass(frozen=True)
class TableDraw:
    """Values of f drawn jointly on a table; it is known there and nowhere else."""

    table: Array  # (N, d)
    drawn: Array  # (N,)

    def values(self, points: Array) -> Array:
        """f on the table."""
        assert points is self.table, "a joint draw is read on its own table"
        return self.drawn

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """A table has no directions to climb in."""
        raise AssertionError("a joint draw on a table has no gradient")


def table_draw(process: GaussianProcess, table: Array, rng: np.random.Generator) -> TableDraw | None:
    """f drawn jointly on the table, or None when the process knows points outside it.

    A prior draw g on the table, corrected where the answers are [wilson2020, eq. 12]; exact, since g is known at
    every answered point: f(T) = g(T) + k(T, X) (K + σ² I)⁻¹ (r − g(X) − ε).
    """
    memory = process.setting.memory
    places = process.places(np.empty((0, 1)) if process.factor is None else process.factor.points)
    if places is None:
        return None
    root = memory.recall("prior root", process.kernel, lambda: _prior_root(process.kernel, table))
    prior = root @ rng.standard_normal(len(table))
    noise = rng.standard_normal(len(places)) * np.sqrt(process.noise)
    corrected = process.with_values(process.values - prior[places] - noise)
    return TableDraw(table, prior + corrected.table_mean())


def _prior_root(kernel: Kernel, table: Array) -> Array:
    """A lower factor of the prior covariance on the table. (N, N)"""
    covariance = kernel.gram(table, table)
    ridge = TABLE_JITTER * float(np.mean(np.diagonal(covariance)))
    root, _ = steadied("draw()", covariance, ridge)
    return np.ascontiguousarray(root.lower)
