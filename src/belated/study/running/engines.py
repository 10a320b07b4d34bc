"""Where evaluations happen: in an executor that was given, or in threads, processes or an event loop of our own."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, final

from belated.errors import ParameterError
from belated.study.running.evaluation import evaluate, evaluate_async
from belated.study.running.terms import Terms

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future


class Engine(Protocol):
    """Where calls are made: threads, processes, an event loop, or a borrowed executor."""

    def submit(self, began: Callable[[Future[Any]], None], call: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Make a call, and say when it began."""

    def stop(self, future: Future[Any]) -> None:
        """End a call that is under way, as far as that can be done; its future may be done soon, or later, or never."""

    def close(self) -> None:
        """End the run, even if calls are left that will not be waited for."""


@final
class Borrowed:
    """An executor that was given, and goes on after the run."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def submit(self, began: Callable[[Future[Any]], None], call: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Hand it over; that is when it began, as far as can be seen from here."""
        future = self._executor.submit(call, *arguments)
        began(future)
        return future

    def stop(self, future: Future[Any]) -> None:
        """Take it back, if it has not begun."""
        future.cancel()

    def close(self) -> None:
        """Leave the executor as it is: it is not ours to shut down."""


def is_async(objective: Any) -> bool:
    """Whether it is to be awaited."""
    return inspect.iscoroutinefunction(objective) or inspect.iscoroutinefunction(
        getattr(objective, "__call__", None)  # noqa: B004 - an object may have it as an async method
    )


def engine_for(terms: Terms) -> tuple[Engine, Callable[..., Any]]:
    """The engine of a run, and how an evaluation is called there."""
    executor = terms.executor
    if is_async(terms.objective):
        if executor is not None:
            raise ParameterError(
                f"run(executor={executor!r}): an objective that is defined by async def runs in an event loop of its "
                f"own; leave the executor out."
            )
        from belated.study.running.coroutines import Coroutines

        return Coroutines(), evaluate_async
    if executor is None or executor == "threads":
        from belated.study.running.threads import Threads

        return Threads(terms.workers), evaluate
    if executor == "processes":
        from belated.study.running.processes import Processes

        _check_sendable(terms)
        return Processes(terms.workers), evaluate
    if isinstance(executor, type) or not callable(getattr(executor, "submit", None)):
        raise ParameterError(
            f"run(executor={executor!r}): an executor has a method submit, as those of concurrent.futures have; give "
            f"one, or 'threads' or 'processes'."
        )
    if _is_process_pool(executor):
        _check_sendable(terms)
    return Borrowed(executor), evaluate  # type: ignore[arg-type]


def _is_process_pool(executor: object) -> bool:
    """Whether it is the standard library's pool of processes, which sends what it is given by pickle."""
    kind = type(executor)
    return (kind.__module__, kind.__name__) == ("concurrent.futures.process", "ProcessPoolExecutor")


def _check_sendable(terms: Terms) -> None:
    try:
        pickle.dumps(terms.objective)
    except Exception as error:
        raise ParameterError(
            f"run(executor={terms.executor!r}): the objective cannot be sent to another process ({error}); define it "
            f"by def at the top of a module, or use executor='threads'."
        ) from error
