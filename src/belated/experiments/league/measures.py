"""What is measured of a run after a quarter, a half and all of its rounds: three regrets, each at least 0.

- found: of the point that the player would use then; of its best answer, if it names none;
- simple: of the best point that was answered;
- cumulative: the sum of the regrets of all that was asked.

Before any answer, found and simple regret are those of the first point that was asked. A query that fails counts with
what a failure is worth, and a round without a query with the average of those before, so that not to ask pays nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from belated.experiments.league.optimizer import Point
from belated.experiments.league.players import LeaguePlayer, Timed
from belated.experiments.processes import Heed, go_on
from belated.simulate.laws import DelayLaw
from belated.simulate.loop import Course
from belated.simulate.nature import Nature, SimulatedOutcome
from belated.simulate.problems import Problem

# The shares of the rounds after which regrets are taken.
PARTS = (0.25, 0.5, 1.0)
# Where contexts are seen before the decision, a player says what it would use in those of so many rounds to come.
CONTEXTS = 5


@dataclass(frozen=True)
class Measures:
    """What a run came to: counts of its queries, the regrets after each of PARTS, and the seconds that an ask took."""

    asked: int
    repeats: int  # asked before, in the same context
    failures: int
    seconds: float  # of a processor, for asking and being told, by queries asked
    found: tuple[float, ...]
    simple: tuple[float, ...]
    cumulative: tuple[float, ...]


def moments(rounds: int) -> tuple[int, ...]:
    """The rounds after which regrets are taken."""
    return tuple(math.ceil(part * rounds) for part in PARTS)


def measured(
    player: LeaguePlayer, posed: Problem, delay: DelayLaw, rounds: int, seed: int, heed: Heed = go_on
) -> Measures:
    """Play a problem with late answers, and measure what came of it."""
    nature, timed = Nature(posed, delay, seed), Timed(player)
    course = Course(timed, nature)
    taken: dict[int, tuple[float, float, float]] = {}
    for number in range(1, rounds + 1):
        course.play(number)
        if number in moments(rounds):
            taken[number] = found(player, course, number), simple(course), cumulative(course, number)
        heed(number)
    regrets = zip(*(taken[number] for number in moments(rounds)), strict=True)
    asked = [(outcome.query.point, outcome.query.context) for outcome in course.outcomes]
    return Measures(
        len(asked),
        sum(each in asked[:place] for place, each in enumerate(asked)),
        sum(outcome.failed for outcome in course.outcomes),
        timed.seconds / max(len(asked), 1),
        *regrets,
    )


def found(player: LeaguePlayer, course: Course, number: int) -> float:
    """The regret of what the player would use after a round, or of its best answer."""
    nature = course.nature
    regrets = []
    for context in _to_come(nature, number):
        named = player.recommend(context)
        point = _best_answer(course) if named is None else named
        regrets.append(_first(course) if point is None else nature.regret(nature.worth(point, context), context))
    return float(np.mean(regrets))


def simple(course: Course) -> float:
    """The regret of the best point that was answered."""
    return min((outcome.regret for outcome in _answered(course)), default=_first(course))


def cumulative(course: Course, number: int) -> float:
    """The sum of the regrets of what was asked, in which a round without a query counts with their average."""
    regrets = [outcome.regret for outcome in course.outcomes]
    return number * (float(np.mean(regrets)) if regrets else _first(course))


def _to_come(nature: Nature, number: int) -> Sequence[Mapping[str, Any] | None]:
    """The contexts in which a player is to say what it would use; none where it decides without."""
    if nature.problem.circumstances is None:
        return [None]
    return [nature.context(number + ahead) for ahead in range(1, CONTEXTS + 1)]


def _answered(course: Course) -> list[SimulatedOutcome]:
    """What has come of the queries so far, failures left out."""
    return [
        outcome
        for outcome, arrived in zip(course.outcomes, course.arrived, strict=True)
        if arrived and not outcome.failed
    ]


def _best_answer(course: Course) -> Point | None:
    """The point of the best answer, which has its noise."""
    answered, sign = _answered(course), course.nature.problem.sign
    return max(answered, key=lambda outcome: sign * outcome.answer).query.point if answered else None


def _first(course: Course) -> float:
    """The regret of the first query, or of a failure where nothing was asked."""
    if course.outcomes:
        return course.outcomes[0].regret
    return course.nature.regret(course.nature.forgone, course.nature.context(1))
