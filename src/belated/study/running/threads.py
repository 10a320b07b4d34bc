"""Threads of our own: unlike those of the standard library, they do not keep a program from ending."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, final

_Call = tuple["Future[Any]", Callable[..., Any], tuple[Any, ...]]


@final
class Threads:
    """As many threads as there are workers, each started when it is first needed."""

    def __init__(self, workers: int) -> None:
        self._workers, self._started = workers, 0
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()

    def submit(self, began: Callable[[Future[Any]], None], call: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Call it in a thread."""
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        self._calls.put((future, call, arguments))
        if self._started < self._workers:
            self._started += 1
            threading.Thread(target=self._work, name=f"belated-run-{self._started}", daemon=True).start()
        began(future)
        return future

    def stop(self, future: Future[Any]) -> None:
        """A thread cannot be ended from outside: it is busy until its call returns."""

    def close(self) -> None:
        """Let the threads end, each after the call that it is in."""
        for _ in range(self._started):
            self._calls.put(None)

    def _work(self) -> None:
        while (taken := self._calls.get()) is not None:
            future, call, arguments = taken
            try:
                future.set_result(call(*arguments))
            except BaseException as error:
                future.set_exception(error)
            # What it refers to is not kept until the next call comes.
            del taken, future, call, arguments
