"""Processes of our own, one for each call under way: one that dies or hangs is replaced without harm to the others.

A pool of the standard library breaks as a whole when one of its processes dies, and does not tell which call it made.
"""

from __future__ import annotations

import atexit
import multiprocessing
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from typing import Any, final

from belated.children import interruptions_blocked
from belated.study.running.child import READY, serve
from belated.study.running.lost_workers import LostWorker, NoWorker

PATIENCE = 5.0  # seconds for a process to end by itself
LOOKING = 1.0  # seconds between looks whether a silent process is still there


@final
class Processes:
    """As many processes as there are workers, each started when it is first needed, and again when it was lost."""

    def __init__(self, workers: int) -> None:
        proven = threading.Event()
        self._places = [_Place(proven) for _ in range(workers)]
        self._idle: SimpleQueue[_Place] = SimpleQueue()
        for place in self._places:
            self._idle.put(place)
        # A program that its own worker imports stops here, before it asks anything.
        self._places[0].start()
        atexit.register(self._kill)

    def submit(self, began: Callable[[Future[Any]], None], call: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Call it in a process."""
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        payload = pickle.dumps((call, arguments))
        place = self._idle.get_nowait()
        place.take(_Call(future, payload, lambda: began(future), lambda: self._idle.put(place)))
        return future

    def stop(self, future: Future[Any]) -> None:
        """Kill the process that it is in."""
        for place in self._places:
            if place.future is future:
                place.kill()

    def close(self) -> None:
        """End the processes: a busy one is killed, an idle one ends by itself."""
        atexit.unregister(self._kill)
        for place in self._places:
            place.end()
        for place in self._places:
            place.join()

    def _kill(self) -> None:
        for place in self._places:
            place.kill()


@dataclass(frozen=True)
class _Call:
    """A call to be made in a process, and whom to tell how it goes."""

    future: Future[Any]
    payload: bytes
    began: Callable[[], None]
    idle: Callable[[], None]


@dataclass
class _Child:
    """A process, and the line to it."""

    process: BaseProcess
    connection: Connection
    ready: bool = False

    def received(self) -> bytes:
        """What it says next."""
        # A process that it has forked may keep the line open when it has gone itself.
        while not self.connection.poll(LOOKING):
            if self.process.exitcode is not None and not self.connection.poll(0.0):
                raise EOFError
        return self.connection.recv_bytes()

    def ended(self) -> str:
        """How it ended; if it does not, it is made to."""
        self.connection.close()
        self.process.join(PATIENCE)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()
        code = self.process.exitcode
        self.process.close()
        return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"


@final
class _Place:
    """Where one process after the other works, looked after by a thread."""

    def __init__(self, proven: threading.Event) -> None:
        self.future: Future[Any] | None = None  # of the call that it is in, or was in last
        self._proven = proven  # some process has been ready for work
        self._child: _Child | None = None
        self._closed = False
        self._access = threading.Lock()
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def start(self) -> _Child:
        """A new process, unless there is to be none any more."""
        context = multiprocessing.get_context("spawn")
        with self._access:
            if self._closed:
                raise LostWorker("the run has ended")
            ours, theirs = context.Pipe()
            process = context.Process(target=serve, args=(theirs,), name="belated-run")
            try:
                with interruptions_blocked():
                    process.start()
            finally:
                theirs.close()
            self._child = _Child(process, ours)
            return self._child

    def take(self, call: _Call) -> None:
        """Have a call made."""
        self.future = call.future
        self._calls.put(call)
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="belated-run-place", daemon=True)
            self._thread.start()

    def kill(self) -> None:
        """End the process whatever it does."""
        with self._access:
            if self._child is not None:
                with suppress(OSError, ValueError):
                    self._child.process.kill()

    def end(self) -> None:
        """Start nothing more; an idle process ends when its line does."""
        with self._access:
            self._closed = True
        if self.future is not None and not self.future.done():
            self.kill()
        elif self._child is not None:
            self._child.connection.close()
        self._calls.put(None)

    def join(self) -> None:
        """Wait until the process has ended."""
        if self._thread is not None:
            self._thread.join()
        if self._child is not None:
            self._child.ended()
            self._child = None

    # In the thread.

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            try:
                result, error = self._made(call), None
            except BaseException as trouble:
                result, error = None, trouble
            # It is idle again before anybody hears of the result.
            call.idle()
            if error is None:
                call.future.set_result(result)
            else:
                call.future.set_exception(error)
            del call, result, error

    def _made(self, call: _Call) -> Any:
        """What a call returned."""
        child = self._child or self.start()
        try:
            if not child.ready:
                child.ready = child.received() == READY
                self._proven.set()
            call.began()
            child.connection.send_bytes(call.payload)
            return pickle.loads(child.received())
        except (EOFError, OSError):
            raise self._lost(child) from None

    def _lost(self, child: _Child) -> BrokenExecutor:
        """Why there is no answer; the next call starts another process."""
        with self._access:
            self._child = None
        how = child.ended()
        return LostWorker(f"its process ended with {how}") if self._proven.is_set() else NoWorker(f"with {how}")
