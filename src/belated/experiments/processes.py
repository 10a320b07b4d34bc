"""Processes that do jobs, each with one thread of linear algebra.

Their matrices are small, and threads that wait for each other on busy cores would make them ten times slower. Ctrl-C
is for the conductor alone: it then closes the line on which the processes listen, and they end with their round and
keep the runs that are finished. A line whose conductor was killed closes too, and they end at once.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from typing import TypeVar

from belated.children import ignore_interruptions, interruptions_blocked, when_orphaned
from belated.errors import BelatedError

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")

Job = TypeVar("Job")
Result = TypeVar("Result")
# What is called after each round with its number, by which a run can be given up.
Heed = Callable[[int], None]
Perform = Callable[[Job, Heed], Result]


def performed(
    perform: Perform[Job, Result], jobs: Iterable[Job], workers: int
) -> Generator[tuple[Job, Result], None, None]:
    """Each job with its result as it ends; with 0 workers they are done in this process.

    When the caller stops asking for results, the processes end with their round.
    """
    if not workers:
        for job in jobs:
            yield job, perform(job, go_on)
        return
    spawn = multiprocessing.get_context("spawn")
    ear, mouth = spawn.Pipe(duplex=False)
    following = iter(jobs)
    under_way: dict[Future[Result], Job] = {}
    with ear, ProcessPoolExecutor(workers, mp_context=spawn, initializer=enlist, initargs=(ear,)) as pool:
        try:
            while True:
                # One more than there are workers, so that none waits for the next.
                while len(under_way) <= workers and (upcoming := next(following, None)):
                    with one_thread_each(), interruptions_blocked():
                        under_way[pool.submit(perform, upcoming, end_if_told)] = upcoming
                if not under_way:
                    return
                for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                    yield under_way.pop(future), future.result()
        except BrokenProcessPool:
            raise BelatedError(
                "performed(): a process ended before its work was done. If memory ran out, run it again with fewer "
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


def go_on(number: int) -> None:
    """A run in this process ends with the process."""


# In the processes.

_told_to_end = threading.Event()


class _Ended(Exception):
    """The conductor wants no more."""


def enlist(line: Connection) -> None:
    """Have this process listen for the word to end, and for nothing from the keyboard."""
    ignore_interruptions()
    when_orphaned(partial(os._exit, 1))
    threading.Thread(target=_listen, args=(line,), daemon=True).start()


def _listen(line: Connection) -> None:
    """Wait for the end of the experiment, after which a run is given up with its round."""
    with suppress(EOFError, OSError):
        line.recv()
    _told_to_end.set()


def end_if_told(number: int) -> None:
    """End the run after this round if the word has come."""
    if _told_to_end.is_set():
        raise _Ended
