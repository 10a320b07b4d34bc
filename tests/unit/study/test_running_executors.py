"""Running an objective elsewhere: coroutines, executors that were given, and terms that are refused."""

from __future__ import annotations

import asyncio
import functools
import math
import threading
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from typing import Any

import pytest

from belated import Ran, Retries
from belated.errors import ObjectiveError, ParameterError
from tests.meanwhile import PATIENCE
from tests.running.studies import BEFORE, begun, reasons, squared, states, told

# Coroutines.


async def squared_later(point: dict[str, Any]) -> float:
    await asyncio.sleep(0)
    return squared(point)


class Later:
    async def __call__(self, point: dict[str, Any]) -> float:
        return await squared_later(point)


@pytest.mark.parametrize(
    "objective", [squared_later, Later(), functools.partial(squared_later)], ids=["function", "object", "partial"]
)
def test_an_objective_may_be_awaited(objective: Any) -> None:
    study = begun()
    assert study.run(objective, 9, workers=4).answered == 9
    assert sorted(told(study)) == sorted(squared(dict(query.point)) for query in study.queries())


def test_coroutines_are_in_flight_together() -> None:
    met: list[asyncio.Event] = []

    async def meets(point: dict[str, Any]) -> float:
        met.append(asyncio.Event())
        while len(met) < 5:
            await asyncio.sleep(0.001)
        return squared(point)

    assert begun().run(meets, 5, workers=5).answered == 5


def test_a_program_inside_an_event_loop_can_run_coroutines_too() -> None:
    async def main() -> Ran:
        return begun().run(squared_later, 3)

    assert asyncio.run(main()).answered == 3


def test_a_coroutine_that_takes_too_long_is_cancelled() -> None:
    study, cancelled = begun(), []

    async def hangs(point: dict[str, Any]) -> float:
        try:
            await asyncio.sleep(PATIENCE)
        except asyncio.CancelledError:
            cancelled.append(point)
            raise
        return 0.0

    ran = study.run(hangs, 3, workers=1, timeout=0.05, tolerate=math.inf)
    assert (ran.asked, ran.failed, len(cancelled)) == (3, 3, 3)


def test_coroutines_that_are_left_are_cancelled_before_the_run_returns() -> None:
    study, hanging, cancelled = begun("gp-ucb", context=BEFORE), threading.Event(), []

    async def hangs(point: dict[str, Any], context: dict[str, Any]) -> float:
        hanging.set()
        try:
            await asyncio.sleep(PATIENCE)
        finally:
            cancelled.append(point)
        return 0.0

    def contexts() -> Iterator[dict[str, Any]]:
        yield {"hour": 1.0}
        assert hanging.wait(PATIENCE)
        raise SystemExit(7)

    with pytest.raises(SystemExit):
        study.run(hangs, contexts=contexts(), workers=2)
    assert len(cancelled) == 1
    assert states(study) == ["pending"]


@pytest.mark.parametrize("error", [ValueError, SystemExit, KeyboardInterrupt])
def test_a_coroutine_that_raises_fails_its_query(error: type[BaseException]) -> None:
    async def fails(point: dict[str, Any]) -> float:
        raise error

    study = begun()
    assert study.run(fails, 3, tolerate=math.inf).failed == 3
    assert reasons(study) == [f"the objective raised {error.__name__}"] * 3


@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_a_coroutine_takes_no_executor(executor: str) -> None:
    with pytest.raises(ParameterError) as refused:
        begun().run(squared_later, 1, executor=executor)
    assert str(refused.value) == (
        f"run(executor={executor!r}): an objective that is defined by async def runs in an event loop of its own; "
        f"leave the executor out."
    )


# Executors that were given.


def test_an_executor_that_was_given_is_left_running() -> None:
    with ThreadPoolExecutor(3) as executor:
        study = begun()
        assert study.run(squared, 5, executor=executor).answered == 5
        assert executor.submit(squared, {"heat": 3.0}).result() == 0.0


