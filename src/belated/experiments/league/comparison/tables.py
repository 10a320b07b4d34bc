"""The runs of the league as arrays: the regret of every entrant in every case with every seed, and its rank there.

All three regrets are of the size of one query: the cumulative one is divided by its rounds. What differs by less than a
thousandth of what a random point misses is level, and a smaller regret counts as that thousandth: nobody would notice,
and a case in which random search has next to no regret left cannot make ratios that outweigh all others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from belated.experiments.league.entrants import RANDOM
from belated.experiments.league.measures import PARTS
from belated.space import Array

MEASURES = ("found", "cumulative", "simple")
LAST = -1
# The share of a random point's regret that counts as none.
LEAST = 1e-3


class RegretsKept(Protocol):
    """What the tables need of a run that was kept: its regrets at each of PARTS, or none where they are not known."""

    @property
    def entrant(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def found(self) -> Sequence[float]: ...
    @property
    def simple(self) -> Sequence[float]: ...
    @property
    def cumulative(self) -> Sequence[float]: ...


@dataclass(frozen=True, eq=False)
class RegretTables:
    """The regrets of all runs, of the size of one query; NaN where an entrant did not play."""

    entrants: tuple[str, ...]
    cases: tuple[str, ...]
    regrets: Mapping[str, Array]  # by measure, (parts, cases, entrants, seeds)

    @staticmethod
    def of(runs: Mapping[str, Iterable[RegretsKept]], rounds: Mapping[str, int]) -> RegretTables:
        """The tables of some runs by case, and how many rounds each case has; cases without `random` are left out."""
        listed = {case: list(some) for case, some in runs.items()}
        listed = {case: some for case, some in listed.items() if any(run.entrant == RANDOM for run in some)}
        entrants = sorted({run.entrant for some in listed.values() for run in some})
        rows = {name: row for row, name in enumerate(entrants)}
        seeds = 1 + max((run.seed for some in listed.values() for run in some), default=-1)
        regrets = {name: np.full((len(PARTS), len(listed), len(entrants), seeds), np.nan) for name in MEASURES}
        for place, (case, some) in enumerate(listed.items()):
            played = rounds[case] * np.array(PARTS)
            for run in some:
                at = (slice(None), place, rows[run.entrant], run.seed)
                regrets["found"][at], regrets["simple"][at] = run.found, run.simple
                regrets["cumulative"][at] = np.asarray(run.cumulative) / played
        return RegretTables(tuple(entrants), tuple(listed), regrets)

    def only(self, cases: Collection[str]) -> RegretTables:
        """The tables of some of the cases, with the entrants that play any of them."""
        places = [place for place, case in enumerate(self.cases) if case in cases]
        there = (~np.isnan(self.regrets["cumulative"][LAST][places])).any(axis=(0, 2))
        return RegretTables(
            tuple(name for name, has in zip(self.entrants, there, strict=True) if has),
            tuple(self.cases[place] for place in places),
            {name: values[:, places][:, :, there] for name, values in self.regrets.items()},
        )

    def row(self, entrant: str) -> int:
        """The row of an entrant."""
        return self.entrants.index(entrant)

    @cached_property
    def scales(self) -> Array:
        """What a random point misses in each case, on average. (cases,)"""
        of_random = self.regrets["cumulative"][LAST][:, self.row(RANDOM)]
        return np.asarray(np.nanmean(of_random, axis=1))

    def bounded(self, measure: str, part: int = LAST) -> Array:
        """Regrets relative to what a random point misses, from LEAST up. (cases, entrants, seeds)"""
        scales = np.where(self.scales > 0, self.scales, 1.0)[:, None, None]
        return np.asarray(np.maximum(self.regrets[measure][part] / scales, LEAST))

    def shares(self, measure: str, part: int = LAST) -> Array:
        """The share of the others that did better in the same case with the same seed. (cases, entrants, seeds)

        An equal regret counts half: of n entrants the one of rank r has (r − 1)/(n − 1), 0 for the best and 1 for the
        worst. NaN where an entrant did not play, or alone.
        """
        values = self.bounded(measure, part)
        there = ~np.isnan(values)
        own, others = values[:, :, None], values[:, None]
        better = (others < own).sum(axis=2) + 0.5 * ((others == own).sum(axis=2) - 1)
        rivals = there.sum(axis=1, keepdims=True) - 1
        return np.asarray(np.where(there & (rivals > 0), better / np.maximum(rivals, 1), np.nan))
