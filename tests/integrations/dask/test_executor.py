"""Calls on a Dask cluster: two worker processes, one of them killed in the middle, and no query lost."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import pytest

import belated as bl
from belated.errors import ObjectiveError, ParameterError
from belated.log import Failed
from tests.integrations.clusters import SPACE, answers, yields
from tests.integrations.pages import run
from tests.meanwhile import PATIENCE

distributed = pytest.importorskip("distributed")
from belated.integrations.dask import DaskExecutor  # noqa: E402


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """A client of a cluster of two processes with a thread each, on this machine alone."""
    settings = {"processes": True, "n_workers": 2, "threads_per_worker": 1, "memory_limit": 0}
    # On any free port: another test process may have a cluster too.
    with (
        distributed.LocalCluster(**settings, host="127.0.0.1", dashboard_address="127.0.0.1:0") as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def workers(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.name.startswith("worker-")}


# As an executor.


def test_calls_are_made_in_other_processes_and_their_results_come_back(client: Any) -> None:
    with DaskExecutor(client) as executor:
        assert executor.max_workers == 2
        assert list(executor.map(lambda x, y: x * y, range(4), range(4))) == [0, 1, 4, 9]
        assert executor.submit(lambda *, key, workers: key + workers, key=1, workers=2).result(PATIENCE) == 3
        assert executor.submit(os.getpid).result(PATIENCE) != os.getpid()


def test_the_same_call_twice_is_two_calls(client: Any) -> None:
    with DaskExecutor(client) as executor:
        drawn = {executor.submit(os.urandom, 8).result(PATIENCE) for _ in range(3)}
    assert len(drawn) == 3


def test_an_error_of_a_call_is_raised_as_it_was(client: Any) -> None:
    with DaskExecutor(client) as executor, pytest.raises(KeyError, match="nothing"):
        executor.submit({}.pop, "nothing").result(PATIENCE)


def test_what_waits_for_a_worker_can_be_cancelled(client: Any) -> None:
    executor = DaskExecutor(client, resources={"probe": 1})
    waiting = executor.submit(os.getpid)
    assert waiting.cancel()
    with pytest.raises(CancelledError):
        waiting.result(PATIENCE)
    left = executor.submit(os.getpid)
    ended = threading.Event()
    left.add_done_callback(lambda _: ended.set())
    executor.shutdown(cancel_futures=True)
    assert ended.wait(PATIENCE)
    assert left.cancelled()


def test_an_executor_that_is_shut_down_takes_no_calls_and_waits_for_those_under_way(client: Any) -> None:
    executor = DaskExecutor(client)
    futures = [executor.submit(abs, -1) for _ in range(3)]
    executor.shutdown()
    assert [future.result(PATIENCE) for future in futures] == [1, 1, 1]
    with pytest.raises(RuntimeError, match=r"^cannot schedule new futures after shutdown$"):
        executor.submit(abs, -1)


@pytest.mark.usefixtures("client")
def test_the_client_that_was_made_last_is_found() -> None:
    assert DaskExecutor().max_workers == 2


def test_options_that_dask_refuses_are_refused_at_once(client: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        DaskExecutor(client, colour="red")
    assert str(caught.value) == (
        "DaskExecutor(): got a client or options that Dask refuses (unsupported arguments to ClientExecutor: "
        "['colour']); give a distributed.Client, and of options workers, allow_other_workers, resources or retries."
    )
    with pytest.raises(ParameterError, match="'str' object has no attribute 'get_executor'"):
        DaskExecutor("tcp://127.0.0.1:8786")


@pytest.mark.parametrize(
    ("before", "message"),
    [
        (
            "",
            "DaskExecutor(): found no client, and the calls are to go through one; make one, as "
            "distributed.Client('tcp://scheduler:8786'), and give it.",
        ),
        (
            "import sys; sys.modules['distributed'] = None\n",
            "belated.integrations.dask: needs the package distributed, which is not installed; "
            "Belated's extra 'dask' brings it.",
        ),
    ],
    ids=["client", "package"],
)
def test_what_is_missing_is_said(before: str, message: str) -> None:
    code = (
        f"{before}from belated.errors import BelatedError\n"
        "try:\n    from belated.integrations.dask import DaskExecutor\n    DaskExecutor()\n"
        "except BelatedError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"{message}\n"


# A study on it.


def test_a_worker_that_is_killed_loses_no_query(client: Any, tmp_path: Path) -> None:
    study = bl.Study.in_memory(SPACE, seed=0)
    ran = study.run(yields(tmp_path, deaths=1), 10, executor=DaskExecutor(client))
    assert (ran.asked, ran.answered, ran.failed) == (10, 10, 0)
    assert (tmp_path / "death-0").exists()
    assert answers(study.events) == dict.fromkeys(range(1, 11), 1)
    assert 1 <= len(workers(tmp_path)) <= 3
    assert f"worker-{os.getpid()}" not in workers(tmp_path)


@pytest.mark.slow
def test_a_query_that_kills_every_worker_fails_and_the_study_goes_on(client: Any, tmp_path: Path) -> None:
    study = bl.Study.in_memory(SPACE, seed=0)
    # Dask tries a task on four workers before it gives it up.
    ran = study.run(yields(tmp_path, deaths=4), 3, executor=DaskExecutor(client), workers=1, tolerate=1)
    assert (ran.asked, ran.answered, ran.failed) == (3, 2, 1)
    (reason,) = (event.body.reason for event in study.events if isinstance(event.body, Failed))
    assert "KilledWorker" in reason


def test_a_client_that_is_closed_leaves_a_study_that_goes_on(client: Any, tmp_path: Path) -> None:
    study = bl.Study.in_memory(SPACE, seed=0)
    with distributed.Client(client.scheduler.address, set_as_default=False) as another:
        executor = DaskExecutor(another)
    with pytest.raises(ObjectiveError, match="cannot schedule new futures after the Dask client was closed"):
        study.run(yields(tmp_path), 2, executor=executor, workers=1, worker="driver")
    assert len(study.pending()) == 1
    ran = study.run(yields(tmp_path), 2, executor=DaskExecutor(client), workers=1, worker="driver")
    assert ran.answered == 2
    assert not study.pending()


def test_a_study_in_postgresql_is_evaluated_on_the_cluster(client: Any, postgres: str, tmp_path: Path) -> None:
    study = bl.Study.create(postgres, "coupling", SPACE, policy="gp-bucb", seed=0)
    ran = study.run(yields(tmp_path, deaths=1), 8, executor=DaskExecutor(client))
    assert (ran.answered, ran.failed) == (8, 0)
    elsewhere = bl.Study.open(postgres, "coupling")
    assert answers(elsewhere.events) == dict.fromkeys(range(1, 9), 1)


def test_workers_of_the_cluster_may_ask_for_themselves(client: Any, postgres: str, tmp_path: Path) -> None:
    bl.Study.create(postgres, "coupling", SPACE, policy="random", seed=0)
    objective = yields(tmp_path, deaths=1)

    def work(name: str) -> int:
        study = bl.Study.open(postgres, "coupling")
        answered: int = study.run(objective, 5, workers=1, worker=name).answered
        return answered

    # Dask starts what it lost again; under its old name, it takes up the query that it had.
    with DaskExecutor(client) as executor:
        assert list(executor.map(work, ("first", "second"))) == [5, 5]
    study = bl.Study.open(postgres, "coupling")
    counted = answers(study.events)
    assert set(counted.values()) == {1}
    assert len(counted) == len(study.queries()) >= 10
    assert not study.pending()


@pytest.mark.slow
@pytest.mark.usefixtures("client")
def test_a_search_of_scikit_learn_runs_on_the_cluster_by_way_of_joblib() -> None:
    joblib, svm, datasets = (pytest.importorskip(name) for name in ("joblib", "sklearn.svm", "sklearn.datasets"))
    from belated.integrations.sklearn import BelatedSearchCV

    space = {"C": bl.Float(1e-2, 1e2, log=True)}
    with joblib.parallel_config(backend="dask"):
        found = BelatedSearchCV(svm.SVC(), space, n_iter=6, cv=3, random_state=0).fit(
            *datasets.load_iris(return_X_y=True)
        )
    kinds = [type(event.body).__name__ for event in found.study_.events[1:]]
    assert kinds == ["Asked"] * 2 + ["Answered", "Asked"] * 4 + ["Answered"] * 2


# The page.


def test_the_page_holds(client: Any, postgres: str, capsys: pytest.CaptureFixture[str]) -> None:
    there = {"postgresql+psycopg://lab@database/lab": postgres, "tcp://scheduler:8786": client.scheduler.address}
    names = run("dask", there)
    names["client"].close()
    assert names["ran"].answered == 12
    assert capsys.readouterr().out.splitlines()[-1] == "10"
