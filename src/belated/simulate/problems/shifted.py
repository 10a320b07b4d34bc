"""Boxes whose optimum the seed puts somewhere, and turns the function around it; some have regions that fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from belated.checks import require_count, require_number
from belated.errors import unknown_name
from belated.log import Goal
from belated.simulate.problems.landscapes import Landscape, landscape
from belated.simulate.problems.problem import Fails, Formula, Problem, nowhere
from belated.simulate.problems.registry import problem
from belated.simulate.randomness import Purpose, generator
from belated.space import Array, Float, Space
from belated.space.sobol import sobol

MOST_PARAMETERS = 100
REACH = 5.0  # the box is [−5, 5]ᵈ, as BBOB's
FARTHEST = 4.0  # the optimum lies in [−4, 4]ᵈ, as BBOB's: anywhere but at a face
# A region that fails has its share of so many of Sobol's points.
POINTS = 1024
PITS, WAVES = 8, 1.3


@dataclass(frozen=True, eq=False)
class Shifted:
    """± f(R (x − x*)): a landscape around its optimum, turned, with the sign of the goal."""

    landscape: Landscape
    centre: Array  # x*, (d,)
    rotation: Array | None  # R, (d, d)
    sign: float  # −1 where it is maximised

    def __call__(self, points: Array) -> Array:
        """The values at every row of (m, d)."""
        z = points - self.centre
        return np.asarray(self.sign * self.landscape(z if self.rotation is None else z @ self.rotation.T))


def parameter_names(dimension: int) -> tuple[str, ...]:
    """x1, x2, …"""
    return tuple(f"x{column}" for column in range(1, dimension + 1))


def shifted_function(
    function: str, dimension: int, rotated: bool, goal: Goal, rng: np.random.Generator, farthest: float = FARTHEST
) -> Shifted:
    """A landscape with the place of its optimum, and its rotation if it has one, drawn anew."""
    centre = rng.uniform(-farthest, farthest, dimension)
    turn = rotation(dimension, rng)  # drawn either way, so that turning changes no place
    drawn = landscape(function, dimension, rng)
    return Shifted(drawn, centre, turn if rotated else None, 1.0 if goal == "minimize" else -1.0)


def rotation(dimension: int, rng: np.random.Generator) -> Array:
    """A rotation or reflection, each as likely as any other [mezzadri2007]."""
    q, r = np.linalg.qr(rng.standard_normal((dimension, dimension)))
    return np.asarray(q * np.sign(np.diag(r)))


@problem("shifted")
def shifted(
    seed: int = 0,
    *,
    function: str = "well",
    dimension: int = 2,
    rotated: bool = True,
    goal: Goal = "minimize",
    variant: int = 0,
) -> Problem:
    """A function of [−5, 5]ᵈ around an optimum that the seed draws, and turned as it says; 2 to 100 parameters.

    Another `variant` draws other places and turns for the same seeds.
    """
    require_count("shifted", "dimension", dimension, least=2, most=MOST_PARAMETERS)
    rng = generator(seed, Purpose.FUNCTION, variant)
    return _posed("shifted", function, shifted_function(function, dimension, rotated, goal, rng), goal)


Score = Callable[[Array], Array]  # (m, d) -> (m,)


@dataclass(frozen=True, eq=False)
class Fence:
    """Where it cannot be done: where a score is above a threshold."""

    score: Score
    threshold: float
    names: tuple[str, ...]

    def __call__(self, point: Mapping[str, Any]) -> bool:
        """Whether it cannot be done at the point."""
        return bool(self.score(np.array([[point[name] for name in self.names]]))[0] > self.threshold)


@dataclass(frozen=True, eq=False)
class Wall:
    """w·x: what lies beyond a plane fails."""

    normal: Array

    def __call__(self, points: Array) -> Array:
        return np.asarray(points @ self.normal)


@dataclass(frozen=True, eq=False)
class Corridor:
    """|w·x − b|: what lies outside the space between two planes fails."""

    normal: Array
    middle: float

    def __call__(self, points: Array) -> Array:
        return np.asarray(np.abs(points @ self.normal - self.middle))


@dataclass(frozen=True, eq=False)
class Pits:
    """−minᵢ |x − cᵢ|: what lies near one of the pits fails."""

    centres: Array

    def __call__(self, points: Array) -> Array:
        return np.asarray(-np.min([np.linalg.norm(points - centre, axis=1) for centre in self.centres], axis=0))


@dataclass(frozen=True, eq=False)
class Cells:
    """Σⱼ cos(ωxⱼ + φⱼ): cells in rows along all axes fail."""

    phases: Array

    def __call__(self, points: Array) -> Array:
        return np.asarray(np.sum(np.cos(WAVES * points + self.phases), axis=1))


FENCES: dict[str, Callable[[int, np.random.Generator], Score]] = {
    "wall": lambda dimension, rng: Wall(rng.standard_normal(dimension)),
    "corridor": lambda dimension, rng: Corridor(rng.standard_normal(dimension), float(rng.normal())),
    "pits": lambda dimension, rng: Pits(rng.uniform(-REACH, REACH, (PITS, dimension))),
    "cells": lambda dimension, rng: Cells(rng.uniform(0.0, 2.0 * np.pi, dimension)),
}


@problem("fenced")
def fenced(
    seed: int = 0,
    *,
    function: str = "well",
    dimension: int = 2,
    fence: str = "wall",
    share: float = 0.3,
    rotated: bool = True,
    goal: Goal = "minimize",
    variant: int = 0,
) -> Problem:
    """A function of [−5, 5]ᵈ that cannot be done in a share of the box, which the seed draws; 2 to 100 parameters.

    A fence is drawn again until it leaves out the function's optimum, which so is the best of what can be done.
    """
    require_count("fenced", "dimension", dimension, least=2, most=MOST_PARAMETERS)
    require_number("fenced", "share", share, above=0)
    if fence not in FENCES:
        raise unknown_name("fenced", "fence", fence, FENCES)
    rng = generator(seed, Purpose.FUNCTION, variant)
    turned = shifted_function(function, dimension, rotated, goal, rng)
    points = REACH * (2.0 * sobol(POINTS, dimension, np.random.default_rng(0)) - 1.0)
    while True:
        score = FENCES[fence](dimension, rng)
        threshold = float(np.quantile(score(points), 1.0 - share))
        if score(turned.centre[None])[0] < threshold:
            return _posed("fenced", function, turned, goal, Fence(score, threshold, parameter_names(dimension)))


def _posed(name: str, function: str, turned: Shifted, goal: Goal, fails: Fails = nowhere) -> Problem:
    """The problem of a box."""
    dimension = len(turned.centre)
    names = parameter_names(dimension)
    where = "" if fails is nowhere else ", and cannot be done everywhere"
    return Problem(
        name=f"{name}-{dimension}",
        space=Space(**{parameter: Float(-REACH, REACH) for parameter in names}),
        objective=Formula(turned, names),
        noise=0.0,
        goal=goal,
        optimum=0.0,
        optimum_point=dict(zip(names, turned.centre.tolist(), strict=True)),
        description=f"{function}: {dimension} parameters; the optimum is where the seed says{where}",
        fails=fails,
    )
