"""Running an experiment: what is kept already is not run again, and what is left is done in processes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from itertools import zip_longest
from pathlib import Path
from statistics import fmean
from typing import Self

from belated.checks import require_count
from belated.experiments.archive import Archive, RunKey, Shelf
from belated.experiments.arm import Arm, Experiment, Job, check
from belated.experiments.processes import Heed, go_on, performed
from belated.experiments.results import Results
from belated.experiments.runs import KeptCurves, Runs, gathered
from belated.simulate.loop import run


@dataclass(frozen=True)
class RunsDone:
    """How far an arm, or all of an experiment, is in runs; `label` says which arm it is of, or was played last."""

    label: str
    done: int
    total: int
    found: int  # of those done, how many were there before
    damaged: int = 0  # lines that were found and cannot be used
    seconds: float | None = field(default=None, compare=False)  # of a processor, that one of its runs took on average


Listener = Callable[[RunsDone], None]
ManyListener = Callable[[Experiment, RunsDone], None]


def n_processes(call: str, workers: int | None) -> int:
    """The number of processes: as many as the machine has processors, unless `workers` says otherwise."""
    if workers is not None:
        require_count(call, "workers", workers, least=0)
    return (os.cpu_count() or 1) if workers is None else workers


def perform(archive: Archive[KeptCurves], job: Job, heed: Heed = go_on) -> KeptCurves:
    """Do a job, and keep what came of it."""
    arm = job.arm
    try:
        posed, began = arm.posed(job.seed), time.process_time()
        ended = run(
            posed,
            arm.policy,
            arm.delay,
            arm.rounds,
            job.seed,
            lambda number, _: heed(number),
            initial=arm.initial,
            every=arm.every,
            lazy=arm.lazy,
        )
    except Exception as error:
        error.add_note(f"in the arm {arm.label!r}, seed {job.seed}")
        raise
    kept = KeptCurves.of(job, ended, time.process_time() - began)
    archive.add(job.file, kept)
    return kept


def conduct(
    experiment: Experiment, folder: str | Path, workers: int | None = None, watch: Listener | None = None
) -> Results:
    """Run every arm of an experiment with every seed, and return what came of it.

    Runs are kept in the folder as they come. Those that are there already are not run again, whichever experiment they
    were run for; lines that are damaged or cut short are replaced. There are as many processes as the machine has
    processors, unless `workers` says otherwise; with 0 everything runs in this one. `watch` is told of every arm in the
    beginning and whenever one of its runs has ended.
    """

    def tell(_: Experiment, now: RunsDone) -> None:
        if watch is not None:
            watch(now)

    return conduct_all([experiment], folder, workers, tell)[0]


def conduct_all(
    experiments: Sequence[Experiment],
    folder: str | Path,
    workers: int | None = None,
    watch: ManyListener | None = None,
) -> list[Results]:
    """Run several experiments side by side; an arm that some of them share is run once.

    The first seeds of all arms come before the second ones, so that it is soon known what each arm takes.
    """
    number = n_processes("conduct", workers)
    archive = Archive(Path(folder), KeptCurves)
    archive.prepare()
    works = {digest: _Work.found(archive, *wanted) for digest, wanted in _wanted(experiments).items()}
    for work in works.values():
        if work.left:
            check(work.arm, work.left[0].seed)

    def report(work: _Work) -> None:
        for experiment in experiments if watch is not None else ():
            for arm in experiment.arms:
                if works[arm.digest] is work and watch is not None:
                    watch(experiment, work.done(arm.label, experiment.seeds))

    for work in works.values():
        if work.shelf.damaged:
            archive.mend(work.file)
        report(work)
    turns = zip_longest(*(work.left for work in works.values()))
    left = [job for turn in turns for job in turn if job is not None]
    with closing(performed(partial(perform, archive), left, number)) as results:
        for job, kept in results:
            works[job.arm.digest].runs[kept.key] = kept
            report(works[job.arm.digest])
    return [_results(experiment, works) for experiment in experiments]


def _wanted(experiments: Sequence[Experiment]) -> dict[str, tuple[Arm, tuple[int, ...]]]:
    """Each arm that is different, and all seeds that it is wanted with."""
    found: dict[str, tuple[Arm, tuple[int, ...]]] = {}
    for experiment in experiments:
        for arm in experiment.arms:
            _, seeds = found.get(arm.digest, (arm, ()))
            found[arm.digest] = arm, tuple(dict.fromkeys((*seeds, *map(int, experiment.seeds))))
    return found


def _results(experiment: Experiment, works: Mapping[str, _Work]) -> Results:
    """What came of one of the experiments."""
    return Results(experiment, {arm.label: works[arm.digest].gathered(experiment.seeds) for arm in experiment.arms})


@dataclass(frozen=True)
class _Work:
    """An arm under way: what was found of it, and its runs so far, to which those that end are added in place."""

    arm: Arm
    file: str
    wanted: tuple[int, ...]
    shelf: Shelf[KeptCurves]
    runs: dict[RunKey, KeptCurves]

    @classmethod
    def found(cls, archive: Archive[KeptCurves], arm: Arm, seeds: Sequence[int]) -> Self:
        """What the archive has of an arm; other releases may play otherwise, and have files of their own."""
        file = f"{arm.digest}-{version('belated')}"
        shelf = archive.read(file)
        return cls(arm, file, tuple(map(int, seeds)), shelf, dict(shelf.runs))

    @property
    def left(self) -> list[Job]:
        """What was not there."""
        return [
            Job(self.arm, seed, self.file) for seed in self.wanted if (self.arm.digest, seed) not in self.shelf.runs
        ]

    def done(self, label: str, seeds: Sequence[int]) -> RunsDone:
        """How far it is with these seeds."""
        keys = {(self.arm.digest, int(seed)) for seed in seeds}
        now, before = len(keys & self.runs.keys()), len(keys & self.shelf.runs.keys())
        seconds = fmean(run.seconds for run in self.runs.values()) if self.runs else None
        return RunsDone(label, now, len(keys), before, self.shelf.damaged, seconds)

    def gathered(self, seeds: Sequence[int]) -> Runs:
        """The runs with these seeds, in their order."""
        return gathered([self.runs[self.arm.digest, int(seed)] for seed in seeds])
