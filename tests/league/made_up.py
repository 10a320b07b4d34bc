"""Runs that nobody played: regrets drawn from known laws, to try the statistics and the page with. Shown nowhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from belated.experiments.league.comparison import PARTS, RegretTables

ROUNDS = 80


@dataclass(frozen=True)
class MadeUpRun:
    """What the tables need of a run."""

    entrant: str
    seed: int
    found: tuple[float, ...]
    simple: tuple[float, ...]
    cumulative: tuple[float, ...]


def level(entrant: str, seed: int, regret: float) -> MadeUpRun:
    """A run with the same regret throughout, in the point found, the best answer and every query."""
    at_each = (regret,) * len(PARTS)
    return MadeUpRun(entrant, seed, at_each, at_each, tuple(regret * ROUNDS * part for part in PARTS))


def tables(league: Mapping[str, Mapping[str, Mapping[int, float]]]) -> RegretTables:
    """The tables of a league of level runs, given their regrets by case, entrant and seed."""
    runs = {
        case: [level(name, seed, value) for name, of_seeds in found.items() for seed, value in of_seeds.items()]
        for case, found in league.items()
    }
    return RegretTables.of(runs, dict.fromkeys(runs, ROUNDS))


def uneven(seed: int, cases: int = 7) -> dict[str, dict[str, dict[int, float]]]:
    """Regrets of five entrants: `few` has three of six seeds, `some` every other case, and two are often level."""
    rng = np.random.default_rng(seed)
    league: dict[str, dict[str, dict[int, float]]] = {}
    for number in range(cases):
        size = rng.lognormal(0.0, 3.0)
        drawn = rng.lognormal(0.0, 1.0, (5, 6)) * np.array([[1.0], [0.3], [0.4], [0.5], [0.3]])
        drawn[4] = np.where(rng.random(6) < 0.5, drawn[1], drawn[4])
        drawn[1, 0] = 0.0
        names = ("random", "good", "few", "some", "often-level")
        league[f"case-{number}"] = {
            name: {s: float(size * drawn[row, s]) for s in range(3 if name == "few" else 6)}
            for row, name in enumerate(names)
            if name != "some" or number % 2 == 0
        }
    return league
