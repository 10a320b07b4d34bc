"""One evaluation of an objective, as it happens at a worker: a number comes of it, or a failure in words.

Whatever an objective raises or returns is read where it happened, so that only plain values travel between processes:
an error that cannot be carried over would otherwise take its executor down.
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

from belated.errors import AnswerError, harmless
from belated.study.arguments import finite

LONGEST_REASON = 500


@dataclass(frozen=True)
class Job:
    """What is to be evaluated, and what the objective is expected to return."""

    query: int
    point: dict[str, Any]
    context: dict[str, Any] | None  # seen before the decision
    paired: bool  # a context seen after it is returned with the value
    home: int  # the process that asked


@dataclass(frozen=True)
class Measurement:
    """What came of an evaluation."""

    value: float
    context: dict[str, Any] | None = None


@dataclass(frozen=True)
class Failure:
    """Why an evaluation has no outcome, in words and as an error, which may be carried as bytes."""

    reason: str
    error: BaseException | bytes

    def cause(self) -> BaseException:
        """The error; one that cannot be read here is stood in for by its words."""
        if isinstance(self.error, BaseException):
            return self.error
        try:
            error = pickle.loads(self.error)
        except Exception:
            error = None
        return error if isinstance(error, BaseException) else RuntimeError(self.reason)


def evaluate(objective: Any, task: Job) -> Measurement | Failure:
    """Call an objective at a point."""
    with _undisturbed(task):
        try:
            return _read(task, objective(*_arguments(task)))
        except (Exception, SystemExit) as error:
            return _failure(task, f"the objective raised {described(error)}", error)


async def evaluate_async(objective: Any, task: Job) -> Measurement | Failure:
    """Await an objective at a point."""
    try:
        return _read(task, await objective(*_arguments(task)))
    except (Exception, SystemExit, KeyboardInterrupt) as error:  # the last two would end the event loop
        return _failure(task, f"the objective raised {described(error)}", error)


def carried(words: str, error: BaseException) -> Failure:
    """A failure that can leave its process."""
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
    """A text that a study takes as a reason: not too long, and without control characters and halves of characters."""
    kept = text if len(text) <= LONGEST_REASON else f"{text[:LONGEST_REASON]}…"
    return harmless(kept.replace("\0", "\\0"))


def _failure(task: Job, words: str, error: BaseException) -> Failure:
    return Failure(clean(words), error) if task.home == os.getpid() else carried(words, error)


def _arguments(task: Job) -> tuple[dict[str, Any], ...]:
    return (task.point,) if task.context is None else (task.point, task.context)


def _read(task: Job, returned: Any) -> Measurement | Failure:
    """What an objective returned, as a finite number and perhaps a context."""
    if inspect.isawaitable(returned):
        if inspect.iscoroutine(returned):
            returned.close()
        return _unfit(task, returned, "that is no number; define the objective itself by async def")
    value, context = returned, None
    if task.paired:
        if not isinstance(returned, tuple | list) or len(returned) != 2 or not _is_context(returned[1]):
            return _unfit(task, returned, "the study's context is seen after the decision; return (value, context)")
        value, context = returned[0], None if returned[1] is None else dict(returned[1])
    elif isinstance(returned, tuple | list):
        return _unfit(task, returned, "no context is seen after the decision; return the value alone")
    try:
        return Measurement(finite("run()", value), context)
    except AnswerError:
        return _unfit(task, value, "that is no finite number; return one, or raise an error if there is none")


def _is_context(context: Any) -> bool:
    return context is None or isinstance(context, Mapping)


def _unfit(task: Job, returned: Any, rule: str) -> Failure:
    words = f"the objective returned {reprlib.repr(returned)}: {rule}"
    return _failure(task, words, AnswerError(f"run(query={task.query}): {words}."))


@contextmanager
def _undisturbed(task: Job) -> Iterator[None]:
    """Keep an interruption that was meant for the program that asked from a process that works for it."""
    if task.home == os.getpid() or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler if before is None else before)
