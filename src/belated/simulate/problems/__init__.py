"""Problems to try policies on: the registry of their names, and one file for each kind."""

from belated.simulate.problems import (
    analytic,
    dimensions,
    grids,
    kernels,
    laboratory,
    machines,
    peptides,
    robots,
    tasks,
    training,
    tuning,
)
from belated.simulate.problems.problem import Circumstances, Draw, Formula, Objective, Problem, Tabulated, tabulated
from belated.simulate.problems.registry import build, describe, names, problem

__all__ = [
    "Circumstances",
    "Draw",
    "Formula",
    "Objective",
    "Problem",
    "Tabulated",
    "analytic",
    "build",
    "describe",
    "dimensions",
    "grids",
    "kernels",
    "laboratory",
    "machines",
    "names",
    "peptides",
    "problem",
    "robots",
    "tabulated",
    "tasks",
    "training",
    "tuning",
]
