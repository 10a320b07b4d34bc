"""A table of candidates, and a process read there: its moments are kept up to date row by row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from belated.beliefs.belief import Moments
from belated.beliefs.process.columns import columns_of
from belated.beliefs.process.factor import Columns
from belated.space import Array, Indices

if TYPE_CHECKING:
    from belated.beliefs.process.gaussian import GaussianProcess

# Largest table whose rows are found by a dictionary; past it, that would take more memory than it is worth.
LARGEST_INDEX = 100_000


@dataclass(frozen=True, eq=False)
class CandidateTable:
    """The table on which a belief lives. It knows its own rows by their values."""

    rows: Array  # (N, d)

    def __len__(self) -> int:
        return len(self.rows)

    def is_at(self, points: Array) -> bool:
        """Whether these are the rows of the table, all of them and in the same order."""
        return points is self.rows or np.array_equal(points, self.rows)

    def places(self, points: Array) -> Indices | None:
        """The rows with these points; None when one is not there, or the table is too large to look them up. (m,)"""
        if len(self) > LARGEST_INDEX:
            return None
        found = [self._index.get(row.tobytes(), -1) for row in points]
        return None if -1 in found else np.array(found, dtype=np.intp)

    @cached_property
    def _index(self) -> dict[bytes, int]:
        return {row.tobytes(): place for place, row in enumerate(self.rows)}


@dataclass(frozen=True, eq=False)
class OnTable:
    """A process on its own table."""

    process: GaussianProcess
    table: CandidateTable

    @property
    def lazy(self) -> bool:
        """Whether the table is so large that deviations are computed only where they could decide."""
        return len(self.table) >= self.process.setting.memory.lazy_from

    def moments(self) -> Moments:
        """Mean and deviation of every candidate."""
        return Moments(self.mean(), self.deviation())

    def mean(self) -> Array:
        """The mean of every candidate. (N,)"""
        process = self.process
        return process.prior_mean + self.columns.mean(process.own_factor, process.whitened_residual)

    def bounds(self) -> Array:
        """Upper bounds of the deviations of every candidate. (N,)"""
        return self.columns.bounds(self.process.own_factor)

    def deviation(self, chosen: Indices | None = None) -> Array:
        """The deviations of all candidates, or of some."""
        return self.columns.deviation(self.process.own_factor, chosen)

    @property
    def columns(self) -> Columns:
        """What is kept up to date."""
        return columns_of(self.process.own_factor, self.table.rows, self.lazy)
