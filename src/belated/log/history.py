"""What the events of a study add up to, in the form that the mathematics reads.

Row i is the query with identifier i + 1, in the order in which it entered the log. `points` are encodings in the
unit cube (columns of a context seen before the decision come first), `values` are in inside units: the goal's sign
is applied here, once, so that everything below this room maximises; `on` gives them on another scale than the user's.
Contexts seen after the decision are kept beside the points; `placed` puts both together.

One more event costs the same however many there were. So does what is read of the answers in the order of their
arrival, of the pending rows and of a stretch of asks; values and masks over all rows cost one pass over them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from belated.log.data import Data
from belated.log.events import Abandoned, Added, Answered, Asked, ContextSeen, Event, Revised
from belated.log.growing import Items, frozen
from belated.log.growth import Growth
from belated.log.query import Query, Window
from belated.log.records import Records, kept
from belated.log.rows import Rows
from belated.log.scale import Scale
from belated.log.settings import Settings
from belated.log.table import to_dataframe
from belated.log.waits import Unit, Waits, waits
from belated.space import Array, Context, Domain, Indices, Mask

if TYPE_CHECKING:
    from pandas import DataFrame


class Plays(NamedTuple):
    """Queries that the arms of the policy that decides now have asked."""

    arms: Indices  # (k,)
    known: Indices  # (k,) how many answers had come when each was decided on
    places: Indices  # (k,) the place of each one's answer among all that came; beyond them where it has none


@dataclass(frozen=True, eq=False)
class History:
    """The study so far. Immutable: `extend` returns the history with more events."""

    domain: Domain
    context: Context | None
    sign: float
    n_events: int
    settings: Settings
    _seen: Rows
    _overdue: frozenset[int] = frozenset()  # rows that `at` has marked
    _placed: bool = False  # whether contexts seen after the decisions stand before the points
    scale: Scale | None = None  # on which answers are read, if not as they are

    @staticmethod
    def empty(domain: Domain, context: Context | None = None, sign: float = 1.0) -> History:
        """The history of a study in which nothing has happened."""
        of_context = 0 if context is None else context.space.dimension
        before = context is not None and context.seen == "before"
        widths = (domain.dimension + of_context, 0) if before else (domain.dimension, of_context)
        return History(domain, context, sign, 0, Settings(), Rows.empty(*widths))

    def extend(self, events: Iterable[Event]) -> History:
        """The history after these events too.

        The rows that are there are shared, not copied, by the first history that goes on from this one; a second one
        copies them, as a revision copies the values.
        """
        following = list(events)
        if not following:
            return self
        growth, settings, number = Growth(self._seen), self.settings, self.n_events
        for event in following:
            assert event.number > number, "events are numbered on"
            number = event.number
            settings = settings.after(event)
            self._take(growth, event)
        return replace(self, n_events=number, settings=settings, _seen=growth.rows())

    def _take(self, growth: Growth, event: Event) -> None:
        match event.body:
            case Asked() as asked:
                growth.ask(event, asked, encode(self.domain, self.context, asked.point, asked.context))
            case Added() as added:
                point = encode(self.domain, self.context, added.point, added.context)
                growth.add(event, added, point, self.inward(added.value))
                self._see(growth, event, added.query, added.context)
            case Answered(query=query, value=value, context=context):
                growth.answer(event, query, self.inward(value))
                self._see(growth, event, query, context)
            case ContextSeen(query=query, context=context):
                self._see(growth, event, query, context)
            case Revised(query=query, value=value):
                growth.revise(query, self.inward(value))
            case Abandoned(query=query, reason=reason):
                growth.abandon(event, query, reason)

    def _see(self, growth: Growth, event: Event, query: int, context: Mapping[str, Any] | None) -> None:
        """Take in a context that was seen after the decision, if there is one."""
        if context is not None and self.context is not None and self.context.seen == "after":
            growth.see(event, query, self.context.space.encode(context), kept(context))

    # What a treatment, a rule or a pacing reads.

    def __len__(self) -> int:
        return self._seen.extent.rows

    @property
    def n_asked(self) -> int:
        """How many queries were asked."""
        return self._seen.extent.asks

    @property
    def n_answered(self) -> int:
        """How many answers there are."""
        return self._seen.extent.answers

    @property
    def points(self) -> Array:
        """The points of all rows. (n, d)"""
        return self._seen.points

    @property
    def decided_columns(self) -> slice:
        """The columns that were known when each row was asked: of contexts that came later, some are only drawn."""
        return slice(self.points.shape[1] - self.domain.dimension if self._placed else 0, None)

    @cached_property
    def values(self) -> Array:
        """The answers in inside units, NaN where there is none. (n,)"""
        return self._by_row(np.nan, self._seen.arrived_values)

    @cached_property
    def answered_mask(self) -> Mask:
        """Rows with an answer that counts."""
        return frozen(self._seen.answer_places < self.n_answered)

    @cached_property
    def pending_mask(self) -> Mask:
        """Rows still unanswered and not abandoned, overdue ones included."""
        return self._mask(self._seen.pending)

    @property
    def began_at(self) -> float:
        """When the study was created."""
        return self.settings.began_at

    def arrivals(self, mask: Mask | None = None) -> Data:
        """The answers in the order of their arrival, a sequence that only ever grows; revised values in their place."""
        data = Data(self._seen.arrived_points, self._seen.arrived_values)
        if mask is None:
            return data
        chosen = np.flatnonzero(mask[self._seen.arrivals["row"]])
        return Data(data.points[chosen], data.values[chosen])

    def answers_before(self, rows: Indices) -> Indices:
        """How many answers had come when each of these rows was decided on. (k,)"""
        return np.searchsorted(self._seen.arrivals["arrived"], self._seen.entries["after"][rows], side="right")

    def arrived_in(self, first: int, last: int) -> Data:
        """Answers to queries number `first` to `last` that had come before query `last` + 1 was asked."""
        places = np.sort(self._seen.answer_places[self._seen.asked(first, last)])
        places = places[places < self.n_answered]
        after = self._decided_after(last + 1)
        if after is not None:
            places = places[self._seen.arrivals["arrived"][places] <= after]
        return Data(self._seen.arrived_points[places], self._seen.arrived_values[places])

    def asked_in(self, first: int, last: int) -> Array:
        """The points of queries number `first` to `last` that were not abandoned, in the order asked. (k, d)"""
        return self.points[self._kept_rows(first, last)]

    def best_rows(self, count: int) -> Indices:
        """The rows of the highest answers, best first; of equals, the first."""
        return self._seen.best(count)

    def ages(self) -> Indices:
        """How many queries were asked after each row; 0 for added data. (n,)"""
        return self._ages(slice(None))

    def ages_of(self, rows: Indices, now: float, unit: Unit) -> Array:
        """How long each of these rows has been waited for by now, in queries asked since or in seconds. (k,)"""
        if unit == "queries":
            return self._ages(rows).astype(float)
        return np.asarray(now - self._seen.entries["asked_at"][rows])

    def waiting_rows(self, window: Window, now: float) -> Indices:
        """The pending rows that the window still holds, in the order asked."""
        return self._seen.pending[~self._overdue_among_pending(window, now)]

    def waiting_mask(self, window: Window, now: float) -> Mask:
        """Pending rows that the window still holds."""
        return self._mask(self.waiting_rows(window, now))

    def counted_rows(self, window: Window, now: float) -> Indices:
        """The rows of queries that were answered or are still waited for, in the order asked."""
        rows = self._kept_rows(1, self.n_asked)
        return rows[~self.overdue_mask(window, now)[rows]]

    def overdue_mask(self, window: Window, now: float) -> Mask:
        """Pending rows that have waited longer than the window."""
        return self._mask(self._seen.pending[self._overdue_among_pending(window, now)])

    def late_mask(self, window: Window) -> Mask:
        """Rows whose answer came after the window."""
        arrivals = self._seen.arrivals
        waited = arrivals["answered_at"] - self._seen.entries["asked_at"][arrivals["row"]]
        return self._mask(arrivals["row"][window.exceeded(arrivals["delay"], waited)])

    def recent_rows(self, window: Window, now: float) -> Indices:
        """Asked rows that the window still holds, answered or not: s = t − m, …, t − 1 for a window of m queries."""
        first = 1 if window.queries is None else self.n_asked + 1 - window.queries
        rows = self._kept_rows(first, self.n_asked)
        return rows[~window.exceeded(self._ages(rows) + 1, now - self._seen.entries["asked_at"][rows])]

    def recent_mask(self, window: Window, now: float) -> Mask:
        """Asked rows that the window still holds, answered or not."""
        return self._mask(self.recent_rows(window, now))

    def longest_delay(self, last: int) -> int:
        """The most queries that were asked between a query and its answer, among so many of the last answers."""
        return int(self._seen.arrivals["delay"][-last:].max(initial=0))

    def waits(self, now: float, last: int | None = None) -> Waits:
        """How long every query, or so many of the last, has been waited for, and how its wait ended."""
        return waits(self._seen, now, last)

    def plays(self) -> Plays:
        """What the arms have asked, in the order asked, and what came of it."""
        arms = self._arms()
        rows = np.flatnonzero(arms >= 0)
        return Plays(arms[rows], self.answers_before(rows), self._seen.answer_places[rows])

    def played_by(self, arm: int) -> History:
        """The history as one arm sees it: the queries that it asked, and what no arm did."""
        arms = self._arms()
        return self.only((arms < 0) | (arms == arm))

    @property
    def contexts(self) -> Array:
        """The contexts seen after decisions, in the order in which they were seen. (s, c)"""
        return self._seen.contexts

    def unplaced_rows(self) -> Indices:
        """The pending rows whose context has not been seen, in the order asked."""
        pending = self._seen.pending
        return pending[self._seen.sighting_places[pending] >= self._seen.extent.sightings]

    def placed(self, contexts: Array) -> History:
        """The history as if its contexts, seen after the decisions, had been known before them.

        A row is (context, point). An answer counts once its context has been seen too; the pending rows whose context
        has not, `unplaced_rows`, stand in these (p, c).
        """
        assert self.context is not None, "only a study with contexts has rows to place"
        seen = self._seen.sighting_places < self._seen.extent.sightings
        columns = np.zeros((len(self), self.contexts.shape[1]))
        columns[seen] = self.contexts[self._seen.sighting_places[seen]]
        columns[self.unplaced_rows()] = contexts
        rows = np.flatnonzero(seen | self.pending_mask)
        marked = np.flatnonzero(np.isin(rows, list(self._overdue)))
        placed = self._seen.placed(columns[rows], rows)
        overdue = frozenset(marked.tolist())
        return replace(self, context=self.context.given(), _seen=placed, _overdue=overdue, _placed=True)

    def only(self, mask: Mask) -> History:
        """The history of some rows alone, as if the others had never entered; the asks keep their numbers."""
        kept = np.flatnonzero(mask)
        marked = np.flatnonzero(np.isin(kept, list(self._overdue)))
        return replace(self, _seen=self._seen.only(kept), _overdue=frozenset(marked.tolist()))

    def before(self, number: int) -> History:
        """The history that the decision to ask query `number` saw, revisions and abandonments kept."""
        after = self._decided_after(number)
        if after is None:
            return self
        # Data added while the decision was made stand before the query in the log, and it did not see them.
        return replace(self, n_events=after, _seen=self._seen.until(after, number - 1))

    def asked_at(self, number: int) -> float | None:
        """When query `number` was asked; None if it was not."""
        rows = self._seen.asked(number, number)
        return float(self._seen.entries["asked_at"][rows[0]]) if rows.size else None

    def on(self, scale: Scale) -> History:
        """The history with its answers, as they are here, read on a scale."""
        assert self.scale is None, "answers are read on one scale"
        return replace(self, _seen=self._seen.with_values(scale.inward(self._seen.arrived_values)), scale=scale)

    def inward(self, value: float) -> float:
        """A value in the user's units, in inside units."""
        signed = self.sign * value
        return signed if self.scale is None else float(self.scale.inward(np.array(signed)))

    def outward(self, mean: Array, deviation: Array) -> tuple[Array, Array]:
        """Mean and deviation in the user's units; from a scale, half of what lies within a deviation of the mean."""
        if self.scale is None:
            return self.sign * mean, deviation
        low, middle, high = (self.scale.outward(read) for read in (mean - deviation, mean, mean + deviation))
        return self.sign * middle, (high - low) / 2.0

    def decoded(self, context: Array) -> dict[str, Any] | None:
        """The context at these coordinates, in the user's values; None where there are none."""
        return self.context.space.decode(context) if self.context is not None and context.size else None

    # What a user reads.

    @property
    def records(self) -> Records:
        """Every query and every added point, in the order of their identifiers, each made when it is looked at."""
        return Records(self._seen, self.sign, self._overdue)

    @cached_property
    def queries(self) -> tuple[Query, ...]:
        """Every query and every added point, in the order of their identifiers."""
        return tuple(self.records)

    def pending(self) -> list[Query]:
        """The queries that wait for an answer, overdue ones included, in the order asked."""
        records = self.records
        return [records[row] for row in self._seen.pending.tolist()]

    def under_way(self, worker: str) -> list[Query]:
        """The queries of this worker that wait for an answer, in the order asked; no record is made of the others."""
        events, records = self._seen.store.events, self.records
        rows = self._seen.pending.tolist()
        return [records[row] for row in rows if getattr(events[row].body, "worker", None) == worker]

    def asked_with(self, key: str) -> list[Query]:
        """The queries that were asked with this key."""
        rows, records = self._seen.store.keyed.get(key, ()), self.records
        return [records[row] for row in rows if row < len(self)]

    def to_dataframe(self) -> DataFrame:
        """One row for every query and every added point; needs pandas."""
        return to_dataframe(self)

    def at(self, now: float, window: Window) -> History:
        """The same history with its overdue queries marked."""
        overdue = self._seen.pending[self._overdue_among_pending(window, now)]
        return replace(self, _overdue=self._overdue | set(overdue.tolist())) if overdue.size else self

    # From the rows.

    def _mask(self, rows: Indices) -> Mask:
        mask = np.zeros(len(self), dtype=bool)
        mask[rows] = True
        return frozen(mask)

    def _by_row(self, missing: float, arrived: Items) -> Items:
        """What arrived, at its rows; elsewhere what is put for missing."""
        values = np.full(len(self), missing, arrived.dtype)
        values[self._seen.arrivals["row"]] = arrived
        return frozen(values)

    def _arms(self) -> Indices:
        """The arm that asked each row; −1 for none, and for one of an earlier policy: its number meant another. (n,)"""
        entries = self._seen.entries
        return np.where(entries["after"] >= self.settings.decides_since, entries["arm"], -1)

    def _ages(self, rows: Indices | slice) -> Indices:
        numbers = self._seen.entries["number"][rows]
        return np.asarray(np.where(numbers > 0, self.n_asked - numbers, 0))

    def _overdue_among_pending(self, window: Window, now: float) -> Mask:
        rows = self._seen.pending
        return window.exceeded(self._ages(rows), now - self._seen.entries["asked_at"][rows])

    def _kept_rows(self, first: int, last: int) -> Indices:
        """The rows of queries number `first` to `last` that were not abandoned."""
        rows = self._seen.asked(first, last)
        return rows[self._seen.abandonment_places[rows] >= self._seen.extent.abandonments]

    def _decided_after(self, number: int) -> int | None:
        """The number of the last event that the decision to ask query `number` saw; None if it was not asked."""
        rows = self._seen.asked(number, number)
        return int(self._seen.entries["after"][rows[0]]) if rows.size else None


def encode(domain: Domain, context: Context | None, point: Mapping[str, Any], seen: Mapping[str, Any] | None) -> Array:
    """The row of the belief's input: the context's columns, if it is seen before the decision, then the point's."""
    encoded = domain.encode(point)
    if context is None or context.seen == "after" or seen is None:
        return encoded
    return np.concatenate([context.space.encode(seen), encoded])
