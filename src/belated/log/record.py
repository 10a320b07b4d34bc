"""What people read of a study: its queries in their own units and words, how many are in which state, the best ones.

A record takes in the log event by event. One more event costs the same however long the log is; so do counts, pending
queries and the best answers. Other queries are built when they are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from belated.log.effect import Effect
from belated.log.events import Event
from belated.log.growth import Growth
from belated.log.notes import Notes
from belated.log.queries import Queries, kept
from belated.log.query import Query, State, Window
from belated.log.rows import Rows
from belated.log.settings import Settings
from belated.space import Array, Context, Domain


@dataclass(frozen=True)
class Counts:
    """How many queries are in which state: asked = answered + pending + abandoned; overdue ones are pending too."""

    asked: int
    answered: int
    pending: int
    overdue: int
    abandoned: int
    added: int

    @property
    def waiting(self) -> int:
        """Pending queries that are not overdue."""
        return self.pending - self.overdue

    def to_json(self) -> dict[str, int]:
        """The counts by their names."""
        return asdict(self)

    def words(self) -> dict[str, str]:
        """The counts that are not 0 as text: pending, "5, 2 of them overdue"."""
        overdue = f", {self.overdue:,} of them overdue" if self.overdue else ""
        said = {"asked": "", "answered": "", "pending": overdue, "abandoned": "", "added": ""}
        return {name: f"{count:,}{said[name]}" for name, count in asdict(self).items() if count and name in said}


@dataclass(frozen=True, eq=False)
class Record:
    """The study so far, for people. Immutable: `extend` returns the record with more events.

    `rows` has the numbers behind it, in inside units: the goal's sign is applied there, so that all mathematics
    maximises (see `Evidence`), and is taken back here.
    """

    domain: Domain
    context: Context | None
    sign: float
    n_events: int
    settings: Settings
    rows: Rows
    _notes: Notes
    _overdue: frozenset[int] = frozenset()  # rows that `at` has marked

    @staticmethod
    def empty(domain: Domain, context: Context | None = None, sign: float = 1.0) -> Record:
        """The record of a study in which nothing has happened."""
        of_context = 0 if context is None else context.space.dimension
        before = context is not None and context.seen == "before"
        widths = (domain.dimension + of_context, 0) if before else (domain.dimension, of_context)
        return Record(domain, context, sign, 0, Settings(), Rows.empty(*widths), Notes())

    def extend(self, events: Iterable[Event]) -> Record:
        """The record with these further events."""
        following = list(events)
        if not following:
            return self
        growth, settings, number = Growth(self.rows, self._notes), self.settings, self.n_events
        for event in following:
            assert event.number > number, "events are numbered on"
            number = event.number
            settings = settings.after(event)
            self._take(growth, event)
        rows, notes = growth.grown()
        return replace(self, n_events=number, settings=settings, rows=rows, _notes=notes, _overdue=frozenset())

    def _take(self, growth: Growth, event: Event) -> None:
        body: Any = event.body  # with what its effect needs
        match event.body.effect:
            case None:
                return
            case Effect.ASKS:
                growth.ask(event, body, encode(self.domain, self.context, body.point, body.context))
                return
            case Effect.ADDS:
                point = encode(self.domain, self.context, body.point, body.context)
                growth.add(event, body, point, self.sign * body.value)
            case Effect.ANSWERS:
                growth.answer(event, body.query, self.sign * body.value)
            case Effect.CORRECTS:
                growth.revise(body.query, self.sign * body.value)
            case Effect.ABANDONS:
                growth.abandon(event, body.query, body.reason)
        self._see(growth, event, body.query, getattr(body, "context", None))

    def _see(self, growth: Growth, event: Event, query: int, context: Mapping[str, Any] | None) -> None:
        """Take in a context that was seen after the decision, if there is one."""
        if context is not None and self.context is not None and self.context.seen == "after":
            growth.see(event, query, self.context.space.encode(context), kept(context))

    def at(self, now: float, window: Window) -> Record:
        """The same record with its overdue queries marked."""
        overdue = self.rows.pending[self.rows.exceed(window, now)]
        return replace(self, _overdue=self._overdue | set(overdue.tolist())) if overdue.size else self

    def __len__(self) -> int:
        return self.rows.extent.rows

    @property
    def began_at(self) -> float:
        """When the study was created."""
        return self.settings.began_at

    @cached_property
    def counts(self) -> Counts:
        """How many queries are in which state."""
        extent, pending = self.rows.extent, len(self.rows.pending)
        added = extent.rows - extent.asks
        answered = extent.answers - added
        return Counts(
            asked=extent.asks,
            answered=answered,
            pending=pending,
            overdue=len(self._overdue),
            abandoned=extent.asks - answered - pending,
            added=added,
        )

    @property
    def n_answers(self) -> int:
        """How many answers there are, added data included."""
        return self.rows.extent.answers

    @property
    def n_contexts(self) -> int:
        """How many contexts were seen after the decisions."""
        return self.rows.extent.sightings

    @property
    def queries(self) -> Queries:
        """Every query and every added point, in the order of their identifiers, each built when it is read."""
        return Queries(self.rows, self._notes, self.sign, self._overdue)

    def pending(self) -> list[Query]:
        """The queries that wait for an answer, overdue ones included, in the order asked."""
        queries = self.queries
        return [queries[row] for row in self.rows.pending.tolist()]

    def overdue(self) -> list[Query]:
        """The pending queries that have waited longer than the window, in the order asked."""
        return [query for query in self.pending() if query.state is State.OVERDUE]

    def under_way(self, worker: str) -> list[Query]:
        """The queries of this worker that wait for an answer, in the order asked; no other query is built."""
        events, queries = self._notes.events, self.queries
        rows = self.rows.pending.tolist()
        return [queries[row] for row in rows if getattr(events[row].body, "worker", None) == worker]

    def asked_with(self, key: str) -> list[Query]:
        """The queries that were asked with this key."""
        rows, queries = self._notes.keyed.get(key, ()), self.queries
        return [queries[row] for row in rows if row < len(self)]

    def best(self, count: int = 1) -> list[Query]:
        """The queries with the best answers, best first, and equal ones in the order of their identifiers."""
        queries = self.queries
        return [queries[row] for row in self.rows.best(count).tolist()]

    def progress(self) -> tuple[float, ...]:
        """The best answer so far, after each answer in the order of arrival."""
        values: list[float] = (self.sign * np.maximum.accumulate(self.rows.arrived_values)).tolist()
        return tuple(values)


def encode(domain: Domain, context: Context | None, point: Mapping[str, Any], seen: Mapping[str, Any] | None) -> Array:
    """The row of the belief's input: the context's columns, if it is seen before the decision, then the point's."""
    encoded = domain.encode(point)
    if context is None or context.seen == "after" or seen is None:
        return encoded
    return np.concatenate([context.space.encode(seen), encoded])
