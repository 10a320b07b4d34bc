"""Functions made of kernels: the RKHS elements of vakili2023, and the rough line of verma2022."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from belated.simulate.problems.grids import line
from belated.simulate.problems.priors import interpolated, prior_draw
from belated.simulate.problems.problem import Problem, tabulated
from belated.simulate.problems.registry import problem
from belated.simulate.randomness import Purpose, key
from belated.space import Array, Candidates

# The lengthscale that the learner is told, and that the 25 values are drawn with; the surfaces have their own.
KNOWN_LENGTHSCALE = 1.0


@problem("rkhs-f1")
def rkhs_f1(seed: int = 0, from_zero: bool = False) -> Problem:
    """A surface in the RKHS of SE, ℓ = 0.8, on a 50 × 50 grid of [−5, 5]², by the seed [vakili2023, section 7].

    The learner of the paper is told ℓ = 1, so that this surface is rougher than it thinks. With `from_zero` it is
    shifted so that its lowest value is 0: so the paper's code hands it to GP-UCB-SDF.
    """
    return _surface("rkhs-f1", 0.8, seed, from_zero)


@problem("rkhs-f2")
def rkhs_f2(seed: int = 0, from_zero: bool = False) -> Problem:
    """A surface in the RKHS of SE, ℓ = 1, on a 50 × 50 grid of [−5, 5]², by the seed [vakili2023, section 7]."""
    return _surface("rkhs-f2", 1.0, seed, from_zero)


@problem("gp-unit")
def gp_unit(seed: int = 0) -> Problem:
    """A function from GP(SE, ℓ = 0.02) at 1000 points of [0, 1], rescaled to [0, 1] [verma2022, appendix C.1].

    The paper names no noise here, and the authors' code for its SVM adds none; neither does this.
    """
    table, points = line()
    drawn = prior_draw("se", 0.02, 1.0, points, key(seed, Purpose.FUNCTION))
    values = (drawn - drawn.min()) / (drawn.max() - drawn.min())
    return tabulated("gp-unit", table, values, 0.0, "1000 points, a function of many peaks drawn from an SE prior")


def _surface(name: str, lengthscale: float, seed: int, from_zero: bool) -> Problem:
    """25 values from GP(SE, ℓ = 1) on a 5 × 5 grid, interpolated by the kernel of the surface; noise 0.02."""
    known = _square(5)
    drawn = prior_draw("se", KNOWN_LENGTHSCALE, 1.0, known, key(seed, Purpose.FUNCTION))
    table, points = _grid()
    values = interpolated("se", lengthscale, known, drawn, points)
    values = values - values.min() if from_zero else values
    return tabulated(name, table, values, 0.02, f"a 50 × 50 grid, hills of width {lengthscale:g} on a plain")


@lru_cache(maxsize=1)
def _grid() -> tuple[Candidates, Array]:
    """The 2500 points, as candidates and as an array."""
    points = _square(50)
    return Candidates(points, names=("x", "y")), points


def _square(count: int) -> Array:
    """A grid of count × count points over [−5, 5]², its corners included, as (count², 2)."""
    axis = np.linspace(-5.0, 5.0, count)
    return np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
