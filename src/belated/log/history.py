"""What the events of a study add up to, in the form that the mathematics reads.

Row i is the query with identifier i + 1, in the order in which it entered the log. `points` are encodings in the
unit cube (columns of a context seen before the decision come first), `values` are in inside units: the goal's sign
is applied here, once, so that everything below this room maximises.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from belated.log.events import Abandoned, Added, Answered, Asked, Event, Revised
from belated.log.query import Answer, Query, State, Window
from belated.log.settings import Settings
from belated.log.table import to_dataframe
from belated.log.values import Values
from belated.space import Array, Context, Domain, Indices, Mask

if TYPE_CHECKING:
    from pandas import DataFrame

_ROW = np.dtype(
    [
        ("number", np.int64),  # of the ask, from 1; 0 for added data
        ("entered", np.int64),  # number of the event that brought the row
        ("after", np.int64),  # number of the last event that the decision to ask it saw
        ("arrived", np.int64),  # number of the event that brought its answer; 0 while there is none
        ("delay", np.int64),  # queries asked after it before its answer came
        ("asked_at", np.float64),
        ("answered_at", np.float64),
        ("value", np.float64),
        ("abandoned", np.bool_),
    ]
)


class Data(NamedTuple):
    """Points and the values that a belief is conditioned on."""

    points: Array  # (n, d)
    values: Array  # (n,)

    def key(self) -> tuple[bytes, bytes]:
        """What tells these data from others."""
        return self.points.tobytes(), self.values.tobytes()


@dataclass(frozen=True, eq=False)
class History:
    """The study so far. Immutable: `extend` returns the history with more events."""

    domain: Domain
    context: Context | None
    sign: float
    n_asked: int
    n_events: int
    settings: Settings
    points: Array  # (n, d)
    records: tuple[Query, ...]
    _rows: np.ndarray[Any, Any]

    @staticmethod
    def empty(domain: Domain, context: Context | None = None, sign: float = 1.0) -> History:
        """The history of a study in which nothing has happened."""
        width = domain.dimension + (context.space.dimension if context and context.seen == "before" else 0)
        points, rows = np.empty((0, width)), np.empty(0, _ROW)
        return History(domain, context, sign, 0, 0, Settings(), points, (), rows)

    def extend(self, events: Iterable[Event]) -> History:
        """The history after these events too; the cost is one copy of the rows, however many events there are."""
        growth = _Growth(self, list(events))
        return growth.history()

    # What a treatment, a rule or a pacing reads.

    def __len__(self) -> int:
        return len(self.records)

    @property
    def values(self) -> Array:
        """The answers in inside units, NaN where there is none. (n,)"""
        return np.asarray(self._rows["value"])

    @property
    def answered_mask(self) -> Mask:
        """Rows with an answer that counts."""
        return np.asarray((self._rows["arrived"] > 0) & ~self._rows["abandoned"])

    @property
    def pending_mask(self) -> Mask:
        """Rows still unanswered and not abandoned, overdue ones included."""
        return np.asarray((self._rows["arrived"] == 0) & ~self._rows["abandoned"])

    @property
    def began_at(self) -> float:
        """When the study was created."""
        return self.settings.began_at

    @property
    def n_answered(self) -> int:
        """How many answers there are."""
        return int(np.count_nonzero(self.answered_mask))

    def overdue_mask(self, window: Window, now: float) -> Mask:
        """Pending rows that have waited longer than the window."""
        return self.pending_mask & window.exceeded(self.ages(), now - self._rows["asked_at"])

    def late_mask(self, window: Window) -> Mask:
        """Rows whose answer came after the window."""
        waited = self._rows["answered_at"] - self._rows["asked_at"]
        return self.answered_mask & window.exceeded(self._rows["delay"], waited)

    def ages(self) -> Indices:
        """How many queries were asked after each row; 0 for added data. (n,)"""
        numbers = self._rows["number"]
        return np.asarray(np.where(numbers > 0, self.n_asked - numbers, 0))

    def recent_mask(self, window: Window, now: float) -> Mask:
        """Asked rows that the window still holds, answered or not: s = t − m, …, t − 1 for a window of m queries."""
        asked = np.asarray((self._rows["number"] > 0) & ~self._rows["abandoned"])
        return asked & ~window.exceeded(self.ages() + 1, now - self._rows["asked_at"])

    def arrivals(self, mask: Mask | None = None) -> Data:
        """The answers in the order of their arrival, a sequence that only ever grows unless a query is abandoned."""
        chosen = np.flatnonzero(self.answered_mask if mask is None else self.answered_mask & mask)
        order = chosen[np.argsort(self._rows["arrived"][chosen], kind="stable")]
        return Data(self.points[order], self.values[order])

    def arrived_in(self, first: int, last: int) -> Data:
        """Answers to queries number `first` to `last` that had come before query `last` + 1 was asked."""
        numbers = self._rows["number"]
        mask = (numbers >= first) & (numbers <= last)
        following = np.flatnonzero(numbers == last + 1)
        if following.size:
            mask &= self._rows["arrived"] <= self._rows["after"][following[0]]
        return self.arrivals(mask)

    def before(self, number: int) -> History:
        """The history that the decision to ask query `number` saw, revisions and abandonments kept."""
        following = np.flatnonzero(self._rows["number"] == number)
        if not following.size:
            return self
        after = int(self._rows["after"][following[0]])
        # Data added while the decision was made stand before the query in the log, and it did not see them.
        seen = np.flatnonzero(self._rows["entered"] <= after)
        rows = self._rows[seen]
        early = rows["arrived"] <= after
        rows["arrived"] = np.where(early, rows["arrived"], 0)
        rows["value"] = np.where(early, rows["value"], np.nan)
        return replace(
            self,
            n_asked=number - 1,
            n_events=after,
            points=self.points[seen],
            records=tuple(self.records[row] for row in seen),
            _rows=rows,
        )

    def asked_in(self, first: int, last: int) -> Array:
        """The points of queries number `first` to `last` that were not abandoned, in the order asked. (k, d)"""
        numbers = self._rows["number"]
        asked: Mask = (numbers >= first) & (numbers <= last) & ~self._rows["abandoned"]
        return self.points[asked]

    def waiting_mask(self, window: Window, now: float) -> Mask:
        """Pending rows that the window still holds."""
        return self.pending_mask & ~self.overdue_mask(window, now)

    def waiting_in(self, first: int, last: int, window: Window, now: float) -> int:
        """How many of queries number `first` to `last` are still waited for."""
        numbers = self._rows["number"]
        return int(np.count_nonzero(self.waiting_mask(window, now) & (numbers >= first) & (numbers <= last)))

    def inward(self, value: float) -> float:
        """A value in the user's units, in inside units (and back: the map is its own inverse)."""
        return self.sign * value

    def decoded(self, context: Array) -> dict[str, Any] | None:
        """The context at these coordinates, in the user's values; None where there are none."""
        return self.context.space.decode(context) if self.context is not None and context.size else None

    # What a user reads.

    @property
    def queries(self) -> tuple[Query, ...]:
        """Every query and every added point, in the order of their identifiers."""
        return self.records

    def to_dataframe(self) -> DataFrame:
        """One row for every query and every added point; needs pandas."""
        return to_dataframe(self)

    def at(self, now: float, window: Window) -> History:
        """The same history with its overdue queries marked."""
        overdue = np.flatnonzero(self.overdue_mask(window, now))
        if not overdue.size:
            return self
        records = list(self.records)
        for row in overdue:
            records[row] = replace(records[row], state=State.OVERDUE)
        return replace(self, records=tuple(records))


