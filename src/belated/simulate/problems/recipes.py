"""Mixed spaces of numbers, logarithms, counts and choices: the best numbers depend on what is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from belated.checks import require_count
from belated.log import Goal
from belated.simulate.problems.landscapes import Landscape, landscape
from belated.simulate.problems.problem import Problem
from belated.simulate.problems.registry import problem
from belated.simulate.randomness import Purpose, generator
from belated.space import Array, Choice, Float, Int, Parameter, Space

MOST_OF_A_KIND = 50
LABELS = "abcdefgh"
# From end to end of a parameter, a landscape of [−5, 5] changes as over its own box.
SPAN = 10.0
# How far another option moves the best numbers, as a share of their ranges, at most.
MOVED = 0.25


@dataclass(frozen=True, eq=False)
class RecipeValue:
    """± (f(10 (u − u*)) + penalty), u* moved by what is chosen, and no penalty for the best options alone.

    u are the numbers' places in their ranges, on a logarithmic scale where that is theirs.
    """

    space: Space
    landscape: Landscape
    best: Array  # u*, (numbers,)
    moves: tuple[Array, ...]  # of each choice, (options, numbers); none for the best option
    penalties: tuple[Array, ...]  # of each choice, (options,), at least 0 and 0 for the best option
    together: float  # what two options that are not the best add
    sign: float

    def __call__(self, point: Mapping[str, Any]) -> float:
        """The value at the point."""
        units = self.space.encode(point)[: len(self.best)]
        options = [LABELS.index(point[f"choice{place}"]) for place in range(1, len(self.moves) + 1)]
        best = self.best + sum(moves[option] for moves, option in zip(self.moves, options, strict=True))
        each = [penalties[option] for penalties, option in zip(self.penalties, options, strict=True)]
        wrong = sum(penalty > 0.0 for penalty in each)
        penalty = float(sum(each)) + self.together * max(wrong - 1, 0)
        return float(self.sign * (self.landscape(SPAN * (units - best)[None])[0] + penalty))


@problem("recipe")
def recipe(
    seed: int = 0,
    *,
    function: str = "well",
    floats: int = 1,
    logs: int = 1,
    ints: int = 1,
    choices: int = 1,
    goal: Goal = "minimize",
    variant: int = 0,
) -> Problem:
    """Numbers, logarithms, counts and choices; the seed draws what is best, and what other options change.

    Other options cost something, and move the best numbers; the numbers' landscape is never below 0. So the optimum is
    0 where all is at its best. There are at least two numbers, logarithms and counts together.
    """
    for name, count in (("floats", floats), ("logs", logs), ("ints", ints), ("choices", choices)):
        require_count("recipe", name, count, least=0, most=MOST_OF_A_KIND)
    numbers = floats + logs + ints
    require_count("recipe", "floats + logs + ints", numbers, least=2, most=3 * MOST_OF_A_KIND)
    rng = generator(seed, Purpose.FUNCTION, variant)
    space = _space(floats, logs, ints, choices)
    # Counts have their best at one of them, so that a recipe has it too.
    units = space.snap(rng.uniform(0.1, 0.9, (1, space.dimension)))[0]
    drawn = landscape(function, numbers, rng)
    scale = float(np.std(drawn(SPAN * (rng.random((256, numbers)) - units[:numbers]))))
    best = space.decode(units)
    sizes = [len(LABELS[: _options(place)]) for place in range(choices)]
    chosen = [LABELS.index(best[f"choice{place + 1}"]) for place in range(choices)]
    others = [np.arange(size) != option for size, option in zip(sizes, chosen, strict=True)]
    value = RecipeValue(
        space,
        drawn,
        # As an encoded point has them: a logarithm's place is off by rounding otherwise.
        space.encode(best)[:numbers],
        tuple(other[:, None] * rng.uniform(-MOVED, MOVED, (len(other), numbers)) for other in others),
        # All choices together weigh twice as much as the numbers do.
        tuple(other * scale * rng.uniform(0.2, 2.0, len(other)) / max(np.sqrt(choices), 1.0) for other in others),
        0.3 * scale,
        1.0 if goal == "minimize" else -1.0,
    )
    return Problem(
        name="recipe",
        space=space,
        objective=value,
        noise=0.0,
        goal=goal,
        optimum=0.0,
        optimum_point=best,
        description=f"{function}: {floats} numbers, {logs} logarithms, {ints} counts and {choices} choices",
    )


def _space(floats: int, logs: int, ints: int, choices: int) -> Space:
    """The parameters; counts have 4 to 32 values, and choices 2 to 5 options."""
    parameters: dict[str, Parameter] = {}
    parameters |= {f"number{place}": Float(0, 100) for place in range(1, floats + 1)}
    parameters |= {f"log{place}": Float(1e-4, 10, log=True) for place in range(1, logs + 1)}
    parameters |= {f"count{place}": Int(1, 2 ** (2 + (place - 1) % 4)) for place in range(1, ints + 1)}
    parameters |= {f"choice{place + 1}": Choice(*LABELS[: _options(place)]) for place in range(choices)}
    return Space(**parameters)


def _options(place: int) -> int:
    """How many options a choice has: 3, 5, 2, 4 and so on."""
    return (3, 5, 2, 4)[place % 4]
