"""Asks that compute as long as a test wants: until it opens their gate."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from belated.policies import Policy
from belated.study import Study
from tests.meanwhile import until


class Gate:
    """A gate between processes: somebody stands before it, somebody opens it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._reached, self._opened, self._left = (folder / name for name in ("reached", "opened", "left"))

    def stand(self) -> None:
        """Wait here until it is opened."""
        self._reached.touch()
        until(self._opened.exists, "the gate is opened")

    def leave(self) -> None:
        """Say that what was to be done behind it is done."""
        self._left.touch()

    def await_arrival(self) -> None:
        """Wait until somebody stands here."""
        until(self._reached.exists, "somebody stands before the gate")

    def await_departure(self) -> None:
        """Wait until somebody has left."""
        until(self._left.exists, "somebody leaves")

    def open(self) -> None:
        """Let everybody through."""
        self._opened.touch()


@contextmanager
def deciding_takes_until(gate: Gate) -> Iterator[None]:
    """Every decision in this process waits before the gate, then is what it always is."""
    decide = Policy.decide

    def late(*arguments: Any) -> Any:
        gate.stand()
        return decide(*arguments)

    with mock.patch.object(Policy, "decide", late):
        yield


def ask_through(gate: Gate, address: str, name: str) -> None:
    """An ask in a process of its own, as long as the gate is closed."""
    with deciding_takes_until(gate):
        Study.open(address, name).ask()


def seconds_of(call: Any) -> float:
    """How long a call takes."""
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun
