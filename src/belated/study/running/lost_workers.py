"""How a worker can be lost, and what became of its evaluation."""

from __future__ import annotations

from concurrent.futures import BrokenExecutor, CancelledError, Future
from typing import Any

from belated.study.running.evaluation import Evaluated, Failure, clean, described


class LostWorker(BrokenExecutor):
    """The worker of an evaluation ended before the evaluation did; another takes its place."""


class Preempted(LostWorker):
    """An evaluation was ended from outside, or its machine is gone: that says nothing of the point, however often."""


class NoWorker(BrokenExecutor):
    """Workers end before they are ready for any evaluation."""


Came = Evaluated | Failure | LostWorker | BrokenExecutor


def came_of(future: Future[Any]) -> Came:
    """The result of a future: a measurement, a failure, or the loss of one worker or of all."""
    error = CancelledError("it was cancelled") if future.cancelled() else future.exception()
    if error is None:
        result = future.result()
        if isinstance(result, Evaluated | Failure):
            return result
        error = TypeError(f"it returned {result!r} in place of what the call returned")
    if isinstance(error, BrokenExecutor):
        return error
    if isinstance(error, CancelledError | KeyboardInterrupt):
        return Preempted(described(error))
    return Failure(clean(f"the executor failed: {described(error)}"), error, teaches=_killed_workers(error))


def _killed_workers(error: BaseException) -> bool:
    """Whether Dask has given a call up because one worker after the other ended in it."""
    return (type(error).__module__, type(error).__name__) == ("distributed.scheduler", "KilledWorker")
