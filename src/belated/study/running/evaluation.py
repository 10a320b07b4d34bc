"""One evaluation of an objective, at a worker: it gives a number, or a failure in words.

What an objective raises or returns is read at the worker, so that only plain values travel between processes: an error
that cannot be pickled would take its executor down.
"""

from __future__ import annotations

import inspect
import os
import pickle
import reprlib
import signal
import threading
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from belated.checks import harmless
from belated.errors import AnswerError
from belated.study.arguments import finite

LONGEST_REASON = 500


@dataclass(frozen=True)
class ObjectiveCall:
    """What is to be evaluated, and what the objective is expected to return."""

    query: int
    point: dict[str, Any]
    context: dict[str, Any] | None  # seen before the decision
    paired: bool  # a context seen after it is returned with the value
    home: int  # the process that asked


@dataclass(frozen=True)
class Evaluated:
    """The value that an objective returned, and the context that it saw."""

    value: float
    context: dict[str, Any] | None = None


@dataclass(frozen=True)
class Failure:
    """Why an evaluation has no outcome, in words and as an error, which may be carried as bytes."""

    reason: str
    error: BaseException | bytes

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
            return _failure(call, f"the objective raised {described(error)}", error)


async def evaluate_async(objective: Any, call: ObjectiveCall) -> Evaluated | Failure:
    """Await an objective at a point."""
    try:
        return _read(call, await objective(*_arguments(call)))
    except (Exception, SystemExit, KeyboardInterrupt) as error:  # the last two would end the event loop
        return _failure(call, f"the objective raised {described(error)}", error)


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


def _failure(call: ObjectiveCall, words: str, error: BaseException) -> Failure:
    return Failure(clean(words), error) if call.home == os.getpid() else carried(words, error)


def _arguments(call: ObjectiveCall) -> tuple[dict[str, Any], ...]:
    return (call.point,) if call.context is None else (call.point, call.context)


def _read(call: ObjectiveCall, returned: Any) -> Evaluated | Failure:
    """What an objective returned, as a finite number and perhaps a context."""
    if inspect.isawaitable(returned):
        if inspect.iscoroutine(returned):
            returned.close()
        return _unfit(call, returned, "that is no number; define the objective itself by async def")
    value, context = returned, None
    if call.paired:
        if not isinstance(returned, tuple | list) or len(returned) != 2 or not _is_context(returned[1]):
            return _unfit(call, returned, "the study's context is seen after the decision; return (value, context)")
        value, context = returned[0], None if returned[1] is None else dict(returned[1])
    elif isinstance(returned, tuple | list):
        return _unfit(call, returned, "no context is seen after the decision; return the value alone")
    try:
        return Evaluated(finite("run()", value), context)
    except AnswerError:
        return _unfit(call, value, "that is no finite number; return one, or raise an error if there is none")


def _is_context(context: Any) -> bool:
    return context is None or isinstance(context, Mapping)


def _unfit(call: ObjectiveCall, returned: Any, rule: str) -> Failure:
    words = f"the objective returned {reprlib.repr(returned)}: {rule}"
    return _failure(call, words, AnswerError(f"run(query={call.query}): {words}."))


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
