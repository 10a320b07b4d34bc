"""Simulated studies: problems, laws of delays, the loop and its regret."""

from belated.simulate import problems
from belated.simulate.laws import (
    Law,
    Occasion,
    adaptive_batch,
    batch,
    constant,
    exponential,
    geometric,
    lognormal,
    lost,
    none,
    poisson,
)
from belated.simulate.loop import run
from belated.simulate.nature import Outcome
from belated.simulate.problems import Problem
from belated.simulate.result import Run

__all__ = [
    "Law",
    "Occasion",
    "Outcome",
    "Problem",
    "Run",
    "adaptive_batch",
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
