"""Workers in processes of their own on one study, and what each was told it had done.

A worker notes an ask or an answer in its own file only after the call has returned: that is an acknowledgement, and
what has been acknowledged must be in the log. Told of trouble with the storage, it calls again, as the message says.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, TypeVar

from belated.beliefs import GP
from belated.errors import StorageError
from belated.log import Query
from belated.policies import Recipe, gp_bucb
from belated.space import Float, Space
from belated.study import Study
from tests.meanwhile import PATIENCE, until

T = TypeVar("T")

STUDY = "shared"
SPACE = Space(heat=Float(-30.0, 170.0))
KNOWN = gp_bucb(belief=GP(lengthscale=0.1, variance=1.0, noise=0.01, mean="zero"))
EXPERIMENT = 0.01  # seconds; long enough for some kills to find a query under way

# A fork of a process that has everything imported starts in milliseconds, and shares no connection with the tests.
if sys.platform == "win32":
    PROCESSES = multiprocessing.get_context("spawn")
else:
    PROCESSES = multiprocessing.get_context("forkserver")
# What is first needed where something is asked or opened is among it: a worker lives for a second at most.
PROCESSES.set_forkserver_preload(
    [
        "tests.durability.crowd",
        "alembic.command",
        "alembic.config",
        "belated.storage.sql",
        "numpy.random",
        "scipy.linalg",
        "scipy.special",
        "sqlalchemy.dialects.postgresql.psycopg",
        "sqlalchemy.dialects.sqlite",
        "sqlite3",
    ]
)


def begin(address: str, policy: str | Recipe = KNOWN) -> Study:
    """The study that a crowd works on."""
    return Study.create(address, STUDY, SPACE, policy=policy, seed=5)


def answer_to(query: Query) -> float:
    """What comes of a query."""
    return math.sin(query.point["heat"] / 20.0) + 0.01 * query.id


@dataclass(frozen=True)
class Bench:
    """Where one worker works, and where it leaves its notes."""

    address: str
    worker: str
    folder: Path
    rounds: int | None  # how many answers to bring; None is until `stop` appears

    @property
    def notes(self) -> Path:
        """A line for everything acknowledged."""
        return self.folder / f"{self.worker}.notes"

    @property
    def complaints(self) -> Path:
        """What the process wrote to its standard error."""
        return self.folder / f"{self.worker}.stderr"

    def note(self, *words: object) -> None:
        """Write a line by one call of the system, so that a kill cannot tear it."""
        file = os.open(self.notes, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, json.dumps(words).encode() + b"\n")
        os.close(file)

    def read(self) -> list[list[Any]]:
        """The notes."""
        return [json.loads(line) for line in self.notes.read_text().splitlines()] if self.notes.exists() else []

    def n_told(self) -> int:
        """Of how many queries something was acknowledged that came of them."""
        return len({note[1] for note in self.read() if note[0] in ("told", "failed")})


def work(bench: Bench) -> None:
    """Ask and answer until the rounds are over or the crowd is called off."""
    study = persistently(bench, lambda: Study.open(bench.address, STUDY))
    n_told = 0
    while n_told != bench.rounds and not (bench.folder / "stop").exists():
        query = persistently(bench, lambda: study.ask(worker=bench.worker))
        assert isinstance(query, Query)
        bench.note("asked", query.id)
        time.sleep(EXPERIMENT)
        for what, call in what_came(study, query):
            persistently(bench, call)
            bench.note(what, query.id)
        n_told += 1


def what_came(study: Study, query: Query) -> list[tuple[str, Callable[[], None]]]:
    """What is told of a query, call by call; it depends on the query alone."""
    value, reason = answer_to(query), f"of {query.id}"
    tell = partial(study.tell, query, value)
    match query.id % 5:
        case 0:
            return [("told", tell)]
        case 1:
            return [("failed", partial(study.fail, query, reason))]
        case 2:
            return [("told", partial(study.tell, query, [value - 0.5, value, value + 0.5]))]
        case 3:
            return [("told", partial(study.tell, query, value, sd=0.01, point={"heat": query.point["heat"] + 1.0}))]
    return [("told", tell), ("retracted", partial(study.retract, query, reason)), ("told", partial(tell, sd=0.5))]


def persistently(bench: Bench, call: Callable[[], T]) -> T:
    """The result of a call that is made again while the storage is in trouble."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return call()
        except StorageError as error:
            bench.note("again", str(error))
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def started(call: Callable[..., object], *arguments: object, complaints: Path) -> BaseProcess:
    """A call in a process of its own, which complains into that file."""
    process = PROCESSES.Process(target=_complaining, args=(complaints, call, *arguments), daemon=True)
    process.start()
    return process


def _complaining(complaints: Path, call: Callable[..., object], *arguments: object) -> None:
    os.dup2(os.open(complaints, os.O_WRONLY | os.O_APPEND | os.O_CREAT), 2)
    call(*arguments)


def joined(processes: Sequence[BaseProcess], complaints: Sequence[Path]) -> None:
    """Wait until all have ended well; one that hangs or fails is a failure, with what it complained of."""
    deadline = time.monotonic() + PATIENCE
    for process in processes:
        process.join(max(0.0, deadline - time.monotonic()))
    codes = [process.exitcode for process in processes]
    for process in processes:
        process.kill()
        process.join()
    said = f"exit codes {codes} (None: still running after {PATIENCE:g} s)\n{_text_of(complaints)}"
    assert codes == [0] * len(codes), said


def _text_of(complaints: Sequence[Path]) -> str:
    return "\n".join(path.read_text() for path in complaints if path.exists())


class Crowd:
    """Workers who can be killed and hired again under the same names."""

    def __init__(self, address: str, folder: Path, size: int, rounds: int | None = None) -> None:
        self.benches = [Bench(address, f"worker {number}", folder, rounds) for number in range(size)]
        self._stop = folder / "stop"
        self._n_noted = [0] * size  # when each was last hired
        self._processes = [self._hired(bench) for bench in self.benches]

    def __enter__(self) -> Crowd:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Leave nobody behind, whatever went wrong, and pass on what they complained of."""
        for process in self._processes:
            process.kill()
            process.join()
        if error is not None:
            error.add_note(_text_of([bench.complaints for bench in self.benches]))

    def _hired(self, bench: Bench) -> BaseProcess:
        return started(work, bench, complaints=bench.complaints)

    def kill(self, place: int) -> None:
        """End a worker's process in the midst of what it does, and hire the worker again."""
        assert self._processes[place].is_alive(), "nobody ends before the crowd is called off"
        self._processes[place].kill()
        self._processes[place].join()
        self._n_noted[place] = len(self.benches[place].read())
        self._processes[place] = self._hired(self.benches[place])

    def await_note(self, place: int) -> None:
        """Wait until a worker has done something since it was hired."""
        bench, before = self.benches[place], self._n_noted[place]
        until(lambda: len(bench.read()) > before, f"{bench.worker} does something")

    def await_answers(self, count: int) -> None:
        """Wait until each worker has brought so many answers more."""
        for bench in self.benches:
            aim = bench.n_told() + count
            until(lambda bench=bench, aim=aim: bench.n_told() >= aim, f"{bench.worker} brings answers")  # type: ignore[misc]

    def finish(self) -> None:
        """Let everybody end what is under way."""
        if self.benches[0].rounds is None:
            self._stop.touch()
        joined(self._processes, [bench.complaints for bench in self.benches])
