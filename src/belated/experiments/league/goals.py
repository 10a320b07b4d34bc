"""The goals of `auto`, the default: to be first in the league, and in no case far behind the best.

The best of a case is chosen after the fact among all other entrants, peers included: a part of its lead is luck.
Seeds that both have are paired: with the same seed they met the same function, noise and delays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from belated.experiments import statistics
from belated.experiments.league.standings import LeaguePlace
from belated.experiments.league.tables import BOOTSTRAPS, LEAST, MEASURES, CaseTable, LeagueRuns, Tables, interval, mean

AUTO = "auto"
# How many times the best entrant's regret that of auto may be.
MOST = 1.25
# A difference that chance alone makes as large more often than this is within chance.
CHANCE = 0.05


@dataclass(frozen=True)
class Lead:
    """How far ahead of another entrant, in the cases that both played: its mean share of ranks less one's own."""

    entrant: str
    cases: int
    ahead: float
    low: float
    high: float


@dataclass(frozen=True)
class Duel:
    """An entrant and the best of the others in a case, by one regret relative to `random`, over the seeds of both."""

    case: str
    measure: str
    best: str
    theirs: float
    own: float
    seeds: int
    p_value: float  # of a lead of the best so large by chance alone

    @property
    def ratio(self) -> float:
        """The own regret relative to that of the best; 1 where neither has any."""
        return max(self.own, LEAST) / max(self.theirs, LEAST)

    @property
    def met(self) -> bool:
        """Whether the goal is met."""
        return self.ratio <= MOST

    @property
    def telling(self) -> bool:
        """Whether there are seeds enough for any difference to be more than chance."""
        return bool(0.5**self.seeds <= CHANCE)

    @property
    def chance(self) -> bool:
        """Whether chance alone may well have made the difference."""
        return self.p_value > CHANCE


@dataclass(frozen=True)
class Goals:
    """The goals of an entrant: its place of `places`, its leads, and its duels by case and regret."""

    entrant: str
    place: int | None
    places: int
    rival: Lead | None  # over the best other entrant that has a place
    leads: tuple[Lead, ...]  # over all others that it met, the narrowest first
    duels: tuple[Duel, ...]

    def missed(self, measure: str) -> tuple[Duel, ...]:
        """The cases in which it is too far behind by one regret, the furthest first."""
        behind = [duel for duel in self.duels if duel.measure == measure and not duel.met]
        return tuple(sorted(behind, key=lambda duel: -duel.ratio))


def goals(runs: LeagueRuns, found: Sequence[LeaguePlace], entrant: str = AUTO, draws: int = BOOTSTRAPS) -> Goals | None:
    """What has become of the goals, given the standings of the same runs; None where the entrant has not played."""
    places = {standing.entrant: standing.place for standing in found}
    if entrant not in places:
        return None
    tables = Tables.of(runs)
    leads = _leads(tables, entrant, draws)
    placed = [name for name, place in places.items() if place is not None]
    best = next((name for name in placed if name != entrant), None)
    rival = next((lead for lead in leads if lead.entrant == best), None)
    return Goals(entrant, places[entrant], len(placed), rival, leads, _duels(tables, entrant))


def _leads(tables: Tables, entrant: str, draws: int) -> tuple[Lead, ...]:
    """The leads over all others that have played a case with it."""
    own = tables.names.index(entrant)
    shares, drawn = tables.shares(), tables.drawn(draws)
    ahead, drawn_ahead = shares - shares[:, [own]], drawn - drawn[:, :, [own]]  # NaN where either has not played
    found = []
    for column, name in enumerate(tables.names):
        cases = int((~np.isnan(ahead[:, column])).sum())
        if name != entrant and cases:
            low, high = interval(mean(drawn_ahead[:, :, column]))
            found.append(Lead(name, cases, float(mean(ahead[:, column])), float(low), float(high)))
    return tuple(sorted(found, key=lambda lead: (lead.ahead, lead.entrant)))


def _duels(tables: Tables, entrant: str) -> tuple[Duel, ...]:
    """The duels of all cases in which another entrant shares a seed with it."""
    return tuple(
        duel
        for case, table in zip(tables.cases, tables.tables, strict=True)
        for measure in MEASURES
        if (duel := _duel(case, measure, table, tables.names, tables.names.index(entrant))) is not None
    )


def _duel(case: str, measure: str, table: CaseTable, names: Sequence[str], own: int) -> Duel | None:
    """The duel of a row with the one whose regret relative to `random` is the lowest of the others."""
    finals, ratios = table.finals[measure], table.ratios(measure)[0]
    shared = ~np.isnan(finals) & ~np.isnan(finals[own])
    rivals = [row for row in np.flatnonzero(shared.any(axis=1)).tolist() if row != own]
    if not rivals:
        return None
    best = min(rivals, key=lambda row: float(ratios[row]))
    seeds = shared[best]
    by_random = max(float(finals[table.measure, seeds].sum()), LEAST)
    return Duel(
        case,
        measure,
        names[best],
        theirs=float(finals[best, seeds].sum()) / by_random,
        own=float(finals[own, seeds].sum()) / by_random,
        seeds=int(seeds.sum()),
        p_value=statistics.below(finals[best, seeds], finals[own, seeds]),
    )
