"""Seeded runs give the numbers that they gave before papers and league shared one engine, to the last bit.

Policies with a belief play on tables, where a last digit that a machine rounds differently changes no choice.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

import belated as bl
from belated import simulate
from belated.experiments import Arm, Experiment, conduct
from belated.experiments.archive import dumped
from belated.experiments.league import archive, chosen, entrants, played, programme, quick
from tests.pairs import first

BELIEF = bl.GP(lengthscale=0.3, variance=1.0, noise=0.01)
DELAY = simulate.lost(0.2, simulate.poisson(2))
ARMS = (
    Arm("random", "branin", bl.policies.random(), DELAY, rounds=8),
    Arm("table", "gp-unit", bl.policies.gp_bucb(belief=BELIEF), simulate.poisson(3), rounds=12),
    Arm("start", "gp-se", bl.policies.gp_ts(belief=BELIEF), simulate.exponential(2), rounds=10, initial=2, every=0.5),
    Arm("lazy", "gp-unit", bl.policies.gp_ucb(belief=BELIEF), rounds=10, lazy=True),
    Arm("balks", "branin", bl.policies.hbbo_ucb(maximum=1, initial=99), simulate.batch(3), rounds=9),
    Arm("dimension", "ackley", bl.policies.random(), simulate.none(), rounds=6, parameters={"dimension": 3}),
)
EXPERIMENT = {
    "random": "4d076ea5b9abd862",
    "table": "d70530c1f119c0a9",
    "start": "10545186ba6681ae",
    "lazy": "4e30f1300ca4e60e",
    "balks": "a6ea3a0b420ba746",
    "dimension": "d55e3b07275dd538",
}
LEAGUE = {
    "poisson-gp-unit": "86443f4b6e963e9a",
    "constant-branin": "ebe3df774a8f4414",
    "context-newsvendor": "fd1b582372f01170",
}
# Who plays which case under which short name: by these the runs in docs/results/league count.
NAMES = "acd186420f188e84"
LATER = ("egp-ucb", "gp-aucb-init", "gp-lognei", "gp-ucb-pe", "gp-ucb-ranked")  # policies that came after them

# That processes find what one finds is held by test_experiment_keeping.py and tests/league too.
each_way = pytest.mark.parametrize("workers", first(1, 0, 1))


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


@each_way
def test_runs_of_an_experiment_are_what_they_were(workers: int, tmp_path: Path) -> None:
    results = conduct(Experiment("kept", ARMS, (3, 0, 7)), tmp_path, workers)
    found = {
        label: sha(runs.regrets.tobytes() + runs.simple_regret.tobytes() + runs.answers.tobytes())
        for label, runs in results.runs.items()
    }
    assert found == EXPERIMENT


@each_way
def test_runs_of_the_league_are_what_they_were(workers: int, tmp_path: Path) -> None:
    cases = [quick(case) for case in chosen(list(LEAGUE))]
    names = entrants(["bpe", "gp-aucb", "sm-ucb", "sbo-kde"])
    assert played(programme([case for case in cases if case.problem != "branin"], names, 2), tmp_path, workers) == ()
    assert played(programme(cases, entrants(["random"]), 2), tmp_path, workers) == ()
    found = {
        case.key: sha(
            "\n".join(
                sorted(
                    dumped(replace(run, seconds=0.0).line()) for run in archive(tmp_path).read(case.key).runs.values()
                )
            ).encode()
        )
        for case in cases
    }
    assert found == LEAGUE


def test_runs_of_the_league_are_filed_as_they_were() -> None:
    earlier = tuple(entrant for entrant in entrants() if entrant.name not in LATER)
    plan = programme([case for case in chosen(None) if case.problem != "logistic-cancer"], earlier)
    names = sorted({(one.case.key, one.entrant.name, one.key[0]) for one in plan.fixtures})
    assert sha(json.dumps(names).encode()) == NAMES
