"""Interruptions of a run in this very process: counted, and raised when everything is in order."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from belated.study import Study
from tests.meanwhile import PATIENCE, Meanwhile, until
from tests.running.studies import BEFORE, begun, squared, states


@pytest.fixture(autouse=True)
def _as_in_a_program() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt, as it does where nobody has said otherwise."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_an_interruption_waits_for_what_is_in_flight_and_leaves_the_handler_as_it_was(
    caplog: pytest.LogCaptureFixture,
) -> None:
    study, first = begun(), threading.Lock()

    def interrupts(point: dict[str, Any]) -> float:
        if first.acquire(blocking=False):
            until(lambda: len(study.pending()) == 2, "both are in flight")
            interrupt()
        until(lambda: bool(caplog.records), "the run has heard of it")
        return squared(point)

    with pytest.raises(KeyboardInterrupt) as interruption:
        study.run(interrupts, 9, workers=2, worker="bench")
    assert str(interruption.value) == (
        "run(): interrupted, with 2 of 2 queries answered, 0 failed and 0 left; run again with worker='bench' to take "
        "up what is pending."
    )
    assert states(study) == ["answered", "answered"]
    assert [record.getMessage() for record in caplog.records] == [
        "run(): interrupted; waiting for what is in flight (2); interrupt again to leave it pending."
    ]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_came_back_before_the_second_interruption_is_told(caplog: pytest.LogCaptureFixture) -> None:
    study, over, order = begun(), threading.Event(), iter(range(2))
    access = threading.Lock()

    def one_returns(point: dict[str, Any]) -> float:
        with access:
            mine = next(order)
        if mine == 1:
            interrupt()
            until(lambda: bool(caplog.records), "the run has heard of it")
            return squared(point)
        until(lambda: "answered" in states(study), "the other is told")
        interrupt()
        assert over.wait(PATIENCE)
        return squared(point)

    with pytest.raises(KeyboardInterrupt, match="with 1 of 2 queries answered, 0 failed and 1 left"):
        study.run(one_returns, 9, workers=2)
    over.set()
    assert sorted(states(study)) == ["answered", "pending"]


def test_what_is_left_is_taken_back_from_an_executor_if_it_has_not_begun(caplog: pytest.LogCaptureFixture) -> None:
    study, over, evaluated = begun(), threading.Event(), []

    def interrupts_twice(point: dict[str, Any]) -> float:
        evaluated.append(point)
        until(lambda: len(study.pending()) == 2, "the other is in flight")
        interrupt()
        until(lambda: bool(caplog.records), "the run has heard of it")
        interrupt()
        assert over.wait(PATIENCE)
        return squared(point)

    with ThreadPoolExecutor(1) as executor:
        with pytest.raises(KeyboardInterrupt, match="with 0 of 2 queries answered, 0 failed and 2 left"):
            study.run(interrupts_twice, 9, executor=executor, workers=2)
        over.set()
    assert len(evaluated) == 1
    assert states(study) == ["pending", "pending"]


@pytest.mark.parametrize("failing", [False, True])
def test_after_an_interruption_nothing_is_tried_again(failing: bool, caplog: pytest.LogCaptureFixture) -> None:
    study, tried = begun(), []

    def interrupts(point: dict[str, Any]) -> float:
        tried.append(point)
        interrupt()
        until(lambda: bool(caplog.records), "the run has heard of it")
        raise ValueError

    with pytest.raises(KeyboardInterrupt):
        study.run(interrupts, 9, workers=1, retries=0 if failing else 3)
    assert len(tried) == 1
    assert states(study) == ["failed" if failing else "pending"]


def test_a_query_that_was_being_asked_is_evaluated() -> None:
    study, drawing = begun("gp-ucb", context=BEFORE), threading.Event()

    def contexts() -> Iterator[dict[str, Any]]:
        yield {"hour": 7.0}
        interrupt()
        drawing.set()
        yield {"hour": 8.0}

    def waits(point: dict[str, Any], context: dict[str, Any]) -> float:
        assert drawing.wait(PATIENCE)
        return squared(point)

    with pytest.raises(KeyboardInterrupt, match="with 2 of 2 queries answered, 0 failed and 0 left"):
        study.run(waits, contexts=contexts(), workers=3)
    assert states(study) == ["answered", "answered"]


def test_a_third_interruption_does_not_even_wait_for_an_ask() -> None:
    study, drawing, stopped = begun("gp-ucb", context=BEFORE), threading.Event(), threading.Event()

    def contexts() -> Iterator[dict[str, Any]]:
        yield {"hour": 7.0}
        drawing.set()
        try:
            threading.Event().wait(PATIENCE)
        finally:
            stopped.set()
        raise AssertionError("it was not interrupted")

    def insists(point: dict[str, Any], context: dict[str, Any]) -> float:
        assert drawing.wait(PATIENCE)
        while not stopped.is_set():
            interrupt()
            time.sleep(0.02)
        return squared(point)

    with pytest.raises(KeyboardInterrupt):
        study.run(insists, contexts=contexts(), workers=2)
    assert len(study.record()) == 1


@pytest.mark.parametrize("raising", [True, False])
def test_whoever_handles_the_signal_otherwise_is_heard(raising: bool) -> None:
    study, heard = begun(), []

    def handler(*_: object) -> None:
        heard.append(1)
        if raising:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, handler)

    def interrupts(point: dict[str, Any]) -> float:
        if not heard:
            interrupt()
            until(lambda: bool(heard), "the handler was called")
        return squared(point)

    if raising:
        with pytest.raises(KeyboardInterrupt):
            study.run(interrupts, 3, workers=1)
    else:
        assert study.run(interrupts, 3, workers=1).answered == 3
    assert heard == [1]
    assert states(study) == ["answered"] * (1 if raising else 3)
    assert signal.getsignal(signal.SIGINT) is handler


def test_an_interruption_in_the_midst_of_telling_loses_nothing() -> None:
    study, told = begun(), []

    class Torn:
        """The study, interrupted just after what is told was written."""

        def __getattr__(self, name: str) -> Any:
            return getattr(study, name)

        def tell(self, *given: Any, **options: Any) -> None:
            study.tell(*given, **options)
            told.append(given)
            if len(told) == 1:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match="with 1 of 1 queries answered, 0 failed and 0 left"):
        Study.run(Torn(), squared, 9, workers=1)  # type: ignore[arg-type]
    assert states(study) == ["answered"]


def test_a_run_outside_the_main_thread_leaves_the_signal_alone() -> None:
    study = begun()
    handlers: list[Any] = []

    def looks(point: dict[str, Any]) -> float:
        handlers.append(signal.getsignal(signal.SIGINT))
        return squared(point)

    assert Meanwhile(lambda: study.run(looks, 2)).result().answered == 2
    assert handlers == [signal.default_int_handler] * 2
