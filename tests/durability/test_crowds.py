"""Many processes on one study: killed at any moment, their server restarted under them, nothing is lost or doubled."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import pytest

from belated.policies import Recipe
from belated.study import Study, differences
from tests.durability.checks import assert_nothing_lost_or_doubled
from tests.durability.crowd import KNOWN, SPACE, STUDY, Crowd, begin, joined, started
from tests.pairs import first

if TYPE_CHECKING:
    from tests.servers import Server


@pytest.mark.longest
@pytest.mark.parametrize("rounds", first(1, 3, 12))
@pytest.mark.parametrize("policy", [KNOWN, "gp-bucb"], ids=["known belief", "fitted belief"])
def test_eight_processes_ask_and_tell_on_one_study(
    shared: str, tmp_path: Path, policy: str | Recipe, rounds: int
) -> None:
    study = begin(shared, policy)
    with Crowd(shared, tmp_path, size=8, rounds=rounds) as crowd:
        crowd.finish()
    assert_nothing_lost_or_doubled(crowd.benches)
    counts = study.record().counts
    assert (counts.answered + counts.failed, counts.retracted) == (8 * rounds, 0)
    assert counts.failed >= rounds, "of every fifth query there is a failure"
    assert study.pending() == []


def begin_or_join(address: str) -> None:
    Study.create(address, STUDY, SPACE, policy=KNOWN, seed=5, or_open=True).ask()


def test_eight_processes_that_begin_the_same_study_at_once_begin_it_once(shared: str, tmp_path: Path) -> None:
    complaints = [tmp_path / f"{number}.stderr" for number in range(8)]
    joined([started(begin_or_join, shared, complaints=path) for path in complaints], complaints)
    study = Study.open(shared, STUDY)
    assert Study.names(shared) == [STUDY]
    assert [query.id for query in study.pending()] == list(range(1, 9))
    assert list(differences(study.events)) == []


def test_processes_killed_while_they_begin_leave_nothing_half_made(shared: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    for _ in range(10):
        process = started(begin_or_join, shared, complaints=tmp_path / "stderr")
        process.join(float(rng.uniform(0.01, 0.15)))
        process.kill()
        process.join()
    begin_or_join(shared)
    study = Study.open(shared, STUDY)
    assert Study.names(shared) == [STUDY]
    assert list(differences(study.events)) == []


def killed_at_random(address: str, folder: Path, n_kills: int, seed: int) -> Crowd:
    """A crowd whose members were killed so many times, each time somebody else in the midst of something else."""
    rng = np.random.default_rng(seed)
    begin(address)
    with Crowd(address, folder, size=4) as crowd:
        for _ in range(n_kills):
            place = int(rng.integers(4))
            # A quarter of the kills may hit a worker that has not even opened the study yet.
            if rng.random() > 0.25:
                crowd.await_note(place)
            time.sleep(float(rng.uniform(0.0, 0.05)))
            crowd.kill(place)
        crowd.await_answers(1)
        crowd.finish()
    return crowd


@pytest.mark.longest
def test_processes_killed_at_random_moments_lose_and_double_nothing(shared: str, tmp_path: Path) -> None:
    assert_nothing_lost_or_doubled(killed_at_random(shared, tmp_path, n_kills=10, seed=1).benches)


@pytest.mark.slow
def test_processes_killed_a_hundred_times_in_each_storage_lose_and_double_nothing(shared: str, tmp_path: Path) -> None:
    crowd = killed_at_random(shared, tmp_path, n_kills=120, seed=2)
    assert_nothing_lost_or_doubled(crowd.benches)
    asked = [[note[1] for note in bench.read() if note[0] == "asked"] for bench in crowd.benches]
    assert any(len(set(queries)) < len(queries) for queries in asked), "somebody was given a query a second time"


@pytest.mark.longest
@pytest.mark.parametrize("times", first(1, 1, 2))
def test_a_server_restarted_in_the_middle_loses_and_doubles_nothing(
    own_server: Server, tmp_path: Path, times: int
) -> None:
    address = own_server.address(own_server.create())
    begin(address)
    with Crowd(address, tmp_path, size=4) as crowd:
        modes: tuple[Literal["fast", "immediate"], ...] = ("fast", "immediate")
        for mode in modes * times:
            crowd.await_answers(1)
            own_server.restart(mode)
        crowd.await_answers(1)
        crowd.finish()
    assert_nothing_lost_or_doubled(crowd.benches)
    again = [words[0] for bench in crowd.benches for what, *words in bench.read() if what == "again"]
    assert again, "somebody was told to call again"
    assert all("check the server and call again" in message for message in again)
