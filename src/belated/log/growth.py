"""How rows and notes take in events: new items are appended to the sequences of which they are views."""

from __future__ import annotations

from bisect import insort

import numpy as np

from belated.log.events import Added, Asked, Event
from belated.log.growing import Growing, frozen
from belated.log.measurement import Measurement
from belated.log.notes import Notes
from belated.log.query import State
from belated.log.rows import ENDINGS, LEADERS, NEVER, Extent, Rows
from belated.log.values import Values
from belated.space import Array


class Growth:
    """The one place where stores and notes change: they take in events one by one, and `grown()` is a view of them.

    The first growth of some rows appends to their store. A second one copies the store; a revision copies the values,
    and what changes places or points copies those.
    """

    def __init__(self, base: Rows, notes: Notes) -> None:
        self.base = base
        if base.claim():
            self.store, self.notes = base.store, notes
        else:
            self.store = base.copied().store
            self.notes = notes.copied(base.extent, set(base.arrivals["row"].tolist()))
        self.n_rows, self.n_asks, self.n_answers, self.n_endings, self.n_sightings = base.extent
        self.leaders = list(_leading(base))
        self.asked: list[int] = []
        self.ended: list[int] = []
        self.revised = self.forked = False
        self.bare = base.bare

    def ask(self, event: Event, body: Asked, point: Array) -> None:
        """Enter a query, which then waits."""
        row = self.n_rows
        self.n_asks += 1
        self._enter(event, body, point, self.n_asks, event.number - 1 if body.after is None else body.after)
        self.asked.append(row)

    def add(self, event: Event, body: Added, point: Array, sign: float, measured: Measurement | None) -> None:
        """Enter a row, with its answer if it was measured."""
        row = self.n_rows
        self._enter(event, body, point, 0, event.number - 1)
        if measured is not None:
            self._arrive(event, row, sign * measured.value, measured, 0)
        else:
            # It is not waited for, and may be told.
            self._mark_end(row, State.RETRACTED, "", self.n_asks, event.at)

    def answer(self, event: Event, query: int, sign: float, measured: Measurement) -> None:
        """Add the answer of a query."""
        row = self._awaited(query)
        number = int(self.store.entries.item(row)["number"])
        # Data that was added and taken back has no delay when it is told again.
        self._arrive(event, row, sign * measured.value, measured, self.n_asks - number if number else 0)

    def see(self, event: Event, query: int, context: Array, values: Values) -> None:
        """Add the context of a query."""
        assert self._place(self.store.sighting_places, query) == NEVER, "a query has one context"
        self.store.sighting_places.mark(query - 1, self.n_sightings)
        self.store.sightings.append((query - 1, event.number))
        self.store.contexts.append(context)
        self.notes.contexts.append(values)
        self.n_sightings += 1

    def end(self, event: Event, query: int, state: State, reason: str) -> None:
        """End the wait of a query without an answer, if it is waited for."""
        if not self.is_answered(query):
            self._mark_end(self._awaited(query), state, reason, self.n_asks, event.at)

    def revise(self, query: int, sign: float, measured: Measurement) -> None:
        """Replace an answer, in a copy of the values."""
        row, place = query - 1, self._place(self.store.answer_places, query)
        assert place != NEVER, "only what was answered is revised"
        if not self.revised:
            copies = self.store.arrived_values.fork(self.n_answers), self.store.errors.fork(self.n_answers)
            self.store = self.store.with_values(*copies)
            self.notes, self.revised = self.notes.revisable(), True
        before = float(self.store.arrived_values.item(place))
        self.notes.earlier[row] = (*self.notes.earlier.get(row, ()), before)
        self.store.arrived_values.mark(place, sign * measured.value)
        self.store.errors.mark(place, _error(measured))
        self._note(row, measured)

    def move(self, query: int, point: Array, values: Values) -> None:
        """Put a query where it was really tried, in a copy of the points."""
        row, place = query - 1, self._place(self.store.answer_places, query)
        self._fork()
        self.store.points.mark(row, point)
        if place != NEVER:
            self.store.arrived_points.mark(place, point)
        self.notes.performed[row] = values

    def retract(self, event: Event, query: int, reason: str) -> None:
        """Take back the answer of a query or what else ended its wait, in a copy; it is waited for no more."""
        row, place = query - 1, self._place(self.store.answer_places, query)
        ended = self._place(self.store.ending_places, query)
        if place == NEVER and ended == NEVER:
            self.end(event, query, State.RETRACTED, reason)
            return
        self._fork()
        if place == NEVER:
            ending = self.store.endings.item(ended)
            asks, at = int(ending["asks"]), float(ending["ended_at"])
        else:
            arrival = self.store.arrivals.item(place)
            # Its wait was as long as the answer showed, though the value says nothing any more.
            asks = int(self.store.entries.item(row)["number"]) + int(arrival["delay"])
            at = float(arrival["answered_at"])
            self.store.withdraw(place)
            self.store.answer_places.mark(row, NEVER)
            self.n_answers -= 1
            self.notes.earlier.pop(row, None)
            self.notes.errors.pop(row, None)
        self._mark_end(row, State.RETRACTED, reason, asks, at)

    def measured(self, query: int, sign: float) -> Measurement:
        """The answer of a query, as it was told."""
        place = self._place(self.store.answer_places, query)
        return self.notes.errors.get(query - 1) or Measurement(sign * float(self.store.arrived_values.item(place)))

    def is_answered(self, query: int) -> bool:
        """Whether a query has an answer."""
        return self._place(self.store.answer_places, query) != NEVER

    def grown(self) -> tuple[Rows, Notes]:
        """The rows and notes with all events so far."""
        extent = Extent(self.n_rows, self.n_asks, self.n_answers, self.n_endings, self.n_sightings)
        pending = self.base.pending
        if self.asked:
            pending = np.concatenate([pending, np.array(self.asked, np.intp)])
        if self.ended:
            pending = np.delete(pending, np.searchsorted(pending, self.ended))
        leaders = None if self.revised else tuple(self.leaders)
        rows = Rows(self.store, extent, frozen(pending), leaders, [None], self.bare)
        return rows, self.notes

    def _enter(self, event: Event, body: Asked | Added, point: Array, number: int, after: int) -> None:
        assert body.query == self.n_rows + 1, "identifiers have no gap"
        self.notes.enter(event)
        arm = body.arm if isinstance(body, Asked) and body.arm is not None else -1
        self.store.entries.append((number, self.n_asks, event.number, after, event.at, arm))
        self.store.points.append(point)
        self.store.answer_places.append(NEVER)
        self.store.ending_places.append(NEVER)
        self.store.sighting_places.append(NEVER)
        self.n_rows += 1

    def _arrive(self, event: Event, row: int, value: float, measured: Measurement, delay: int) -> None:
        self.store.answer_places.mark(row, self.n_answers)
        self.store.arrivals.append((row, event.number, delay, event.at))
        self.store.arrived_points.append(self.store.points.item(row))
        self.store.arrived_values.append(value)
        self.store.errors.append(_error(measured))
        self._note(row, measured)
        self.n_answers += 1
        insort(self.leaders, (-value, row))
        del self.leaders[LEADERS:]

    def _note(self, row: int, measured: Measurement) -> None:
        """Note what is known of the error of an answer."""
        self.bare = self.bare and measured.plain
        if not measured.plain:
            self.notes.errors[row] = measured
        else:
            self.notes.errors.pop(row, None)

    def _awaited(self, query: int) -> int:
        """The row of a query that an answer or another end of its wait comes to."""
        assert not self.is_answered(query), "only a query without an answer is answered, abandoned or failed"
        place, row = self._place(self.store.ending_places, query), query - 1
        if place == NEVER:
            self.ended.append(row)
            return row
        assert self.store.endings.item(place)["how"] == ENDINGS.index(State.RETRACTED), "a wait ends once"
        self._fork()
        self.store.ending_places.mark(row, NEVER)
        return row

    def _mark_end(self, row: int, state: State, reason: str, asks: int, at: float) -> None:
        self.store.ending_places.mark(row, self.n_endings)
        self.store.endings.append((asks, at, ENDINGS.index(state)))
        self.notes.reasons.append(reason)
        self.n_endings += 1

    def _fork(self) -> None:
        """Change what was there in copies from here on."""
        if not self.forked:
            self.store = self.store.forked(self.n_rows, self.n_answers)
            self.notes = self.notes.revisable()
            self.forked = self.revised = True

    def _place(self, places: Growing, query: int) -> int:
        assert 1 <= query <= self.n_rows, "a query enters before anything else happens to it"
        return int(places.item(query - 1))


def _error(measured: Measurement) -> tuple[float, int, float]:
    """What is known of the error of an answer, as it is kept."""
    sd = np.nan if measured.sd is None else measured.sd
    return sd, len(measured.repeats) or 1, measured.scatter


def _leading(rows: Rows) -> tuple[tuple[float, int], ...]:
    """The best answers as (−value, row), computed if they were not."""
    if rows.leaders is not None:
        return rows.leaders
    best = rows.best(LEADERS)
    return tuple(zip((-rows.arrived_values[rows.answer_places[best]]).tolist(), best.tolist(), strict=True))
