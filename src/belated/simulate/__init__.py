"""Simulated studies: problems, laws of delays, the loop and its regret."""

from belated.simulate import problems
from belated.simulate.laws import (
    Law,
    batch,
    constant,
    exponential,
    geometric,
    lognormal,
    lost,
    none,
    poisson,
)
from belated.simulate.loop import Outcome, Run, run
from belated.simulate.problems import Problem

__all__ = [
    "Law",
    "Outcome",
    "Problem",
    "Run",
    "batch",
    "constant",
    "exponential",
    "geometric",
    "lognormal",
    "lost",
    "none",
    "poisson",
    "problems",
    "run",
]
