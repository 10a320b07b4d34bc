"""A laboratory: the problem of the demonstration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from belated.simulate import functions
from belated.simulate.problems.problem import Problem
from belated.simulate.problems.registry import problem
from belated.space import Choice, Float, Int, Space


def coupling_yield(point: Mapping[str, Any]) -> float:
    """The yield at a point of the laboratory."""
    return float(functions.coupling(**point))


@problem("coupling")
def coupling(seed: int = 0) -> Problem:
    """A laboratory: the yield of a made-up reaction, in percent."""
    return Problem(
        name="coupling",
        space=Space(
            temperature=Float(20, 120),
            loading=Float(1e-3, 1e-1, log=True),
            solvent=Choice(*functions.SOLVENTS),
            steps=Int(1, 8),
        ),
        objective=coupling_yield,
        noise=2.0,
        goal="maximize",
        optimum=78.69044355088747,
        optimum_point={
            "temperature": 76.00124739793843,
            "loading": 0.012358049342826916,
            "solvent": "DMF",
            "steps": 4,
        },
        description="Coupling: the yield of a made-up reaction; two numbers, a solvent, and a count of steps",
        worst=0.0,
    )
