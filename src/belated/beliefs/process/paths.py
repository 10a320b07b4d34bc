"""Functions drawn from a belief: exactly joint on a table, or paths over the whole cube.

A prior path is a sum of random waves; answers enter through an exact correction [wilson2020].
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from belated.beliefs.kernels.arithmetic import total
from belated.beliefs.kernels.kernel import Kernel
from belated.beliefs.kernels.waves import CHUNK, Waves
from belated.beliefs.process.cholesky import steadied
from belated.space import Array

if TYPE_CHECKING:
    from belated.beliefs.process.on_table import CandidateTable, OnTable

# Waves of a prior path: the error of the prior covariance falls as one over the root of this number.
WAVES = 1024
# A joint prior draw needs this much of the variance on the diagonal of a smooth kernel's matrix.
TABLE_JITTER = 1e-9


@dataclass(frozen=True)
class Path:
    """A function drawn from a Gaussian process, over the whole cube."""

    kernel: Kernel
    mean: float
    prior: tuple[Waves, ...]  # added up
    points: Array  # (n, d)
    weights: Array  # (n,)

    def values(self, points: Array) -> Array:
        """f at some points. (m,)"""
        result = self.mean + total(waves.values(points) for waves in self.prior)
        for start in range(0, len(points), CHUNK):
            part = slice(start, start + CHUNK)
            result[part] += self.weights @ self.kernel.gram(self.points, points[part])
        return result

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """f and its gradient."""
        pairs = [waves.slopes(points) for waves in self.prior]
        values, gradient = (total(parts) for parts in zip(*pairs, strict=True))
        crossing = self.kernel.crossing(self.points, points)
        return self.mean + values + self.weights @ crossing.gram, gradient + crossing.slopes(self.weights[:, None])


@dataclass(frozen=True)
class TableDraw:
    """Values of f drawn jointly on a table; it is known there and nowhere else."""

    table: CandidateTable
    drawn: Array  # (N,)

    def values(self, points: Array) -> Array:
        """f on the table."""
        assert self.table.is_at(points), "a joint draw is read on its own table"
        return self.drawn

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """A table has no directions to climb in."""
        raise AssertionError("a joint draw on a table has no gradient")


def table_draw(own: OnTable, rng: np.random.Generator) -> TableDraw | None:
    """f drawn jointly on the table, or None when the process knows points outside it.

    A prior draw g on the table, corrected where the answers are [wilson2020, eq. 12]; exact, since g is known at
    every answered point: f(T) = g(T) + k(T, X) (K + N)⁻¹ (r − g(X) − ε).
    """
    process, table = own.process, own.table
    places = table.places(np.empty((0, 1)) if process.factor is None else process.factor.points)
    if places is None:
        return None
    root = process.setting.memory.recall("prior root", process.kernel, lambda: _prior_root(process.kernel, table.rows))
    prior = root @ rng.standard_normal(len(table))
    noise = rng.standard_normal(len(places)) * np.sqrt(process.own_factor.noises)
    corrected = process.with_values(process.values - prior[places] - noise)
    return TableDraw(table, prior + replace(own, process=corrected).mean())


def _prior_root(kernel: Kernel, table: Array) -> Array:
    """A lower factor of the prior covariance on the table. (N, N)"""
    covariance = kernel.gram(table, table)
    ridge = TABLE_JITTER * float(np.mean(np.diagonal(covariance)))
    root, _ = steadied("draw()", covariance, ridge)
    return np.ascontiguousarray(root.lower)
