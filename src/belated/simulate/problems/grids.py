"""The finite sets of desautels2014: functions drawn from a prior, two surfaces on a grid, and pairs of electrodes."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from belated.simulate.problems.priors import prior_draw
from belated.simulate.problems.problem import Problem, tabulated
from belated.simulate.problems.registry import problem
from belated.simulate.randomness import Purpose, key
from belated.space import Array, Candidates


def ridge(x: Array, y: Array) -> Array:
    """−100 (y − x²)² − (1 − x)², a curved ridge, maximised [azimi2010]."""
    return np.asarray(-100.0 * (y - x**2) ** 2 - (1.0 - x) ** 2)


def peaks(x: Array, y: Array) -> Array:
    """1 − (u² + v² − 0.3 cos 3πu − 0.3 cos 3πv), u = 1.6x − 0.5, v = 1.6y − 0.5, maximised [azimi2010]."""
    u, v = 1.6 * x - 0.5, 1.6 * y - 0.5
    ripples = 0.3 * np.cos(3.0 * np.pi * u) + 0.3 * np.cos(3.0 * np.pi * v)
    return np.asarray(1.0 - (u**2 + v**2 - ripples))


@problem("rosenbrock-grid")
def rosenbrock_grid(seed: int = 0) -> Problem:
    """Rosenbrock's function on a 31 × 31 grid over [0, 1]², rescaled to unit range [desautels2014, section 7.2]."""
    grid, points = _grid()
    heights = ridge(*points.T)
    values = (heights - heights.min()) / (heights.max() - heights.min())
    return tabulated("rosenbrock-grid", grid, values, 0.1, "Rosenbrock: a 31 × 31 grid, one curved ridge")


@problem("cosines-grid")
def cosines_grid(seed: int = 0) -> Problem:
    """The cosines on a 31 × 31 grid over [0, 1]² [desautels2014, section 7.2]."""
    grid, points = _grid()
    values = peaks(*points.T)
    return tabulated("cosines-grid", grid, values, 0.1, "Cosines: a 31 × 31 grid with several peaks")


@problem("gp-se")
def gp_se(seed: int = 0) -> Problem:
    """A function from GP(SE, ℓ = 0.2, variance 0.5) at 1000 points of [0, 1] [desautels2014, table 2]."""
    return _prior("gp-se", "se", 0.2, seed, "a smooth function drawn from a squared-exponential prior")


@problem("gp-matern32")
def gp_matern32(seed: int = 0) -> Problem:
    """A function from GP(Matérn 3/2, ℓ = 0.1, variance 0.5) at 1000 points of [0, 1] [desautels2014, table 2]."""
    return _prior("gp-matern32", "matern32", 0.1, seed, "a rough function drawn from a Matérn 3/2 prior")


# Rows and columns of the array, how many pairs were tried, and the lengthscales of table 2, in steps of the array.
ARRAY, TRIED = (3, 9), 116
REACH = (0.988, 1.5337, 1.0051, 1.5868)


@problem("electrodes")
def electrodes(seed: int = 0) -> Problem:
    """A function of pairs of electrodes, drawn from the kernel printed for the SCI data [desautels2014, table 2]."""
    table, points = _pairs()
    values = prior_draw("se", 1.0, 1.0384, points / np.array(REACH), key(seed, Purpose.FUNCTION))
    return tabulated("electrodes", table, values, float(np.sqrt(0.0463)), "116 pairs of electrodes, a stand-in")


def _prior(name: str, form: str, lengthscale: float, seed: int, description: str) -> Problem:
    table, points = line()
    values = prior_draw(form, lengthscale, 0.5, points, key(seed, Purpose.FUNCTION))
    return tabulated(name, table, values, float(np.sqrt(0.025)), f"1000 points, {description}")


@lru_cache(maxsize=1)
def line() -> tuple[Candidates, Array]:
    """A thousand equal points of [0, 1], as candidates and as an array (1000, 1)."""
    points = np.linspace(0.0, 1.0, 1000)[:, None]
    return Candidates(points, names=("x",)), points


@lru_cache(maxsize=1)
def _grid() -> tuple[Candidates, Array]:
    """A grid of 31 × 31 points over [0, 1]², as candidates and as an array (961, 2)."""
    axis = np.linspace(0.0, 1.0, 31)
    points = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    return Candidates(points, names=("x", "y")), points


@lru_cache(maxsize=1)
def _pairs() -> tuple[Candidates, Array]:
    """Pairs of two electrodes of the array, the same for every seed: rows and columns of cathode and anode. (116, 4)"""
    places = np.stack(np.meshgrid(*(np.arange(count, dtype=float) for count in ARRAY), indexing="ij"), axis=-1)
    each = places.reshape(-1, 2)
    cathode, anode = np.nonzero(~np.eye(len(each), dtype=bool))
    every = np.concatenate([each[cathode], each[anode]], axis=1)
    points = every[np.sort(np.random.default_rng(0).permutation(len(every))[:TRIED])]
    return Candidates(points, names=("cathode_row", "cathode_column", "anode_row", "anode_column")), points
