"""Who is where: in each case a rank by each of both regrets, then the mean over all cases.

A regret is the mean over seeds after the last round, divided by that of `random` over the same seeds. Among n entrants
in a case the one of rank r has the share (r − 1)/(n − 1): 0 for the best, 1 for the worst; ties share their mean. So a
case in which few can play counts like any other. The intervals are of a bootstrap over cases and, within, over seeds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from belated.simulate.league.entrants import MEASURE
from belated.simulate.league.fixtures import Programme
from belated.simulate.league.kept import Played
from belated.space import Array

MEASURES = ("cumulative", "simple")
BOOTSTRAPS = 1000
LEVEL = 0.95
# A simple regret may be 0 for all on a table; then all have the same.
LEAST = 1e-12

Runs = Mapping[str, Mapping[str, Mapping[int, Played]]]  # by case, entrant and seed


@dataclass(frozen=True)
class Standing:
    """An entrant's place: its mean share of ranks with an interval, and its mean regrets relative to `random`."""

    entrant: str
    share: float
    low: float
    high: float
    cumulative: float
    simple: float
    cases: int
    runs: int
    seconds: float  # of a processor, for a run


def counted(plan: Programme, kept: Mapping[str, Mapping[tuple[str, str, int], Played]]) -> Runs:
    """The runs of a plan that are kept, in cases where `random` has played too."""
    found: dict[str, dict[str, dict[int, Played]]] = {}
    for fixture in plan.fixtures:
        run = kept.get(fixture.case.key, {}).get(fixture.key)
        if run is not None:
            found.setdefault(fixture.case.key, {}).setdefault(run.entrant, {})[run.seed] = run
    return {case: by_entrant for case, by_entrant in found.items() if MEASURE in by_entrant}


def standings(runs: Runs, draws: int = BOOTSTRAPS) -> tuple[Standing, ...]:
    """All entrants, the best first."""
    names = sorted({name for by_entrant in runs.values() for name in by_entrant})
    if not names:
        return ()
    tables = [_Table.of(by_entrant, names) for by_entrant in runs.values()]
    shares = _mean([table.shares(None)[0] for table in tables])
    low, high = _interval(tables, draws)
    ratios = {measure: _mean([table.ratios(measure, None)[0] for table in tables]) for measure in MEASURES}
    found = []
    for place, name in enumerate(names):
        own = [run for by_entrant in runs.values() for run in by_entrant.get(name, {}).values()]
        found.append(
            Standing(
                name,
                float(shares[place]),
                float(low[place]),
                float(high[place]),
                float(ratios["cumulative"][place]),
                float(ratios["simple"][place]),
                sum(name in by_entrant for by_entrant in runs.values()),
                len(own),
                float(np.mean([run.seconds for run in own])),
            )
        )
    return tuple(sorted(found, key=lambda standing: (standing.share, standing.entrant)))


@dataclass(frozen=True, eq=False)
class _Table:
    """A case: what every entrant came to with every seed, NaN where it did not play."""

    finals: Mapping[str, Array]  # by measure, (entrants, seeds)
    measure: int  # the row of `random`

    @staticmethod
    def of(by_entrant: Mapping[str, Mapping[int, Played]], names: Sequence[str]) -> _Table:
        """The table of the runs of a case."""
        seeds = sorted(by_entrant[MEASURE])
        finals = {measure: np.full((len(names), len(seeds)), np.nan) for measure in MEASURES}
        for row, name in enumerate(names):
            for column, seed in enumerate(seeds):
                run = by_entrant.get(name, {}).get(seed)
                if run is not None:
                    finals["cumulative"][row, column] = run.cumulative[-1]
                    finals["simple"][row, column] = run.simple[-1]
        return _Table(finals, names.index(MEASURE))

    def weights(self, draws: int, rng: np.random.Generator) -> Array:
        """How often each seed is drawn, in as many draws of as many seeds. (draws, seeds)"""
        seeds = next(iter(self.finals.values())).shape[1]
        return rng.multinomial(seeds, np.full(seeds, 1.0 / seeds), size=draws).astype(float)

    def ratios(self, measure: str, weights: Array | None) -> Array:
        """Regrets relative to those of `random` with the same seeds, NaN for who did not play. (draws, entrants)"""
        finals = self.finals[measure]
        there = ~np.isnan(finals)
        values = np.where(there, finals, 0.0)
        weights = np.ones((1, finals.shape[1])) if weights is None else weights
        # Who has none of the seeds drawn is judged by all that it has.
        counts = weights @ there.T
        plain = there.sum(axis=1) * np.ones((len(weights), 1))
        own = np.where(counts > 0, weights @ values.T, values.sum(axis=1))
        by_random = there * finals[self.measure]
        others = np.where(counts > 0, weights @ by_random.T, by_random.sum(axis=1))
        found = np.maximum(own, LEAST) / np.maximum(others, LEAST)
        return np.asarray(np.where(plain > 0, found, np.nan))

    def shares(self, weights: Array | None) -> Array:
        """The mean over both regrets of (rank − 1)/(entrants − 1). (draws, entrants)"""
        from scipy.stats import rankdata  # takes half a second to import

        found = []
        for measure in MEASURES:
            ratios = self.ratios(measure, weights)
            others = max(int((~np.isnan(ratios[0])).sum()) - 1, 1)
            found.append((rankdata(ratios, axis=1, nan_policy="omit") - 1.0) / others)
        return np.asarray(np.mean(found, axis=0))


def _interval(tables: Sequence[_Table], draws: int) -> tuple[Array, Array]:
    """The bounds of the mean shares, over cases and seeds drawn with replacement. (entrants,) each"""
    rng = np.random.default_rng(0)
    shares = np.stack([table.shares(table.weights(draws, rng)) for table in tables])  # (cases, draws, entrants)
    chosen = rng.integers(len(tables), size=(len(tables), draws))
    drawn = shares[chosen, np.arange(draws)]
    tail = (1.0 - LEVEL) / 2.0
    low, high = np.nanquantile(_mean(list(drawn)), [tail, 1.0 - tail], axis=0)
    return low, high


def _mean(parts: Sequence[Array]) -> Array:
    """The mean of arrays, leaving out what is NaN; NaN where all are."""
    stacked = np.stack(parts)
    there = ~np.isnan(stacked)
    counts = there.sum(axis=0)
    sums = np.where(there, stacked, 0.0).sum(axis=0)
    return np.asarray(np.where(counts > 0, sums / np.maximum(counts, 1), np.nan))
