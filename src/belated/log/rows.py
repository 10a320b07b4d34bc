"""The numbers of a log, one row for each query: sequences that only ever grow, shared by all that were read from it.

A row enters, and later it is answered, or its wait ends without an answer, or its context is seen. Each appends
one item to a sequence, so a view of the rows is five numbers: how many rows, asks, answers, endings and contexts it
includes. A row stores its place among the answers, or among the endings; in a view with fewer of them, it is still
pending. Only what corrects earlier items changes them, after it has copied their sequences.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from copy import copy
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from belated.log.growing import Growing, Items, frozen
from belated.log.query import State, Window
from belated.space import Array, Indices, Mask

ENTRY = np.dtype(
    [
        ("number", np.int64),  # of the ask, from 1; 0 for added data
        ("asks", np.int64),  # queries asked until then, this one included
        ("entered", np.int64),  # number of the event that brought the row
        ("after", np.int64),  # number of the last event that the decision to ask it saw
        ("asked_at", np.float64),
        ("arm", np.int64),  # that chose it, from 0; −1 for none
    ]
)
ARRIVAL = np.dtype(
    [
        ("row", np.int64),
        ("arrived", np.int64),  # number of the event that brought the answer
        ("delay", np.int64),  # queries asked after it before its answer came
        ("answered_at", np.float64),
    ]
)
ENDING = np.dtype(
    [
        ("asks", np.int64),  # queries asked until then
        ("ended_at", np.float64),
        ("how", np.int64),  # the place of the state among ENDINGS
    ]
)
# The states of queries whose wait ended without an answer that counts.
ENDINGS = State.ABANDONED, State.FAILED, State.RETRACTED
ERROR = np.dtype(
    [
        ("sd", np.float64),  # the standard error that was told; NaN where none was
        ("repeats", np.int64),  # of which the answer is the mean; 1 for a single measurement
        ("scatter", np.float64),  # the sum of squares of the repeats about their mean
    ]
)
UNKNOWN = (np.nan, 1, 0.0)
SIGHTING = np.dtype(
    [
        ("row", np.int64),
        ("seen", np.int64),  # number of the event that brought the context
    ]
)
# The place among answers, endings or contexts of a row that has none.
NEVER = np.iinfo(np.int64).max
# The place of a row that was not kept.
GONE = -1
# This many of the best answers are kept in order, which is more than any rule reads.
LEADERS = 8


class Extent(NamedTuple):
    """How many items of each sequence a view includes."""

    rows: int = 0
    asks: int = 0
    answers: int = 0
    endings: int = 0
    sightings: int = 0


class Store:
    """The sequences of rows, answers, endings and contexts."""

    def __init__(self, width: int, context_width: int = 0) -> None:
        # By row.
        self.entries = Growing(np.empty(0, ENTRY))
        self.points = Growing(np.empty((0, width)))
        self.answer_places = Growing(np.empty(0, np.int64))
        self.ending_places = Growing(np.empty(0, np.int64))
        self.sighting_places = Growing(np.empty(0, np.int64))
        # In the order of arrival.
        self.arrivals = Growing(np.empty(0, ARRIVAL))
        self.arrived_points = Growing(np.empty((0, width)))
        self.arrived_values = Growing(np.empty(0))
        self.errors = Growing(np.empty(0, ERROR))
        # In the order in which waits ended without an answer.
        self.endings = Growing(np.empty(0, ENDING))
        # In the order in which contexts were seen, where they are seen after the decision.
        self.sightings = Growing(np.empty(0, SIGHTING))
        self.contexts = Growing(np.empty((0, context_width)))

    def with_values(self, values: Growing, errors: Growing) -> Store:
        """This store with values of its own; all other sequences are still shared."""
        fork = copy(self)
        fork.arrived_values, fork.errors = values, errors
        return fork

    def forked(self, n_rows: int, n_answers: int) -> Store:
        """This store with points, places and answers of its own; all other sequences are still shared."""
        fork = self.with_values(self.arrived_values.fork(n_answers), self.errors.fork(n_answers))
        fork.points, fork.arrived_points = self.points.fork(n_rows), self.arrived_points.fork(n_answers)
        fork.answer_places, fork.ending_places = self.answer_places.fork(n_rows), self.ending_places.fork(n_rows)
        fork.arrivals = self.arrivals.fork(n_answers)
        return fork

    def withdraw(self, place: int) -> None:
        """Take an answer out of the sequences of a forked store."""
        for sequence in (self.arrivals, self.arrived_points, self.arrived_values, self.errors):
            sequence.remove(place)
        places = self.answer_places.first(len(self.answer_places)).copy()
        places[(places > place) & (places != NEVER)] -= 1
        self.answer_places = Growing(places)


@dataclass(frozen=True, eq=False)
class Rows:
    """A view of the first items of a store.

    `leaders` are the best answers as (−value, row), best first and equal ones in the order of rows; None if they were
    not computed yet. The first caller that takes the `ticket` may append to the store; later ones copy it.
    """

    store: Store
    extent: Extent
    pending: Indices  # rising
    leaders: tuple[tuple[float, int], ...] | None
    ticket: list[None]
    bare: bool = True  # whether every answer is a single measurement whose error is unknown

    @staticmethod
    def empty(width: int, context_width: int = 0) -> Rows:
        """The rows of a study in which nothing has happened."""
        return Rows(Store(width, context_width), Extent(), frozen(np.empty(0, np.intp)), (), [None])

    @property
    def entries(self) -> Items:
        """What is known of each row since it entered."""
        return self.store.entries.first(self.extent.rows)

    @property
    def points(self) -> Array:
        """The point of each row. (n, d)"""
        return self.store.points.first(self.extent.rows)

    @property
    def answer_places(self) -> Items:
        """For each row its place among the answers, which counts where it is below their number."""
        return self.store.answer_places.first(self.extent.rows)

    @property
    def ending_places(self) -> Items:
        """For each row its place among the endings; a place beyond their number in this view does not count."""
        return self.store.ending_places.first(self.extent.rows)

    @property
    def endings(self) -> Items:
        """What is known of each end of a wait without an answer, in that order."""
        return self.store.endings.first(self.extent.endings)

    @property
    def sighting_places(self) -> Items:
        """For each row its place among the contexts seen; a place beyond their number in this view does not count."""
        return self.store.sighting_places.first(self.extent.rows)

    @property
    def sightings(self) -> Items:
        """What is known of each context that was seen, in that order."""
        return self.store.sightings.first(self.extent.sightings)

    @property
    def contexts(self) -> Array:
        """The contexts that were seen, in that order. (s, c)"""
        return self.store.contexts.first(self.extent.sightings)

    @property
    def arrivals(self) -> Items:
        """What is known of each answer, in the order of arrival."""
        return self.store.arrivals.first(self.extent.answers)

    @property
    def arrived_points(self) -> Array:
        """The points of the answers, in the order of arrival. (m, d)"""
        return self.store.arrived_points.first(self.extent.answers)

    @property
    def arrived_values(self) -> Array:
        """The answers in inside units, in the order of arrival. (m,)"""
        return self.store.arrived_values.first(self.extent.answers)

    @property
    def errors(self) -> Items:
        """What is known of the error of each answer, in the order of arrival."""
        return self.store.errors.first(self.extent.answers)

    def ended(self, state: State) -> Indices:
        """The rows whose wait ended in this state, rising."""
        rows = np.flatnonzero(self.ending_places < self.extent.endings)
        how = self.endings["how"][self.ending_places[rows]]
        return np.asarray(rows[how == ENDINGS.index(state)])

    def best(self, count: int) -> Indices:
        """The rows of the highest answers, best first, and equal ones in the order of rows."""
        if self.leaders is not None and count <= LEADERS:
            return np.array([row for _, row in self.leaders[:count]], dtype=np.intp)
        rows, values = self.arrivals["row"], self.arrived_values
        least = -np.partition(-values, count - 1)[count - 1] if 0 < count < len(values) else -np.inf
        high = np.flatnonzero(values >= least)
        return np.asarray(rows[high[np.lexsort((rows[high], -values[high]))[:count]]])

    def asked(self, first: int, last: int) -> Indices:
        """The rows of queries number `first` to `last`, rising."""
        asks = self.entries["asks"]
        rows = np.arange(bisect_left(asks, first), bisect_right(asks, last))
        return rows[self.entries["number"][rows] > 0]

    def kept(self, first: int, last: int) -> Indices:
        """The rows of queries number `first` to `last` that are answered or waited for, rising."""
        rows = self.asked(first, last)
        return rows[self.ending_places[rows] >= self.extent.endings]

    def ages(self, rows: Indices | slice) -> Indices:
        """How many queries were asked after each of these rows; 0 for added data. (k,)"""
        numbers = self.entries["number"][rows]
        return np.asarray(np.where(numbers > 0, self.extent.asks - numbers, 0))

    def exceed(self, window: Window, now: float) -> Mask:
        """Which of the pending rows have waited longer than the window. (p,)"""
        rows = self.pending
        return window.exceeded(self.ages(rows), now - self.entries["asked_at"][rows])

    def until(self, event: int, asks: int) -> Rows:
        """The rows as they were after an earlier event and that many asks; revisions and endings stay."""
        # Unlike bisect, NumPy would first copy a column that lies among others.
        n_rows, n_answers = bisect_right(self.entries["entered"], event), bisect_right(self.arrivals["arrived"], event)
        later = self.arrivals["row"][n_answers:]
        pending = np.concatenate([self.pending, later])
        n_sightings = bisect_right(self.sightings["seen"], event)
        extent = Extent(n_rows, asks, n_answers, self.extent.endings, n_sightings)
        return Rows(self.store, extent, frozen(np.sort(pending[pending < n_rows])), None, [], self.bare)

    def only(self, kept: Indices) -> Rows:
        """Some of the rows, given in rising order, in a store of their own; asks keep their numbers."""
        place = np.full(self.extent.rows, GONE)  # where a row of this store is in the new one
        place[kept] = np.arange(len(kept))
        arrived = np.flatnonzero(place[self.arrivals["row"]] != GONE)
        arrivals = self.arrivals[arrived]
        arrivals["row"] = place[arrivals["row"]]
        answer_places, ending_places = np.full(len(kept), NEVER), self.ending_places[kept]
        answer_places[arrivals["row"]] = np.arange(len(arrivals))
        ending_places[ending_places >= self.extent.endings] = NEVER
        store = Store(self.points.shape[1], self.contexts.shape[1])
        store.entries, store.points = Growing(self.entries[kept]), Growing(self.points[kept])
        store.answer_places, store.ending_places = Growing(answer_places), Growing(ending_places)
        store.arrivals, store.arrived_points = Growing(arrivals), Growing(self.arrived_points[arrived])
        store.arrived_values, store.errors = Growing(self.arrived_values[arrived]), Growing(self.errors[arrived])
        store.endings = Growing(self.endings.copy())
        seen = self._keep_contexts(store, place)
        extent = self.extent._replace(rows=len(kept), answers=len(arrivals), sightings=seen)
        pending = place[self.pending]
        return Rows(store, extent, frozen(pending[pending != GONE]), None, [None], self.bare)

    def _keep_contexts(self, store: Store, place: Indices) -> int:
        """Copy the contexts of the kept rows into another store; returns their number."""
        n_rows = int(np.count_nonzero(place != GONE))
        places, sightings = np.full(n_rows, NEVER), self.sightings
        seen = np.flatnonzero(place[sightings["row"]] != GONE)
        sightings = sightings[seen]
        sightings["row"] = place[sightings["row"]]
        places[sightings["row"]] = np.arange(len(seen))
        store.sighting_places, store.sightings = Growing(places), Growing(sightings)
        store.contexts = Growing(self.contexts[seen])
        return len(seen)

    def placed(self, contexts: Array, kept: Indices) -> Rows:
        """Some of the rows, each with a context's columns (k, c) before its point's, in a store of their own.

        An answer arrives once both it and its context are there; answers are in the order of these events.
        """
        alone = self.only(kept)
        store, arrivals = alone.store, alone.arrivals.copy()
        rows = arrivals["row"]
        seen = alone.sightings["seen"][alone.sighting_places[rows]]
        arrivals["arrived"] = np.maximum(arrivals["arrived"], seen)
        order = np.argsort(arrivals["arrived"], kind="stable")
        points = np.concatenate([contexts, alone.points], axis=1)
        wide = Store(points.shape[1])
        answer_places = alone.answer_places.copy()
        answer_places[rows[order]] = np.arange(len(order))
        wide.entries, wide.points = store.entries, Growing(points)
        wide.answer_places, wide.ending_places = Growing(answer_places), store.ending_places
        wide.sighting_places = Growing(np.full(len(points), NEVER))
        wide.arrivals, wide.arrived_points = Growing(arrivals[order]), Growing(points[rows[order]])
        wide.arrived_values, wide.errors = Growing(alone.arrived_values[order]), Growing(alone.errors[order])
        wide.endings = store.endings
        return Rows(wide, alone.extent._replace(sightings=0), alone.pending, None, [None], self.bare)

    def with_values(self, values: Array, errors: tuple[Array, Array, Array] | None = None) -> Rows:
        """The same rows with other answers, in the order of arrival, and with the parts of ERROR, if others are given.

        Their store takes no further events.
        """
        told = self.errors
        if errors is not None:
            told = np.empty(len(values), ERROR)
            for name, part in zip(ERROR.names or (), errors, strict=True):
                told[name] = part
        store = self.store.with_values(Growing(values), Growing(told))
        return Rows(store, self.extent, self.pending, None, [], self.bare)

    def answered_at_once(self, point: Array, value: float) -> Rows:
        """The rows and one more, asked and answered after all else, in a store of their own."""
        alone, (n_rows, n_asks, n_answers, *_) = self.copied(), self.extent
        store = alone.store
        store.entries.append((n_asks + 1, n_asks + 1, NEVER, NEVER, np.inf, -1))
        store.points.append(point)
        store.answer_places.append(n_answers)
        store.ending_places.append(NEVER)
        store.sighting_places.append(NEVER)
        store.arrivals.append((n_rows, NEVER, 0, np.inf))
        store.arrived_points.append(point)
        store.arrived_values.append(value)
        store.errors.append(UNKNOWN)
        extent = alone.extent._replace(rows=n_rows + 1, asks=n_asks + 1, answers=n_answers + 1)
        return Rows(store, extent, alone.pending, None, [], self.bare)

    def presumed(self, rows: Indices, arrived: Indices, value: float) -> Rows:
        """The rows, of which these pending ones count as answered so since these events, in a store of their own."""
        alone = self.copied()
        store, of_rows = alone.store, np.zeros(len(rows), ARRIVAL)
        of_rows["row"], of_rows["arrived"], of_rows["delay"] = rows, arrived, self.ages(rows)
        of_rows["answered_at"] = self.entries["asked_at"][rows]
        errors = np.full(len(rows), np.array(UNKNOWN, ERROR))
        arrivals = np.concatenate([alone.arrivals, of_rows])
        order = np.argsort(arrivals["arrived"], kind="stable")
        store.arrivals = Growing(arrivals[order])
        store.arrived_points = Growing(np.concatenate([alone.arrived_points, alone.points[rows]])[order])
        store.arrived_values = Growing(np.concatenate([alone.arrived_values, np.full(len(rows), value)])[order])
        store.errors = Growing(np.concatenate([alone.errors, errors])[order])
        places = alone.answer_places.copy()
        places[arrivals["row"][order]] = np.arange(len(order))
        store.answer_places = Growing(places)
        pending = np.setdiff1d(alone.pending, rows)
        extent = alone.extent._replace(answers=len(order))
        return Rows(store, extent, frozen(pending), None, [], self.bare)

    def claim(self) -> bool:
        """Whether this caller may append to the store: the first caller may, and others need a copy."""
        try:
            self.ticket.pop()
        except IndexError:
            return False
        return True

    def copied(self) -> Rows:
        """The same rows in a store of their own."""
        return self.only(np.arange(self.extent.rows))
