"""Processes that are forked while a study decides: it decides on, and so does everybody else."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from belated.study.forks import Gate
from tests.meanwhile import PATIENCE, Meanwhile

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked on Unix alone")

# A thread asks without a pause while another forks, as an objective does that starts processes of its own. Without
# care, a product of matrices under way at a fork never ends where BLAS has several threads.
PROGRAM = """
import os, threading, time
import numpy as np
import belated as bl

space = bl.Space(x=bl.Float(0, 1), y=bl.Float(0, 1))
study = bl.Study.in_memory(space, policy="gp-bucb", seed=1, notices=False)
points = [space.decode(unit) for unit in np.random.default_rng(0).random((300, 2))]
study.add_many([(point, point["x"] - point["y"]) for point in points])
study.ask()
over = threading.Event()

def ask():
    while not over.is_set():
        study.abandon(study.ask())

asking = threading.Thread(target=ask, daemon=True)
asking.start()
for _ in range(20):
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
    time.sleep(0.02)
over.set()
asking.join(30)
assert not asking.is_alive(), "the ask never ended"
print(len(study.record()) - 300)
"""


@pytest.mark.longest
def test_asks_go_on_while_another_thread_forks() -> None:
    threads = {"OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2", "MKL_NUM_THREADS": "2"}
    # A thread of OpenBLAS that has nothing to do sleeps after 2⁴ cycles, where it would turn in circles for 2²⁶.
    threads["OPENBLAS_THREAD_TIMEOUT"] = "4"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env={**os.environ, **threads}, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0


def test_a_fork_waits_for_the_model_that_runs_and_no_other_begins_until_it_is_over() -> None:
    gate, forked, closed = Gate(), threading.Event(), threading.Event()

    def fork() -> None:
        gate.close()
        closed.set()
        forked.wait(PATIENCE)
        gate.open()

    with gate.model():
        forking = Meanwhile(fork)
        assert forking.waits()
        enter(gate)  # one within another does not wait
        assert not closed.is_set()
    assert closed.wait(PATIENCE)
    model = Meanwhile(lambda: enter(gate))
    assert model.waits()
    forked.set()
    forking.result()
    model.result()


def test_a_child_runs_models_though_the_thread_that_forked_it_is_gone() -> None:
    gate = Gate()
    Meanwhile(gate.close).result()
    gate.reset()
    Meanwhile(lambda: enter(gate)).result()


def test_a_model_that_forks_does_not_wait_for_itself() -> None:
    gate = Gate()
    with gate.model():
        gate.close()
        enter(gate)
        gate.open()
    enter(gate)


def test_a_fork_does_not_wait_for_ever() -> None:
    gate = Gate(patience=0.05)
    with gate.model():
        fork = Meanwhile(gate.close)
        fork.result()


def enter(gate: Gate) -> None:
    with gate.model():
        pass
