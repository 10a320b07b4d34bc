"""The standings: the mean rank of every entrant by one regret, with its interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from belated.experiments.league.comparison.chance import DRAWS, Sums, interval, mean, resampled, weighed
from belated.experiments.league.comparison.tables import LAST, RegretTables
from belated.space import Array


@dataclass(frozen=True)
class Standing:
    """An entrant's mean rank over its cases and seeds, the share of the others that did better, and its interval."""

    entrant: str
    share: float
    low: float
    high: float
    cases: int


def standings(tables: RegretTables, measure: str, part: int = LAST, draws: int = DRAWS) -> tuple[Standing, ...]:
    """All entrants by one regret, the best first."""
    shares = tables.shares(measure, part)
    sums = Sums(draws, len(tables.entrants))
    for values, drawn in zip(shares, resampled(*_cases_and_seeds(shares), draws), strict=True):
        sums.add(drawn.draws, weighed(values, drawn.weights))
    cases = (~np.isnan(shares)).any(axis=2).sum(axis=0)
    low, high = interval(sums.means(), cases)
    found = [
        Standing(name, float(share), float(lowest), float(highest), int(count))
        for name, share, lowest, highest, count in zip(
            tables.entrants, mean_shares(shares), low, high, cases, strict=True
        )
        if count
    ]
    return tuple(sorted(found, key=lambda one: (one.share, one.entrant)))


def mean_shares(shares: Array) -> Array:
    """The mean over cases of the mean over seeds. (cases, entrants, seeds) -> (entrants,)"""
    return mean(np.stack([weighed(values, np.ones((1, values.shape[1])))[0] for values in shares]))


def _cases_and_seeds(shares: Array) -> tuple[int, int]:
    return shares.shape[0], shares.shape[2]
