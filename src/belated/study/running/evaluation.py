"""One evaluation of an objective, at a worker: it gives what was measured, or a failure in words.

What an objective raises or returns is read at the worker, so that only plain values travel between processes: an error
that cannot be pickled would take its executor down.
"""

from __future__ import annotations

import inspect
import math
import os
import pickle
import reprlib
import signal
import threading
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from belated.checks import harmless
from belated.errors import AnswerError
from belated.log import Measurement, Outcomes
from belated.study.arguments import as_measured

LONGEST_REASON = 500


class Lost(Exception):
    """Raised by an objective whose answer was lost, for a reason that says nothing of the point."""


@dataclass(frozen=True)
class ObjectiveCall:
    """What is to be evaluated, and what the objective is expected to return."""

    query: int
    point: dict[str, Any]
    context: dict[str, Any] | None  # seen before the decision
    paired: bool  # a context seen after it is returned with the value
    outcomes: Outcomes
    home: int  # the process that asked


@dataclass(frozen=True)
class Evaluated:
    """What an objective returned: a number, a list of repeats or a dict of outcomes, and the context that it saw."""

    value: Any
    objective: float  # the value of the main objective
    context: dict[str, Any] | None = None
    sd: Any = None  # the standard errors of what has one


@dataclass(frozen=True)
class Failure:
    """Why an evaluation has no outcome, in words and as an error, which may be carried as bytes."""

    reason: str
    error: BaseException | bytes
    teaches: bool = True  # it says something of the point

    def cause(self) -> BaseException:
        """The error; if it cannot be read here, an error with its words."""
        if isinstance(self.error, BaseException):
            return self.error
        try:
            error = pickle.loads(self.error)
        except Exception:
            error = None
        return error if isinstance(error, BaseException) else RuntimeError(self.reason)


def evaluate(objective: Any, call: ObjectiveCall) -> Evaluated | Failure:
    """Call an objective at a point."""
    with _undisturbed(call):
        try:
            return _read(call, objective(*_arguments(call)))
        except (Exception, SystemExit) as error:
            return _raised(call, error)


async def evaluate_async(objective: Any, call: ObjectiveCall) -> Evaluated | Failure:
    """Await an objective at a point."""
    try:
        return _read(call, await objective(*_arguments(call)))
    except (Exception, SystemExit, KeyboardInterrupt) as error:  # the last two would end the event loop
        return _raised(call, error)


def carried(words: str, error: BaseException) -> Failure:
    """A failure that can be sent to another process."""
    reason = clean(words)
    note = f"At the worker (process {os.getpid()}):\n{''.join(traceback.format_exception(error))}"
    try:
        error.add_note(note)
        written = pickle.dumps(error)
        pickle.loads(written)
    except Exception:
        stand_in = RuntimeError(reason)
        stand_in.add_note(note)
        written = pickle.dumps(stand_in)
    return Failure(reason, written)


def described(error: BaseException) -> str:
    """An error in one line."""
    try:
        text = str(error)
    except Exception:
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def clean(text: str) -> str:
    """A text that a study takes as a reason: not too long, without control characters and lone surrogates."""
    kept = text if len(text) <= LONGEST_REASON else f"{text[:LONGEST_REASON]}…"
    return harmless(kept.replace("\0", "\\0"))


def _raised(call: ObjectiveCall, error: BaseException) -> Failure:
    if isinstance(error, Lost):
        return replace(_failure(call, str(error) or "lost", error), teaches=False)
    return _failure(call, f"the objective raised {described(error)}", error)


def _failure(call: ObjectiveCall, words: str, error: BaseException) -> Failure:
    return Failure(clean(words), error) if call.home == os.getpid() else carried(words, error)


def _arguments(call: ObjectiveCall) -> tuple[dict[str, Any], ...]:
    return (call.point,) if call.context is None else (call.point, call.context)


def _read(call: ObjectiveCall, returned: Any) -> Evaluated | Failure:
    """What an objective returned: finite numbers, and perhaps a context."""
    if inspect.isawaitable(returned):
        if inspect.iscoroutine(returned):
            returned.close()
        return _unfit(call, returned, "that is no number; define the objective itself by async def")
    value, context = returned, None
    if call.paired:
        if not isinstance(returned, tuple | list) or len(returned) != 2 or not _is_context(returned[1]):
            return _unfit(call, returned, "the study's context is seen after the decision; return (value, context)")
        value, context = returned[0], None if returned[1] is None else dict(returned[1])
    elif isinstance(returned, tuple):
        return _unfit(call, returned, "no context is seen after the decision; return the value, or a list of repeats")
    try:
        return _measured(call, value, context)
    except AnswerError as error:
        if isinstance(value, Mapping | Measurement):
            return _failure(call, _returned(value), error)
        return _unfit(call, value, "that is no finite number; return one, or raise an error if there is none")


def _measured(call: ObjectiveCall, value: Any, context: dict[str, Any] | None) -> Evaluated:
    """What was measured; an AnswerError where that is not all that the study waits for."""
    where, outcomes = f"run(query={call.query})", call.outcomes
    given = _without_empty_signals(outcomes, value) if isinstance(value, Mapping) else value
    measured = as_measured(where, outcomes, given)
    for name in outcomes.required:
        if name not in measured:
            raise AnswerError(f"{where}: {_returned(value)}: the study waits for {name!r} too; return it as well.")
    told = {name: _told(measurement) for name, measurement in measured.items()}
    errors = {name: measurement.sd for name, measurement in measured.items() if measurement.sd is not None}
    main = measured[outcomes.main].value
    if outcomes.named:
        return Evaluated(told, main, context, errors or None)
    return Evaluated(told[outcomes.main], main, context, errors.get(outcomes.main))


def _told(measured: Measurement) -> float | list[float]:
    return list(measured.repeats) if measured.repeats else measured.value


def _without_empty_signals(outcomes: Outcomes, given: Mapping[str, Any]) -> dict[str, Any]:
    """The outcomes but for signals that are no number: no query waits for them."""
    empty = {name for name, value in given.items() if isinstance(value, float) and math.isnan(value)}
    signals = outcomes.keys() - set(outcomes.required)
    return {name: value for name, value in given.items() if name not in empty & signals}


def _is_context(context: Any) -> bool:
    return context is None or isinstance(context, Mapping)


def _unfit(call: ObjectiveCall, returned: Any, rule: str) -> Failure:
    words = _returned(returned)
    return _failure(call, words, AnswerError(f"run(query={call.query}): {words}: {rule}."))


def _returned(value: Any) -> str:
    return f"the objective returned {reprlib.repr(value)}"


@contextmanager
def _undisturbed(call: ObjectiveCall) -> Iterator[None]:
    """Keep an interruption that was meant for the program that asked from a process that works for it."""
    if call.home == os.getpid() or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler if before is None else before)
