"""Simulations: one run of two policies at the size of vakili2023, and 200 trials of desautels2014's simple batch."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from belated.experiments import Experiment, conduct
from belated.experiments.papers import desautels2014
from benchmarks.measure import Row, keep

ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
NOTES = (
    "T = 1000 on the grid of 2500 points, Poisson delays of mean 50, fixed hyperparameters, one thread, the best of "
    "three runs in a process of their own. Then GP-BUCB in batches of five on the Matérn problem: 200 trials of 200 "
    "rounds, in two processes, their start included."
)
SCRIPT = """
import time
from belated.simulate import run
from belated.experiments.papers import vakili2023
arm = vakili2023.{build}("rkhs-f1", "timed", 50)
def seconds(seed):
    posed = arm.posed(seed)
    began = time.perf_counter()
    run(posed, arm.policy, arm.delay, arm.rounds, seed)
    return time.perf_counter() - began
print(min(seconds(seed) for seed in (0, 1, 2)))
"""


def main() -> None:
    rows = []
    for name, build, goal in (("GP-UCB-SDF", "sdf_arm", 4.0), ("BPE-Delay", "bpe_arm", 2.0)):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT.format(build=build)],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, **ONE_THREAD},
        )
        seconds = float(done.stdout)
        rows.append(Row(f"{name}, T = 1000", f"{seconds:.2f} s", "", None, f"< {goal:g} s", seconds < goal))
    seconds = batch_trials()
    rows.append(Row("GP-BUCB, B = 5, 200 trials", f"{seconds:.1f} s", "", None, "< 20 s", seconds < 20))
    keep("simulate", rows, NOTES)


def batch_trials() -> float:
    setting = desautels2014.SETTINGS[0]
    arm = next(arm for arm in desautels2014.simple_batch().panels[0].arms if arm.label == "GP-BUCB")
    assert arm.problem == setting.problem
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        conduct(Experiment("bench", (arm,), tuple(range(200))), Path(folder), workers=2)
        return time.perf_counter() - began


if __name__ == "__main__":
    main()
