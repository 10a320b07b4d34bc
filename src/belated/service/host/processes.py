"""Several processes that serve one address: they share its socket, count together, and end together.

One that dies is replaced. One that fails before it has served anybody would fail again: then all end.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
import time
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from multiprocessing.synchronize import Event
from types import FrameType

from belated.children import when_orphaned
from belated.errors import StorageError
from belated.service.host.json_logs import log_to_stderr
from belated.service.host.server import PATIENCE, Address, serve
from belated.service.metrics import counted_together
from belated.service.settings import ServiceSettings

logger = logging.getLogger("belated.service")

# Once its requests are done, a process may take this many seconds to end before it is killed.
FAREWELL = 5.0


@dataclass(frozen=True)
class Worker:
    """One of the processes, and whether it ever began to serve."""

    process: SpawnProcess
    begun: Event


def serve_many(settings: ServiceSettings, address: Address, listening: socket.socket, workers: int, level: str) -> None:
    """Serve with this many processes until told to end."""
    log_to_stderr(level)
    spawn = multiprocessing.get_context("spawn")
    told, tell = spawn.Pipe(duplex=False)

    def begin() -> Worker:
        begun = spawn.Event()
        process = spawn.Process(target=_work, args=(settings, address, listening, level, begun))
        process.start()
        return Worker(process, begun)

    def end(number: int, frame: FrameType | None) -> None:
        tell.send(number)

    earlier = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}
    running: list[Worker] = []
    with counted_together():
        try:
            while len(running) < workers:
                running.append(begin())
            while told not in wait([told, *(worker.process.sentinel for worker in running)]):
                for worker in [worker for worker in running if not worker.process.is_alive()]:
                    running.remove(worker)
                    _report(worker)
                    running.append(begin())
        finally:
            _end([worker.process for worker in running])
            for number, handler in earlier.items():
                signal.signal(number, handler)
            told.close()
            tell.close()


def _work(settings: ServiceSettings, address: Address, listening: socket.socket, level: str, begun: Event) -> None:
    """What each process does; should the first one be killed, the others see it, and end."""
    when_orphaned(lambda: os.kill(os.getpid(), signal.SIGTERM))
    serve(settings, address, listening, level, begun.set)


def _report(worker: Worker) -> None:
    """Say that a process has died; one that a signal ended is no sign of trouble to come."""
    code = worker.process.exitcode or 0
    if code > 0 and not worker.begun.is_set():
        raise StorageError("serve(): a process failed before it served anybody; the lines above say why.")
    logger.error("a process has died", extra={"belated": {"exit_code": code}})


def _end(processes: list[SpawnProcess]) -> None:
    """Let all of them finish what is under way; who does not is killed."""
    for process in processes:
        process.terminate()
    latest = time.monotonic() + PATIENCE + FAREWELL
    for process in processes:
        process.join(max(latest - time.monotonic(), 0.0))
        if process.is_alive():
            process.kill()
            process.join()
