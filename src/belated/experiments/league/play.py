"""The league under way: what is kept is not played again, and what ends is kept at once."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from belated.errors import StorageError
from belated.experiments.archive import Archive
from belated.experiments.arm import Job
from belated.experiments.conductor import RunsDone, n_processes, perform
from belated.experiments.league import peers
from belated.experiments.league.entrants import Entrant
from belated.experiments.league.fixtures import Fixture, Programme
from belated.experiments.league.kept import LeagueRun, archive
from belated.experiments.processes import performed
from belated.simulate.loop import Watch


@dataclass(frozen=True)
class FailedRun:
    """A run that ended by an error; nothing is kept of it."""

    case: str
    entrant: str
    seed: int
    reason: str


def played(
    plan: Programme, folder: Path, workers: int | None = None, watch: Callable[[RunsDone], None] | None = None
) -> tuple[FailedRun, ...]:
    """Play all that the folder does not have yet, and return what failed.

    There are as many processes as the machine has processors, unless `workers` says otherwise; with 0 everything is
    played in this one. A run that fails is reported, and the league goes on without it.
    """
    number = n_processes("played", workers)
    there, left = divided(plan, folder)
    found, failures = len(there), []

    def report(done: int, last: str = "") -> None:
        if watch is not None:
            watch(RunsDone(last, found + done, found + len(left), found))

    report(0)
    jobs = [fixture.job for fixture in left]
    with closing(performed(partial(_play, archive(folder)), jobs, number)) as results:
        for done, (job, result) in enumerate(results, 1):
            if isinstance(result, FailedRun):
                failures.append(result)
            report(done, f"{job.file}: {job.arm.label}")
    return tuple(failures)


def divided(plan: Programme, folder: Path) -> tuple[list[Fixture], list[Fixture]]:
    """The runs that are kept, and those that are left and can be played here, in the order of the plan."""
    files = {fixture.case.key for fixture in plan.fixtures}
    kept = {file: archive(folder).read(file).runs for file in files}
    there = [fixture for fixture in plan.fixtures if fixture.key in kept[fixture.case.key]]
    left = [fixture for fixture in plan.fixtures if fixture.key not in kept[fixture.case.key] and not fixture.lacking]
    return there, left


def _play(kept: Archive[LeagueRun], job: Job, watch: Watch | None = None) -> LeagueRun | FailedRun:
    """Play one run."""
    name = job.arm.label
    if Entrant(name).peer:
        peers.enlist()
    try:
        return perform(kept, job, watch)
    except StorageError:
        raise
    except Exception as error:  # whatever another library may raise, the league goes on
        return FailedRun(job.file, name, job.seed, f"{type(error).__name__}: {error}")
