"""Studies with more answers than the memory of their process holds: a fresh interpreter under a limit of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits the address space as Linux does")
PATIENCE = 300.0  # seconds
MARGIN = 3.0  # CPU-seconds for a sentence; it took up to thirty where two libraries' threads waited for each other

BEGIN = """
import json, resource, time
import numpy as np
import belated as bl

def limited(bytes):
    resource.setrlimit(resource.RLIMIT_AS, (bytes, resource.RLIM_INFINITY))

def taken():
    return int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()

def highest():
    # What getrusage() tells may be the parent's, which is handed down to what it starts.
    lines = open("/proc/self/status").read().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))

def highest_from_now_on():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")

def filled(count, policy, space=None):
    study = bl.Study.in_memory(space or bl.Space(x=bl.Float(0, 1), y=bl.Float(0, 1)), policy=policy, seed=1)
    places = np.random.default_rng(1).random((count, 2)).tolist()
    study.add_many([({"x": x, "y": y}, -(x - 0.3) ** 2 - (y - 0.6) ** 2) for x, y in places])
    return study

def refusal(call):
    try:
        call()
    except bl.errors.CapacityError as error:
        return str(error)

"""


def said(program: str, single: bool = True) -> Any:
    """What a program of its own prints as JSON; with a `single` thread for linear algebra, as threads take memory."""
    threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    environment = {name: value for name, value in os.environ.items() if name not in threads}
    environment["PYTHONPATH"] = str(Path(__file__).parents[2] / "src")
    ended = subprocess.run(
        [sys.executable, "-c", BEGIN + program],
        env=environment | (threads if single else {}),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def test_thirty_thousand_answers_in_eight_gigabytes_are_refused_to_an_exact_belief_and_auto_goes_on() -> None:
    refused, peak, asked = said(
        """
limited(8 << 30)
study = filled(30_000, "gp-bucb")
refused = refusal(study.ask)
study.change(policy="auto")
asked = study.ask().point
peak = highest()
print(json.dumps([refused, peak, asked]))
"""
    )
    assert refused.startswith("ask(): an exact belief of 30,000 points takes 7.2 GB of memory")
    assert "change(policy='auto')" in refused
    assert "belief=bl.Features()" in refused
    assert peak < 1 << 30
    assert set(asked) == {"x", "y"}


def test_what_decides_without_a_belief_recommends_and_explains_after_thirty_thousand_answers_in_a_gigabyte() -> None:
    point, explained = said(
        """
limited(taken() + (1 << 30))
study = filled(30_000, "random")
print(json.dumps([study.recommend().point, str(study.explain())]))
"""
    )
    assert abs(point["x"] - 0.3) < 0.05
    assert abs(point["y"] - 0.6) < 0.05
    assert "a Gaussian process, which recommends and decides nothing" in explained


def test_a_belief_that_the_memory_left_does_not_hold_is_refused_before_any_is_taken() -> None:
    refused, before, after = said(
        """
study = filled(8_000, "gp-bucb")
study.explain()  # fits the hyperparameters
limited(taken() + (1 << 30))
highest_from_now_on()
before = highest()
refused = refusal(study.recommend)
print(json.dumps([refused, before, highest()]))
"""
    )
    assert refused.startswith("recommend(): an exact belief of 8,000 points takes 1.")
    assert (
        "GB of memory while it is made, and this process may have 1.1 GB more; give it more, or go on with" in refused
    )
    assert after < before + (200 << 20), "no more was taken than a refusal takes"


@pytest.mark.longest
def test_an_ask_that_finds_no_memory_ends_with_an_error_of_ours_and_comes_out_alike_once_there_is_some() -> None:
    refused, asked, afresh = said(
        """
rows = [{"x": row / 70_000, "y": row % 7} for row in range(70_000)]
def table(policy):
    study = bl.Study.in_memory(bl.Candidates(rows), policy=policy, seed=1)
    study.add_many([(rows[347 * place], -abs(place - 70.0)) for place in range(200)])
    return study
known = bl.policies.gp_bucb(belief=bl.GP(lengthscale=0.2, variance=900.0, noise=1.0))
# OpenBLAS takes its own memory when it is first used, and ends the process where there is none.
filled(200, known).ask()
study = table(known)
limited(taken() + (70 << 20))
refused = refusal(study.ask)
limited(resource.RLIM_INFINITY)
print(json.dumps([refused, study.ask().point, table(known).ask().point]))
"""
    )
    assert refused.startswith("ask(): the memory of this process does not suffice (Unable to allocate ")
    assert refused.endswith("or a policy whose belief does not grow, as 'auto'.")
    assert asked == afresh


def test_to_explain_a_study_without_a_belief_costs_little_after_a_hundred_thousand_answers() -> None:
    seconds = said(
        """
study = filled(99_600, "random")
study.ask()
began = time.process_time()
study.explain()
print(json.dumps(time.process_time() - began))
""",
        single=False,
    )
    assert seconds < MARGIN
