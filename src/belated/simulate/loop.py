"""The loop: a study, a problem and late answers, on a simulated clock.

Round t = 1, 2, …: first every answer that is due is told, then one query is asked, or the policy balks. An answer
with delay d to the query of round s is due in round t iff d ≤ t − s. It is told at the instant s + d, so that the
log's times are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from belated import policies
from belated.errors import AnswerError, ParameterError, require_count
from belated.log import Event, Query
from belated.policies import Policy
from belated.simulate import problems
from belated.simulate.clock import Clock
from belated.simulate.laws import Law, check_law, none
from belated.simulate.problems import Problem
from belated.simulate.randomness import Purpose, generator, study_seed
from belated.space import Array
from belated.study import Study

Watch = Callable[[int, Study], None]

# What rounding may leave between a value and an optimum known to the last digit, relative to their size.
ROUNDING = 1e-9
LARGEST_SEED = 2**63


@dataclass(frozen=True)
class Outcome:
    """What nature holds in store for a query: the true value, the answer with its noise, and the delay in rounds."""

    query: Query
    value: float
    answer: float
    delay: float

    @property
    def due_at(self) -> float:
        """The instant at which the answer comes."""
        return self.query.asked_at + self.delay

    def due_in(self, now: int) -> bool:
        """Whether the answer is there in that round: d ≤ t − s."""
        return self.delay <= now - self.query.asked_at


@dataclass(frozen=True)
class Nature:
    """A problem, a law of delays and a seed: together they decide what comes of the n-th query, and when."""

    problem: Problem
    delay: Law
    seed: int

    def outcome(self, query: Query) -> Outcome:
        """What comes of a query."""
        value = float(self.problem.objective(query.point))
        if not np.isfinite(value):
            raise AnswerError(
                f"run(): the objective of {self.problem.name!r} gave {value!r} at {query.point!r}; it must be finite "
                f"everywhere in its space; narrow the space."
            )
        delay = float(self.delay.draw(query.number, generator(self.seed, Purpose.DELAY, query.number)))
        if not delay >= 0.0:
            raise ParameterError(
                f"run(): {self.delay!r} drew the delay {delay!r} for query {query.number}; a delay is at least 0, or "
                f"infinite for an answer that never comes; correct its draw()."
            )
        normal = generator(self.seed, Purpose.NOISE, query.number).standard_normal()
        return Outcome(query, value, value + self.problem.noise * float(normal), delay)


@dataclass(frozen=True, eq=False)
class Run:
    """A simulation that has ended: its study, what came of each query, and the regret.

    Regrets are in units of the objective without noise, and never negative.
    """

    problem: Problem
    delay: Law
    rounds: int
    seed: int
    study: Study
    outcomes: tuple[Outcome, ...]

    @property
    def policy(self) -> str:
        """The name of the policy."""
        recipe = self.study.policy.recipe
        assert recipe is not None, "a study has only policies that the log can name"
        return recipe.name

    @property
    def points(self) -> list[dict[str, Any]]:
        """The points asked, in order."""
        return [outcome.query.point for outcome in self.outcomes]

    @property
    def times(self) -> Array:
        """The rounds in which they were asked. (n,)"""
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
    def simple_regret(self) -> Array:
        """After each round, the optimum less the best true value among the answers that have arrived. (rounds,)

        Before any answer it is the largest regret there can be: that of the problem's worst value or, where that is
        unknown, of the worst query of the run.
        """
        regrets = self._regrets()
        worst = self.problem.worst
        largest = regrets.max(initial=0.0) if worst is None else self.problem.sign * (self.problem.optimum - worst)
        after = np.full(self.rounds, float(largest))
        for outcome, regret in zip(self.outcomes, regrets, strict=True):
            arrival = outcome.query.asked_at + np.ceil(outcome.delay)
            if arrival <= self.rounds:
                after[int(arrival) - 1] = min(after[int(arrival) - 1], regret)
        return np.minimum.accumulate(after)

    @cached_property
    def cumulative_regret(self) -> Array:
        """After each round, the sum of the regrets of all points asked; a round without one adds nothing. (rounds,)"""
        added = np.zeros(self.rounds)
        added[self.times.astype(int) - 1] = self._regrets()
        return np.cumsum(added)

    def __reduce__(self) -> tuple[Any, ...]:
        """A run travels between processes as its log, since a study holds a lock and a memory."""
        kept = (self.problem, self.delay, self.rounds, self.seed)
        return _restored, (*kept, self.study.events, self.outcomes)

    def _regrets(self) -> Array:
        """The optimum less the true value of every query, in the direction of the goal. (n,)"""
        optimum = self.problem.optimum
        regrets = self.problem.sign * (optimum - self.values)
        slack = ROUNDING * max(1.0, abs(optimum))
        if regrets.size and regrets.min() < -slack:
            best = int(np.argmin(regrets))
            raise ParameterError(
                f"run(): query {best + 1} reached {self.values[best]!r}, better than the optimum {optimum!r} of "
                f"{self.problem.name!r}; the regret needs the true one; correct the problem's optimum."
            )
        return np.maximum(regrets, 0.0)


def run(
    problem: str | Problem = "branin",
    policy: str | Policy = "gp-bucb",
    delay: Law = none(),
    rounds: int = 100,
    seed: int = 0,
    watch: Watch | None = None,
) -> Run:
    """Simulate a study: one query a round, answers as late as the law says.

    With the same seed every policy meets the same function, and the same noise and delay of its n-th query. `watch`
    is called after each round with its number and the study.
    """
    require_count("run", "seed", seed, least=0, most=LARGEST_SEED)
    require_count("run", "rounds", rounds)
    check_law("run()", delay)
    posed = _as_problem(problem, seed)
    chosen = policies.build(policy) if isinstance(policy, str) else policy
    if isinstance(chosen, Policy):
        chosen.check("run()", posed.space)
    clock = Clock()
    study = Study.in_memory(posed.space, policy=chosen, goal=posed.goal, seed=study_seed(seed), clock=clock)
    outcomes = _play(study, clock, Nature(posed, delay, seed), rounds, watch)
    return Run(posed, delay, rounds, seed, study, outcomes)


def _play(study: Study, clock: Clock, nature: Nature, rounds: int, watch: Watch | None) -> tuple[Outcome, ...]:
    """What came of every query, after so many rounds."""
    outcomes: list[Outcome] = []
    waiting: list[Outcome] = []
    for now in range(1, rounds + 1):
        waiting = _deliver(study, clock, waiting, now)
        clock.move_to(now)
        query = study.ask()
        if isinstance(query, Query):
            outcomes.append(nature.outcome(query))
            # An answer without delay belongs to this round, before anybody looks at it.
            waiting = _deliver(study, clock, [*waiting, outcomes[-1]], now)
        if watch is not None:
            watch(now, study)
    return tuple(outcomes)


def _deliver(study: Study, clock: Clock, waiting: Iterable[Outcome], now: int) -> list[Outcome]:
    """Tell the answers that are due, the earliest first; what is left still waits."""
    due: list[Outcome] = []
    left: list[Outcome] = []
    for outcome in waiting:
        (due if outcome.due_in(now) else left).append(outcome)
    for outcome in sorted(due, key=lambda outcome: (outcome.due_at, outcome.query.number)):
        clock.move_to(outcome.due_at)
        study.tell(outcome.query, outcome.answer)
    return left


def _restored(
    problem: Problem,
    delay: Law,
    rounds: int,
    seed: int,
    events: tuple[Event, ...],
    outcomes: tuple[Outcome, ...],
) -> Run:
    return Run(problem, delay, rounds, seed, Study(events, Clock(rounds)), outcomes)


def _as_problem(problem: str | Problem, seed: int) -> Problem:
    if isinstance(problem, Problem):
        return problem
    if not isinstance(problem, str):
        raise ParameterError(f"run(): got {problem!r} as the problem; give a name or a bl.simulate.Problem.")
    return problems.build(problem, seed)
