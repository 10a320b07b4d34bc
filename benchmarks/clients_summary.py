"""What the runs of a task add up to: medians and quartiles of the best loss so far, finals, and seconds of thought."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from belated.delays import holm
from belated.experiments.statistics import Estimate, estimate, sign_flip
from belated.space import Array
from benchmarks.clients_kept import Run

# Points of a curve over time.
STEPS = 120
QUARTILES = (0.25, 0.5, 0.75)
FIRST, YARDSTICK = "belated", "random"


@dataclass(frozen=True, eq=False)
class Curve:
    """Quartiles over seeds of the best loss so far, at each x. (points,) each"""

    x: Array
    low: Array
    middle: Array
    high: Array


@dataclass(frozen=True)
class Spread:
    """A median between its quartiles."""

    low: float
    middle: float
    high: float


@dataclass(frozen=True)
class Line:
    """What a table says of a tool on a task.

    `difference` is the mean of its final loss less that of Belated with the same seed, and `chance` how likely chance
    alone sets them so far apart, in a table corrected for the number of its lines. `reached` are evaluations and
    seconds until it was as good as random search in the end, medians over seeds, infinite where half of the seeds or
    more never were. `evaluating` is the processor time of all evaluations, `thought` the mean seconds of an ask, and
    `waited` the share of their time that workers were idle.
    """

    tool: str
    seeds: int
    final: Spread
    difference: Estimate | None
    chance: float | None
    reached: tuple[float, float] | None
    seconds: Spread
    evaluating: float
    thought: float
    waited: float


def best_so_far(run: Run) -> Array:
    """The lowest loss after each evaluation. (evaluations,)"""
    lowest: Array = np.minimum.accumulate(np.array(run.losses))
    return lowest


def over_evaluations(runs: Sequence[Run]) -> Curve:
    """The best loss after so many evaluations."""
    best = np.array([best_so_far(run) for run in runs])
    return Curve(np.arange(1.0, best.shape[1] + 1.0), *np.quantile(best, QUARTILES, axis=0))


def over_seconds(runs: Sequence[Run]) -> Curve:
    """The best loss after so many seconds, from when every run has one to when half of the runs are over.

    A run that is over keeps its best loss.
    """
    start = max(run.ended[0] for run in runs)
    end = max(start, float(np.median([run.ended[-1] for run in runs])))
    x = np.linspace(start, end, STEPS)
    best = np.array([best_so_far(run)[np.searchsorted(run.ended, x, side="right") - 1] for run in runs])
    return Curve(x, *np.quantile(best, QUARTILES, axis=0))


def by_tool(runs: Sequence[Run], task: str, tools: Sequence[str]) -> dict[str, list[Run]]:
    """The runs of a task, seed by seed, for those of the tools that have any."""
    found = {tool: [run for run in runs if run.task == task and run.tool == tool] for tool in tools}
    return {tool: sorted(some, key=lambda run: run.seed) for tool, some in found.items() if some}


def table(runs: Mapping[str, Sequence[Run]], initial: int, workers: int) -> list[Line]:
    """What each tool came to, the lowest median first."""
    lines = sorted((line(tool, runs, initial, workers) for tool in runs), key=lambda one: one.final.middle)
    compared = [one for one in lines if one.chance is not None]
    adjusted = dict(zip([one.tool for one in compared], holm([one.chance or 0.0 for one in compared]), strict=True))
    return [replace(one, chance=adjusted.get(one.tool)) for one in lines]


def line(tool: str, runs: Mapping[str, Sequence[Run]], initial: int, workers: int) -> Line:
    """What one tool came to; the initial queries, which no tool had to think about, are not in its thoughts."""
    own = runs[tool]
    differences = paired(own, runs.get(FIRST, ())) if tool != FIRST else np.empty(0)
    return Line(
        tool,
        len(own),
        spread([min(run.losses) for run in own]),
        estimate(differences) if len(differences) else None,
        sign_flip(differences) if len(differences) else None,
        reached(own, runs.get(YARDSTICK, ())) if tool != YARDSTICK else None,
        spread([run.seconds for run in own]),
        float(np.median([sum(run.processor) for run in own])),
        float(np.mean([second for run in own for second in run.thoughts[initial:]])),
        float(np.mean([waiting(run, workers) for run in own])),
    )


def paired(some: Sequence[Run], others: Sequence[Run]) -> Array:
    """Final losses less those of the others, for the seeds that both have."""
    finals = {run.seed: min(run.losses) for run in others}
    return np.array([min(run.losses) - finals[run.seed] for run in some if run.seed in finals])


def reached(some: Sequence[Run], others: Sequence[Run]) -> tuple[float, float] | None:
    """Evaluations and seconds until a run was as good as the other run of its seed in the end, medians over seeds."""
    finals = {run.seed: min(run.losses) for run in others}
    found = [first_below(run, finals[run.seed]) for run in some if run.seed in finals]
    if not found:
        return None
    # Of an even number of seeds, the upper of the two in the middle: a mean with infinity would say nothing.
    evaluations, seconds = np.sort(np.array(found), axis=0)[len(found) // 2]
    return float(evaluations), float(seconds)


def first_below(run: Run, loss: float) -> tuple[float, float]:
    """Evaluations and seconds until a run was as good as this; infinite if it never was."""
    good = np.flatnonzero(best_so_far(run) <= loss)
    return (float(good[0] + 1), run.ended[good[0]]) if len(good) else (np.inf, np.inf)


def waiting(run: Run, workers: int) -> float:
    """The share of the workers' time in which they had nothing to do, until the last query was under way."""
    last = max(run.began)
    if last <= 0.0:
        return 0.0
    busy = sum(min(ended, last) - began for began, ended in zip(run.began, run.ended, strict=True))
    return 1.0 - busy / (workers * last)


def spread(numbers: Sequence[float]) -> Spread:
    """The median and the quartiles."""
    return Spread(*(float(number) for number in np.quantile(numbers, QUARTILES)))
