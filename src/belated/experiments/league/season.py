"""A half of the cases as far as it has been played: whose runs are all in, and who has not played, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from belated.experiments.archive import RunKey
from belated.experiments.league.bounds import BOUNDS
from belated.experiments.league.cases import HALVES, Case, Half
from belated.experiments.league.comparison import RegretTables, standings
from belated.experiments.league.entrants import RANDOM, Entrant, entrants, guests
from belated.experiments.league.fixtures import Absence, Fixture, Programme, programme
from belated.experiments.league.kept import LeagueRun
from belated.experiments.league.play import runs_of

KeptRuns = Mapping[str, Mapping[RunKey, LeagueRun]]  # by entrant


@dataclass(frozen=True)
class NotPlayed:
    """An entrant that is on no page of a half, and why."""

    entrant: Entrant
    reason: str


@dataclass(frozen=True, eq=False)
class Season:
    """A half of the cases, the runs of all entrants that have played all of theirs, and who has not."""

    half: Half
    suite: tuple[Case, ...]
    runs: Mapping[str, Mapping[str, tuple[LeagueRun, ...]]]  # by entrant and case
    players: tuple[Entrant, ...]
    missing: tuple[NotPlayed, ...]
    absences: tuple[Absence, ...]  # of these entrants, from cases that they cannot play

    @staticmethod
    def of(half: Half, suite: Sequence[Case], plan: Programme, kept: KeptRuns) -> Season:
        """The season of a half, given what is planned for its entrants and what is kept of them."""
        planned: dict[str, list[Fixture]] = {}
        for fixture in plan.fixtures:
            if fixture.case.half == half:
                planned.setdefault(fixture.entrant.name, []).append(fixture)
        runs, players, missing = {}, [], []
        for name, fixtures in planned.items():
            there = [(one.case.key, kept.get(name, {}).get(one.key)) for one in fixtures]
            reason = _reason(fixtures, sum(run is not None for _, run in there))
            if reason:
                missing.append(NotPlayed(fixtures[0].entrant, reason))
                continue
            players.append(fixtures[0].entrant)
            by_case: dict[str, list[LeagueRun]] = {}
            for case, run in there:
                by_case.setdefault(case, []).extend([run] if run is not None else [])
            runs[name] = {case: tuple(some) for case, some in by_case.items()}
        absences = tuple(one for one in plan.absences if one.entrant in runs)
        return Season(half, tuple(suite), runs, tuple(players), tuple(missing), absences)

    @property
    def complete(self) -> bool:
        """Whether there is anything to compare: random search, by which all are measured, and others."""
        return RANDOM in self.runs and len(self.runs) > 1

    @cached_property
    def tables(self) -> RegretTables:
        """The regrets of all who have played."""
        by_case = {
            case.key: [run for of_cases in self.runs.values() for run in of_cases.get(case.key, ())]
            for case in self.suite
        }
        return RegretTables.of(by_case, {case.key: case.rounds for case in self.suite})

    def player(self, name: str) -> Entrant:
        """An entrant that has played, by its name."""
        return next(one for one in self.players if one.name == name)

    def seeds(self) -> Counter[int]:
        """How many entrants play with how many seeds."""
        return Counter(max(map(len, by_case.values())) for by_case in self.runs.values())


def _reason(fixtures: Sequence[Fixture], there: int) -> str:
    """Why an entrant has not played; nothing, if all its runs are in."""
    if there == len(fixtures):
        return ""
    lacking = next((one.lacking for one in fixtures if one.lacking), "")
    return lacking or (f"{there:,} of its {len(fixtures):,} runs have been played" if there else "not played yet")


def seasons_of(plan: Programme, suite: Sequence[Case], folder: Path) -> tuple[Season, ...]:
    """The halves of a suite in which anything that is planned is complete, from the runs that a folder keeps."""
    names = {(fixture.case.half, fixture.entrant.name) for fixture in plan.fixtures}
    found = []
    for half in HALVES:
        kept = {name: runs_of(folder, half, name) for of, name in names if of == half}
        found.append(Season.of(half, [case for case in suite if case.half == half], plan, kept))
    return tuple(one for one in found if one.complete)


def seasons(folder: Path, suite: Sequence[Case], seeds: int | None = None) -> tuple[Season, ...]:
    """The halves of a suite in which anything is complete, from all runs that a folder keeps.

    In the sealed half only those of our policies are missed that were the best of the open one.
    """
    found: list[Season] = []
    for half in HALVES:
        own = [case for case in suite if case.half == half]
        best = [one.entrant for one in standings(found[0].tables, "found")] if found else []
        there = {path.stem for path in (folder / half).glob("*.jsonl")}
        known = [one for one in entrants() if half == "open" or one.name in there or BOUNDS.plays_sealed(one, best)]
        found += seasons_of(programme(own, (*known, *guests(folder, half)), seeds), own, folder)
    return tuple(found)
