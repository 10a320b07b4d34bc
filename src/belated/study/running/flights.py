"""Queries under evaluation: the slot that asked for each, how often it was tried, and when something is due for it."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import count
from typing import Any, final

from belated.log import Query
from belated.study.running.terms import Terms


@dataclass(eq=False)
class Flight:
    """A query under evaluation, from its ask until it is settled."""

    query: Query
    slot: int
    failures: int = 0
    losses: int = 0
    future: Future[Any] | None = field(default=None, repr=False)  # of the evaluation under way, if one is


@dataclass(frozen=True, order=True)
class Alarm:
    """An instant at which something is due: that a flight has taken too long, or that it may be tried again."""

    at: float
    number: int
    flight: Flight = field(compare=False)
    future: Future[Any] | None = field(compare=False)  # what has taken too long; None: what was waited for


@final
class Flights:
    """The flights of a run: at most one for each slot, and no more evaluations than there are workers."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.flying: dict[int, Flight] = {}  # by query
        self.stuck: set[Future[Any]] = set()  # given up, and still keeping a worker busy
        self.ready: deque[Flight] = deque()  # to be handed over as soon as a worker is free
        self._free = set(range(workers))  # slots
        self._order = list(range(workers))  # a heap of them; some may have been taken since
        self._alarms: list[Alarm] = []
        self._numbers = count()
        self._under_way = 0

    @property
    def under_way(self) -> int:
        """How many evaluations the run waits for."""
        return self._under_way

    def idle_workers(self) -> int:
        """How many workers have nothing to do now and nothing in line."""
        return self.workers - self._under_way - len(self.stuck) - len(self.ready)

    def next_slot(self) -> int | None:
        """The first slot without a flight, if a worker is there for it."""
        while self._order and self._order[0] not in self._free:
            heapq.heappop(self._order)
        return self._order[0] if self._order and self.idle_workers() > 0 else None

    def is_free(self, slot: int) -> bool:
        """Whether a slot has no flight."""
        return slot in self._free

    def begin(self, query: Query, slot: int) -> None:
        """A new flight from a slot."""
        self._free.remove(slot)
        flight = self.flying[query.id] = Flight(query, slot)
        self.ready.append(flight)

    def took_off(self, flight: Flight, future: Future[Any]) -> None:
        """An evaluation is under way."""
        flight.future = future
        self._under_way += 1

    def landed(self, flight: Flight) -> None:
        """It is not any more."""
        flight.future = None
        self._under_way -= 1

    def end(self, flight: Flight) -> None:
        """The query is settled, or left pending: the slot is free."""
        if flight in self.ready:
            self.ready.remove(flight)
        if self.flying.pop(flight.query.id, None) is not None:
            self._free.add(flight.slot)
            heapq.heappush(self._order, flight.slot)

    def remind(self, at: float, flight: Flight, future: Future[Any] | None = None) -> None:
        """Have something done at an instant."""
        heapq.heappush(self._alarms, Alarm(at, next(self._numbers), flight, future))

    def next_alarm(self) -> float | None:
        """When the next thing is due."""
        while self._alarms and not self._matters(self._alarms[0]):
            heapq.heappop(self._alarms)
        return self._alarms[0].at if self._alarms else None

    def due(self, now: float) -> Iterable[Alarm]:
        """What is due now, once."""
        while (at := self.next_alarm()) is not None and at <= now:
            yield heapq.heappop(self._alarms)

    def _matters(self, alarm: Alarm) -> bool:
        return alarm.flight.query.id in self.flying and alarm.flight.future is alarm.future


@final
class Earlier:
    """Queries that a run of the same name left behind when it was killed; they come before any new one.

    Each belongs to the slot that had asked it: an ask by the name of that slot would give the same query. Queries of
    slots
    that no longer exist, because there are fewer workers, go to any slot.
    """

    def __init__(self, terms: Terms, pending: Iterable[Query]) -> None:
        self._own: dict[int, deque[Query]] = {}
        self._others: deque[Query] = deque()
        for query in pending:
            slot = terms.slot_of(query.worker)
            if slot is not None and slot < terms.workers:
                self._own.setdefault(slot, deque()).append(query)
            elif slot is not None:
                self._others.append(query)

    def slot(self, flights: Flights) -> int | None:
        """The slot to fill next; None if there is none, or none yet."""
        first = flights.next_slot()
        if first is None or not self._own:
            return first
        return next((slot for slot in self._own if flights.is_free(slot)), None)

    def take(self, slot: int) -> Query | None:
        """A query for this slot, if any is left."""
        own = self._own.get(slot)
        if own is None:
            return self._others.popleft() if self._others else None
        query = own.popleft()
        if not own:
            del self._own[slot]
        return query
