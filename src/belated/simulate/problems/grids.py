"""The finite sets of desautels2014: functions drawn from a prior, and two surfaces on a grid."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from belated.simulate import functions
from belated.simulate.problems.problem import Problem, tabulated
from belated.simulate.problems.registry import problem
from belated.simulate.randomness import Purpose, key
from belated.space import Array, Candidates


@problem("rosenbrock-grid")
def rosenbrock_grid(seed: int = 0) -> Problem:
    """Rosenbrock's function on a 31 × 31 grid over [0, 1]², rescaled to unit range [desautels2014, section 7.2]."""
    grid, points = _grid()
    ridge = functions.rosenbrock(*points.T)
    values = (ridge - ridge.min()) / (ridge.max() - ridge.min())
    return tabulated("rosenbrock-grid", grid, values, 0.1, "Rosenbrock: a 31 × 31 grid, one curved ridge")


@problem("cosines-grid")
def cosines_grid(seed: int = 0) -> Problem:
    """The cosines on a 31 × 31 grid over [0, 1]² [desautels2014, section 7.2]."""
    grid, points = _grid()
    values = functions.cosines(*points.T)
    return tabulated("cosines-grid", grid, values, 0.1, "Cosines: a 31 × 31 grid with several peaks")


@problem("gp-se")
def gp_se(seed: int = 0) -> Problem:
    """A function from GP(SE, ℓ = 0.2, variance 0.5) at 1000 points of [0, 1] [desautels2014, table 2]."""
    return _prior("gp-se", "se", 0.2, seed, "a smooth function drawn from a squared-exponential prior")


@problem("gp-matern32")
def gp_matern32(seed: int = 0) -> Problem:
    """A function from GP(Matérn 3/2, ℓ = 0.1, variance 0.5) at 1000 points of [0, 1] [desautels2014, table 2]."""
    return _prior("gp-matern32", "matern32", 0.1, seed, "a rough function drawn from a Matérn 3/2 prior")


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
