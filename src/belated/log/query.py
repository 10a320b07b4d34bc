"""A query as the log describes it, and the window for which its answer is waited for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from belated.checks import require_count, require_number
from belated.errors import ParameterError
from belated.log.outcomes import VALUE
from belated.log.values import Values
from belated.show import card, instant, written
from belated.space import Mask


class State(StrEnum):
    """The state of a query, derived from the log, the time and the policy's window; never stored."""

    PENDING = "pending"
    OVERDUE = "overdue"
    ANSWERED = "answered"
    ABANDONED = "abandoned"
    FAILED = "failed"
    RETRACTED = "retracted"


@dataclass(frozen=True, slots=True)
class Answer:
    """The value of an outcome that counts now, when the first one came, and after how many further queries."""

    value: float
    at: float
    delay: int  # queries asked after this one before its answer came
    earlier: tuple[float, ...] = ()  # values since revised, oldest first
    sd: float | None = None  # its standard error, where it was told
    repeats: tuple[float, ...] = ()  # whose mean it is, where there are any

    @property
    def plain(self) -> bool:
        """Whether it is a single number whose error is unknown."""
        return self.sd is None and not self.repeats

    def to_json(self) -> dict[str, Any]:
        """The answer as commands print it and the service sends it."""
        return {
            "value": self.value,
            "at": self.at,
            "delay": self.delay,
            "earlier": list(self.earlier),
            "sd": self.sd,
            "repeats": list(self.repeats),
        }

    def text(self) -> str:
        """The value with what is known of its error: "0.83", "0.83 ± 0.02", "0.83, the mean of 3"."""
        if self.repeats:
            return f"{written(self.value)}, the mean of {len(self.repeats)}"
        return written(self.value) if self.sd is None else f"{written(self.value)} ± {written(self.sd, 3)}"


@dataclass(frozen=True, slots=True)
class Query:
    """A point that was asked, or data that was added (then `number` is 0).

    `answers` are those that have come so far, by outcome; `answer` is that of the main objective, and it counts once
    all outcomes that the query waits for are there. Where another point was tried than asked, it is `performed`.
    """

    id: int
    point: Values
    context: Values | None
    asked_at: float
    number: int
    state: State
    answer: Answer | None = None
    reason: str | None = None  # why it was abandoned, failed or taken back
    key: str | None = None  # of the ask, for asking again
    worker: str | None = None  # who asked
    arm: int | None = None  # the policy's arm that chose it, if the policy has arms
    performed: Values | None = None
    answers: Mapping[str, Answer] = field(default_factory=Values)

    @property
    def tried(self) -> Values:
        """The point that the answer belongs to."""
        return self.point if self.performed is None else self.performed

    @property
    def changed(self) -> Mapping[str, Any]:
        """The values that were tried in the place of others that were asked."""
        return {name: value for name, value in self.tried.items() if value != self.point[name]}

    def answers_text(self) -> str:
        """What has been told of it: "0.83 ± 0.02", or "yield 0.83, colour 0.3"; empty if nothing has."""
        told = self.answers or ({} if self.answer is None else {VALUE: self.answer})
        return ", ".join(answer.text() if name == VALUE else f"{name} {answer.text()}" for name, answer in told.items())

    def to_json(self) -> dict[str, Any]:
        """The query as commands print it and the service sends it: every digit, times in seconds since 1970."""
        return {
            "id": self.id,
            "number": self.number,
            "state": self.state.value,
            "point": dict(self.point),
            "context": None if self.context is None else dict(self.context),
            "asked_at": self.asked_at,
            "answer": None if self.answer is None else self.answer.to_json(),
            "reason": self.reason,
            "worker": self.worker,
            "key": self.key,
            "arm": self.arm,
            "performed": None if self.performed is None else dict(self.performed),
            "answers": {name: answer.to_json() for name, answer in self.answers.items()},
        }

    def _repr_html_(self) -> str:
        name = f"Query {self.id}" if self.number else f"Added data {self.id}"
        rows: list[tuple[str, Any]] = [*(self.context or {}).items(), *self.point.items()]
        rows += [(f"{key}, performed", value) for key, value in self.changed.items()]
        alone = {} if self.answer is None else {VALUE: self.answer}
        for outcome, answer in (self.answers or alone).items():
            rows.append(("answer" if outcome == VALUE else outcome, answer.text()))
            rows += [("revised from", ", ".join(map(written, answer.earlier)))] if answer.earlier else []
        rows += [("why", self.reason)] if self.reason else []
        rows += [("worker", self.worker)] if self.worker else []
        rows.append(("asked" if self.number else "added", instant(self.asked_at)))
        return card(name, self.state.value if self.number else "", rows)


@dataclass(frozen=True)
class Balk:
    """The policy declines to ask now; falsy and empty, so that both `if` and `for` pass over it."""

    reason: str

    def __bool__(self) -> Literal[False]:
        return False

    def __len__(self) -> int:
        return 0

    def __iter__(self) -> Iterator[Query]:
        return iter(())

    def _repr_html_(self) -> str:
        return card("No query now", self.reason, [])


@dataclass(frozen=True)
class Window:
    """How long an answer is waited for: in queries asked since, in time, or whichever runs out first.

    A query is overdue once more than `queries` others were asked after it, or more than `seconds` have passed.
    """

    queries: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.queries is not None:
            require_count("Window", "queries", self.queries, least=0)
        if self.seconds is not None:
            require_number("Window", "seconds", self.seconds, low=0)

    def exceeded(self, queries: npt.NDArray[np.number[Any]], seconds: npt.NDArray[np.number[Any]]) -> Mask:
        """True where a wait, in queries and in seconds, is longer than the window."""
        late = np.zeros(queries.shape, dtype=bool)
        if self.queries is not None:
            late |= queries > self.queries
        if self.seconds is not None:
            late |= seconds > self.seconds
        return late


FOREVER = Window()
GivenWindow = int | Window | Literal["auto"] | None


def as_window(value: GivenWindow, call: str | None = None) -> Window:
    """The window that is given: a number counts queries, None waits for ever, Window(seconds=…) is a time."""
    if value is None:
        return FOREVER
    if isinstance(value, Window):
        return value
    if isinstance(value, str):
        way = "give window='auto' to the policy, which learns it" if value == "auto" else "give one"
        error = ParameterError(
            f"a window is a number of queries, a bl.Window, or, for a policy, 'auto' to learn it from the delays so "
            f"far; {way}.",
            given=("window", value),
        )
        raise error if call is None else error.in_call(call)
    require_count(call, "window", value, least=0)
    return Window(queries=value)
