"""Processes that run blocks of seeds, each with one thread of linear algebra.

Their matrices are small, and threads that wait for each other on busy cores would make them ten times slower. Ctrl-C
is for the conductor alone: it then closes the line on which the processes listen, and they end with their round and
keep the runs that are finished. A line whose conductor was killed closes too, and they end at once.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path

from belated.errors import BelatedError
from belated.experiments import archive
from belated.experiments.arm import Arm
from belated.experiments.runs import Runs, gathered
from belated.simulate.loop import Watch, run
from belated.simulate.result import Run
from belated.study import Study

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")

Block = tuple[Arm, tuple[int, ...]]
NextBlock = Callable[[], Block | None]
Finished = Callable[[Arm, Runs], None]


def perform(folder: Path, arm: Arm, seeds: tuple[int, ...], watch: Watch | None = None) -> Runs:
    """Run these seeds of an arm and keep them; if it is interrupted, those that have ended."""
    done: list[tuple[Run, float]] = []
    try:
        for seed in seeds:
            began = time.perf_counter()
            ended = run(
                arm.posed(seed),
                arm.policy,
                arm.delay,
                arm.rounds,
                seed,
                watch,
                initial=arm.initial,
                every=arm.every,
                lazy=arm.lazy,
            )
            done.append((ended, time.perf_counter() - began))
    except Exception as error:
        error.add_note(f"in the arm {arm.label!r}, seed {seed}")
        raise
    finally:
        runs = gathered(done)
        if done:
            archive.keep(folder, arm, runs)
    return runs


def perform_in_processes(folder: Path, workers: int, next_block: NextBlock, finished: Finished) -> None:
    """Run blocks in so many processes as long as there is a next one; each that ends is reported."""
    spawn = multiprocessing.get_context("spawn")
    ear, mouth = spawn.Pipe(duplex=False)
    under_way: dict[Future[Runs], Arm] = {}
    with ear, ProcessPoolExecutor(workers, mp_context=spawn, initializer=enlist, initargs=(ear,)) as pool:
        try:
            while True:
                while len(under_way) < workers and (block := next_block()):
                    with one_thread_each(), deaf():
                        under_way[pool.submit(_perform, folder, *block)] = block[0]
                if not under_way:
                    return
                for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                    finished(under_way.pop(future), future.result())
        except BrokenProcessPool:
            raise BelatedError(
                "conduct(): a process ended before its work was done. If memory ran out, run it again with fewer "
                "workers: what was finished is kept. If this is a script, call it under if __name__ == '__main__'."
            ) from None
        finally:
            mouth.close()
            pool.shutdown(cancel_futures=True)


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Processes that start in here use one thread each, unless the user has chosen otherwise."""
    added = [name for name in THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(added, "1"))
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


@contextmanager
def deaf() -> Iterator[None]:
    """Processes that start in here do not hear Ctrl-C, not even while they start; the conductor hears it afterwards."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# In the processes.

_told_to_end = threading.Event()


class _Ended(Exception):
    """The conductor wants no more."""


def enlist(line: Connection) -> None:
    """Have this process listen for the word to end, and for nothing from the keyboard."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_listen, args=(line,), daemon=True).start()


def _listen(line: Connection) -> None:
    """Wait for the end: of the experiment first, then of its conductor, without whom nobody would end this process."""
    with suppress(EOFError, OSError):
        line.recv()
    _told_to_end.set()
    conductor = multiprocessing.parent_process()
    assert conductor is not None, "a process of the pool has a parent"
    conductor.join()
    os._exit(1)


def _perform(folder: Path, arm: Arm, seeds: tuple[int, ...]) -> Runs:
    return perform(folder, arm, seeds, end_if_told)


def end_if_told(number: int, study: Study) -> None:
    """End the run after this round if the word has come."""
    if _told_to_end.is_set():
        raise _Ended
