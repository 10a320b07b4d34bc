"""The runs of the league as arrays: what each entrant came to in each case with each seed, and its share of ranks.

A regret is the mean over seeds after the last round, divided by that of `random` over the same seeds. Among n entrants
in a case the one of rank r has the share (r − 1)/(n − 1): 0 for the best, 1 for the worst; ties share their mean. So a
case in which few can play counts like any other. The intervals are of a bootstrap over cases and, within, over seeds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from belated.experiments.league.entrants import MEASURE
from belated.experiments.league.kept import LeagueRun
from belated.space import Array

MEASURES = ("cumulative", "simple")
BOOTSTRAPS = 1000
LEVEL = 0.95
# A simple regret may be 0 on a table. Entrants without any are level, whatever seeds they played.
LEAST = 1e-12
# Regrets are kept with four digits: those that differ by less are equal, and the order of a sum has made them differ.
EQUAL_DIGITS = 9

LeagueRuns = Mapping[str, Mapping[str, Mapping[int, LeagueRun]]]  # by case, entrant and seed


@dataclass(frozen=True, eq=False)
class CaseTable:
    """A case: what every entrant came to with every seed, NaN where it did not play."""

    finals: Mapping[str, Array]  # by measure, (entrants, seeds)
    measure: int  # the row of `random`

    @staticmethod
    def of(by_entrant: Mapping[str, Mapping[int, LeagueRun]], names: Sequence[str]) -> CaseTable:
        """The table of the runs of a case, with the seeds of `random`."""
        seeds = sorted(by_entrant[MEASURE])
        finals = {measure: np.full((len(names), len(seeds)), np.nan) for measure in MEASURES}
        for row, name in enumerate(names):
            for column, seed in enumerate(seeds):
                run = by_entrant.get(name, {}).get(seed)
                if run is not None:
                    finals["cumulative"][row, column] = run.cumulative[-1]
                    finals["simple"][row, column] = run.simple[-1]
        return CaseTable(finals, names.index(MEASURE))

    def weights(self, draws: int, rng: np.random.Generator) -> Array:
        """How often each seed is drawn, in as many draws of as many seeds. (draws, seeds)"""
        seeds = next(iter(self.finals.values())).shape[1]
        return rng.multinomial(seeds, np.full(seeds, 1.0 / seeds), size=draws).astype(float)

    def ratios(self, measure: str, weights: Array | None = None) -> Array:
        """Regrets relative to those of `random` with the same seeds, NaN where one did not play. (draws, entrants)"""
        finals = self.finals[measure]
        there = ~np.isnan(finals)
        values = np.where(there, finals, 0.0)
        weights = np.ones((1, finals.shape[1])) if weights is None else weights
        # An entrant that has none of the seeds drawn is judged by all that it has.
        counts = weights @ there.T
        own = np.where(counts > 0, weights @ values.T, values.sum(axis=1))
        by_random = there * finals[self.measure]
        others = np.where(counts > 0, weights @ by_random.T, by_random.sum(axis=1))
        nothing = LEAST if np.sum(finals[self.measure]) > LEAST else 1.0
        found = np.where(own > LEAST, np.maximum(own / np.maximum(others, LEAST), LEAST), nothing)
        return np.asarray(np.where(there.any(axis=1), found, np.nan))

    def shares(self, weights: Array | None = None) -> Array:
        """The mean over both regrets of (rank − 1)/(entrants − 1), NaN where one did not play. (draws, entrants)"""
        from scipy.stats import rankdata  # takes half a second to import

        ratios = np.stack([self.ratios(measure, weights) for measure in MEASURES])  # (measures, draws, entrants)
        players = ~np.isnan(ratios[0, 0])
        found = np.full(ratios.shape[1:], np.nan)
        ranks = rankdata(np.log(ratios[:, :, players]).round(EQUAL_DIGITS), axis=-1)
        found[:, players] = np.mean(ranks - 1.0, axis=0) / max(int(players.sum()) - 1, 1)
        return found


@dataclass(frozen=True, eq=False)
class Tables:
    """All cases that were played, over the same list of entrants."""

    names: tuple[str, ...]
    cases: tuple[str, ...]
    tables: tuple[CaseTable, ...]

    @staticmethod
    def of(runs: LeagueRuns) -> Tables:
        """The tables of some runs."""
        names = tuple(sorted({name for by_entrant in runs.values() for name in by_entrant}))
        return Tables(names, tuple(runs), tuple(CaseTable.of(by_entrant, names) for by_entrant in runs.values()))

    def ratios(self, measure: str) -> Array:
        """Regrets relative to those of `random`. (cases, entrants)"""
        return np.stack([table.ratios(measure)[0] for table in self.tables])

    def shares(self) -> Array:
        """Shares of ranks. (cases, entrants)"""
        return np.stack([table.shares()[0] for table in self.tables])

    def drawn(self, draws: int = BOOTSTRAPS) -> Array:
        """Shares of as many cases, drawn with replacement, each with seeds drawn within it. (cases, draws, entrants)"""
        rng = np.random.default_rng(0)
        chosen = rng.integers(len(self.tables), size=(len(self.tables), draws))
        drawn = np.empty((*chosen.shape, len(self.names)))
        for place, table in enumerate(self.tables):
            # A case that is drawn twice has its seeds drawn twice.
            drawn[chosen == place] = table.shares(table.weights(int(np.count_nonzero(chosen == place)), rng))
        return drawn


def mean(parts: Array) -> Array:
    """The mean over the first axis, leaving out what is NaN; NaN where all are."""
    there = ~np.isnan(parts)
    counts = there.sum(axis=0)
    sums = np.where(there, parts, 0.0).sum(axis=0)
    return np.asarray(np.where(counts > 0, sums / np.maximum(counts, 1), np.nan))


def interval(drawn: Array) -> tuple[Array, Array]:
    """The bounds that have the middle 95 % of the draws in which there is any number. (draws, …) -> (…) each"""
    tail = (1.0 - LEVEL) / 2.0
    low, high = np.nanquantile(drawn, [tail, 1.0 - tail], axis=0)
    return low, high
