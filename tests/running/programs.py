"""Programs that run an objective in a process of their own, to be interrupted and killed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from belated.study import Study
from tests.durability.crowd import PROCESSES
from tests.running.studies import LINE

NAME, WORKER = "oven", "bench"


def created(address: str) -> Study:
    """The study of the programs."""
    return Study.create(address, NAME, LINE, policy="random", seed=3)


def run(address: str, complaints: Path, objective: Callable[..., Any], queries: int, options: dict[str, Any]) -> None:
    """A program: it opens the study and runs the objective."""
    os.dup2(os.open(complaints, os.O_WRONLY | os.O_APPEND | os.O_CREAT), 2)
    Study.open(address, NAME).run(objective, queries, worker=WORKER, **options)


@contextmanager
def program(
    address: str, complaints: Path, objective: Callable[..., Any], queries: int, **options: Any
) -> Iterator[BaseProcess]:
    """Such a program in a process, which is gone afterwards; it is no daemon, as those may have no processes."""
    process = PROCESSES.Process(target=run, args=(address, complaints, objective, queries, options))
    process.start()
    try:
        yield process
    except BaseException as error:
        error.add_note(complaints.read_text() if complaints.exists() else "")
        raise
    finally:
        process.kill()
        process.join()


def is_gone(process: int) -> bool:
    """Whether a process has ended; one that nobody has asked how still has an entry."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    status = Path(f"/proc/{process}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z"