class _Growth:
    """The one place where rows change: a copy that takes in events, then freezes."""

    def __init__(self, history: History, events: list[Event]) -> None:
        entering = sum(isinstance(event.body, Asked | Added) for event in events)
        self.base = history
        self.size = len(history.records)
        self.rows = np.concatenate([history._rows, np.zeros(entering, _ROW)])
        self.points = np.concatenate([history.points, np.empty((entering, history.points.shape[1]))])
        self.records = list(history.records)
        self.n_asked, self.settings = history.n_asked, history.settings
        for event in events:
            self.take(event)
        self.n_events = events[-1].number if events else history.n_events

    def take(self, event: Event) -> None:
        match event.body:
            case Asked() as asked:
                self.n_asked += 1
                self.enter(event, asked, self.n_asked)
            case Added(query=query, value=value) as added:
                self.enter(event, added, 0)
                self.answer(event, query, value)
            case Answered(query=query, value=value):
                self.answer(event, query, value)
            case Revised(query=query, value=value):
                self.revise(query, value)
            case Abandoned(query=query, reason=reason):
                self.rows[query - 1]["abandoned"] = True
                self.change(query, state=State.ABANDONED, reason=reason)
            case _:
                self.settings = self.settings.after(event)

    def enter(self, event: Event, body: Asked | Added, number: int) -> None:
        assert body.query == self.size + 1, "identifiers have no gap"
        seen = body.after if isinstance(body, Asked) and body.after is not None else event.number - 1
        self.rows[self.size] = (number, event.number, seen, 0, 0, event.at, 0.0, np.nan, False)
        self.points[self.size] = encode(self.base.domain, self.base.context, body.point, body.context)
        self.records.append(entered(event, number))
        self.size += 1

    def answer(self, event: Event, query: int, value: float) -> None:
        row = self.rows[query - 1]
        row["arrived"], row["answered_at"], row["value"] = event.number, event.at, self.base.sign * value
        row["delay"] = self.n_asked - row["number"] if row["number"] else 0
        self.change(query, state=State.ANSWERED, answer=Answer(value, event.at, int(row["delay"])))

    def revise(self, query: int, value: float) -> None:
        answer = self.records[query - 1].answer
        assert answer is not None, "the study revises only what was answered"
        self.rows[query - 1]["value"] = self.base.sign * value
        revised = replace(answer, value=value, earlier=(*answer.earlier, answer.value))
        self.change(query, answer=revised)

    def change(self, query: int, **fields: Any) -> None:
        self.records[query - 1] = replace(self.records[query - 1], **fields)

    def history(self) -> History:
        self.points.setflags(write=False)
        self.rows.setflags(write=False)
        return replace(
            self.base,
            n_asked=self.n_asked,
            n_events=self.n_events,
            settings=self.settings,
            points=self.points,
            records=tuple(self.records),
            _rows=self.rows,
        )


def entered(event: Event, number: int, state: State = State.PENDING) -> Query:
    """The query that an event brings, before its answer; `number` counts the asks, and is 0 for added data."""
    body = event.body
    assert isinstance(body, Asked | Added)
    key, worker = (body.key, body.worker) if isinstance(body, Asked) else (None, None)
    context = None if body.context is None else Values(body.context)
    return Query(body.query, Values(body.point), context, event.at, number, state, key=key, worker=worker)


def encode(domain: Domain, context: Context | None, point: Mapping[str, Any], seen: Mapping[str, Any] | None) -> Array:
    """The row of the belief's input: the context's columns, if it is seen before the decision, then the point's."""
    encoded = domain.encode(point)
    if context is None or context.seen == "after" or seen is None:
        return encoded
    return np.concatenate([context.space.encode(seen), encoded])
