"""Boxes with a context, which is seen before the decision and moves the optimum, or after it and sways the answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from belated.checks import require_count
from belated.errors import unknown_name
from belated.log import Goal
from belated.simulate.problems.distributions import Burr, Distribution, MixedDistribution, Normal, clipped
from belated.simulate.problems.problem import Formula, Problem
from belated.simulate.problems.registry import problem
from belated.simulate.problems.shifted import REACH, Shifted, parameter_names, shifted_function
from belated.simulate.randomness import Purpose, generator
from belated.space import Array, Context, Float, Space

MOST_PARAMETERS, MOST_CONTEXTS = 20, 5
# The optimum of a mean context lies in [−2, 2]ᵈ, and contexts move it by 2 at most along each axis: so it stays inside.
MIDDLE, MOVED = 2.0, 2.0
DAY, BLOCK = 24, 10
RHYTHMS = ("cycle", "drawn", "blocks")
DISTRIBUTIONS: dict[str, Distribution] = {
    "normal": Normal(0.5, 0.15),
    "skewed": Burr(2.0, 6.0),
    "two-peaks": MixedDistribution((Normal(0.25, 0.06), Normal(0.8, 0.04))),
}


@dataclass(frozen=True, eq=False)
class Moving:
    """± (f(x − x*(c)) + b(c)): where c moves the optimum, and makes all better or worse.

    x*(c) = x*(0) + A sin πc,   b(c) = s mean cos 2πc
    """

    still: Shifted
    moves: Array  # A, (d, contexts)
    size: float  # s

    def __call__(self, rows: Array) -> Array:
        """The value at every row (x, c) of (m, d + contexts)."""
        dimension = len(self.still.centre)
        points, contexts = rows[:, :dimension], rows[:, dimension:]
        return self.still(points - np.sin(np.pi * contexts) @ self.moves.T) + self.base(contexts)

    def base(self, contexts: Array) -> Array:
        """± b(c), which is the best value in each context, at every row of (m, contexts)."""
        return np.asarray(self.still.sign * self.size * np.mean(np.cos(2.0 * np.pi * contexts), axis=1))


@dataclass(frozen=True, eq=False)
class Rhythm:
    """Contexts of [0, 1] seen before each decision: hours of a day, anything at random, or one thing for ten rounds."""

    names: tuple[str, ...]
    rhythm: str
    seed: int
    function: Moving

    @property
    def context(self) -> Context:
        """What is declared to the study."""
        return Context(**{name: Float(0, 1) for name in self.names}, seen="before", outside="refuse")

    def at(self, number: int) -> Mapping[str, Any]:
        """The context of round `number`, from 1."""
        if self.rhythm == "cycle":
            # Each further number goes round half as often as the one before.
            return {name: (number / (DAY * 2**place)) % 1.0 for place, name in enumerate(self.names)}
        each = number if self.rhythm == "drawn" else (number - 1) // BLOCK
        drawn = generator(self.seed, Purpose.CONTEXT, each).random(len(self.names))
        return dict(zip(self.names, drawn.tolist(), strict=True))

    def best(self, context: Mapping[str, Any]) -> float:
        """The best value in that context."""
        return float(self.function.base(np.array([[context[name] for name in self.names]]))[0])


@problem("moving")
def moving(
    seed: int = 0,
    *,
    function: str = "well",
    dimension: int = 2,
    contexts: int = 1,
    rhythm: str = "cycle",
    rotated: bool = True,
    goal: Goal = "minimize",
    variant: int = 0,
) -> Problem:
    """A function of [−5, 5]ᵈ whose optimum, which the seed draws, moves with a context seen before the decision."""
    require_count("moving", "dimension", dimension, least=2, most=MOST_PARAMETERS)
    require_count("moving", "contexts", contexts, most=MOST_CONTEXTS)
    if rhythm not in RHYTHMS:
        raise unknown_name("moving", "rhythm", rhythm, RHYTHMS)
    rng = generator(seed, Purpose.FUNCTION, variant)
    still = shifted_function(function, dimension, rotated, goal, rng, MIDDLE)
    moves = rng.uniform(-MOVED, MOVED, (dimension, contexts)) / contexts
    size = float(np.std(still(rng.uniform(-REACH, REACH, (256, dimension)))))
    moved = Moving(still, moves, size)
    names, seen = parameter_names(dimension), tuple(f"c{place}" for place in range(1, contexts + 1))
    # The best context of all has b(c) = −s: every number at one half, where the optimum is moved farthest.
    where = still.centre + moves.sum(axis=1)
    return Problem(
        name=f"moving-{dimension}",
        space=_box(names),
        objective=Formula(moved, (*names, *seen)),
        noise=0.0,
        goal=goal,
        optimum=float(moved.base(np.full((1, contexts), 0.5))[0]),
        optimum_point=dict(zip(names, where.tolist(), strict=True)),
        description=f"{function}: {dimension} parameters, and {contexts} seen before them that move the optimum",
        circumstances=Rhythm(seen, rhythm, seed, moved),
    )


@dataclass(frozen=True, eq=False)
class Swayed:
    """A context of [0, 1] seen after the decision, which leaves the expectation as it is.

    f(x, c) = f(x) + s (c − E c) sin(w·x + φ),   E_c f(x, c) = f(x)
    """

    expected: Shifted
    distribution: Distribution
    mean: float  # E c
    size: float  # s
    wave: Array  # w, (d,)
    phase: float  # φ

    @property
    def context(self) -> Context:
        """What is declared to the study."""
        return Context(c=Float(0, 1), seen="after", outside="refuse")

    def draw(self, rng: np.random.Generator) -> Mapping[str, Any]:
        """One context, clipped."""
        return {"c": min(max(self.distribution.draw(rng), 0.0), 1.0)}

    def outcome(self, point: Mapping[str, Any], context: Mapping[str, Any]) -> float:
        """f(x, c)."""
        x = np.array([[point[name] for name in parameter_names(len(self.wave))]])
        sway = self.size * (context["c"] - self.mean) * np.sin(x @ self.wave + self.phase)
        return float(self.expected(x)[0] + sway[0])


@problem("swayed")
def swayed(
    seed: int = 0,
    *,
    function: str = "well",
    dimension: int = 2,
    distribution: str = "normal",
    rotated: bool = True,
    goal: Goal = "minimize",
    variant: int = 0,
) -> Problem:
    """A function of [−5, 5]ᵈ around an optimum that the seed draws, swayed by a context seen after the decision."""
    require_count("swayed", "dimension", dimension, least=2, most=MOST_PARAMETERS)
    if distribution not in DISTRIBUTIONS:
        raise unknown_name("swayed", "distribution", distribution, DISTRIBUTIONS)
    rng = generator(seed, Purpose.FUNCTION, variant)
    expected = shifted_function(function, dimension, rotated, goal, rng)
    law = DISTRIBUTIONS[distribution]
    numbers, shares = clipped(law)
    mean = float(numbers @ shares)
    spread = float(np.sqrt((numbers - mean) ** 2 @ shares))
    # At most places the context makes answers vary as much as the function does over its box.
    size = float(np.std(expected(rng.uniform(-REACH, REACH, (256, dimension))))) / spread
    chance = Swayed(expected, law, mean, size, rng.normal(0.0, 0.5, dimension), float(rng.uniform(0.0, 2.0 * np.pi)))
    names = parameter_names(dimension)
    return Problem(
        name=f"swayed-{dimension}",
        space=_box(names),
        objective=Formula(expected, names),
        noise=0.0,
        goal=goal,
        optimum=0.0,
        optimum_point=dict(zip(names, expected.centre.tolist(), strict=True)),
        description=f"{function}: {dimension} parameters, and a {distribution} context seen after them",
        chance=chance,
    )


def _box(names: tuple[str, ...]) -> Space:
    return Space(**{name: Float(-REACH, REACH) for name in names})
