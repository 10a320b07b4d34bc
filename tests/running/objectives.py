"""Objectives that leave notes, so that a test sees in which process what was evaluated, and how often."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.meanwhile import until
from tests.running.studies import squared


@dataclass(frozen=True)
class Notes:
    """A line for every evaluation that began: the point, and the process."""

    folder: Path

    def begin(self, point: dict[str, Any]) -> None:
        """Write the line by one call of the system, so that a kill cannot tear it."""
        file = os.open(self.folder / "begun", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, f"{point['heat']!r} {os.getpid()}\n".encode())
        os.close(file)

    def read(self) -> list[tuple[float, int]]:
        """The lines."""
        path = self.folder / "begun"
        lines = path.read_text().splitlines() if path.exists() else []
        return [(float(heat), int(process)) for heat, process in (line.split() for line in lines)]

    def await_begun(self, count: int) -> list[tuple[float, int]]:
        """Wait until so many evaluations have begun."""
        until(lambda: len(self.read()) >= count, f"{count} evaluations have begun")
        return self.read()

    def first(self, name: str) -> bool:
        """Whether nobody was here before under that name."""
        try:
            (self.folder / name).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True


@dataclass(frozen=True)
class Noting(Notes):
    """An objective that works at once."""

    def __call__(self, point: dict[str, Any]) -> float:
        self.begin(point)
        return squared(point)


@dataclass(frozen=True)
class Gated(Notes):
    """An objective that waits until it is let go."""

    def __call__(self, point: dict[str, Any]) -> float:
        self.begin(point)
        until((self.folder / "open").exists, "the gate is opened")
        return squared(point)

    def open(self) -> None:
        """Let everybody go."""
        (self.folder / "open").touch()


@dataclass(frozen=True)
class Working(Notes):
    """An objective that takes a moment, long enough for some kills to find it."""

    def __call__(self, point: dict[str, Any]) -> float:
        self.begin(point)
        time.sleep(0.01)
        return squared(point)


@dataclass(frozen=True)
class Dying(Notes):
    """An objective whose process is killed the first so many times."""

    times: int

    def __call__(self, point: dict[str, Any]) -> float:
        self.begin(point)
        for time_ in range(self.times):
            if self.first(f"died {time_}"):
                os.kill(os.getpid(), signal.SIGKILL)
        return squared(point)


@dataclass(frozen=True)
class Hanging(Notes):
    """An objective that never returns the first time."""

    def __call__(self, point: dict[str, Any]) -> float:
        self.begin(point)
        if self.first("hung"):
            _never()
        return squared(point)


def _never() -> None:
    """Wait for what never comes."""
    while True:
        time.sleep(3600.0)


class Unfriendly(Exception):
    """An error that cannot be made again from what it says."""

    def __init__(self, code: int, *, text: str) -> None:
        super().__init__(f"{text} ({code})")


def temperamental(point: dict[str, Any]) -> Any:
    """An objective that fails at some points, in several ways."""
    heat = point["heat"]
    if heat < 2.0:
        raise ValueError(f"too cold: {heat!r}")
    if heat < 3.0:
        raise Unfriendly(7, text="cold")
    if heat < 4.0:
        return float("nan")
    if heat < 5.0:
        return lambda: heat  # cannot be sent
    return squared(point)


def fate(heat: float) -> str | None:
    """The beginning of why such a query fails; None where it does not."""
    if heat < 2.0:
        return f"the objective raised ValueError: too cold: {heat!r}"
    if heat < 3.0:
        return "the objective raised Unfriendly: cold (7)"
    if heat < 4.0:
        return "the objective returned nan"
    return "the objective returned <function " if heat < 5.0 else None
