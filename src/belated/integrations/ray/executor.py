"""An executor whose calls are tasks of a Ray cluster."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from concurrent import futures
from concurrent.futures import CancelledError, Executor, Future, InvalidStateError
from contextlib import suppress
from typing import Any, TypeVar, final

import ray
from ray.exceptions import (
    LocalRayletDiedError,
    NodeDiedError,
    ObjectLostError,
    OutOfMemoryError,
    RayTaskError,
    TaskCancelledError,
    WorkerCrashedError,
)

from belated.errors import ParameterError
from belated.study.running.lost_workers import LostWorker, Preempted

T = TypeVar("T")
# A worker may have died of its call; a machine that is gone says nothing of it.
_DIED = (WorkerCrashedError, OutOfMemoryError)
_GONE = (NodeDiedError, ObjectLostError, LocalRayletDiedError)
# A lost task is not tried again by Ray: the caller decides, as study.run does.
_DEFAULTS = {"num_cpus": 1, "max_retries": 0}


@final
class RayFuture(Future[T]):
    """What will come of a task; cancelled, it ends the task whatever that is doing."""

    def __init__(self, reference: Any) -> None:
        super().__init__()
        self._reference = reference

    def cancel(self) -> bool:
        """End the task: one that has begun is killed with its process, and Ray starts another."""
        before = self.cancelled()
        if not super().cancel():
            return False
        if not before:
            self.set_running_or_notify_cancel()
            if ray.is_initialized():
                ray.cancel(self._reference, force=True)
        return True

    def take(self, done: Future[T]) -> None:
        """Set the result of the task, unless the future has ended already."""
        error = done.exception()
        with suppress(InvalidStateError):
            if isinstance(error, TaskCancelledError):
                self.set_exception(CancelledError(str(error)))
            elif isinstance(error, _DIED + _GONE):
                kind = LostWorker if isinstance(error, _DIED) else Preempted
                self.set_exception(kind(f"{type(error).__name__}: {str(error).strip().partition('. ')[0]}"))
            elif isinstance(error, RayTaskError) and isinstance(error.cause, BaseException):
                self.set_exception(error.cause)
            elif error is not None:
                self.set_exception(error)
            else:
                self.set_result(done.result())


@final
class RayExecutor(Executor):
    """Calls functions on the Ray cluster that this process is connected to; options are those of ray.remote.

    `RayExecutor(num_cpus=2, resources={"probe": 1})` reserves that much for every call.
    """

    def __init__(self, **options: Any) -> None:
        _check_connected("RayExecutor()")
        self._options = {**_DEFAULTS, **options}
        try:
            self._task: Any = ray.remote(**self._options)(_called)
        except (TypeError, ValueError, AssertionError) as error:
            raise ParameterError(
                f"RayExecutor(): got options that Ray refuses ({error}); give options of ray.remote."
            ) from None
        self._futures: weakref.WeakSet[RayFuture[Any]] = weakref.WeakSet()
        self._open = True

    @property
    def max_workers(self) -> int:
        """How many calls the cluster can make at once now, by what each of them reserves."""
        _check_connected("RayExecutor.max_workers")
        there: dict[str, float] = ray.cluster_resources()
        needs = {"CPU": self._options.get("num_cpus"), "GPU": self._options.get("num_gpus")}
        needs |= self._options.get("resources") or {}
        places = [int(there.get(name, 0) / amount) for name, amount in needs.items() if amount]
        return max(1, min(places, default=int(there.get("CPU", 1))))

    def submit(self, function: Callable[..., T], /, *arguments: Any, **keywords: Any) -> Future[T]:
        """Call a function at a worker."""
        if not self._open:
            raise RuntimeError("cannot schedule new futures after shutdown")
        _check_connected("RayExecutor.submit()")
        reference = self._task.remote(function, arguments, keywords)
        future: RayFuture[T] = RayFuture(reference)
        self._futures.add(future)
        reference.future().add_done_callback(future.take)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more calls; those under way are waited for, or ended. The cluster goes on."""
        self._open = False
        under_way = [future for future in self._futures if not future.done()]
        if cancel_futures:
            for future in under_way:
                future.cancel()
        if wait:
            futures.wait(under_way)


def _called(function: Callable[..., T], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> T:
    """What is run at a worker."""
    return function(*arguments, **keywords)


def _check_connected(call: str) -> None:
    if not ray.is_initialized():
        raise ParameterError(
            f"{call}: found no connection to a cluster, and the tasks are to run on one; call ray.init(…) first."
        )
