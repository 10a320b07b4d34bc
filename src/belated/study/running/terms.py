"""The arguments of a run, checked before anything is asked, and its result."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args
from uuid import uuid4

from belated.checks import require_count, require_number
from belated.errors import ContextError, ParameterError
from belated.space import Context
from belated.study.arguments import as_label

if TYPE_CHECKING:
    from concurrent.futures import Executor

Objective = Callable[..., Any]
# What becomes of a query whose evaluation fails: `fail` it, which teaches, or `abandon` it, which does not.
OnFailure = Literal["fail", "abandon"]
# Where an executor says how many calls it makes at once; the last is what those of the standard library have.
_SIZES = ("max_workers", "num_workers", "_max_workers")
LONGEST_WAIT = 1e6  # seconds, more than eleven days: what the waiting of every system can take


@dataclass(frozen=True)
class Ran:
    """What came of a run: how many queries it took on, how many were answered and how many not, and why it ended."""

    asked: int
    answered: int
    failed: int
    seconds: float
    reason: str


@dataclass(frozen=True)
class Retries:
    """How often an evaluation that failed is tried again: after `wait` seconds, and twice as long each further time.

    `on` has the kinds of errors that are worth it: what the objective raises, TimeoutError for one that took too long,
    AnswerError for one that returned no finite number, BrokenExecutor for one whose worker was lost.
    """

    times: int = 0
    wait: float = 0.0
    on: type[Exception] | tuple[type[Exception], ...] = Exception

    def __post_init__(self) -> None:
        require_count("Retries", "times", self.times, least=0)
        require_number("Retries", "wait", self.wait, low=0, high=LONGEST_WAIT)
        kinds = self.on if isinstance(self.on, tuple) else (self.on,)
        if not all(isinstance(kind, type) and issubclass(kind, BaseException) for kind in kinds):
            raise ParameterError(
                f"Retries(on={self.on!r}): errors are told apart by their types; give one, or a tuple of them, as "
                f"on=(ConnectionError, TimeoutError)."
            )

    def pause(self, failures: int, error: BaseException) -> float | None:
        """Seconds until the next try after this many failures; None if there is no further try."""
        if failures > self.times or not isinstance(error, self.on):
            return None
        return float(min(self.wait * 2.0 ** min(failures - 1, 60), LONGEST_WAIT))


@dataclass(frozen=True)
class Terms:
    """The arguments of a run."""

    objective: Objective
    queries: int | None
    executor: Executor | str | None
    workers: int
    contexts: Iterator[Mapping[str, Any]] | None
    timeout: float | None
    retries: Retries
    tolerate: float | None
    on_failure: OnFailure
    worker: str
    named: bool  # by the user
    progress: bool | None

    def slot_name(self, slot: int) -> str:
        """The worker's name with which this slot asks."""
        return f"{self.worker}-{slot}"

    def slot_of(self, name: str | None) -> int | None:
        """The slot of this run, or of one before it under the same name, that asked under that name."""
        found = re.fullmatch(re.escape(self.worker) + r"-(0|[1-9]\d{0,8})", name or "")
        return None if found is None else int(found.group(1))


def terms_of(
    objective: Objective,
    queries: int | float | None,
    executor: Executor | str | None,
    workers: int | None,
    contexts: Iterable[Mapping[str, Any]] | None,
    timeout: float | None,
    retries: int | Retries,
    tolerate: int | float | None,
    on_failure: OnFailure,
    worker: str | None,
    progress: bool | None,
) -> Terms:
    """The arguments of a run, once they are checked."""
    if not callable(objective):
        raise ParameterError(
            f"run(): got {objective!r} as the objective; give a function of a point, a dict of values by name."
        )
    if queries is None and contexts is None:
        raise ParameterError(
            "run(queries=None): nothing says when the run ends; give queries=100, or queries=math.inf to go on until "
            "the study is closed, its policy has nothing more to ask, or Ctrl-C."
        )
    wanted = None if queries == math.inf else queries
    tolerated = None if tolerate == math.inf else tolerate
    for name, count, least in (("queries", wanted, 1), ("workers", workers, 1), ("tolerate", tolerated, 0)):
        if count is not None:
            require_count("run", name, count, least)
    if timeout is not None:
        require_number("run", "timeout", timeout, above=0, high=LONGEST_WAIT)
    if not isinstance(retries, Retries):
        require_count("run", "retries", retries, least=0)
        retries = Retries(int(retries))
    if on_failure not in get_args(OnFailure):
        raise ParameterError(
            f"run(on_failure={on_failure!r}): a query whose evaluation fails says that its point does not work, or "
            f"nothing; give 'fail' or 'abandon'."
        )
    if progress not in (None, True, False):
        raise ParameterError(f"run(progress={progress!r}): progress is True, False or None; leave it out.")
    size = _size_of(executor) if workers is None else int(workers)
    as_label("run", "worker", worker)
    # A run without a name has one of its own, so that its asks can be made again after trouble with the storage.
    name = f"run-{uuid4().hex[:16]}" if worker is None else worker
    as_label("run", "worker", None if worker is None else f"{name}-{size - 1}")
    return Terms(
        objective,
        None if wanted is None else int(wanted),
        executor,
        size,
        None if contexts is None else _iterator_of(contexts),
        None if timeout is None else float(timeout),
        retries,
        tolerate,
        on_failure,
        name,
        worker is not None,
        progress,
    )


def check_contexts(declared: Context | None, contexts: object | None) -> None:
    """Refuse contexts where none are seen before the decision, and their absence where there are."""
    before = declared is not None and declared.seen == "before"
    if before and contexts is None:
        raise ContextError(
            "run(): got no contexts, but the study's context is seen before the decision; give contexts=[{…}, …], one "
            "for each query."
        )
    if contexts is not None and not before:
        when = "declares none" if declared is None else "sees its context only after the decision"
        raise ContextError(f"run(): got contexts, but the study {when}; leave them out.")


def _size_of(executor: object) -> int:
    """The default limit on the number of queries in flight."""
    for name in _SIZES if not isinstance(executor, str | None) else ():
        size = getattr(executor, name, None)
        if isinstance(size, int) and not isinstance(size, bool) and size > 0:
            return size
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def _iterator_of(contexts: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(contexts, Mapping | str):
        raise ParameterError(f"run(): got {contexts!r} as the contexts; give a list of contexts, one for each query.")
    try:
        return iter(contexts)
    except TypeError:
        raise ParameterError(
            f"run(): got {contexts!r} as the contexts; give something that yields one for each query, as a list."
        ) from None
