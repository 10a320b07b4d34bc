"""Services in processes of their own, as they run for people: started, told to end, or killed."""

from __future__ import annotations

import json
import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.forks import fork

# Nobody in these tests is to wait for a bucket.
SCRIPT = """
import sys
from belated.service import Address, Limits, ServiceSettings, listen, serve
address = Address("127.0.0.1", 0)
listening = listen(address)
print(f"http://127.0.0.1:{listening.getsockname()[1]}", file=sys.stderr, flush=True)
serve(ServiceSettings(sys.argv[1], limits=Limits(rate=1e6, burst=10**6)), address, listening)
"""
STARTED = re.compile(r"http://127\.0\.0\.1:(\d+)")
PATIENCE = 120.0


class Process:
    """A service on a storage, in a process of its own; `first` is what that does before anything else."""

    def __init__(self, storage: str, first: str = "") -> None:
        self.process = fork(first + SCRIPT, Path.cwd(), None, words=[storage])
        self.lines: list[str] = []
        self._started = threading.Event()
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()
        assert self._started.wait(PATIENCE), "the service did not start"
        assert self.address, "".join(self.lines)

    @property
    def address(self) -> str:
        """Where it listens."""
        found = [match for line in self.lines if (match := STARTED.search(line))]
        return found[0].group(0) if found else ""

    @property
    def entries(self) -> list[dict[str, Any]]:
        """What it has logged."""
        return [json.loads(line) for line in self.lines if line.startswith("{")]

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        self.process.send_signal(signal.SIGKILL)
        self._end()

    def terminate(self) -> int:
        """Tell it to end, and return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self._end()

    def _end(self) -> int:
        code = self.process.wait(PATIENCE)
        self._reading.join(PATIENCE)
        return code

    def _read(self) -> None:
        with self.process.stdout as lines:
            for line in lines:
                self.lines.append(line)
                if STARTED.search(line):
                    self._started.set()
        self._started.set()


@contextmanager
def services(storage: str, count: int = 1, first: str = "") -> Iterator[list[Process]]:
    """Some services on one storage, while they run."""
    running: list[Process] = []
    try:
        while len(running) < count:
            running.append(Process(storage, first))
        yield running
    finally:
        for service in running:
            if service.process.poll() is None:
                service.kill()
