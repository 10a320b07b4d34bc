"""What is kept of the runs of an arm, and the measures of regret that follow from it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from belated.errors import unknown_name
from belated.experiments.archive import JsonLine, RunKey, dumped
from belated.experiments.arm import Job, digest_of
from belated.experiments.statistics import ratio
from belated.simulate import Run
from belated.space import Array


class Measure(NamedTuple):
    """Something that can be drawn, tabulated and compared: where Runs has it, and what an axis calls it."""

    attribute: str
    title: str


MEASURES = {
    "simple": Measure("simple_regret", "simple regret"),
    "cumulative": Measure("cumulative_regret", "cumulative regret"),
    "average": Measure("average_regret", "average regret"),
    "minimum": Measure("minimum_regret", "minimum regret"),
    "regret": Measure("regrets", "regret of the round's query"),
    "balks": Measure("balks", "rounds without a query"),
    "answers": Measure("answers", "answers that have arrived"),
}


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs of one arm, a row for each seed."""

    seeds: NDArray[np.uint64]  # (n,)
    regrets: Array  # (n, rounds); NaN where the policy balked
    simple_regret: Array  # (n, rounds), among the answers that had arrived
    answers: Array  # (n, rounds), how many had arrived
    seconds: Array  # (n,), what each run took

    @property
    def cumulative_regret(self) -> Array:
        """R_T, the sum of the regrets so far; a round without a query adds nothing. (n, rounds)"""
        return np.cumsum(np.nan_to_num(self.regrets), axis=1)

    @property
    def average_regret(self) -> Array:
        """R_T over the number of queries asked so far [desautels2014, figure 6]; NaN before the first. (n, rounds)"""
        return ratio(self.cumulative_regret, np.cumsum(~np.isnan(self.regrets), axis=1))

    @property
    def minimum_regret(self) -> Array:
        """The smallest regret among all points asked so far, answered or not; NaN before the first. (n, rounds)"""
        return np.fmin.accumulate(self.regrets, axis=1)

    @property
    def balks(self) -> Array:
        """How many rounds so far had no query. (n, rounds)"""
        return np.cumsum(np.isnan(self.regrets), axis=1).astype(float)

    def measure(self, name: str) -> Array:
        """One of the MEASURES. (n, rounds)"""
        if name not in MEASURES:
            raise unknown_name("measure()", "measure", name, MEASURES)
        values: Array = getattr(self, MEASURES[name].attribute)
        return values

    def of(self, seeds: Iterable[int]) -> Runs:
        """The runs of these seeds, in their order."""
        places = {int(seed): place for place, seed in enumerate(self.seeds)}
        chosen = [places[int(seed)] for seed in seeds]
        return Runs(**{part.name: getattr(self, part.name)[chosen] for part in fields(self)})


@dataclass(frozen=True, eq=False)
class KeptCurves:
    """What is kept of a run in every round, to single precision, with the definition of its arm.

    A line ends with a hash of the rest, since a digit that is changed could not be seen.
    """

    definition: dict[str, Any]
    seed: int
    seconds: float
    regrets: Array  # (rounds,); NaN where the policy balked
    simple_regret: Array  # (rounds,)
    answers: Array  # (rounds,)

    @property
    def key(self) -> RunKey:
        """The short name of the arm, and the seed."""
        return digest_of(self.definition), self.seed

    @classmethod
    def of(cls, job: Job, run: Run, seconds: float) -> Self:
        """What is kept of a run; `seconds` is the time of a processor that it took."""
        regrets, simple_regret = _single(run.regrets), _single(run.simple_regret)
        return cls(job.arm.definition, int(job.seed), seconds, regrets, simple_regret, _arrived(run))

    @classmethod
    def read(cls, line: JsonLine) -> Self | None:
        """What a line says; None where it is not whole."""
        rest = dict(line)
        if rest.pop("hash", None) != _hash(rest):
            return None
        try:
            curves = [_single(np.array(line[name], dtype=float)) for name in ("regrets", "simple_regret", "answers")]
            return cls(line["definition"], line["seed"], line["seconds"], *curves)
        except (LookupError, TypeError, ValueError):
            return None

    def line(self) -> JsonLine:
        """What is written."""
        rest = {
            "definition": self.definition,
            "seed": self.seed,
            "seconds": self.seconds,
            "regrets": _written(self.regrets),
            "simple_regret": _written(self.simple_regret),
            "answers": self.answers.astype(int).tolist(),
        }
        return {**rest, "hash": _hash(rest)}


def gathered(runs: Sequence[KeptCurves]) -> Runs:
    """Runs of one arm in this order."""
    return Runs(
        seeds=np.array([run.seed for run in runs], dtype=np.uint64),
        regrets=np.array([run.regrets for run in runs]),
        simple_regret=np.array([run.simple_regret for run in runs]),
        answers=np.array([run.answers for run in runs]),
        seconds=np.array([run.seconds for run in runs]),
    )


def _arrived(run: Run) -> Array:
    """How many answers were there in each round. (rounds,)"""
    rounds = [number for number in run.arrived if 1 <= number <= run.rounds]
    return np.cumsum(np.bincount(rounds, minlength=run.rounds + 1)[1:]).astype(float)


def _single(values: Array) -> Array:
    """The values to single precision, which is enough and halves the files; as they are where it cannot hold them."""
    return values.astype(np.float32).astype(float) if _fits(values) else values


def _fits(values: Array) -> bool:
    """Whether single precision can hold all of the values."""
    with np.errstate(over="ignore"):
        return not np.isinf(values.astype(np.float32)).any()


def _written(values: Array) -> list[float | None]:
    """Numbers for JSON: nine digits have all of single precision; NaN is null."""
    fits = _fits(values)
    return [None if value != value else float(f"{value:.9g}") if fits else value for value in values.tolist()]


def _hash(line: JsonLine) -> str:
    return hashlib.sha256(dumped(line).encode()).hexdigest()[:16]
