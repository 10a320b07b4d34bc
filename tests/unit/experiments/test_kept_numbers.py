"""Seeded runs give the numbers that they gave before papers and league shared one engine, to the last bit.

Policies with a belief play on tables, where a last digit that a machine rounds differently changes no choice.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

import belated as bl
from belated import simulate
from belated.experiments import Arm, Experiment, conduct
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
