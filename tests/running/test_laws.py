"""What holds of a run whatever evaluates for it, and wherever the study is kept."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from belated.client import RemoteStudy
from belated.errors import ObjectiveError, ParameterError
from belated.log import Answered, Asked
from belated.study import Study, differences
from tests.conftest import SHARED
from tests.durability.crowd import PROCESSES
from tests.running.objectives import Noting, fate, temperamental
from tests.running.studies import LINE, begun, reasons, squared, states
from tests.serving import serving


@contextmanager
def executor_of(kind: str) -> Iterator[Executor | str]:
    """Something that evaluates."""
    if kind == "a pool of threads":
        with ThreadPoolExecutor(2) as threads:
            yield threads
    elif kind == "a pool of processes":
        with ProcessPoolExecutor(2, mp_context=PROCESSES) as processes:
            yield processes
    else:
        yield kind


KINDS = ["threads", "processes", "a pool of threads", "a pool of processes"]


# The storage is this process's affair: one kind of processes is enough for each.
PAIRS = [(kind, storage) for kind in KINDS for storage in SHARED if (kind, storage) != ("processes", "postgres")]


@pytest.mark.parametrize("kind, storage", PAIRS)
def test_every_query_is_asked_once_evaluated_once_and_answered_once(
    kind: str, storage: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    study = Study.create(request.getfixturevalue(storage), "oven", LINE, policy="random", seed=4)
    noting = Noting(tmp_path)
    with executor_of(kind) as executor:
        ran = study.run(noting, 12, executor=executor, workers=2)
    assert (ran.asked, ran.answered, ran.failed) == (12, 12, 0)
    bodies = [event.body for event in study.events]
    asks = [body for body in bodies if isinstance(body, Asked)]
    answers = [body for body in bodies if isinstance(body, Answered)]
    assert [ask.query for ask in asks] == list(range(1, 13))
    assert Counter(answer.query for answer in answers) == Counter(range(1, 13))
    points = {ask.query: ask.point["heat"] for ask in asks}
    assert {answer.query: answer.value for answer in answers} == {
        query: squared({"heat": heat}) for query, heat in points.items()
    }
    assert Counter(heat for heat, _ in noting.read()) == Counter(points.values())
    assert list(differences(study.events)) == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore:Most queries fail")
def test_every_way_to_fail_has_its_reason_and_leaves_the_others_alone(kind: str) -> None:
    study = begun()
    with executor_of(kind) as executor:
        ran = study.run(temperamental, 40, executor=executor, workers=2, tolerate=math.inf)
    expected = [fate(query.point["heat"]) for query in study.queries()]
    assert len({reason[:30] for reason in expected if reason}) == 4, "the points are such that everything happens"
    assert states(study) == ["answered" if reason is None else "failed" for reason in expected]
    assert ran.failed == sum(reason is not None for reason in expected)
    for reason, start in zip(reasons(study), expected, strict=True):
        assert reason == start if start is None else (reason or "").startswith(start)


@pytest.mark.parametrize("kind", [pytest.param("processes", marks=pytest.mark.slow), "a pool of processes"])
def test_the_error_of_another_process_says_where_it_was_raised(kind: str) -> None:
    study = begun()
    with executor_of(kind) as executor, pytest.raises(ObjectiveError) as failed:
        study.run(raises, 1, executor=executor, workers=1, tolerate=0)
    cause = failed.value.__cause__
    assert isinstance(cause, ZeroDivisionError)
    (note,) = cause.__notes__
    assert note.startswith("At the worker (process ")
    assert "return 1.0 / zero" in note


def raises(point: object, zero: float = 0.0) -> float:
    return 1.0 / zero


@pytest.mark.parametrize("kind", ["processes", "a pool of processes"])
def test_an_objective_that_cannot_be_sent_is_refused_before_anything_is_asked(kind: str) -> None:
    study = begun()
    with executor_of(kind) as executor, pytest.raises(ParameterError) as refused:
        study.run(lambda point: 1.0, 1, executor=executor)
    assert f"run(executor={executor!r}): the objective cannot be sent to another process (" in str(refused.value)
    assert str(refused.value).endswith("define it by def at the top of a module, or use executor='threads'.")
    assert len(study.events) == 1


@pytest.mark.parametrize("kind", ["threads", "a pool of processes"])
def test_a_study_of_a_service_runs_like_one_at_home(kind: str, sqlite: str, tmp_path: Path) -> None:
    noting = Noting(tmp_path)
    with serving(sqlite) as address:
        study = RemoteStudy.create(address, "oven", LINE, policy="random", goal="minimize", seed=4)
        study.ask(worker="bench-0")
        with executor_of(kind) as executor:
            ran = study.run(noting, 8, executor=executor, workers=2, worker="bench")
        assert (ran.asked, ran.answered) == (8, 8)
        assert study.pending() == []
    at_home = Study.open(sqlite, "oven")
    assert states(at_home) == ["answered"] * 8
    assert Counter(heat for heat, _ in noting.read()) == Counter(q.point["heat"] for q in at_home.queries())
    assert {query.worker for query in at_home.queries()} == {"bench-0", "bench-1"}


@pytest.mark.filterwarnings("ignore:Most queries fail")
def test_a_study_of_a_service_fails_what_cannot_be_evaluated(sqlite: str) -> None:
    with serving(sqlite) as address:
        study = RemoteStudy.create(address, "oven", LINE, policy="random", goal="minimize", seed=3)
        ran = study.run(temperamental, 12, workers=2)
        told = study.queries()
    expected = [fate(query.point["heat"]) for query in told]
    assert [query.state for query in told] == ["answered" if reason is None else "failed" for reason in expected]
    assert 0 < ran.failed == sum(reason is not None for reason in expected)


async def thrice(point: dict[str, Any]) -> list[float]:
    return [squared(point), squared(point) + 1.0, squared(point) + 2.0]


def test_a_coroutine_may_return_repeats_to_a_study_of_a_service(sqlite: str) -> None:
    with serving(sqlite) as address:
        study = RemoteStudy.create(address, "oven", LINE, policy="random", goal="minimize", seed=3)
        study.run(thrice, 2, workers=2)
        answers = [query.answer for query in study.queries()]
    assert [len(answer.repeats) for answer in answers if answer] == [3, 3]
