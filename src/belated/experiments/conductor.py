"""The conductor of an experiment: what is there already, what is left, and who does it."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from belated.errors import require_count
from belated.experiments import archive
from belated.experiments.arm import Arm, Experiment, check
from belated.experiments.processes import Block, perform, perform_in_processes
from belated.experiments.results import Results
from belated.experiments.runs import Runs, joined

# Seconds that a block of seeds should take: by a kill little is lost, and files stay few.
SHORTEST, LONGEST = 1.0, 10.0


@dataclass(frozen=True)
class Progress:
    """How far an arm is, in runs."""

    label: str
    done: int
    total: int
    found: int  # of those done, how many were there before
    damaged: int  # parts that were found and cannot be used


Watch = Callable[[Progress], None]


def conduct(
    experiment: Experiment, folder: str | Path, workers: int | None = None, watch: Watch | None = None
) -> Results:
    """Run every arm of an experiment with every seed, and return what came of it.

    Runs are kept in the folder as they come. Those that are there already are not run again, whichever experiment they
    were run for; parts that are damaged, cut short or of another definition are replaced. There are as many processes
    as the machine has processors, unless `workers` says otherwise; with 0 everything runs in this one. `watch` is told
    of every arm in the beginning and whenever some of its runs have ended.
    """
    if workers is not None:
        require_count("conduct", "workers", workers, least=0)
    place = Path(folder)
    archive.prepare(place)
    distinct = {arm.digest: arm for arm in experiment.arms}
    works = {digest: _found(place, arm, experiment.seeds) for digest, arm in distinct.items()}
    for work in works.values():
        work.check()

    def report(work: _Work) -> None:
        for arm in experiment.arms:
            if watch is not None and works[arm.digest] is work:
                watch(Progress(arm.label, work.done, len(work.wanted), work.found, len(work.damaged)))

    for work in works.values():
        work.discard_damaged()
        report(work)
    _run(place, works, (os.cpu_count() or 1) if workers is None else workers, report)
    runs = {digest: joined(work.parts).of(experiment.seeds) for digest, work in works.items()}
    return Results(experiment, {arm.label: runs[arm.digest] for arm in experiment.arms})


@dataclass
class _Work:
    """An arm under way: its runs so far, and the seeds that are left; it changes in place."""

    arm: Arm
    wanted: tuple[int, ...]
    parts: list[Runs]
    left: list[int]
    damaged: list[Path]
    found: int

    @property
    def done(self) -> int:
        """How many of the seeds have been run."""
        return len({int(seed) for part in self.parts for seed in part.seeds}.intersection(self.wanted))

    def check(self) -> None:
        """Refuse what cannot run."""
        if self.left:
            check(self.arm, self.left[0])

    def discard_damaged(self) -> None:
        """Remove what cannot be used."""
        for part in self.damaged:
            archive.discard(part)

    def block(self, workers: int) -> tuple[int, ...]:
        """The next seeds: a fair share of those left, unless it should take less than SHORTEST or more than LONGEST.

        How long a run takes is known from those that have ended; until then seeds go one by one.
        """
        size = 1
        if self.parts:
            pace = 1.0 / np.concatenate([part.seconds for part in self.parts]).mean()
            share = len(self.left) / max(workers, 1)
            size = max(1, math.ceil(np.clip(share, SHORTEST * pace, LONGEST * pace)))
        chosen, self.left = tuple(self.left[:size]), self.left[size:]
        return chosen


def _found(folder: Path, arm: Arm, seeds: Sequence[int]) -> _Work:
    """What the folder has of an arm, and what is left to do."""
    wanted = tuple(int(seed) for seed in seeds)
    parts, damaged = archive.kept(folder, arm)
    there = {int(seed) for part in parts for seed in part.seeds}
    left = [seed for seed in wanted if seed not in there]
    return _Work(arm, wanted, parts, left, damaged, found=len(wanted) - len(left))


def _run(folder: Path, works: dict[str, _Work], workers: int, report: Callable[[_Work], None]) -> None:
    """Do what is left, arm by arm."""

    def next_block() -> Block | None:
        work = next((work for work in works.values() if work.left), None)
        return None if work is None else (work.arm, work.block(workers))

    def finished(arm: Arm, runs: Runs) -> None:
        work = works[arm.digest]
        work.parts.append(runs)
        report(work)

    if workers and any(work.left for work in works.values()):
        perform_in_processes(folder, workers, next_block, finished)
    while block := next_block():
        finished(block[0], perform(folder, *block))
