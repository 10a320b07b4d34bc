"""A program that is killed at any moment, and run again under the same name, loses and doubles nothing."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from belated.log import Answered, Asked
from belated.study import Study, differences
from tests.running.objectives import Working
from tests.running.programs import WORKER, created, program
from tests.running.studies import squared, states


def killed_at_random(address: str, folder: Path, n_kills: int, seed: int, executor: str) -> tuple[Study, Working]:
    """A study whose program was killed so many times, each time in the midst of something else."""
    rng = np.random.default_rng(seed)
    study, working = created(address), Working(folder)
    for _ in range(n_kills):
        before = len(working.read())
        with program(address, folder / "stderr", working, 10_000, executor=executor, workers=3) as killed:
            # A quarter of the kills may hit a program that has not even opened the study yet.
            if rng.random() > 0.25:
                working.await_begun(before + int(rng.integers(1, 8)))
            time.sleep(float(rng.uniform(0.0, 0.03)))
            killed.kill()
            killed.join()
    return study, working


def assert_nothing_is_lost_or_doubled(study: Study, working: Working) -> None:
    """After a last run, every query has its one answer, and none was asked while another waited for its worker."""
    left = study.pending()
    ran = study.run(working, len(left) + 2, worker=WORKER, workers=3)
    assert ran.answered == len(left) + 2
    assert set(states(study)) == {"answered"}
    bodies = [event.body for event in study.events]
    asks = [body for body in bodies if isinstance(body, Asked)]
    answers = [body for body in bodies if isinstance(body, Answered)]
    assert Counter(answer.query for answer in answers) == Counter(ask.query for ask in asks)
    points = {ask.query: {"heat": ask.point["heat"]} for ask in asks}
    assert all(answer.value == squared(points[answer.query]) for answer in answers)
    assert {ask.worker for ask in asks} <= {f"{WORKER}-{slot}" for slot in range(3)}
    assert list(differences(study.events)) == []


def test_a_program_killed_at_random_moments_loses_and_doubles_nothing(shared: str, tmp_path: Path) -> None:
    study, working = killed_at_random(shared, tmp_path, n_kills=10, seed=5, executor="threads")
    assert len(study.pending()) <= 3, "never more than there are workers"
    assert_nothing_is_lost_or_doubled(study, working)


@pytest.mark.slow
@pytest.mark.parametrize("executor, n_kills", [("threads", 60), ("processes", 15)])
def test_a_program_killed_many_times_loses_and_doubles_nothing(
    shared: str, tmp_path: Path, executor: str, n_kills: int
) -> None:
    study, working = killed_at_random(shared, tmp_path, n_kills, seed=6, executor=executor)
    evaluated = Counter(heat for heat, _ in working.read())
    assert max(evaluated.values()) > 1, "something was evaluated again"
    assert_nothing_is_lost_or_doubled(study, working)
