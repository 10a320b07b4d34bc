"""An event loop in a thread of its own, so that coroutines run beside any loop of the program."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from typing import Any, final

PATIENCE = 2.0  # seconds for cancelled coroutines to tidy up after themselves


@final
class Coroutines:
    """Coroutines of one event loop, each with a future outside."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._tasks: dict[Future[Any], asyncio.Task[Any]] = {}
        self._thread = threading.Thread(target=self._run, name="belated-run-loop", daemon=True)
        self._thread.start()

    def submit(self, began: Callable[[Future[Any]], None], call: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Await what the call returns."""
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        self._loop.call_soon_threadsafe(self._begin, future, call, arguments)
        began(future)
        return future

    def stop(self, future: Future[Any]) -> None:
        """Cancel it: the coroutine is told at its next await."""
        self._loop.call_soon_threadsafe(self._cancel, future)

    def close(self) -> None:
        """Cancel what is left, and end the loop; a coroutine that never awaits is left to its thread."""
        self._loop.call_soon_threadsafe(self._end)
        self._thread.join(PATIENCE)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        finally:
            self._loop.close()

    # In the thread of the loop.

    def _begin(self, future: Future[Any], call: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        task = self._loop.create_task(call(*arguments))
        self._tasks[future] = task
        task.add_done_callback(lambda done: self._done(future, done))

    def _cancel(self, future: Future[Any]) -> None:
        if future in self._tasks:
            self._tasks[future].cancel()

    def _done(self, future: Future[Any], task: asyncio.Task[Any]) -> None:
        del self._tasks[future]
        if task.cancelled():
            future.set_exception(CancelledError())
        elif (error := task.exception()) is not None:
            future.set_exception(error)
        else:
            future.set_result(task.result())

    def _end(self) -> None:
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            ended = asyncio.gather(*tasks, return_exceptions=True)
            ended.add_done_callback(lambda _: self._loop.stop())
        else:
            self._loop.stop()
