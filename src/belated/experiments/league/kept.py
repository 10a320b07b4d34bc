"""What is kept of a run of the league: a line in the file of its case, with the regrets at ten checkpoints."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from belated.experiments.archive import Archive, JsonLine, RunKey
from belated.experiments.arm import Job
from belated.simulate import Run
from belated.space import Array

# Regrets are kept after ten rounds, evenly spaced.
CHECKPOINTS = 10
DIGITS = 4
# Characters of the name of an arm that tell those of one case apart.
SHORT = 8


@dataclass(frozen=True)
class LeagueRun:
    """A run that has ended: what it asked and took, and its regrets at ten checkpoints, the last after all rounds.

    A round in which a policy balks counts with the average regret of what it asked until then: balking pays nothing.
    """

    entrant: str
    arm: str  # the short name of its arm
    seed: int
    asked: int
    seconds: float  # of a processor
    cumulative: tuple[float, ...]
    simple: tuple[float, ...]

    @property
    def key(self) -> RunKey:
        """The short name of the arm, and the seed."""
        return self.arm, self.seed

    @classmethod
    def of(cls, job: Job, run: Run, seconds: float) -> Self:
        """What is kept of a run; `seconds` is the time of a processor that it took."""
        last = checkpoints(run.rounds)
        return cls(
            job.arm.label,
            job.arm.digest[:SHORT],
            run.seed,
            len(run.outcomes),
            _rounded(seconds),
            tuple(_rounded(value) for value in charged(run.regrets)[last - 1]),
            tuple(_rounded(value) for value in run.simple_regret[last - 1]),
        )

    @classmethod
    def read(cls, line: JsonLine) -> Self | None:
        """What a line says; None where it is not whole."""
        try:
            curves = [tuple(float(value) for value in line[name]) for name in ("cumulative", "simple")]
            seed, asked, seconds = int(line["seed"]), int(line["asked"]), float(line["seconds"])
            entrant, arm = line["entrant"], line["of"]
        except (LookupError, TypeError, ValueError):
            return None
        if any(len(curve) != CHECKPOINTS for curve in curves) or not (
            isinstance(entrant, str) and isinstance(arm, str)
        ):
            return None
        return cls(entrant, arm, seed, asked, seconds, curves[0], curves[1])

    def line(self) -> JsonLine:
        """What is written."""
        return {
            "entrant": self.entrant,
            "of": self.arm,
            "seed": self.seed,
            "asked": self.asked,
            "seconds": self.seconds,
            "cumulative": list(self.cumulative),
            "simple": list(self.simple),
        }


def archive(folder: Path) -> Archive[LeagueRun]:
    """The runs of a league in a folder, a file for each case."""
    return Archive(folder, LeagueRun)


def checkpoints(rounds: int) -> Array:
    """The rounds after which regrets are kept. (10,)"""
    return np.ceil(rounds * np.arange(1, CHECKPOINTS + 1) / CHECKPOINTS).astype(int)


def charged(regrets: Array) -> Array:
    """The cumulative regret, in which a round that asks nothing counts with the average of those so far. (rounds,)

    After round t: t times the average regret of what was asked until then, and 0 while nothing was.
    """
    asked = np.maximum(np.cumsum(~np.isnan(regrets)), 1)
    return np.asarray(np.arange(1, len(regrets) + 1) * np.cumsum(np.nan_to_num(regrets)) / asked)


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
