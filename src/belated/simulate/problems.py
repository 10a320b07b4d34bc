"""Problems to try policies on: a space, an objective with noise, and where its optimum is.

`names()` lists those that come with Belated, and `build(name, seed)` makes one. Functions drawn from a prior are
another one for every seed; the others do not depend on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from belated.errors import ParameterError, unknown_name
from belated.log import Goal
from belated.simulate import functions
from belated.simulate.randomness import Purpose, key
from belated.space import Array, Candidates, Choice, Float, Int, Space

Objective = Callable[[Mapping[str, Any]], float]


@dataclass(frozen=True, eq=False)
class Problem:
    """An objective over a space: an answer is its value plus normal noise of deviation `noise`.

    `optimum` is the best value without noise, `optimum_point` a place that has it, and `worst`, if known, a value
    that no point is worse than.
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


def branin() -> Problem:
    """Branin's function on [−5, 10] × [0, 15]."""
    return Problem(
        name="branin",
        space=Space(x=Float(-5, 10), y=Float(0, 15)),
        objective=Formula(functions.branin, ("x", "y")),
        noise=0.0,
        goal="minimize",
        optimum=10.0 / (8.0 * np.pi),
        optimum_point={"x": float(np.pi), "y": 2.275},
        description="Branin: two parameters, three equal minima along a valley",
        worst=308.12909601160663,
    )


def hartmann6() -> Problem:
    """Hartmann's function of six parameters."""
    names = tuple(f"x{column}" for column in range(1, 7))
    best = (
        0.20168951100670543,
        0.15001069182345797,
        0.47687397422189703,
        0.2753324304940561,
        0.31165161660011326,
        0.6573005340656204,
    )
    return Problem(
        name="hartmann6",
        space=Space(**{name: Float(0, 1) for name in names}),
        objective=Formula(functions.hartmann6, names),
        noise=0.0,
        goal="maximize",
        optimum=3.322368011415515,
        optimum_point=dict(zip(names, best, strict=True)),
        description="Hartmann: six parameters, four bumps of which two are high",
        worst=0.0,
    )


def ackley(dimension: int) -> Problem:
    """Ackley's function on [−5, 10]ᵈ."""
    names = tuple(f"x{column}" for column in range(1, dimension + 1))
    return Problem(
        name=f"ackley-{dimension}",
        space=Space(**{name: Float(-5, 10) for name in names}),
        objective=Formula(functions.ackley, names),
        noise=0.0,
        goal="minimize",
        optimum=0.0,
        optimum_point=dict.fromkeys(names, 0.0),
        description=f"Ackley: {dimension} parameters, a funnel full of dents",
        # Each exponential at its least: the corner farthest out, and every cosine at −1.
        worst=float(20.0 + np.e - 20.0 * np.exp(-2.0) - np.exp(-1.0)),
    )


def rosenbrock() -> Problem:
    """Rosenbrock's function on a 31 × 31 grid over [0, 1]², rescaled to unit range [desautels2014, section 7.2]."""
    grid, points = _grid()
    ridge = functions.rosenbrock(*points.T)
    values = (ridge - ridge.min()) / (ridge.max() - ridge.min())
    return tabulated("rosenbrock", grid, values, 0.1, "Rosenbrock: a 31 × 31 grid, one curved ridge")


def cosines() -> Problem:
    """The cosines on a 31 × 31 grid over [0, 1]² [desautels2014, section 7.2]."""
    grid, points = _grid()
    values = functions.cosines(*points.T)
    return tabulated("cosines", grid, values, 0.1, "Cosines: a 31 × 31 grid with several peaks")


def gp_se(seed: int) -> Problem:
    """A function from GP(SE, ℓ = 0.2, variance 0.5) at 1000 points of [0, 1] [desautels2014, table 2]."""
    return _prior("gp-se", "se", 0.2, seed, "a smooth function drawn from a squared-exponential prior")


def gp_matern32(seed: int) -> Problem:
    """A function from GP(Matérn 3/2, ℓ = 0.1, variance 0.5) at 1000 points of [0, 1] [desautels2014, table 2]."""
    return _prior("gp-matern32", "matern32", 0.1, seed, "a rough function drawn from a Matérn 3/2 prior")


def coupling_yield(point: Mapping[str, Any]) -> float:
    """The yield at a point of the laboratory."""
    return float(functions.coupling(**point))


def coupling() -> Problem:
    """A laboratory: the yield of a made-up reaction, in percent."""
    return Problem(
        name="coupling",
        space=Space(
            temperature=Float(20, 120),
            loading=Float(1e-3, 1e-1, log=True),
            solvent=Choice(*functions.SOLVENTS),
            steps=Int(1, 8),
        ),
        objective=coupling_yield,
        noise=2.0,
        goal="maximize",
        optimum=78.69044355088747,
        optimum_point={
            "temperature": 76.00124739793843,
            "loading": 0.012358049342826916,
            "solvent": "DMF",
            "steps": 4,
        },
        description="Coupling: the yield of a made-up reaction; two numbers, a solvent, and a count of steps",
        worst=0.0,
    )


def names() -> tuple[str, ...]:
    """The names of all problems."""
    return tuple(_BUILDERS)


def build(name: str, seed: int = 0) -> Problem:
    """The problem of that name; the seed matters where the function is drawn from a prior."""
    if not isinstance(name, str) or name not in _BUILDERS:
        raise unknown_name("build()", "problem", name, _BUILDERS)
    return _BUILDERS[name](seed)


def describe(name: str) -> str:
    """What a problem is, in one line."""
    return build(name).description


_BUILDERS: dict[str, Callable[[int], Problem]] = {
    "branin": lambda seed: branin(),
    "hartmann6": lambda seed: hartmann6(),
    "ackley-2": lambda seed: ackley(2),
    "rosenbrock": lambda seed: rosenbrock(),
    "cosines": lambda seed: cosines(),
    "gp-se": lambda seed: gp_se(seed),
    "gp-matern32": lambda seed: gp_matern32(seed),
    "coupling": lambda seed: coupling(),
}


def _prior(name: str, form: str, lengthscale: float, seed: int, description: str) -> Problem:
    units = np.linspace(0.0, 1.0, 1000)
    values = functions.prior_draw(form, lengthscale, 0.5, units[:, None], key(seed, Purpose.FUNCTION))
    table = Candidates(units[:, None], names=("x",))
    return tabulated(name, table, values, float(np.sqrt(0.025)), f"1000 points, {description}")


@lru_cache(maxsize=1)
def _grid() -> tuple[Candidates, Array]:
    """A grid of 31 × 31 points over [0, 1]², as candidates and as an array (961, 2)."""
    axis = np.linspace(0.0, 1.0, 31)
    points = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    return Candidates(points, names=("x", "y")), points
