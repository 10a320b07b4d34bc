"""The league under way: what is kept is not played again, and what ends is kept at once."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean

from belated.errors import StorageError
from belated.experiments.archive import RunKey
from belated.experiments.conductor import n_processes
from belated.experiments.league.cases import Half
from belated.experiments.league.fixtures import Fixture, Programme
from belated.experiments.league.kept import LeagueRun, archive
from belated.experiments.league.measures import measured
from belated.experiments.processes import Heed, go_on, performed

# Seconds that any run takes for its problem, by which searches are not free.
SHORTEST = 0.05


@dataclass(frozen=True)
class FailedRun:
    """A run that ended by an error; nothing is kept of it."""

    case: str
    entrant: str
    seed: int
    reason: str


@dataclass(frozen=True)
class LeagueProgress:
    """How far a league is, in runs, and how long it may still take."""

    done: int
    total: int
    found: int  # of those done, how many were there before
    last: str  # the run that ended last
    left_seconds: float | None  # None before anything is known


Watch = Callable[[LeagueProgress], None]


def runs_of(folder: Path, half: Half, entrant: str) -> Mapping[RunKey, LeagueRun]:
    """The runs of an entrant that are kept of one half of the cases."""
    return archive(folder / half).read(entrant).runs


def played(
    plan: Programme, folder: Path, workers: int | None = None, watch: Watch | None = None
) -> tuple[FailedRun, ...]:
    """Play all that the folder does not have yet, and return what failed.

    There are as many processes as the machine has processors, unless `workers` says otherwise; with 0 everything is
    played in this one. A run that fails is reported, and the league goes on without it.
    """
    number = n_processes("played", workers)
    there, left = divided(plan, folder)
    estimate = _Estimate(folder, plan, left)
    found, failures = len(there), []

    def report(done: int, last: str = "") -> None:
        if watch is not None:
            watch(LeagueProgress(found + done, found + len(left), found, last, estimate.left()))

    report(0)
    with closing(performed(partial(play, folder), left, number)) as results:
        for done, (fixture, result) in enumerate(results, 1):
            if isinstance(result, FailedRun):
                failures.append(result)
            estimate.ended(fixture, result)
            report(done, f"{fixture.entrant.name}: {fixture.case.key}")
    return tuple(failures)


def divided(plan: Programme, folder: Path) -> tuple[list[Fixture], list[Fixture]]:
    """The runs that are kept, and those that are left and can be played here, in the order of the plan."""
    kept = {(half, name): runs_of(folder, half, name) for half, name in _files(plan)}
    there, left = [], []
    for fixture in plan.fixtures:
        if fixture.key in kept[fixture.case.half, fixture.entrant.name]:
            there.append(fixture)
        elif not fixture.lacking:
            left.append(fixture)
    return there, left


def kept_of(plan: Programme, folder: Path) -> dict[str, tuple[LeagueRun, ...]]:
    """The runs of a plan that a folder keeps, by the names of their cases."""
    shelves = {(half, name): runs_of(folder, half, name) for half, name in _files(plan)}
    found: dict[str, list[LeagueRun]] = {}
    for fixture in plan.fixtures:
        run = shelves[fixture.case.half, fixture.entrant.name].get(fixture.key)
        if run is not None:
            found.setdefault(fixture.case.key, []).append(run)
    return {case: tuple(runs) for case, runs in found.items()}


def play(folder: Path, fixture: Fixture, heed: Heed = go_on) -> LeagueRun | FailedRun:
    """Play one run, and keep what came of it."""
    case, name, seed = fixture.case, fixture.entrant.name, fixture.seed
    try:
        posed = case.problem_for(seed)
        player = fixture.entrant.entry.player(fixture.call, case, posed, seed)
        run = measured(player, posed, case.delay, case.rounds, seed, heed)
        kept = LeagueRun.of(name, case.digest, seed, run)
        archive(folder / case.half).add(name, kept)
        return kept
    except StorageError:
        raise
    except Exception as error:  # whatever an entrant may raise, the league goes on
        return FailedRun(case.key, name, seed, f"{type(error).__name__}: {error}")


def _files(plan: Programme) -> set[tuple[Half, str]]:
    """The halves of the cases and the entrants whose runs are in a file together."""
    return {(fixture.case.half, fixture.entrant.name) for fixture in plan.fixtures}


class _Estimate:
    """How long the rest takes, by what the runs of each entrant took so far; it changes in place."""

    def __init__(self, folder: Path, plan: Programme, left: Iterable[Fixture]) -> None:
        self._waiting = Counter(fixture.entrant.name for fixture in left)
        self._took: dict[str, list[float]] = {}
        for half, name in _files(plan):
            for run in runs_of(folder, half, name).values():
                self._took.setdefault(name, []).append(_seconds(run))
        self._began, self._done = time.monotonic(), 0.0

    def ended(self, fixture: Fixture, result: LeagueRun | FailedRun) -> None:
        """Take in a run."""
        self._waiting[fixture.entrant.name] -= 1
        if isinstance(result, LeagueRun):
            self._took.setdefault(fixture.entrant.name, []).append(_seconds(result))
            self._done += _seconds(result)

    def left(self) -> float | None:
        """The seconds that are left; an entrant that has not played yet takes as long as the others.

        What runs took is counted in seconds of a processor for their entrants, and comes to as many seconds of time as
        those that ended since the beginning did: problems, recommendations and other processes have their share.
        """
        if not self._done:
            return None
        each = {name: fmean(seconds) for name, seconds in self._took.items()}
        usual = fmean(each.values())
        work = sum(number * each.get(name, usual) for name, number in self._waiting.items())
        return work * (time.monotonic() - self._began) / self._done


def _seconds(run: LeagueRun) -> float:
    return max(run.seconds * run.asked, SHORTEST)