@pytest.mark.parametrize("named", ["max_workers", "num_workers", "_max_workers"])
def test_an_executor_says_how_many_workers_it_has(named: str) -> None:
    study, at_once, access = begun(), [], threading.Lock()

    class Sized(Executor):
        def __init__(self) -> None:
            setattr(self, named, 3)
            self.pool = ThreadPoolExecutor(8)

        def submit(self, call: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
            return self.pool.submit(call, *arguments, **options)

    together = threading.Barrier(3)

    def counts(point: dict[str, Any]) -> float:
        together.wait(PATIENCE)
        with access:
            at_once.append(len(study.pending()))
        return squared(point)

    executor = Sized()
    with executor.pool:
        study.run(counts, 9, executor=executor)
    assert max(at_once) == 3


def test_an_executor_that_is_shut_down_takes_no_query() -> None:
    executor = ThreadPoolExecutor(2)
    executor.shutdown()
    study = begun()
    with pytest.raises(ObjectiveError) as gone:
        study.run(squared, 3, executor=executor)
    assert str(gone.value) == (
        f"run(executor={executor!r}): the executor takes no more work (RuntimeError: cannot schedule new futures after "
        f"shutdown); the queries are left pending; run again with an executor that is not shut down, or with "
        f"executor='processes', which replaces what breaks."
    )
    assert states(study) == ["pending"]


def test_what_comes_back_from_an_executor_that_is_being_shut_down_is_told() -> None:
    study = begun()
    executor = ThreadPoolExecutor(2)

    def shuts_down(point: dict[str, Any]) -> float:
        executor.shutdown(wait=False)
        return squared(point)

    with pytest.raises(ObjectiveError, match="cannot schedule new futures after shutdown"):
        study.run(shuts_down, 9, executor=executor, worker="bench")
    answered = states(study).count("answered")
    assert answered >= 1
    assert states(study).count("pending") == len(study.record()) - answered > 0
    ran = study.run(squared, 4, worker="bench")
    assert ran.answered == 4
    assert study.pending() == []


def test_evaluations_that_an_executor_cancels_are_handed_over_again() -> None:
    study, begun_first, let_go = begun(), threading.Event(), threading.Event()

    def waits(point: dict[str, Any]) -> float:
        begun_first.set()
        assert let_go.wait(PATIENCE)
        return squared(point)

    class Capricious(Executor):
        """Cancels the second call that it is given."""

        def __init__(self) -> None:
            self.pool, self.calls = ThreadPoolExecutor(1), 0

        def submit(self, call: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
            future: Future[Any] = self.pool.submit(call, *arguments, **options)
            self.calls += 1
            if self.calls == 2:
                assert begun_first.wait(PATIENCE)
                assert future.cancel()
                let_go.set()
            return future

    executor = Capricious()
    with executor.pool:
        ran = study.run(waits, 3, executor=executor, workers=2)
    assert (ran.asked, ran.answered, executor.calls) == (3, 3, 4)


class Failing(Executor):
    """An executor whose every call comes to the same end."""

    def __init__(self, error: BaseException | None, result: object = None) -> None:
        self.error, self.result = error, result

    def submit(self, call: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if self.error is not None:
            future.set_exception(self.error)
        else:
            future.set_result(self.result)
        return future


def test_an_executor_that_fails_says_nothing_of_the_point() -> None:
    study = begun()
    study.run(squared, 2, executor=Failing(MemoryError("no room")), tolerate=math.inf)
    assert reasons(study) == ["the executor failed: MemoryError: no room"] * 2
    assert states(study) == ["abandoned"] * 2


def test_an_evaluation_that_is_stopped_from_outside_again_and_again_says_nothing_of_the_point() -> None:
    study = begun()
    study.run(squared, 2, executor=Failing(CancelledError("stopped")), workers=1, tolerate=2)
    assert reasons(study) == ["its worker was lost twice, the second time because CancelledError: stopped"] * 2
    assert states(study) == ["abandoned"] * 2


def test_an_executor_that_makes_the_result_up_fails_the_query() -> None:
    study = begun()
    study.run(squared, 1, executor=Failing(None, 7), tolerate=math.inf)
    assert reasons(study) == ["the executor failed: TypeError: it returned 7 in place of what the call returned"]


def test_an_executor_that_breaks_leaves_its_queries_pending() -> None:
    study = begun()
    with pytest.raises(ObjectiveError, match=r"takes no more work \(BrokenExecutor: all gone\)"):
        study.run(squared, 5, executor=Failing(BrokenExecutor("all gone")), workers=2)
    assert set(states(study)) == {"pending"}


# What is refused.


@pytest.mark.parametrize(
    "given, message",
    [
        ({"objective": 3}, "run(): got 3 as the objective; give a function of a point, a dict of values by name."),
        ({"queries": 0}, "run(queries=0): queries must be a whole number of at least 1."),
        ({"queries": 2.5}, "run(queries=2.5): queries must be a whole number of at least 1."),
        ({"workers": 0}, "run(workers=0): workers must be a whole number of at least 1."),
        ({"timeout": 0}, "run(timeout=0): timeout must be a finite number at most 1e+06 and more than 0."),
        ({"timeout": "1s"}, "run(timeout='1s'): timeout must be a finite number at most 1e+06 and more than 0."),
        ({"retries": -1}, "run(retries=-1): retries must be a whole number of at least 0."),
        ({"tolerate": -1}, "run(tolerate=-1): tolerate must be a whole number of at least 0."),
        (
            {"on_failure": "ignore"},
            "run(on_failure='ignore'): a query whose evaluation fails says that its point does not work, or nothing; "
            "give 'fail' or 'abandon'.",
        ),
        ({"progress": "yes"}, "run(progress='yes'): progress is True, False or None; leave it out."),
        (
            {"worker": ""},
            "run(worker=''): a worker is a printable text of 1 to 200 characters; shorten it, or leave it out.",
        ),
        (
            {"worker": "w" * 199},
            f"run(worker='{'w' * 199}-3'): a worker is a printable text of 1 to 200 characters; shorten it, or leave "
            f"it out.",
        ),
        (
            {"executor": ThreadPoolExecutor},
            "run(executor=<class 'concurrent.futures.thread.ThreadPoolExecutor'>): an executor has a method submit, as "
            "those of concurrent.futures have; give one, or 'threads' or 'processes'.",
        ),
        (
            {"executor": "cluster"},
            "run(executor='cluster'): an executor has a method submit, as those of concurrent.futures have; give one, "
            "or 'threads' or 'processes'.",
        ),
        (
            {"contexts": {"hour": 1}},
            "run(): got {'hour': 1} as the contexts; give a list of contexts, one for each query.",
        ),
        (
            {"contexts": 3},
            "run(): got 3 as the contexts; give something that yields one for each query, as a list.",
        ),
    ],
    ids=str,
)
def test_terms_that_make_no_sense_are_refused_before_anything_is_asked(given: dict[str, Any], message: str) -> None:
    study = begun()
    terms: dict[str, Any] = {"objective": squared, "queries": 1, "workers": 4, **given}
    with pytest.raises(ParameterError) as refused:
        study.run(**terms)
    assert str(refused.value) == message
    assert len(study.events) == 1


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: Retries(-1), "Retries(times=-1): times must be a whole number of at least 0."),
        (
            lambda: Retries(1, wait=-1),
            "Retries(wait=-1): wait must be a finite number of at least 0 and at most 1e+06.",
        ),
        (
            lambda: Retries(1, on="TimeoutError"),  # type: ignore[arg-type]
            "Retries(on='TimeoutError'): errors are told apart by their types; give one, or a tuple of them, as "
            "on=(ConnectionError, TimeoutError).",
        ),
    ],
)
def test_retries_that_make_no_sense_are_refused(call: Any, message: str) -> None:
    with pytest.raises(ParameterError) as refused:
        call()
    assert str(refused.value) == message
