"""Problems to try policies on: the registry of their names, and one file for each kind."""

from belated.simulate.problems import (
    analytic,
    dimensions,
    grids,
    kernels,
    laboratory,
    machines,
    peptides,
    portfolio,
    robots,
    tasks,
    training,
    tuning,
    unseen,
)
from belated.simulate.problems.problem import (
    Chance,
    Circumstances,
    Draw,
    Formula,
    Objective,
    Problem,
    Tabulated,
    tabulated,
)
from belated.simulate.problems.registry import build, describe, names, problem
from belated.simulate.problems.spread import deviation, spread_values

__all__ = [
    "Chance",
    "Circumstances",
    "Draw",
    "Formula",
    "Objective",
    "Problem",
    "Tabulated",
    "analytic",
    "build",
    "describe",
    "deviation",
    "dimensions",
    "grids",
    "kernels",
    "laboratory",
    "machines",
    "names",
    "peptides",
    "portfolio",
    "problem",
    "robots",
    "spread_values",
    "tabulated",
    "tasks",
    "training",
    "tuning",
    "unseen",
]
