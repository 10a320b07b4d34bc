"""An entrant beside every other one, over the cases and seeds that both have played.

With the same seed both met the same function, noise and delays: what they differ by is theirs, not the case's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from belated.experiments.league.comparison.chance import DRAWS, Sums, interval, mean, resampled
from belated.experiments.league.comparison.tables import LAST, RegretTables
from belated.space import Array


@dataclass(frozen=True)
class Gap:
    """A number with its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Pair:
    """Two entrants: the mean difference of their ranks, and the geometric mean of the ratio of their regrets.

    A negative difference, or a ratio below 1, is for the first. `cases` is how many both played.
    """

    first: str
    second: str
    cases: int
    rank: Gap
    ratio: Gap

    @property
    def ahead(self) -> str | None:
        """Who is ahead in rank by more than chance: the interval has only differences in its favour; else None."""
        if self.rank.high < 0:
            return self.first
        return self.second if self.rank.low > 0 else None


def pairs(tables: RegretTables, first: str, measure: str, part: int = LAST, draws: int = DRAWS) -> dict[str, Pair]:
    """An entrant beside all others that share a case and a seed with it."""
    shares, regrets = tables.shares(measure, part), tables.bounded(measure, part)
    row, n = tables.row(first), len(tables.entrants)
    ranks, ratios = Sums(draws, n), Sums(draws, n)
    plain: list[tuple[Array, Array]] = []
    for ranked, regret, drawn in zip(shares, regrets, resampled(len(shares), shares.shape[2], draws), strict=True):
        plain.append(_compared(ranked, regret, row, np.ones((1, shares.shape[2]))))
        for sums, values in zip((ranks, ratios), _compared(ranked, regret, row, drawn.weights), strict=True):
            sums.add(drawn.draws, values)
    rank, log_ratio = (np.concatenate(parts) for parts in zip(*plain, strict=True))  # (cases, entrants)
    cases = (~np.isnan(rank)).sum(axis=0)
    of_ranks = _differences(mean(rank), ranks.means(), cases)
    of_ratios = _differences(mean(log_ratio), ratios.means(), cases, np.exp)
    return {
        name: Pair(first, name, int(count), by_rank, by_ratio)
        for name, count, by_rank, by_ratio in zip(tables.entrants, cases, of_ranks, of_ratios, strict=True)
        if count and name != first
    }


def _compared(ranked: Array, regret: Array, row: int, weights: Array) -> tuple[Array, Array]:
    """By how much a row is ahead in rank, and the logarithm of the ratio of regrets. (times, entrants) each

    Both are over the seeds that a row shares with each other one; NaN where there are none, or none was drawn.
    """
    both = ~np.isnan(ranked) & ~np.isnan(ranked[row])  # (entrants, seeds)
    counts = weights @ both.T
    some = np.maximum(counts, 1.0)
    # Differences come before means, so that twins differ by nothing, not by rounding.
    ahead = weights @ np.where(both, ranked[row] - ranked, 0.0).T / some
    own, theirs = (weights @ np.where(both, values, 0.0).T / some for values in (regret[row], regret))
    none = counts == 0
    log_ratio = np.log(np.where(none, 1.0, own)) - np.log(np.where(none, 1.0, theirs))
    return np.where(none, np.nan, ahead), np.where(none, np.nan, log_ratio)


def _differences(values: Array, drawn: Array, cases: Array, scale: np.ufunc = np.positive) -> list[Gap]:
    """The values with the intervals of their draws, both on the scale of a function."""
    low, high = interval(drawn, cases)
    return [
        Gap(float(scale(value)), float(scale(lowest)), float(scale(highest)))
        for value, lowest, highest in zip(values, low, high, strict=True)
    ]
