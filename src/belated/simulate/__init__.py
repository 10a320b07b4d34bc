"""Simulated studies: problems, laws of delays, the loop and its regret."""

from belated.simulate import laws, problems
from belated.simulate.laws import (
    DelayLaw,
    Occasion,
    adaptive_batch,
    along,
    batch,
    business_days,
    by_point,
    by_value,
    constant,
    exponential,
    geometric,
    lognormal,
    lost,
    lost_above,
    lost_below,
    mixture,
    never,
    none,
    pareto,
    poisson,
    replayed,
    sooner,
    workers,
)
from belated.simulate.loop import run
from belated.simulate.nature import SimulatedOutcome
from belated.simulate.problems import Problem
from belated.simulate.result import Run

__all__ = [
    "DelayLaw",
    "Occasion",
    "Problem",
    "Run",
    "SimulatedOutcome",
    "adaptive_batch",
    "along",
    "batch",
    "business_days",
    "by_point",
    "by_value",
    "constant",
    "exponential",
    "geometric",
    "laws",
    "lognormal",
    "lost",
    "lost_above",
    "lost_below",
    "mixture",
    "never",
    "none",
    "pareto",
    "poisson",
    "problems",
    "replayed",
    "run",
    "sooner",
    "workers",
]
