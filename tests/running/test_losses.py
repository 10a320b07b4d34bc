"""Workers that are killed, hang or never come: what they were in is not lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from belated import Retries
from belated.errors import ObjectiveError
from belated.study import Study
from tests.durability.crowd import PROCESSES
from tests.meanwhile import PATIENCE, Meanwhile, until
from tests.running.objectives import Dying, Gated, Hanging, Noting
from tests.running.programs import WORKER, created, is_gone, program
from tests.running.studies import begun, reasons, squared, states


def test_a_process_that_is_killed_is_replaced_and_the_others_are_not_disturbed(tmp_path: Path) -> None:
    study, gated = begun(), Gated(tmp_path)
    running = Meanwhile(lambda: study.run(gated, 2, executor="processes", workers=2))
    lost, other = (heat for heat, _ in gated.await_begun(2))
    os.kill(gated.read()[0][1], signal.SIGKILL)
    gated.await_begun(3)
    gated.open()
    ran = running.result()
    assert (ran.asked, ran.answered, ran.failed) == (2, 2, 0)
    assert Counter(heat for heat, _ in gated.read()) == {lost: 2, other: 1}


def test_a_query_whose_process_is_lost_again_fails(tmp_path: Path) -> None:
    study = begun()
    with pytest.raises(ObjectiveError, match="query 1 failed"):
        study.run(Dying(tmp_path, 2), 3, executor="processes", workers=1, tolerate=0)
    assert states(study) == ["failed"]
    assert reasons(study) == ["its worker was lost twice, the second time because its process ended with signal 9"]


@pytest.mark.slow
def test_a_query_whose_process_is_lost_again_may_be_tried_again(tmp_path: Path) -> None:
    dying = Dying(tmp_path, 3)
    ran = begun().run(dying, 1, executor="processes", workers=1, retries=Retries(2))
    assert (ran.answered, len(dying.read())) == (1, 4)


def test_a_process_that_hangs_is_killed_and_the_others_are_not_disturbed(tmp_path: Path) -> None:
    study, hanging = begun(), Hanging(tmp_path)
    # Long enough for a busy machine to evaluate in, and it counts only once a process is ready.
    ran = study.run(hanging, 6, executor="processes", workers=2, timeout=3.0, retries=1)
    assert (ran.asked, ran.answered, ran.failed) == (6, 6, 0)
    evaluated = Counter(heat for heat, _ in hanging.read())
    assert sorted(evaluated.values()) == [1, 1, 1, 1, 1, 2]
    hung = hanging.read()[0][1]
    assert is_gone(hung)


def test_a_pool_that_breaks_leaves_its_queries_to_the_next_run(tmp_path: Path) -> None:
    study, gated = begun(), Gated(tmp_path)
    with ProcessPoolExecutor(2, mp_context=PROCESSES) as pool:
        running = Meanwhile(lambda: study.run(gated, 9, executor=pool, worker="bench"))
        gated.await_begun(2)
        # The pool of Python 3.11 may overlook the end of a process that was started after its first.
        os.kill(next(iter(pool._processes)), signal.SIGKILL)
        with pytest.raises(ObjectiveError, match=r"takes no more work \(BrokenProcessPool: "):
            running.result()
    assert states(study) == ["pending", "pending"]
    ran = study.run(squared, 3, worker="bench", workers=2)
    assert (ran.asked, states(study)) == (3, ["answered"] * 3)


def test_processes_end_with_the_program_that_was_killed_and_its_queries_are_taken_up(
    sqlite: str, tmp_path: Path
) -> None:
    study, gated = created(sqlite), Gated(tmp_path)
    with program(sqlite, tmp_path / "stderr", gated, 2, executor="processes", workers=2) as killed:
        workers = {process for _, process in gated.await_begun(2)}
        killed.kill()
        killed.join()
    for worker in workers:
        until(lambda worker=worker: is_gone(worker), "the worker has ended")  # type: ignore[misc]
    assert states(study) == ["pending", "pending"]
    ran = study.run(Noting(tmp_path), 2, worker=WORKER, workers=2)
    assert (ran.asked, states(study)) == (2, ["answered"] * 2)


ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}

UNGUARDED = """
import belated as bl
from tests.running.programs import WORKER, created, is_gone, program
from tests.running.studies import LINE, squared

study = bl.Study.create({address!r}, "oven", LINE, policy="random", seed=3, or_open=True)
study.run(squared, 3, executor="processes", workers=1)
"""


def test_a_program_that_its_own_processes_would_run_again_is_told_so(sqlite: str, tmp_path: Path) -> None:
    program = tmp_path / "unguarded.py"
    program.write_text(UNGUARDED.format(address=sqlite))
    ended = subprocess.run(
        [sys.executable, program], env=ENVIRONMENT, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert ended.returncode == 1
    assert (
        "ObjectiveError: run(executor='processes'): its processes end before they are ready (with exit code 1); the "
        "queries are left pending; see what the processes wrote to the standard error, and begin a program that uses "
        "them under if __name__ == '__main__':."
    ) in ended.stderr
    study = Study.open(sqlite, "oven")
    assert states(study) == ["pending"], "the process asked nothing"


ENDING = """
import sys, threading, time
import belated as bl
from tests.running.studies import LINE

def hangs(point):
    print("begun", flush=True)
    time.sleep(3600)

if __name__ == "__main__":
    study = bl.Study.in_memory(LINE, policy="random", seed=3)
    how = sys.argv[1]
    if how == "stuck":
        try:
            study.run(hangs, 1, timeout=0.1)
        except bl.errors.ObjectiveError as error:
            print(error)
    else:
        run = lambda: study.run(hangs, 1, executor="processes", workers=1)
        threading.Thread(target=run, daemon=True).start()
        while not study.record():
            time.sleep(0.01)
        time.sleep(float(sys.argv[2]))
"""


@pytest.mark.parametrize(
    "how",
    [
        ["stuck"],
        pytest.param(["left", "0.0"], marks=pytest.mark.slow),
        pytest.param(["left", "3.0"], marks=pytest.mark.slow),
    ],
    ids=" ".join,
)
def test_a_program_can_end_whatever_its_workers_do(how: list[str], tmp_path: Path) -> None:
    program = tmp_path / "ending.py"
    program.write_text(ENDING)
    ended = subprocess.run(
        [sys.executable, program, *how],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    if how == ["stuck"]:
        assert "query 1 failed (it took longer than 0.1 s)" in ended.stdout
