"""The league under way: what is kept is not played again, and what ends is kept at once."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

from belated.errors import BelatedError, require_count
from belated.experiments.league import peers
from belated.experiments.league.fixtures import Fixture, Programme
from belated.experiments.league.kept import Played, keep, read, summary
from belated.experiments.processes import deaf, end_if_told, enlist, one_thread_each
from belated.simulate.loop import Watch, run


@dataclass(frozen=True)
class Failure:
    """A run that ended by an error; nothing is kept of it."""

    case: str
    entrant: str
    seed: int
    reason: str


@dataclass(frozen=True)
class Progress:
    """How far the league is, in runs, and what was played last."""

    done: int
    total: int
    found: int  # of those done, how many were there before
    last: str = ""


Listener = Callable[[Progress], None]


def played(
    plan: Programme, folder: Path, workers: int | None = None, watch: Listener | None = None
) -> tuple[Failure, ...]:
    """Play all that the folder does not have yet, and return what failed.

    There are as many processes as the machine has processors, unless `workers` says otherwise; with 0 everything is
    played in this one. A run that fails is reported, and the league goes on without it.
    """
    if workers is not None:
        require_count("played", "workers", workers, least=0)
    there, left = divided(plan, folder)
    found, failures = len(there), []

    def report(done: int, last: str = "") -> None:
        if watch is not None:
            watch(Progress(found + done, found + len(left), found, last))

    report(0)
    processes = (os.cpu_count() or 1) if workers is None else workers
    results = _in_processes(left, processes) if processes and left else ((one, _play(one)) for one in left)
    for done, (fixture, result) in enumerate(results, 1):
        if isinstance(result, Played):
            keep(folder, fixture.case, result)
        else:
            failures.append(result)
        report(done, f"{fixture.case.key}: {fixture.entrant.name}")
    return tuple(failures)


def divided(plan: Programme, folder: Path) -> tuple[list[Fixture], list[Fixture]]:
    """The runs that are kept, and those that are left and can be played here, in the order of the plan."""
    kept = {case.key: read(folder, case) for case in {fixture.case for fixture in plan.fixtures}}
    there = [fixture for fixture in plan.fixtures if fixture.key in kept[fixture.case.key]]
    left = [fixture for fixture in plan.fixtures if fixture.key not in kept[fixture.case.key] and not fixture.lacking]
    return there, left


def _in_processes(fixtures: Sequence[Fixture], workers: int) -> Iterator[tuple[Fixture, Played | Failure]]:
    """Each run as it ends; when nobody asks for more, the processes end with their round."""
    spawn = multiprocessing.get_context("spawn")
    ear, mouth = spawn.Pipe(duplex=False)
    following = iter(fixtures)
    under_way: dict[Future[Played | Failure], Fixture] = {}
    with ear, ProcessPoolExecutor(workers, mp_context=spawn, initializer=enlist, initargs=(ear,)) as pool:
        try:
            while True:
                while len(under_way) < workers and (fixture := next(following, None)):
                    with one_thread_each(), deaf():
                        under_way[pool.submit(_play, fixture, end_if_told)] = fixture
                if not under_way:
                    return
                for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                    yield under_way.pop(future), future.result()
        except BrokenProcessPool:
            raise BelatedError(
                "played(): a process ended before its work was done. If memory ran out, run it again with fewer "
                "workers: what was finished is kept. If this is a script, call it under if __name__ == '__main__'."
            ) from None
        finally:
            mouth.close()
            pool.shutdown(cancel_futures=True)


def _play(fixture: Fixture, watch: Watch | None = None) -> Played | Failure:
    """Play one run."""
    case, name, seed = fixture.case, fixture.entrant.name, fixture.seed
    if fixture.entrant.peer:
        peers.enlist()
    try:
        posed, began = case.posed(seed), time.process_time()
        ended = run(posed, fixture.policy, case.delay, case.rounds, seed, watch)
    except Exception as error:  # whatever another library may raise, the league goes on
        return Failure(case.key, name, seed, f"{type(error).__name__}: {error}")
    return summary(ended, name, fixture.digest, time.process_time() - began)
