"""A robot that pushes a disc towards a goal, by where its hand starts and for how long it pushes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import atan, pi
from typing import Any

import numpy as np

from belated.checks import require_count
from belated.simulate.problems import world
from belated.simulate.problems.aiming import FARTHEST, LONGEST, SHORTEST, STEPS_EACH, best_push
from belated.simulate.problems.problem import Problem
from belated.simulate.problems.registry import problem
from belated.simulate.randomness import Purpose, generator
from belated.space import Float, Space

HIGHEST = 5.0  # the value at the goal
CHANCE = 0.1  # the deviation of each component of v*


@dataclass(frozen=True)
class PushObjective:
    """How near to the goal the disc comes: 5 − |disc − goal|, after the hand was told to move at v*."""

    goal: complex
    speed: float

    def __call__(self, point: Mapping[str, Any]) -> float:
        """The value where v* points from the hand to the disc with just that speed."""
        return self._value(point, 0j)

    def draw(self, point: Mapping[str, Any], rng: np.random.Generator) -> float:
        """The value where each component of v* is off by a normal deviate of deviation 0.1."""
        return self._value(point, complex(*rng.normal(0.0, CHANCE, 2)))

    def _value(self, point: Mapping[str, Any], off: complex) -> float:
        start = complex(point["x"], point["y"])
        # A hand right above the disc has no direction to go.
        target = -self.speed * start / abs(start) if start else 0j
        angle = point.get("angle", _slope(start))
        disc = world.pushed(start, angle, target + off, int(STEPS_EACH * point["duration"]))
        return HIGHEST - abs(disc - self.goal)


@problem("robot-pushing")
def robot_pushing(seed: int = 0, *, dimension: int = 3) -> Problem:
    """A robot's hand pushes a disc towards a goal, which the seed draws; 3 or 4 parameters [wang2017], [lu2022].

    With 3 parameters the hand's broad side faces the disc, or nearly so, and it moves at 5; with 4 the hand's angle is
    to be chosen too, and it moves at 10. The optimum is a push that ends at the goal.
    """
    require_count("robot-pushing", "dimension", dimension, least=3, most=4)
    goal = complex(*generator(seed, Purpose.FUNCTION).uniform(-FARTHEST, FARTHEST, 2))
    push = PushObjective(goal, 5.0 if dimension == 3 else 10.0)
    axes = {"x": Float(-FARTHEST, FARTHEST), "y": Float(-FARTHEST, FARTHEST), "duration": Float(SHORTEST, LONGEST)}
    if dimension == 4:
        axes["angle"] = Float(0.0, 2.0 * pi)
    best = best_push(goal, push.speed, tilting=dimension == 4)
    return Problem(
        name=f"robot-pushing-{dimension}",
        space=Space(**axes),
        objective=push,
        noise=0.0,
        goal="maximize",
        optimum=HIGHEST,
        optimum_point={name: best[name] for name in axes},
        description=f"a hand pushes a disc towards a goal: {dimension} parameters, and chance in the push",
        draw=push.draw,
    )


def _slope(start: complex) -> float:
    """arctan(y/x), as in the authors' code: the hand is a box, and looks the same after half a turn."""
    return atan(start.imag / start.real) if start.real else 0.5 * pi
