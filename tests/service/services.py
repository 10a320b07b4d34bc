"""`belated serve` as a process of its own."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2 as httpx

from tests.forks import BELATED, Fork, fork
from tests.serving import NO_CERTIFICATES

PATIENCE = 60.0


@dataclass(frozen=True)
class Running:
    """A service: its first process, and where it listens."""

    process: Fork
    address: str
    lines: Path  # what it has written to stderr

    def get(self, path: str, token: str | None = None) -> httpx.Response:
        """What it answers, once it does: its processes need a moment to begin."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        return httpx.get(f"{self.address}{path}", headers=headers, timeout=PATIENCE, verify=NO_CERTIFICATES)

    def end(self, number: int = signal.SIGTERM) -> int:
        """Tell it to end; the exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)

    def listens(self) -> bool:
        """Whether anybody takes callers in."""
        try:
            self.get("/health/live")
        except httpx.TransportError:
            return False
        return True

    def children(self) -> list[int]:
        """The processes that do the work, where there are several."""
        text = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [int(word) for word in text.split() if "spawn_main" in Path(f"/proc/{word}/cmdline").read_text()]

    def announced(self) -> list[dict[str, object]]:
        """The lines of its log."""
        return [json.loads(line) for line in self.lines.read_text().splitlines()]


@contextmanager
def served(folder: Path, *options: object, command: str = "serve") -> Iterator[Running]:
    """A service in a folder, on a free port, until it is told to end or the test is over."""
    lines = folder / "stderr.txt"
    with lines.open("w") as errors:
        words = [*command.split(), "--port", "0", "--json", *options]
        process = fork(BELATED, folder, errors.fileno(), words=words)
    try:
        printed = ""
        while "}" not in printed:
            line = process.stdout.readline()
            assert line, lines.read_text()
            printed += line
        yield Running(process, json.loads(printed)["address"], lines)
    finally:
        process.end(signal.SIGTERM)


def wait_until(true: object, what: str) -> None:
    """Look again and again, as there is nothing to wait for in another process."""
    assert callable(true)
    latest = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < latest, what
        time.sleep(0.05)
