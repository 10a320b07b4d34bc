"""Leagues that nobody played: regrets drawn from known laws, to try the statistics and the page with. Shown nowhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from belated.experiments.archive import RunKey
from belated.experiments.league.cases import Case
from belated.experiments.league.comparison import RegretTables
from belated.experiments.league.entrants import Entrant
from belated.experiments.league.entries import OptimizerEntry
from belated.experiments.league.fixtures import Absence, Fixture, Programme
from belated.experiments.league.kept import LeagueRun
from belated.experiments.league.measures import PARTS
from belated.experiments.league.season import Season
from belated.simulate.laws import none, poisson

ROUNDS = 80
SEEDS = 3


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


def suite() -> tuple[Case, ...]:
    """Eight cases of four families, with and without noise and delays."""
    family = ("smooth", "hills", "failures", "contexts")
    return tuple(
        Case(
            f"open-{family[number // 2]}-{number}",
            family[number // 2],
            "open",
            "branin",
            "poisson" if number % 2 else "none",
            poisson(5) if number % 2 else none(),
            5.0,
            ROUNDS + number,  # a case with other rounds has another digest
            0.03 if number % 3 else 0.0,
        )
        for number in range(8)
    )


def players(*names: str) -> tuple[Entrant, ...]:
    """Entrants by "kind:name"."""
    found = []
    for kind, _, name in (each.partition(":") for each in names):
        found.append(Entrant(name, name, kind, OptimizerEntry(name, "nowhere.py:Nobody", ())))  # type: ignore[arg-type]
    return tuple(found)


PLAYERS = players("search:random", "policy:auto", "policy:gp-ucb", "policy:special", "peer:ax", "visitor:Mine")
# By how much each falls short, beside random search.
SIZES = {"random": 1.0, "auto": 0.3, "gp-ucb": 0.4, "special": 0.2, "ax": 0.35, "Mine": 0.9}


def season(
    sizes: Mapping[str, float] | None = None,
    without: Sequence[tuple[str, int]] = (),
    lacking: Mapping[str, str] | None = None,
) -> Season:
    """A half with made-up runs: `special` plays the cases with contexts alone, and `ax` all others.

    `sizes` are regrets relative to random search; `without` names runs that are missing, by entrant and seed.
    """
    rng, cases, fixtures = np.random.default_rng(5), suite(), []
    kept: dict[str, dict[RunKey, LeagueRun]] = {one.name: {} for one in PLAYERS}
    absences = []
    for case in cases:
        size = float(rng.lognormal(0.0, 2.0))
        for one in PLAYERS:
            regrets = size * (sizes or SIZES)[one.name] * rng.lognormal(0.0, 0.05, SEEDS)
            if one.name == ("ax" if case.family == "contexts" else "special"):
                absences.append(Absence(case.key, one.name, f"league({one.name!r}): got no use for it; let others."))
                continue
            for seed, regret in enumerate(regrets.tolist()):
                fixtures.append(Fixture(case, one, seed, (lacking or {}).get(one.name, "")))
                if (one.name, seed) not in without:
                    kept[one.name][case.digest, seed] = _run(one.name, case, seed, regret)
    return Season.of("open", cases, Programme(tuple(fixtures), tuple(absences)), kept)


def _run(name: str, case: Case, seed: int, regret: float) -> LeagueRun:
    made = level(name, seed, regret)
    cumulative = tuple(value * case.rounds / ROUNDS for value in made.cumulative)
    failures = 8 if case.family == "failures" else 0
    return LeagueRun(name, case.digest, seed, 80, 2, failures, 0.25, made.found, made.simple, cumulative)
