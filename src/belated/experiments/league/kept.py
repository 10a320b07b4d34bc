"""The runs that are kept: a file of JSON lines for each case, to which every run that ends adds one.

Lines are only ever added, each by one write, so that leagues may play side by side and any of them may be cut off: a
line that cannot be read is left out, and its run is played again. A line that says "anew" takes back what stands above
it of an entrant.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from belated.errors import StorageError
from belated.experiments.league.cases import Case
from belated.simulate.result import Run
from belated.space import Array

# After so many rounds, evenly spaced, the regrets are kept.
CHECKPOINTS = 10
DIGITS = 4


@dataclass(frozen=True)
class Played:
    """A run that has ended: what it asked and took, and its regrets at ten checkpoints, the last after all rounds.

    A round in which a policy balks counts with the average regret of what it asked until then: balking pays nothing.
    """

    entrant: str
    digest: str
    seed: int
    asked: int
    seconds: float  # of a processor
    cumulative: tuple[float, ...]
    simple: tuple[float, ...]

    def line(self) -> str:
        """The run as it is kept."""
        return json.dumps(
            {
                "entrant": self.entrant,
                "of": self.digest,
                "seed": self.seed,
                "asked": self.asked,
                "seconds": self.seconds,
                "cumulative": self.cumulative,
                "simple": self.simple,
            },
            separators=(",", ":"),
            allow_nan=False,
        )


def summary(run: Run, entrant: str, digest: str, seconds: float) -> Played:
    """What is kept of a run."""
    last = checkpoints(run.rounds)
    return Played(
        entrant,
        digest,
        run.seed,
        len(run.outcomes),
        _rounded(seconds),
        tuple(_rounded(value) for value in charged(run.regrets)[last - 1]),
        tuple(_rounded(value) for value in run.simple_regret[last - 1]),
    )


def checkpoints(rounds: int) -> Array:
    """The rounds after which regrets are kept. (10,)"""
    return np.ceil(rounds * np.arange(1, CHECKPOINTS + 1) / CHECKPOINTS).astype(int)


def charged(regrets: Array) -> Array:
    """The cumulative regret, in which a round that asks nothing counts with the average of those so far. (rounds,)

    After round t: t times the average regret of what was asked until then, and 0 while nothing was.
    """
    asked = np.maximum(np.cumsum(~np.isnan(regrets)), 1)
    return np.asarray(np.arange(1, len(regrets) + 1) * np.cumsum(np.nan_to_num(regrets)) / asked)


def read(folder: Path, case: Case) -> dict[tuple[str, str, int], Played]:
    """The runs of a case that count, by entrant, digest and seed."""
    path = _path(folder, case)
    if not path.exists():
        return {}
    found: dict[tuple[str, str, int], Played] = {}
    for line in path.read_bytes().split(b"\n"):
        match _parsed(line):
            case {"entrant": str(name), "anew": True}:
                found = {key: run for key, run in found.items() if key[0] != name}
            case {"entrant": str(), "of": str(), "seed": int(), "cumulative": [*_], "simple": [*_]} as kept:
                run = _played(kept)
                if run is not None:
                    found[run.entrant, run.digest, run.seed] = run
    return found


def keep(folder: Path, case: Case, run: Played) -> None:
    """Add a run."""
    _add(folder, case, run.line())


def forget(folder: Path, case: Case, entrant: str) -> None:
    """Take back all runs of an entrant in a case, so that they are played anew."""
    if any(name == entrant for name, _, _ in read(folder, case)):
        _add(folder, case, json.dumps({"entrant": entrant, "anew": True}, separators=(",", ":")))


def _add(folder: Path, case: Case, line: str) -> None:
    path = _path(folder, case)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            # A line that was cut short must not spoil the next.
            begun = file.tell() > 0 and not _ends_with_line(path)
            os.write(file.fileno(), f"{chr(10) if begun else ''}{line}\n".encode())
    except OSError as error:
        raise StorageError(
            f"league({str(folder)!r}): cannot be written to ({error.strerror or error}); name a folder that you may "
            f"write to, on a disk with space; what is there is kept."
        ) from None


def _ends_with_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def _path(folder: Path, case: Case) -> Path:
    return folder / f"{case.key}.jsonl"


def _parsed(line: bytes) -> Any:
    """What a line says; None where it cannot be read."""
    try:
        return json.loads(line)
    except ValueError:
        return None


def _played(kept: dict[str, Any]) -> Played | None:
    """The run that a line has; None where parts of it are missing."""
    try:
        curves = [tuple(float(value) for value in kept[name]) for name in ("cumulative", "simple")]
        counts = int(kept["seed"]), int(kept["asked"]), float(kept["seconds"])
    except (LookupError, TypeError, ValueError):
        return None
    if any(len(curve) != CHECKPOINTS for curve in curves):
        return None
    return Played(kept["entrant"], kept["of"], *counts, curves[0], curves[1])


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
