"""A problem: a space, an objective with noise, and where its optimum is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from belated.errors import ParameterError
from belated.log import Goal
from belated.space import Array, Candidates, Context, Space

Objective = Callable[[Mapping[str, Any]], float]
Draw = Callable[[Mapping[str, Any], np.random.Generator], float]
Fails = Callable[[Mapping[str, Any]], bool]


def nowhere(point: Mapping[str, Any]) -> bool:
    """Whether it cannot be done at a point, where everything can be done."""
    return False


class Circumstances(Protocol):
    """What is known before each decision, and not ours to choose."""

    @property
    def context(self) -> Context:
        """What is declared to the study."""

    def at(self, number: int) -> Mapping[str, Any]:
        """The context of round `number`, from 1."""

    def best(self, context: Mapping[str, Any]) -> float:
        """The best value without noise in that context."""


class Chance(Protocol):
    """What nature adds after each decision: a context c, whose distribution the learner does not know."""

    @property
    def context(self) -> Context:
        """What is declared to the study, with `seen="after"`."""

    def draw(self, rng: np.random.Generator) -> Mapping[str, Any]:
        """A random context."""

    def outcome(self, point: Mapping[str, Any], context: Mapping[str, Any]) -> float:
        """f(x, c), without noise."""


@dataclass(frozen=True, eq=False)
class Problem:
    """An objective over a space: an answer is its value plus normal noise of deviation `noise`.

    `optimum` is the best value without noise, `optimum_point` a place that has it, and `worst`, if known, a value
    that no point is worse than. An optimum that is not `proven` is the best that a search found, and a value beyond it
    has no regret. Where there are `circumstances`, the objective takes the context's values together with the point's,
    and the optimum is the best over all of them. Where chance is not something added to the value, `draw` takes what
    the objective takes, and a source of randomness, and returns an answer; then `noise` is 0. Where there is `chance`,
    the objective is E_c f(x, c), so that value, optimum and regret are expectations, and an answer is f(x, c) plus
    noise. A problem has at most one of circumstances, draw and chance. `fails` says of a point whether it cannot be
    done there; the optimum is among the points that can.
    """

    name: str
    space: Space | Candidates
    objective: Objective
    noise: float
    goal: Goal
    optimum: float
    optimum_point: Mapping[str, Any]
    description: str = ""
    worst: float | None = None
    circumstances: Circumstances | None = None
    proven: bool = True
    draw: Draw | None = None
    chance: Chance | None = None
    fails: Fails = nowhere

    def __post_init__(self) -> None:
        call = f"Problem({self.name!r})"
        if not isinstance(self.space, Space | Candidates):
            raise ParameterError(f"{call}: got {self.space!r} as the space; give a bl.Space or bl.Candidates.")
        if not callable(self.objective):
            raise ParameterError(
                f"{call}: got {self.objective!r} as the objective; it must take a point and return a number."
            )
        if self.goal not in ("maximize", "minimize"):
            raise ParameterError(f"{call}: got goal {self.goal!r}; a problem is there to 'maximize' or 'minimize'.")
        if not 0.0 <= self.noise < np.inf:
            raise ParameterError(f"{call}: got noise {self.noise!r}; a deviation is finite and at least 0.")
        if not np.isfinite(self.optimum) or (
            self.worst is not None and not 0.0 <= self.sign * (self.optimum - self.worst) < np.inf
        ):
            raise ParameterError(
                f"{call}: got optimum {self.optimum!r} and worst {self.worst!r}; both are finite, and the optimum is "
                f"no worse than the worst; leave out the worst if it is unknown."
            )
        self.space.encode(self.optimum_point, call=f"{call} optimum_point")
        self._check_chance(call)
        if not callable(self.fails):
            raise ParameterError(
                f"{call}: got {self.fails!r} as what fails; it must take a point and return whether it cannot be done "
                f"there; leave it out where everything can be done."
            )
        if self.fails(self.optimum_point):
            raise ParameterError(
                f"{call}: its optimum {dict(self.optimum_point)!r} fails, and regret is counted from the best point "
                f"that can be done; give that one, with its value."
            )

    def _check_chance(self, call: str) -> None:
        if self.draw is not None and self.noise != 0.0:
            raise ParameterError(
                f"{call}: got noise {self.noise!r} and draw {self.draw!r}; answers that are drawn have all their noise "
                f"from there; leave out one of the two."
            )
        if sum(source is not None for source in (self.circumstances, self.draw, self.chance)) > 1:
            raise ParameterError(
                f"{call}: got circumstances {self.circumstances!r}, draw {self.draw!r} and chance {self.chance!r}; a "
                f"problem has at most one of the three; leave out the others."
            )
        if self.chance is not None and self.chance.context.seen != "after":
            raise ParameterError(
                f"{call}: got {self.chance.context!r} as the context of its chance; what chance adds is seen after the "
                f"decision; declare it with seen='after', or give circumstances."
            )

    def value(self, point: Mapping[str, Any], context: Mapping[str, Any] | None = None) -> float:
        """The objective at a point, in a context where there is one, without noise."""
        return float(self.objective(point if context is None else {**context, **point}))

    def answer(
        self, value: float, point: Mapping[str, Any], context: Mapping[str, Any] | None, rng: np.random.Generator
    ) -> float:
        """An answer at a point whose value without noise is known, with the chance that `rng` holds."""
        if self.draw is not None:
            return float(self.draw(point if context is None else {**context, **point}, rng))
        if self.chance is not None and context is not None:
            value = self.chance.outcome(point, context)
        return value + self.noise * float(rng.standard_normal())

    def best(self, context: Mapping[str, Any] | None = None) -> float:
        """The best value without noise, in a context where there is one."""
        return self.optimum if context is None or self.circumstances is None else self.circumstances.best(context)

    @property
    def context(self) -> Context | None:
        """What is declared to the study: the context that is seen before the decision or after it, if any."""
        source = self.circumstances if self.chance is None else self.chance
        return None if source is None else source.context

    @property
    def sign(self) -> float:
        """1 where large values are good, −1 where small ones are."""
        return 1.0 if self.goal == "maximize" else -1.0


@dataclass(frozen=True)
class Formula:
    """An objective over a box, from a formula for rows of numbers; unlike a lambda, it can go to another process."""

    function: Callable[[Array], Array]  # (m, d) -> (m,)
    names: tuple[str, ...]

    def __call__(self, point: Mapping[str, Any]) -> float:
        """The value at the point."""
        return float(self.function(np.array([[point[name] for name in self.names]]))[0])


@dataclass(frozen=True, eq=False)
class Tabulated:
    """An objective known by its value at every candidate."""

    table: Candidates
    values: Array  # (N,)

    def __call__(self, point: Mapping[str, Any]) -> float:
        """The value of the candidate."""
        return float(self.values[self.table.index(point)])


def tabulated(name: str, table: Candidates, values: Array, noise: float, description: str) -> Problem:
    """The problem to maximise values that are known at every candidate."""
    best = int(np.argmax(values))
    return Problem(
        name=name,
        space=table,
        objective=Tabulated(table, values),
        noise=noise,
        goal="maximize",
        optimum=float(values[best]),
        optimum_point=table.point(best),
        description=description,
        worst=float(np.min(values)),
    )
