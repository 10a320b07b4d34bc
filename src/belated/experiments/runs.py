"""What is kept of the runs of an arm, and the measures of regret that follow from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from belated.errors import unknown_name
from belated.experiments.statistics import ratio
from belated.simulate.result import Run
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


def gathered(runs: Sequence[tuple[Run, float]]) -> Runs:
    """What is kept of runs and the seconds that each took, to single precision."""
    return Runs(
        seeds=np.array([run.seed for run, _ in runs], dtype=np.uint64),
        regrets=np.array([_single(run.regrets) for run, _ in runs]),
        simple_regret=np.array([_single(run.simple_regret) for run, _ in runs]),
        answers=np.array([_arrived(run) for run, _ in runs]),
        seconds=np.array([seconds for _, seconds in runs]),
    )


def joined(parts: Sequence[Runs]) -> Runs:
    """All runs of these parts."""
    return Runs(**{part.name: np.concatenate([getattr(runs, part.name) for runs in parts]) for part in fields(Runs)})


def _arrived(run: Run) -> Array:
    """How many answers were there in each round. (rounds,)"""
    rounds = [number for number in run.arrived if 1 <= number <= run.rounds]
    return np.cumsum(np.bincount(rounds, minlength=run.rounds + 1)[1:]).astype(float)


def _single(values: Array) -> Array:
    """The values to single precision, which is enough and halves the files; as they are where it cannot hold them."""
    with np.errstate(over="ignore"):
        rounded = values.astype(np.float32).astype(float)
    return values if np.isinf(rounded).any() else rounded
