"""What is kept of a run of the league: a short line in the file of its entrant."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from belated.experiments.archive import Archive, JsonLine, RunKey
from belated.experiments.league.measures import PARTS, Measures

# Regrets are kept with so many digits, seconds with fewer: they are never the same again.
DIGITS, SECONDS_DIGITS = 4, 2


@dataclass(frozen=True)
class LeagueRun:
    """A run that has ended: who played which case with which seed, and what it came to."""

    entrant: str
    case: str  # the digest of the case: a case that is changed is another one
    seed: int
    asked: int
    repeats: int  # queries at a point that was asked before
    failures: int
    seconds: float  # of a processor, for each query
    found: tuple[float, ...]  # regrets after a quarter, a half and all of the rounds
    simple: tuple[float, ...]
    cumulative: tuple[float, ...]

    @property
    def key(self) -> RunKey:
        """The case, and the seed."""
        return self.case, self.seed

    @classmethod
    def of(cls, entrant: str, case: str, seed: int, run: Measures) -> Self:
        """What is kept of a run."""
        seconds = _rounded(run.seconds, SECONDS_DIGITS)
        regrets = (tuple(_rounded(value) for value in values) for values in (run.found, run.simple, run.cumulative))
        return cls(entrant, case, seed, run.asked, run.repeats, run.failures, seconds, *regrets)

    @classmethod
    def read(cls, line: JsonLine) -> Self | None:
        """What a line says; None where it is not whole, or says what cannot be."""
        try:
            seed, asked, repeats, failures, seconds, *regrets = line["run"]
            entrant, case = line["by"], line["of"]
        except (LookupError, TypeError, ValueError):
            return None
        counts = (seed, asked, repeats, failures)
        if not (isinstance(entrant, str) and isinstance(case, str) and all(type(count) is int for count in counts)):
            return None
        if not all(_is_measure(value) for value in (*counts, seconds, *regrets)) or len(regrets) != 3 * len(PARTS):
            return None
        parts = (tuple(map(float, regrets[start::3])) for start in range(3))
        return cls(entrant, case, *counts, float(seconds), *parts)

    def line(self) -> JsonLine:
        """What is written: found, simple and cumulative regret after each part."""
        regrets = [value for values in zip(self.found, self.simple, self.cumulative, strict=True) for value in values]
        run = [self.seed, self.asked, self.repeats, self.failures, *map(_short, (self.seconds, *regrets))]
        return {"by": self.entrant, "of": self.case, "run": run}


def archive(folder: Path) -> Archive[LeagueRun]:
    """The runs of one half of the cases in a folder, a file for each entrant."""
    return Archive(folder, LeagueRun)


def _is_measure(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0


def _rounded(value: float, digits: int = DIGITS) -> float:
    return float(f"{value:.{digits}g}")


def _short(value: float) -> float | int:
    """A number that JSON writes without a point where it needs none."""
    return int(value) if value.is_integer() and value < 10**DIGITS else value
