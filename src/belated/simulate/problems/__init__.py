"""Problems to try policies on: the registry of their names, and one file for each kind."""

from belated.simulate.problems import analytic, grids, laboratory
from belated.simulate.problems.problem import Circumstances, Formula, Objective, Problem, Tabulated, tabulated
from belated.simulate.problems.registry import build, describe, names, problem

__all__ = [
    "Circumstances",
    "Formula",
    "Objective",
    "Problem",
    "Tabulated",
    "analytic",
    "build",
    "describe",
    "grids",
    "laboratory",
    "names",
    "problem",
    "tabulated",
]
