"""Distributions of one number that nature draws, clipped to [0, 1], and exact expectations under them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np

from belated.space import Array

# Panels of [0, 1] and Gauss points in each. Panels are a fifth as wide as the narrowest deviation or scale here, 0.02,
# so that nothing is left but rounding; one half, where all that is symmetric has its kink, is where two of them meet.
PANELS, POINTS = 256, 8


class Distribution(Hashable, Protocol):
    """A distribution on the line; what lies beyond [0, 1] counts as the nearest end."""

    def density(self, values: Array) -> Array:
        """The density before clipping, at any numbers."""

    def share_below(self, values: Array) -> Array:
        """P(c ≤ value) before clipping."""

    def draw(self, rng: np.random.Generator) -> float:
        """One number, not yet clipped."""


@dataclass(frozen=True)
class Uniform:
    """Evenly on [0, 1]."""

    def density(self, values: Array) -> Array:
        """One inside, zero outside."""
        return np.where((values >= 0.0) & (values <= 1.0), 1.0, 0.0)

    def share_below(self, values: Array) -> Array:
        """The value itself, clipped."""
        return np.clip(values, 0.0, 1.0)

    def draw(self, rng: np.random.Generator) -> float:
        """One number of [0, 1)."""
        return float(rng.random())


@dataclass(frozen=True)
class Normal:
    """N(mean, deviation²)."""

    mean: float
    deviation: float

    def density(self, values: Array) -> Array:
        """exp(−u²/2)/(√2π · deviation), u = (c − mean)/deviation."""
        u = (values - self.mean) / self.deviation
        return np.asarray(np.exp(-0.5 * u**2) / (np.sqrt(2.0 * np.pi) * self.deviation))

    def share_below(self, values: Array) -> Array:
        """Φ((c − mean)/deviation)."""
        from scipy.special import ndtr  # as long to import as a whole room, and few need it

        return np.asarray(ndtr((values - self.mean) / self.deviation))

    def draw(self, rng: np.random.Generator) -> float:
        return self.mean + self.deviation * float(rng.standard_normal())


@dataclass(frozen=True)
class Cauchy:
    """Cauchy's distribution around its median; it has no mean until it is clipped."""

    median: float
    scale: float

    def density(self, values: Array) -> Array:
        """1/(π · scale · (1 + u²)), u = (c − median)/scale."""
        u = (values - self.median) / self.scale
        return np.asarray(1.0 / (np.pi * self.scale * (1.0 + u**2)))

    def share_below(self, values: Array) -> Array:
        """½ + (arctan u)/π."""
        return np.asarray(0.5 + np.arctan((values - self.median) / self.scale) / np.pi)

    def draw(self, rng: np.random.Generator) -> float:
        return self.median + self.scale * float(rng.standard_cauchy())


@dataclass(frozen=True)
class Burr:
    """Burr's distribution of type XII, on c > 0: 1 − F(c) = (1 + c^first)^(−second)."""

    first: float
    second: float

    def density(self, values: Array) -> Array:
        """αβ c^(α−1) (1 + c^α)^(−β−1), and zero below 0."""
        c = np.maximum(values, 0.0)
        alpha, beta = self.first, self.second
        return np.asarray(alpha * beta * c ** (alpha - 1.0) * (1.0 + c**alpha) ** (-beta - 1.0))

    def share_below(self, values: Array) -> Array:
        """1 − (1 + c^α)^(−β)."""
        return np.asarray(1.0 - (1.0 + np.maximum(values, 0.0) ** self.first) ** -self.second)

    def draw(self, rng: np.random.Generator) -> float:
        """((1 − u)^(−1/β) − 1)^(1/α), u even on [0, 1)."""
        return float(((1.0 - rng.random()) ** (-1.0 / self.second) - 1.0) ** (1.0 / self.first))


@dataclass(frozen=True)
class MixedDistribution:
    """One of several distributions, each as likely as any other."""

    parts: tuple[Distribution, ...]

    def density(self, values: Array) -> Array:
        """The mean of the densities."""
        return np.asarray(np.mean([part.density(values) for part in self.parts], axis=0))

    def share_below(self, values: Array) -> Array:
        """The mean of the shares."""
        return np.asarray(np.mean([part.share_below(values) for part in self.parts], axis=0))

    def draw(self, rng: np.random.Generator) -> float:
        """One number of a part that is drawn first."""
        return self.parts[int(rng.integers(len(self.parts)))].draw(rng)


class Quadrature(NamedTuple):
    """Numbers of [0, 1] and their weights: E g(c) = Σ wᵢ g(cᵢ) for the clipped c."""

    nodes: Array  # (n,)
    weights: Array  # (n,), they sum to one


@lru_cache
def clipped(distribution: Distribution) -> Quadrature:
    """The expectation under a distribution that is clipped to [0, 1], exact but for rounding where g is smooth.

    E g(c) = F(0) g(0) + (1 − F(1)) g(1) + ∫₀¹ p(c) g(c) dc, the integral by Gauss's rule in each of 256 panels.
    """
    inside = panels(PANELS)
    below, above = distribution.share_below(np.array([0.0, 1.0]))
    weights = inside.weights * distribution.density(inside.nodes)
    return Quadrature(np.concatenate([[0.0], inside.nodes, [1.0]]), np.concatenate([[below], weights, [1.0 - above]]))


def panels(count: int) -> Quadrature:
    """The integral over [0, 1], by Gauss's rule in each panel."""
    points, shares = np.polynomial.legendre.leggauss(POINTS)
    starts = np.arange(count)[:, None]
    return Quadrature(((starts + 0.5 * (points + 1.0)) / count).ravel(), np.tile(0.5 * shares / count, count))


def reduced(full: Quadrature, count: int) -> Quadrature:
    """Gauss's rule of `count` nodes for the same expectation: exact for polynomials of degree 2 · count − 1.

    Lanczos's iteration on the nodes of the full one gives the three-term recurrence of its orthogonal polynomials,
    whose matrix has the nodes as eigenvalues and the weights in its first eigenvectors' entries [golub1969].
    """
    basis = np.sqrt(full.weights)[None] / np.sqrt(full.weights.sum())
    diagonal, beside = [], []
    for _ in range(count):
        diagonal.append(float(basis[-1] @ (full.nodes * basis[-1])))
        following = full.nodes * basis[-1]
        # Twice, since once leaves the basis orthogonal only to about the root of what is left.
        for _ in range(2):
            following = following - basis.T @ (basis @ following)
        beside.append(float(np.linalg.norm(following)))
        basis = np.vstack([basis, following / beside[-1]])
    recurrence = np.diag(diagonal) + np.diag(beside[:-1], 1) + np.diag(beside[:-1], -1)
    nodes, vectors = np.linalg.eigh(recurrence)
    return Quadrature(nodes, vectors[0] ** 2)
