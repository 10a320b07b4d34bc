"""The answer to a query and its delay: a problem, a law of delays and a seed decide both, whichever policy asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from belated.errors import AnswerError, ParameterError
from belated.log import Query
from belated.simulate.laws import DelayLaw, Occasion
from belated.simulate.problems import Problem
from belated.simulate.randomness import Purpose, generator

# What rounding may leave between a value and an optimum known to the last digit, relative to their size.
ROUNDING = 1e-9
# Where no worst value is known, a point that fails is worth the mean of so many random points: its error is then a
# sixteenth of the function's deviation.
SAMPLES = 256
# A region that fails covers less than all but one in so many random points, or nothing could be learned of the rest.
MOST_REDRAWN = 1000


@dataclass(frozen=True)
class SimulatedOutcome:
    """What a simulated query leads to: the true value, the answer with its noise, and the delay.

    Where a context is seen after the decision, the true value is the expectation over it. Where the point fails, the
    value is what a failure is worth, and there is no answer: NaN.
    """

    query: Query
    round: int
    value: float
    answer: float
    delay: float
    regret: float  # of the true value, in its context; never negative
    context: Mapping[str, Any] | None = None  # what nature showed after the decision, told with the answer
    failed: bool = False

    @property
    def due_at(self) -> float:
        """The instant at which the answer comes."""
        return self.query.asked_at + self.delay

    def due_in(self, now: float) -> bool:
        """Whether the answer is there by then: d ≤ t − s."""
        return self.delay <= now - self.query.asked_at


class Initial(NamedTuple):
    """A point that was not asked, its answer, and its context if it has one."""

    point: Mapping[str, Any]
    answer: float
    context: Mapping[str, Any] | None
    regret: float  # of the true value, in its context


@dataclass(frozen=True)
class Nature:
    """A problem, a law of delays and a seed; the n-th query meets the same noise, context and chance of delay."""

    problem: Problem
    delay: DelayLaw
    seed: int

    def context(self, number: int) -> Mapping[str, Any] | None:
        """What is known before the decision of round `number`."""
        circumstances = self.problem.circumstances
        return None if circumstances is None else circumstances.at(number)

    def outcome(self, query: Query, number: int, earlier: Sequence[tuple[float, float]]) -> SimulatedOutcome:
        """The outcome of a query asked in round `number`, after others with these times and delays."""
        value = self.worth(query.point, query.context)
        occasion = Occasion(query.number, query.asked_at, query.point, value, earlier)
        delay = float(self.delay.draw(occasion, generator(self.seed, Purpose.DELAY, query.number)))
        if not delay >= 0.0:
            raise ParameterError(
                f"run(): {self.delay!r} drew the delay {delay!r} for query {query.number}; a delay is at least 0, or "
                f"infinite for an answer that never comes; correct its draw()."
            )
        if self.problem.fails(query.point):
            regret = self.regret(value, query.context)
            return SimulatedOutcome(query, number, value, float("nan"), delay, regret, failed=True)
        drawn = self.drawn(generator(self.seed, Purpose.CONTEXT, query.number))
        noise = generator(self.seed, Purpose.NOISE, query.number)
        answer = self.problem.answer(value, query.point, query.context if drawn is None else drawn, noise)
        return SimulatedOutcome(query, number, value, answer, delay, self.regret(value, query.context), drawn)

    def initial(self, number: int) -> Initial:
        """A random point of the start that can be done, and its answer; the same for every policy."""
        rng = generator(self.seed, Purpose.INITIAL, number)
        point = self._feasible(rng)
        before, drawn = self.context(1), self.drawn(rng)
        context = before if drawn is None else drawn
        value = self.value(point, before)
        return Initial(point, self.problem.answer(value, point, context, rng), context, self.regret(value, before))

    def drawn(self, rng: np.random.Generator) -> Mapping[str, Any] | None:
        """The context that is seen only after a decision, if there is one."""
        return None if self.problem.chance is None else self.problem.chance.draw(rng)

    def worth(self, point: Mapping[str, Any], context: Mapping[str, Any] | None) -> float:
        """The objective, or what a failure is worth where it cannot be done."""
        return self.forgone if self.problem.fails(point) else self.value(point, context)

    @cached_property
    def forgone(self) -> float:
        """What a failure is worth: the worst value that is known, or the mean of random points that can be done."""
        if self.problem.worst is not None:
            return self.problem.worst
        rng, context = generator(self.seed, Purpose.FAILURE), self.context(1)
        return float(np.mean([self.value(self._feasible(rng), context) for _ in range(SAMPLES)]))

    def _feasible(self, rng: np.random.Generator) -> Mapping[str, Any]:
        """A random point that can be done."""
        for _ in range(MOST_REDRAWN):
            point = self.problem.space.decode(self.problem.space.sample(1, rng)[0])
            if not self.problem.fails(point):
                return point
        raise ParameterError(
            f"run(): {MOST_REDRAWN} random points of {self.problem.name!r} all fail; let its `fails` leave more of the "
            f"space."
        )

    def value(self, point: Mapping[str, Any], context: Mapping[str, Any] | None) -> float:
        """The objective, which must be finite where a point can be done."""
        value = self.problem.value(point, context)
        if not np.isfinite(value):
            raise AnswerError(
                f"run(): the objective of {self.problem.name!r} gave {value!r} at {dict(point)!r}; it must be finite "
                f"everywhere in its space; narrow the space, or let `fails` be true there."
            )
        return value

    def regret(self, value: float, context: Mapping[str, Any] | None) -> float:
        """The best value in that context less this one, in the direction of the goal."""
        best = self.problem.best(context)
        regret = self.problem.sign * (best - value)
        if self.problem.proven and regret < -ROUNDING * max(1.0, abs(best)):
            raise ParameterError(
                f"run(): a query reached {value!r}, better than the optimum {best!r} of {self.problem.name!r}; the "
                f"regret needs the true one; correct the problem's optimum."
            )
        return max(regret, 0.0)
