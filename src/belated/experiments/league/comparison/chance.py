"""What chance has made of a mean over cases: cases are drawn anew, and seeds within each.

Seeds vary less within a case than cases among each other, but both are a sample. Drawing both counts the chance of the
seeds twice, in the cases and within them, so that intervals are a little wide where seeds make most of the difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from belated.space import Array

DRAWS = 1000
LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class CaseDraws:
    """The draws in which a case is among those drawn, as often as it is, each with how often it draws every seed."""

    draws: NDArray[np.intp]  # (times,), ascending
    weights: Array  # (times, seeds)


@lru_cache(maxsize=4)
def resampled(cases: int, seeds: int, draws: int = DRAWS) -> tuple[CaseDraws, ...]:
    """Draws of as many cases with replacement, each time with as many seeds drawn within; the same in every call."""
    rng = np.random.default_rng(0)
    chosen = rng.integers(cases, size=(draws, cases))
    found = []
    for case in range(cases):
        of_draws = np.nonzero(chosen == case)[0]
        weights = rng.multinomial(seeds, np.full(seeds, 1.0 / seeds), size=len(of_draws))
        found.append(CaseDraws(of_draws, weights.astype(float)))
    return tuple(found)


def weighed(values: Array, weights: Array) -> Array:
    """The mean over the seeds that are there, by weights. (entrants, seeds), (times, seeds) -> (times, entrants)

    NaN for an entrant that has none of the seeds drawn: the case does not count for it in this draw.
    """
    there = ~np.isnan(values)
    counts = weights @ there.T
    return np.asarray(np.where(counts > 0, weights @ np.where(there, values, 0.0).T / np.maximum(counts, 1.0), np.nan))


class Sums:
    """Means over the cases of each draw, as the cases come in one after the other."""

    def __init__(self, draws: int, entrants: int) -> None:
        self._totals, self._counts = np.zeros((draws, entrants)), np.zeros((draws, entrants))

    def add(self, draws: NDArray[np.intp], values: Array) -> None:
        """Take in what a case came to in the draws that have it; NaN is left out. (times,), (times, entrants)"""
        if len(draws):
            drawn, starts = np.unique(draws, return_index=True)
            self._totals[drawn] += np.add.reduceat(np.nan_to_num(values), starts, axis=0)
            self._counts[drawn] += np.add.reduceat((~np.isnan(values)).astype(float), starts, axis=0)

    def means(self) -> Array:
        """The mean over the cases of each draw, NaN where it has none. (draws, entrants)"""
        return np.asarray(np.where(self._counts > 0, self._totals / np.maximum(self._counts, 1.0), np.nan))


def interval(drawn: Array, cases: Array) -> tuple[Array, Array]:
    """The interval of means over so many cases each, from their draws. (draws, entrants), (entrants,) -> (entrants,)

    Unlike plain quantiles, which are too near for few cases, they are taken further out, at Φ(−√(n/(n − 1)) t) with the
    quantile t of Student's law of n − 1 degrees of freedom [hesterberg2015]. One case alone has no interval.
    """
    from scipy.special import ndtr, stdtrit  # scipy.stats takes half a second to import

    low, high = np.full(len(cases), np.nan), np.full(len(cases), np.nan)
    for count in np.unique(cases[cases > 1]).tolist():
        of = cases == count
        reach = np.sqrt(count / (count - 1)) * stdtrit(count - 1, (1.0 + LEVEL) / 2.0)
        tail = float(ndtr(-reach))
        low[of], high[of] = np.nanquantile(drawn[:, of], [tail, 1.0 - tail], axis=0)
    return low, high


def mean(values: Array) -> Array:
    """The mean over the first axis, leaving out what is NaN; NaN where all are."""
    there = ~np.isnan(values)
    counts = there.sum(axis=0)
    return np.asarray(np.where(counts > 0, np.nan_to_num(values).sum(axis=0) / np.maximum(counts, 1), np.nan))
