"""A simulation that has ended, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from belated.log import Event
from belated.simulate.clock import SimulatedClock
from belated.simulate.laws import DelayLaw
from belated.simulate.nature import Initial, SimulatedOutcome
from belated.simulate.problems import Problem
from belated.space import Array
from belated.study import Study


@dataclass(frozen=True, eq=False)
class Run:
    """A simulation that has ended: its study, what came of each query, and the regret.

    Regrets are in units of the objective without noise, and never negative.
    """

    problem: Problem
    delay: DelayLaw
    rounds: int
    seed: int
    study: Study
    initial: tuple[Initial, ...]  # whose answers were there before the first round
    outcomes: tuple[SimulatedOutcome, ...]
    arrived: tuple[int, ...]  # the round in which each answer was there; 0 if it was not

    @property
    def policy(self) -> str:
        """The name of the policy."""
        return self.study.recipe.name

    @property
    def points(self) -> list[dict[str, Any]]:
        """The points asked, in order."""
        return [outcome.query.point for outcome in self.outcomes]

    @property
    def times(self) -> Array:
        """The instants at which they were asked. (n,)"""
        return np.array([outcome.query.asked_at for outcome in self.outcomes], dtype=float)

    @property
    def values(self) -> Array:
        """The objective at the points asked, without noise. (n,)"""
        return np.array([outcome.value for outcome in self.outcomes], dtype=float)

    @property
    def n_balks(self) -> int:
        """The rounds in which the policy asked nothing."""
        return self.rounds - len(self.outcomes)

    @cached_property
    def regrets(self) -> Array:
        """The regret of the point asked in each round; NaN where the policy balked. (rounds,)"""
        regrets = np.full(self.rounds, np.nan)
        for outcome in self.outcomes:
            regrets[outcome.round - 1] = outcome.regret
        return regrets

    @cached_property
    def simple_regret(self) -> Array:
        """After each round, the smallest regret among the answers that have arrived, initial ones too. (rounds,)

        Before any answer it is the largest regret there can be: that of the problem's worst value or, where that is
        unknown, of the worst query of the run.
        """
        problem = self.problem
        if problem.worst is None or problem.circumstances is not None:
            largest = np.nan_to_num(self.regrets).max(initial=0.0)
        else:
            largest = problem.sign * (problem.optimum - problem.worst)
        after = np.full(self.rounds, min((known.regret for known in self.initial), default=float(largest)))
        for outcome, arrived in zip(self.outcomes, self.arrived, strict=True):
            if 1 <= arrived <= self.rounds and not outcome.failed:
                after[arrived - 1] = min(after[arrived - 1], outcome.regret)
        return np.minimum.accumulate(after)

    @cached_property
    def cumulative_regret(self) -> Array:
        """After each round, the sum of the regrets of all points asked; a round without one adds nothing. (rounds,)"""
        return np.cumsum(np.nan_to_num(self.regrets))

    def __reduce__(self) -> tuple[Any, ...]:
        """A run travels between processes as its log, since a study holds locks and a memory."""
        kept = (self.problem, self.delay, self.rounds, self.seed)
        return _restored, (*kept, self.study.events, self.study.now(), self.initial, self.outcomes, self.arrived)


def _restored(
    problem: Problem,
    delay: DelayLaw,
    rounds: int,
    seed: int,
    events: tuple[Event, ...],
    now: float,
    initial: tuple[Initial, ...],
    outcomes: tuple[SimulatedOutcome, ...],
    arrived: tuple[int, ...],
) -> Run:
    return Run(problem, delay, rounds, seed, Study(events, SimulatedClock(now)), initial, outcomes, arrived)
