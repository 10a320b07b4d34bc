"""A laboratory: the problem of the demonstration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from belated.simulate.problems.problem import Problem
from belated.simulate.problems.registry import problem
from belated.space import Array, Choice, Float, Int, Space

# Solvent: how fast the product forms, how fast it decays, and the temperature in °C at which things dissolve.
SOLVENTS = {"DMF": (0.60, 0.010, 55.0), "THF": (0.50, 0.040, 30.0), "water": (0.30, 0.012, 75.0)}
HANDLING = 0.98  # what is left of the product after each step


def yield_in_percent(temperature: Array, loading: Array, solvent: str, steps: Array) -> Array:
    """The yield in percent of a made-up reaction A → B → C, of which B is wanted.

    After n steps of consecutive first-order reactions with rates k₁ and k₂ there is
        B = k₁ n exp(−k₁ n) (1 − exp(−u))/u,   u = (k₂ − k₁) n.
    Warmth quickens both, the decay more; catalyst does too, until its particles clump; in the cold, things do not
    dissolve; each step loses some product. So the best lies inside the box, elsewhere for every solvent.
    """
    formation, decay, dissolving = SOLVENTS[solvent]
    catalyst = loading / 0.01
    dispersed = catalyst / (1.0 + (catalyst / 2.0) ** 2)
    k1 = formation * dispersed**0.6 * np.exp((temperature - 70.0) / 28.0)
    k2 = decay * (0.3 + catalyst**0.7) * np.exp((temperature - 70.0) / 9.0)
    dissolved = 1.0 / (1.0 + np.exp(-(temperature - dissolving) / 5.0))
    product = k1 * steps * np.exp(-k1 * steps) * _relative_gain((k2 - k1) * steps)
    return np.asarray(100.0 * product * dissolved * HANDLING**steps)


def coupling_yield(point: Mapping[str, Any]) -> float:
    """The yield at a point of the laboratory."""
    return float(yield_in_percent(**point))


@problem("coupling")
def coupling(seed: int = 0) -> Problem:
    """A laboratory: the yield of a made-up reaction, in percent."""
    return Problem(
        name="coupling",
        space=Space(
            temperature=Float(20, 120),
            loading=Float(1e-3, 1e-1, log=True),
            solvent=Choice(*SOLVENTS),
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


def _relative_gain(u: Array) -> Array:
    """(1 − exp(−u))/u, which is 1 at 0."""
    safe = np.where(np.abs(u) < 1e-12, 1e-12, u)
    return np.asarray(-np.expm1(-safe) / safe)
