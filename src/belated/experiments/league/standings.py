"""The standings: in each case entrants are ranked by both regrets, and the mean over all cases counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from belated.experiments.archive import RunKey
from belated.experiments.league.entrants import MEASURE
from belated.experiments.league.fixtures import Programme
from belated.experiments.league.kept import LeagueRun
from belated.experiments.league.tables import BOOTSTRAPS, MEASURES, LeagueRuns, Tables, interval, mean


@dataclass(frozen=True)
class LeaguePlace:
    """An entrant's place: its mean share of ranks with an interval, and its regrets relative to `random`.

    Regrets are those of the median case: where `random` has next to none, a ratio says nothing of its size.
    An entrant that played fewer than half of the cases has no place: its mean is over other cases than theirs.
    """

    place: int | None
    entrant: str
    share: float
    low: float
    high: float
    cumulative: float
    simple: float
    cases: int
    runs: int
    seconds: float  # of a processor, for a run


def comparable_runs(plan: Programme, kept: Mapping[str, Mapping[RunKey, LeagueRun]]) -> LeagueRuns:
    """The runs of a plan that are kept, in cases where `random` has played too."""
    found: dict[str, dict[str, dict[int, LeagueRun]]] = {}
    for fixture in plan.fixtures:
        run = kept.get(fixture.case.key, {}).get(fixture.key)
        if run is not None:
            found.setdefault(fixture.case.key, {}).setdefault(run.entrant, {})[run.seed] = run
    return {case: by_entrant for case, by_entrant in found.items() if MEASURE in by_entrant}


def standings(runs: LeagueRuns, draws: int = BOOTSTRAPS) -> tuple[LeaguePlace, ...]:
    """All entrants, the best first; those without a place come last."""
    if not runs:
        return ()
    tables = Tables.of(runs)
    shares, (low, high) = mean(tables.shares()), interval(mean(tables.drawn(draws)))
    cumulative, simple = (np.nanmedian(tables.ratios(measure), axis=0) for measure in MEASURES)
    found = []
    for column, name in enumerate(tables.names):
        own = [run for by_entrant in runs.values() for run in by_entrant.get(name, {}).values()]
        found.append(
            LeaguePlace(
                place=None,
                entrant=name,
                share=float(shares[column]),
                low=float(low[column]),
                high=float(high[column]),
                cumulative=float(cumulative[column]),
                simple=float(simple[column]),
                cases=sum(name in by_entrant for by_entrant in runs.values()),
                runs=len(own),
                seconds=float(np.mean([run.seconds for run in own])),
            )
        )
    found.sort(key=lambda standing: (standing.share, standing.entrant))
    first = [standing for standing in found if 2 * standing.cases >= len(runs)]
    others = [standing for standing in found if 2 * standing.cases < len(runs)]
    return (*(replace(standing, place=place) for place, standing in enumerate(first, 1)), *others)
