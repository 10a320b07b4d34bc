"""Running an experiment: what is kept already is not run again, and what is left is done in processes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Self

from belated.checks import require_count
from belated.experiments.archive import Archive, Kept, RunKey, Shelf
from belated.experiments.arm import Arm, Experiment, Job, check
from belated.experiments.processes import performed
from belated.experiments.results import Results
from belated.experiments.runs import KeptCurves, gathered
from belated.simulate.loop import Watch, run


@dataclass(frozen=True)
class RunsDone:
    """How far an arm, or all of an experiment, is in runs; `label` says which arm it is of, or was played last."""

    label: str
    done: int
    total: int
    found: int  # of those done, how many were there before
    damaged: int = 0  # lines that were found and cannot be used


Listener = Callable[[RunsDone], None]


def n_processes(call: str, workers: int | None) -> int:
    """The number of processes: as many as the machine has processors, unless `workers` says otherwise."""
    if workers is not None:
        require_count(call, "workers", workers, least=0)
    return (os.cpu_count() or 1) if workers is None else workers


def perform(archive: Archive[Kept], job: Job, watch: Watch | None = None) -> Kept:
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
            watch,
            initial=arm.initial,
            every=arm.every,
            lazy=arm.lazy,
        )
    except Exception as error:
        error.add_note(f"in the arm {arm.label!r}, seed {job.seed}")
        raise
    kept = archive.kind.of(job, ended, time.process_time() - began)
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
    number = n_processes("conduct", workers)
    archive = Archive(Path(folder), KeptCurves)
    archive.prepare()
    works = {arm.digest: _Work.found(archive, arm, experiment.seeds) for arm in experiment.arms}
    for work in works.values():
        if work.left:
            check(work.arm, work.left[0].seed)

    def report(work: _Work) -> None:
        if watch is not None:
            for arm in experiment.arms:
                if works[arm.digest] is work:
                    watch(work.done(arm.label))

    for work in works.values():
        if work.shelf.damaged:
            archive.mend(work.file)
        report(work)
    left = [job for work in works.values() for job in work.left]
    with closing(performed(partial(perform, archive), left, number)) as results:
        for job, kept in results:
            works[job.arm.digest].runs[kept.key] = kept
            report(works[job.arm.digest])
    runs = {digest: gathered([work.runs[digest, seed] for seed in work.wanted]) for digest, work in works.items()}
    return Results(experiment, {arm.label: runs[arm.digest] for arm in experiment.arms})


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

    def done(self, label: str) -> RunsDone:
        """How far it is."""
        keys = {(self.arm.digest, seed) for seed in self.wanted}
        now, before = len(keys & self.runs.keys()), len(keys & self.shelf.runs.keys())
        return RunsDone(label, now, len(keys), before, self.shelf.damaged)
