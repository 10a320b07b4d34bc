"""Several processes that serve one address: they share its socket, and end together.

One that dies is replaced. One that fails as soon as it has begun would fail again: then all end.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
import threading
import time
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from types import FrameType

from belated.errors import StorageError
from belated.service.logs import log_to_stderr
from belated.service.server import PATIENCE, Address, serve
from belated.service.settings import Settings

logger = logging.getLogger("belated.service")

# Who fails so soon after its beginning, in seconds, would do so again.
START = 10.0
# Beyond what is under way, a process may take so many seconds to end, before it is killed.
FAREWELL = 5.0


def serve_many(settings: Settings, address: Address, listening: socket.socket, workers: int, level: str) -> None:
    """Serve by so many processes until told to end."""
    log_to_stderr(level)
    spawn = multiprocessing.get_context("spawn")
    told, tell = spawn.Pipe(duplex=False)

    def begin() -> SpawnProcess:
        process = spawn.Process(target=_work, args=(settings, address, listening, level))
        process.start()
        return process

    def end(number: int, frame: FrameType | None) -> None:
        tell.send(number)

    earlier = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}
    processes = {begin(): time.monotonic() for _ in range(workers)}
    try:
        while told not in wait([told, *(process.sentinel for process in processes)]):
            for process in [process for process in processes if not process.is_alive()]:
                began = processes.pop(process)
                _report(process, time.monotonic() - began)
                processes[begin()] = time.monotonic()
    finally:
        _end(list(processes))
        for number, handler in earlier.items():
            signal.signal(number, handler)
        told.close()
        tell.close()


def _work(settings: Settings, address: Address, listening: socket.socket, level: str) -> None:
    """What each process does; should the first one be killed, the others see it, and end."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=follow, daemon=True).start()
    serve(settings, address, listening, level)


def _report(process: SpawnProcess, seconds: float) -> None:
    """Say that a process has died; one that a signal ended is no sign of trouble to come."""
    if seconds < START and (process.exitcode or 0) > 0:
        raise StorageError("serve(): a process failed as soon as it had begun; the lines above say why.")
    logger.error("a process has died", extra={"belated": {"exit_code": process.exitcode}})


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
