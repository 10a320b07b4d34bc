"""Runs that are kept, one line of JSON each: what is there is never run again, and an interruption loses one run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

# Decimals: of seconds milliseconds, and more of what may be shorter or is compared.
DECIMALS = {"thoughts": 5, "losses": 6}
MILLISECONDS = 3


class Wanted(NamedTuple):
    """What makes a run: the same four, and it is the same run."""

    task: str
    tool: str
    seed: int
    evaluations: int


@dataclass(frozen=True)
class Run:
    """One tool on one task: what it evaluated, in the order of the ends, and how long it thought before each ask.

    Seconds count from the moment when the tool was ready and the workers idle; `load` is the load average at that
    moment, and `others` how many processors other programs kept busy on average (None where the system does not say).
    """

    task: str
    tool: str
    seed: int
    version: str
    load: float
    others: float | None
    seconds: float
    thoughts: tuple[float, ...]
    began: tuple[float, ...]
    ended: tuple[float, ...]
    processor: tuple[float, ...]
    losses: tuple[float, ...]

    @property
    def wanted(self) -> Wanted:
        """What was asked for."""
        return Wanted(self.task, self.tool, self.seed, len(self.losses))

    def line(self) -> str:
        """The run as one line of JSON."""
        return json.dumps({name: _short(name, value) for name, value in asdict(self).items()}, separators=(",", ":"))

    @staticmethod
    def read(line: str) -> Run:
        """The run that a line holds."""
        fields: dict[str, Any] = json.loads(line)
        fields |= {name: tuple(value) for name, value in fields.items() if isinstance(value, list)}
        return Run(**fields)


def kept(path: Path) -> list[Run]:
    """The runs in a file, each once; a last line that was cut off in the middle is no run."""
    if not path.exists():
        return []
    lines = path.read_text().split("\n")[:-1]
    return list({run.wanted: run for run in map(Run.read, lines)}.values())


def keep_run(path: Path, run: Run) -> None:
    """Add a run to a file, after its last whole line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    with path.open("r+b") as file:
        file.seek(file.read().rfind(b"\n") + 1)
        file.truncate()
        file.write(f"{run.line()}\n".encode())


def missing(
    runs: Iterable[Run], tasks: Iterable[str], tools: Iterable[str], seeds: Iterable[int], evaluations: int
) -> list[Wanted]:
    """The runs still to do: all of a seed before the next, so that what is there can be compared at any time.

    The tools take turns in going first: a machine that is slower for an hour is so for all of them.
    """
    there = {run.wanted for run in runs}
    return [one for one in _all(list(tasks), list(tools), seeds, evaluations) if one not in there]


def _all(tasks: list[str], tools: list[str], seeds: Iterable[int], evaluations: int) -> Iterator[Wanted]:
    for seed, task in product(seeds, tasks):
        first = seed % len(tools)
        for tool in (*tools[first:], *tools[:first]):
            yield Wanted(task, tool, seed, evaluations)


def _short(name: str, value: Any) -> Any:
    digits = DECIMALS.get(name, MILLISECONDS)
    match value:
        case float():
            return round(value, digits)
        case list() | tuple():
            return [round(number, digits) for number in value]
    return value
