"""Calls on a Ray cluster: two workers, one of them killed in the middle, and no query lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import CancelledError, Future, wait
from pathlib import Path

import pytest

import belated as bl
from belated.errors import ObjectiveError, ParameterError
from belated.log import Failed
from belated.study.running.lost_workers import LostWorker, Preempted
from tests.integrations.clusters import SPACE, answers, yields
from tests.integrations.pages import run
from tests.meanwhile import PATIENCE, until
from tests.running.programs import is_gone

pytest.importorskip("ray")
from ray.exceptions import NodeDiedError, OutOfMemoryError

from belated.integrations.ray import RayExecutor
from belated.integrations.ray.executor import RayFuture

pytestmark = pytest.mark.usefixtures("cluster")


# As an executor.


def test_calls_are_made_in_other_processes_and_their_results_come_back() -> None:
    with RayExecutor() as executor:
        assert executor.max_workers == 2
        assert list(executor.map(lambda x, y: x * y, range(4), range(4))) == [0, 1, 4, 9]
        assert executor.submit(lambda *, key, workers: key + workers, key=1, workers=2).result(PATIENCE) == 3
        assert executor.submit(os.getpid).result(PATIENCE) != os.getpid()


def test_the_number_of_workers_follows_from_what_a_call_reserves() -> None:
    assert RayExecutor(num_cpus=2).max_workers == 1
    assert RayExecutor(num_cpus=0.5).max_workers == 4
    assert RayExecutor(num_cpus=0).max_workers == 2
    # What the cluster does not have now may be added to it.
    assert RayExecutor(resources={"probe": 1}).max_workers == 1


def test_an_error_of_a_call_is_raised_as_it_was() -> None:
    with RayExecutor() as executor:
        nothing: dict[str, int] = {}
        future = executor.submit(nothing.pop, "nothing")
        with pytest.raises(KeyError) as caught:
            future.result(PATIENCE)
        assert type(caught.value) is KeyError


def test_a_call_whose_process_is_killed_has_lost_its_worker() -> None:
    with RayExecutor() as executor:
        future = executor.submit(lambda: os.kill(os.getpid(), signal.SIGKILL))
        with pytest.raises(
            LostWorker, match=r"^WorkerCrashedError: The worker died unexpectedly while executing this task$"
        ):
            future.result(PATIENCE)
        assert executor.submit(lambda: 1).result(PATIENCE) == 1


@pytest.mark.parametrize("error, kind", [(NodeDiedError, Preempted), (OutOfMemoryError, LostWorker)])
def test_a_machine_that_is_gone_is_told_from_a_call_that_needs_too_much_memory(
    error: type[Exception], kind: type[LostWorker]
) -> None:
    done: Future[float] = Future()
    done.set_exception(error("it ended. See the logs"))
    future: RayFuture[float] = RayFuture(None)
    future.take(done)
    lost = future.exception(PATIENCE)
    assert type(lost) is kind
    assert str(lost) == f"{error.__name__}: it ended"


def test_a_call_that_is_cancelled_ends_with_its_process(tmp_path: Path) -> None:
    place = str(tmp_path)

    def endless() -> None:
        Path(place, str(os.getpid())).touch()
        while True:
            time.sleep(60)

    with RayExecutor() as executor:
        future = executor.submit(endless)
        until(lambda: any(tmp_path.iterdir()), "the call begins")
        (noted,) = tmp_path.iterdir()
        assert not is_gone(int(noted.name))
        assert future.cancel()
        assert future.cancel()
        assert future.cancelled()
        with pytest.raises(CancelledError):
            future.result(PATIENCE)
        until(lambda: is_gone(int(noted.name)), "its process ends")


def test_what_waits_for_a_place_can_be_cancelled_and_what_is_done_cannot() -> None:
    with RayExecutor(resources={"probe": 1}) as executor:
        waiting = executor.submit(lambda: 1)
        assert not waiting.done()
        assert waiting.cancel()
    with RayExecutor() as executor:
        done = executor.submit(lambda: 1)
        assert done.result(PATIENCE) == 1
        assert not done.cancel()


def test_an_executor_that_is_shut_down_takes_no_calls_and_waits_for_those_under_way() -> None:
    executor = RayExecutor()
    futures = [executor.submit(lambda: 1) for _ in range(3)]
    executor.shutdown()
    assert [future.result(0) for future in futures] == [1, 1, 1]
    with pytest.raises(RuntimeError, match=r"^cannot schedule new futures after shutdown$"):
        executor.submit(lambda: 1)


def test_shutting_down_may_cancel_what_is_under_way() -> None:
    executor = RayExecutor(resources={"probe": 1})
    futures = [executor.submit(lambda: 1) for _ in range(3)]
    executor.shutdown(cancel_futures=True)
    assert all(future.cancelled() for future in futures)
    assert len(wait(futures, 0).done) == 3


def test_options_that_ray_refuses_are_refused_at_once() -> None:
    with pytest.raises(
        ParameterError, match=r"^RayExecutor\(\): got options that Ray refuses \(.*colour.*\); give opti"
    ):
        RayExecutor(colour="red")


def test_without_a_cluster_the_error_says_how_to_get_to_one() -> None:
    code = (
        "from belated.errors import ParameterError\n"
        "from belated.integrations.ray import RayExecutor\n"
        "try:\n    RayExecutor()\nexcept ParameterError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == (
        "RayExecutor(): found no connection to a cluster, and the tasks are to run on one; call ray.init(…) first.\n"
    )


def test_without_ray_the_error_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['ray'] = None\n"
        "from belated.errors import MissingPackageError\n"
        "try:\n    import belated.integrations.ray\nexcept MissingPackageError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == (
        "belated.integrations.ray: needs the package ray, which is not installed; Belated's extra 'ray' brings it.\n"
    )


# A study on it.


def test_a_worker_that_is_killed_loses_no_query(tmp_path: Path) -> None:
    study = bl.Study.in_memory(SPACE, seed=0)
    ran = study.run(yields(tmp_path, deaths=1), 10, executor=RayExecutor())
    assert (ran.asked, ran.answered, ran.failed) == (10, 10, 0)
    assert (tmp_path / "death-0").exists()
    assert answers(study.events) == dict.fromkeys(range(1, 11), 1)
    workers = [path for path in tmp_path.iterdir() if path.name.startswith("worker-")]
    assert f"worker-{os.getpid()}" not in [path.name for path in workers]
    evaluated = [line for path in workers for line in path.read_text().splitlines()]
    assert sorted(evaluated) == sorted(repr(query.point["x"]) for query in study.queries())


def test_a_query_that_kills_every_worker_fails_and_the_study_goes_on(tmp_path: Path) -> None:
    study = bl.Study.in_memory(SPACE, seed=0)
    ran = study.run(yields(tmp_path, deaths=2), 4, executor=RayExecutor(), workers=1, tolerate=1)
    assert (ran.asked, ran.answered, ran.failed) == (4, 3, 1)
    failed = [event.body for event in study.events if isinstance(event.body, Failed)]
    assert len(failed) == 1
    assert "WorkerCrashedError: The worker died unexpectedly while executing this task" in failed[0].reason


def test_an_executor_that_is_shut_down_leaves_a_study_that_goes_on(tmp_path: Path) -> None:
    study = bl.Study.in_memory(SPACE, seed=0)
    executor = RayExecutor()
    executor.shutdown()
    with pytest.raises(ObjectiveError, match="cannot schedule new futures after shutdown"):
        study.run(yields(tmp_path), 2, executor=executor, worker="driver")
    assert len(study.pending()) == 1
    assert study.run(yields(tmp_path), 2, executor=RayExecutor(), worker="driver").answered == 2
    assert not study.pending()


def test_a_study_in_postgresql_is_evaluated_on_the_cluster(postgres: str, tmp_path: Path) -> None:
    study = bl.Study.create(postgres, "coupling", SPACE, policy="gp-bucb", seed=0)
    ran = study.run(yields(tmp_path, deaths=1), 8, executor=RayExecutor())
    assert (ran.answered, ran.failed) == (8, 0)
    elsewhere = bl.Study.open(postgres, "coupling")
    assert answers(elsewhere.events) == dict.fromkeys(range(1, 9), 1)


def test_workers_of_the_cluster_may_ask_for_themselves(postgres: str, tmp_path: Path) -> None:
    bl.Study.create(postgres, "coupling", SPACE, policy="random", seed=0)
    objective = yields(tmp_path, deaths=1)

    def work(name: str) -> int:
        study = bl.Study.open(postgres, "coupling")
        answered: int = study.run(objective, 5, workers=1, worker=name).answered
        return answered

    # Ray itself starts what it lost again; under its old name, it takes up the query that it had.
    with RayExecutor(max_retries=1) as executor:
        assert sum(executor.map(work, ("first", "second"))) >= 9
    study = bl.Study.open(postgres, "coupling")
    counted = answers(study.events)
    assert set(counted.values()) == {1}
    assert len(counted) == len(study.queries()) >= 10
    assert not study.pending()


# The page.


@pytest.mark.slow
def test_the_page_holds(postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))  # where Tune keeps its results
    there = {
        "postgresql+psycopg://lab@database/lab": postgres,
        'ray.init(address="auto")': "assert ray.is_initialized()",
    }
    names = run("ray", there)
    assert names["ran"].answered == 12
    assert names["results"].num_errors == 0
    assert len(names["results"]) == 4
