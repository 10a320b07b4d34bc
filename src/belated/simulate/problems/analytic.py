"""The usual test functions, each at its best where the literature says."""

from __future__ import annotations

import numpy as np

from belated.simulate import functions
from belated.simulate.problems.problem import Formula, Problem
from belated.simulate.problems.registry import problem
from belated.space import Float, Space


@problem("branin")
def branin(seed: int = 0) -> Problem:
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


@problem("hartmann6")
def hartmann6(seed: int = 0) -> Problem:
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


@problem("ackley")
def ackley(seed: int = 0, *, dimension: int = 2) -> Problem:
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
