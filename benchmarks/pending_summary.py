"""What the runs of the study of pending queries say, each with its interval: treatments beside others.

Two runs are a pair if nothing but the treatment differs: the same rule, law, workers, problem, noise, seed and chance.
A regret is measured in units of its problem: the mean regret of ignoring there, over all laws, workers and rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from belated.experiments.archive import RunKey
from belated.space import Array
from benchmarks.pending import SERIAL, Play, Regrets

MEASURES = ("found", "simple", "cumulative")
RESAMPLES = 2000


class Change(NamedTuple):
    """By how much a mean regret differs, as a share of that beside it, with its 95 % interval."""

    share: float
    low: float
    high: float
    pairs: int

    @property
    def is_told(self) -> bool:
        """Whether zero is outside of the interval."""
        return self.low > 0.0 or self.high < 0.0


@dataclass(frozen=True)
class Pair:
    """A run and the one beside it, in the unit of their problem."""

    play: Play
    own: Mapping[str, float]
    other: Mapping[str, float]


def compared(plays: Iterable[Play], runs: Mapping[RunKey, Regrets], other: Callable[[Play], Play]) -> list[Pair]:
    """Every run but those without delay, beside another."""
    every = list(plays)
    units = _units(every, runs)
    return [
        Pair(play, _in_units(play, runs, units), _in_units(other(play), runs, units))
        for play in every
        if play.workers != SERIAL
    ]


def ignoring(play: Play) -> Play:
    """The run in which pending queries leave no trace."""
    return play._replace(treatment="ignore")


def hallucinating(play: Play) -> Play:
    """The run in which pending queries count as what is expected of them."""
    return play._replace(treatment="hallucinate")


def serial(play: Play) -> Play:
    """The run in which every answer comes before the next query."""
    return play._replace(treatment="ignore", law="constant", workers=SERIAL)


def change(pairs: Iterable[Pair], measure: str) -> Change:
    """The mean difference of the regrets, as a share of the mean regret beside them.

    Cases are resampled, then the pairs of each; a case is a problem with its noise and seed, which its pairs share.
    What the difference is a share of stays as it is: where that is small by chance, a share of it would be anything.
    The interval ends at −1, below which no regret can be.
    """
    cases: dict[tuple[str, float, int], list[float]] = {}
    beside = []
    for pair in pairs:
        case = pair.play.problem, pair.play.noise, pair.play.seed
        cases.setdefault(case, []).append(pair.own[measure] - pair.other[measure])
        beside.append(pair.other[measure])
    groups, unit = [np.array(rows) for rows in cases.values()], float(np.mean(beside))
    low, high = np.quantile(_resampled(groups), [0.025, 0.975])
    share = float(np.concatenate(groups).mean()) / unit
    return Change(share, max(float(low) / unit, -1.0), float(high) / unit, len(beside))


def better(pairs: Iterable[Pair], measure: str) -> float:
    """The share of pairs in which the regret is less than beside it; equal ones count half."""
    signs = [np.sign(pair.other[measure] - pair.own[measure]) for pair in pairs]
    return float(0.5 + 0.5 * np.mean(signs))


def level(pairs: Iterable[Pair], measure: str) -> float:
    """The mean regret in the units of its problems."""
    return float(np.mean([pair.own[measure] for pair in pairs]))


def _resampled(groups: list[Array]) -> Array:
    """The mean over all groups, for each of the resamples: as many groups, and of each as many numbers. (RESAMPLES,)"""
    chance, shape = np.random.default_rng(0), (RESAMPLES, len(groups))
    sums = np.stack([group[chance.integers(len(group), size=(*shape, len(group)))].sum(axis=2) for group in groups])
    sizes = np.array([len(group) for group in groups])
    drawn = chance.integers(len(groups), size=shape)
    totals = np.take_along_axis(sums, drawn[None], axis=0)[0].sum(axis=1)
    return np.asarray(totals / sizes[drawn].sum(axis=1))


def _units(plays: Iterable[Play], runs: Mapping[RunKey, Regrets]) -> dict[tuple[str, str], float]:
    """The mean regret of ignoring by problem and measure."""
    found: dict[tuple[str, str], list[float]] = {}
    for play in plays:
        if play.treatment == "ignore" and play.workers != SERIAL:
            for measure in MEASURES:
                value = getattr(runs[play.arm, play.seed], measure)
                found.setdefault((play.problem, measure), []).append(value)
    return {key: float(np.mean(values)) for key, values in found.items()}


def _in_units(play: Play, runs: Mapping[RunKey, Regrets], units: Mapping[tuple[str, str], float]) -> dict[str, float]:
    regrets = runs[play.arm, play.seed]
    return {measure: getattr(regrets, measure) / units[play.problem, measure] for measure in MEASURES}
