"""The one number t per pair of points that a correlation is a function of: a squared distance, or an inner product."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from belated.space.arrays import Array


class Pairing(Protocol):
    """A number t(a, b) that is a sum over the columns of points a and b."""

    @property
    def stationary(self) -> bool:
        """Whether t depends on a − b alone."""

    def numbers(self, first: Array, second: Array) -> Array:
        """t(aᵢ, bⱼ) for all rows a of `first` (n, d) and b of `second` (m, d), as (n, m)."""

    def alone(self, points: Array) -> Array:
        """t(a, a) for every row a, as (m,)."""

    def shares(self, points: Array) -> Array:
        """What every column adds to the number t of each pair of points, as (d, n, n)."""

    def gather(self, first: Array, second: Array, weights: Array) -> Array:
        """Row j is Σᵢ wᵢⱼ ∂t(aᵢ, bⱼ)/∂bⱼ, as (m, d), with no array of n × m × d."""


@dataclass(frozen=True)
class SquaredDistance:
    """|a − b|²."""

    stationary = True

    def numbers(self, first: Array, second: Array) -> Array:
        """|aᵢ − bⱼ|²."""
        return squared_distances(first, second)

    def alone(self, points: Array) -> Array:
        return np.zeros(len(points))

    def shares(self, points: Array) -> Array:
        """(aᵢₖ − aⱼₖ)² for every column k."""
        columns = points.T
        return np.asarray((columns[:, :, None] - columns[:, None, :]) ** 2)

    def gather(self, first: Array, second: Array, weights: Array) -> Array:
        """Row j: 2 Σᵢ wᵢⱼ (bⱼ − aᵢ), a column sum and a matrix product."""
        slopes: Array = weights.sum(axis=0)[:, None] * second
        slopes -= weights.T @ first
        slopes *= 2.0
        return slopes


@dataclass(frozen=True)
class InnerProduct:
    """a·b."""

    stationary = False

    def numbers(self, first: Array, second: Array) -> Array:
        """aᵢ·bⱼ."""
        return np.asarray(first @ second.T)

    def alone(self, points: Array) -> Array:
        """|a|²."""
        return squared_norms(points)

    def shares(self, points: Array) -> Array:
        """aᵢₖ aⱼₖ for every column k."""
        columns = points.T
        return np.asarray(columns[:, :, None] * columns[:, None, :])

    def gather(self, first: Array, second: Array, weights: Array) -> Array:
        """Row j: Σᵢ wᵢⱼ aᵢ."""
        slopes: Array = weights.T @ first
        return slopes


def squared_norms(points: Array) -> Array:
    """|a|² for every row, as (n,)."""
    norms: Array = np.einsum("ij,ij->i", points, points)
    return norms


def squared_distances(first: Array, second: Array) -> Array:
    """|aᵢ − bⱼ|² as (n, m), from one matrix product; exactly zero on the diagonal when `first` is `second`.

    (|a|² + |b|²) − 2 a·b, in this order symmetric to the last bit, has an error of about 1e-16 (|a|² + |b|²);
    so the kernel centres its points, and what is within the error is zero: a rough form would take its root.
    """
    norms, others = squared_norms(first), squared_norms(second)
    squares = np.add.outer(norms, others)
    squares -= (2.0 * first) @ second.T
    error = 4.0 * np.finfo(float).eps * (norms.max(initial=0.0) + others.max(initial=0.0))
    squares[squares < error] = 0.0
    if first is second:
        np.fill_diagonal(squares, 0.0)
    return squares
