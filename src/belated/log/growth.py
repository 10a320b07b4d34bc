"""How rows and notes take in events: new items are appended to the sequences of which they are views."""

from __future__ import annotations

from bisect import insort

import numpy as np

from belated.log.events import Added, Asked, Event
from belated.log.growing import Growing, frozen
from belated.log.notes import Notes
from belated.log.rows import LEADERS, NEVER, Extent, Rows
from belated.log.values import Values
from belated.space import Array


class Growth:
    """The one place where stores and notes change: they take in events one by one, and `grown()` is a view of them.

    The first growth of some rows appends to their store. A second one copies the store, and a revision copies the
    values.
    """

    def __init__(self, base: Rows, notes: Notes) -> None:
        self.base = base
        if base.claim():
            self.store, self.notes = base.store, notes
        else:
            self.store = base.copied().store
            self.notes = notes.copied(base.extent, set(base.arrivals["row"].tolist()))
        self.n_rows, self.n_asks, self.n_answers, self.n_abandonments, self.n_sightings = base.extent
        self.leaders = list(_leading(base))
        self.asked: list[int] = []
        self.ended: list[int] = []
        self.revised = False

    def ask(self, event: Event, body: Asked, point: Array) -> None:
        """Enter a query, which then waits."""
        row = self.n_rows
        self.n_asks += 1
        self._enter(event, body, point, self.n_asks, event.number - 1 if body.after is None else body.after)
        self.asked.append(row)

    def add(self, event: Event, body: Added, point: Array, value: float) -> None:
        """Enter a row with its answer."""
        row = self.n_rows
        self._enter(event, body, point, 0, event.number - 1)
        self._arrive(event, row, value, 0)

    def answer(self, event: Event, query: int, value: float) -> None:
        """Add the answer of a query."""
        row = self._ended(query)
        self._arrive(event, row, value, self.n_asks - int(self.store.entries.item(row)["number"]))

    def see(self, event: Event, query: int, context: Array, values: Values) -> None:
        """Add the context of a query."""
        assert self._place(self.store.sighting_places, query) == NEVER, "a query has one context"
        self.store.sighting_places.mark(query - 1, self.n_sightings)
        self.store.sightings.append((query - 1, event.number))
        self.store.contexts.append(context)
        self.notes.contexts.append(values)
        self.n_sightings += 1

    def abandon(self, event: Event, query: int, reason: str) -> None:
        """End the wait of a query without an answer."""
        row = self._ended(query)
        self.store.abandonment_places.mark(row, self.n_abandonments)
        self.store.abandonments.append((self.n_asks, event.at))
        self.notes.reasons.append(reason)
        self.n_abandonments += 1

    def revise(self, query: int, value: float) -> None:
        """Replace an answer, in a copy of the values."""
        row, place = query - 1, self._place(self.store.answer_places, query)
        assert place != NEVER, "only what was answered is revised"
        if not self.revised:
            self.store = self.store.with_values(self.store.arrived_values.fork(self.n_answers))
            self.notes, self.revised = self.notes.revisable(), True
        before = float(self.store.arrived_values.item(place))
        self.notes.earlier[row] = (*self.notes.earlier.get(row, ()), before)
        self.store.arrived_values.mark(place, value)

    def grown(self) -> tuple[Rows, Notes]:
        """The rows and notes with all events so far."""
        extent = Extent(self.n_rows, self.n_asks, self.n_answers, self.n_abandonments, self.n_sightings)
        pending = self.base.pending
        if self.asked:
            pending = np.concatenate([pending, np.array(self.asked, np.intp)])
        if self.ended:
            pending = np.delete(pending, np.searchsorted(pending, self.ended))
        rows = Rows(self.store, extent, frozen(pending), None if self.revised else tuple(self.leaders), [None])
        return rows, self.notes

    def _enter(self, event: Event, body: Asked | Added, point: Array, number: int, after: int) -> None:
        assert body.query == self.n_rows + 1, "identifiers have no gap"
        self.notes.enter(event)
        arm = body.arm if isinstance(body, Asked) and body.arm is not None else -1
        self.store.entries.append((number, self.n_asks, event.number, after, event.at, arm))
        self.store.points.append(point)
        self.store.answer_places.append(NEVER)
        self.store.abandonment_places.append(NEVER)
        self.store.sighting_places.append(NEVER)
        self.n_rows += 1

    def _arrive(self, event: Event, row: int, value: float, delay: int) -> None:
        self.store.answer_places.mark(row, self.n_answers)
        self.store.arrivals.append((row, event.number, delay, event.at))
        self.store.arrived_points.append(self.store.points.item(row))
        self.store.arrived_values.append(value)
        self.n_answers += 1
        insort(self.leaders, (-value, row))
        del self.leaders[LEADERS:]

    def _ended(self, query: int) -> int:
        for places in (self.store.answer_places, self.store.abandonment_places):
            assert self._place(places, query) == NEVER, "only a pending query is answered or abandoned"
        self.ended.append(query - 1)
        return query - 1

    def _place(self, places: Growing, query: int) -> int:
        assert 1 <= query <= self.n_rows, "a query enters before anything else happens to it"
        return int(places.item(query - 1))


def _leading(rows: Rows) -> tuple[tuple[float, int], ...]:
    """The best answers as (−value, row), computed if they were not."""
    if rows.leaders is not None:
        return rows.leaders
    best = rows.best(LEADERS)
    return tuple(zip((-rows.arrived_values[rows.answer_places[best]]).tolist(), best.tolist(), strict=True))
