"""What the mathematics reads of a study: arrays, masks, orders of arrival, waits.

Row i is the query with identifier i + 1, in the order in which it entered the log. `points` are encodings in the
unit cube (columns of a context seen before the decision come first), `values` are in inside units: all that reads them
maximises. `on` gives them on another scale than the user's, so no person ever reads evidence; people read the `Record`.
Contexts seen after the decision are kept beside the points; `placed` puts both together.

What is read of the answers in the order of their arrival, of the pending rows and of a stretch of asks costs the same
however many others there are; values and masks over all rows cost one pass over them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from belated.evidence.data import Data, Errors
from belated.evidence.scale import Scale
from belated.evidence.waits import Unit, Waits, waits
from belated.log import Record, Rows, Seek, State, Window
from belated.log.growing import Items, frozen
from belated.space import Array, Context, Domain, Indices, Mask


class Plays(NamedTuple):
    """Queries that were asked by the arms of the current policy."""

    arms: Indices  # (k,)
    known: Indices  # (k,) how many answers had come when each was decided on
    places: Indices  # (k,) the place of each one's answer among all that came; beyond them where it has none


@dataclass(frozen=True, eq=False)
class Evidence:
    """The study so far, for the mathematics. Immutable, and read off a record at no cost."""

    domain: Domain
    context: Context | None
    sign: float
    seed: int
    decides_since: int  # number of the event with which the policy began to decide
    _rows: Rows
    _placed: bool = False  # whether contexts seen after the decisions stand before the points
    scale: Scale | None = None  # on which answers are read, if not as they are
    seek: Seek = "total"  # what counts: the best point in the end, or every answer
    silence: float | None = None  # what no answer within the window means, in inside units; None if it says nothing
    _come: Array | None = None  # by row, the share of the answers that would have come by now

    @staticmethod
    def of(record: Record, outcome: str | None = None) -> Evidence:
        """What a record says of an outcome, or of the main objective, in numbers."""
        settings, outcomes = record.settings, record.outcomes
        name = outcomes.main if outcome is None else outcome
        rows = record.rows if outcome is None else record.rows_of(name)
        sign, silence = outcomes.sign(name), outcomes.silence if name == outcomes.main else None
        return Evidence(
            record.domain,
            record.context,
            sign,
            settings.seed,
            settings.decides_since,
            rows,
            seek=settings.seek,
            silence=None if silence is None else sign * silence,
        )

    @staticmethod
    def none(domain: Domain, context: Context | None = None) -> Evidence:
        """The evidence of a study in which nothing has happened."""
        return Evidence.of(Record.empty(domain, context))

    def __len__(self) -> int:
        return self._rows.extent.rows

    @property
    def n_asked(self) -> int:
        """How many queries were asked."""
        return self._rows.extent.asks

    @property
    def n_answered(self) -> int:
        """How many answers there are."""
        return self._rows.extent.answers

    @property
    def points(self) -> Array:
        """The points of all rows. (n, d)"""
        return self._rows.points

    @property
    def decided_columns(self) -> slice:
        """The columns that were known when each row was asked: of contexts that came later, some are only drawn."""
        return slice(self.points.shape[1] - self.domain.dimension if self._placed else 0, None)

    @cached_property
    def values(self) -> Array:
        """The answers in inside units, NaN where there is none. (n,)"""
        return self._by_row(np.nan, self._rows.arrived_values)

    @cached_property
    def answered_mask(self) -> Mask:
        """Rows with an answer that counts."""
        return frozen(self._rows.answer_places < self.n_answered)

    @cached_property
    def pending_mask(self) -> Mask:
        """Rows that are waited for, overdue ones included."""
        return self._mask(self._rows.pending)

    @property
    def failed_rows(self) -> Indices:
        """Rows that cannot be done at their point, rising."""
        return self._rows.ended(State.FAILED)

    @cached_property
    def failed_mask(self) -> Mask:
        """Rows that cannot be done at their point."""
        return self._mask(self.failed_rows)

    @cached_property
    def abandoned_mask(self) -> Mask:
        """Rows of which no answer will come, for reasons that say nothing."""
        return self._mask(self._rows.ended(State.ABANDONED))

    @property
    def n_unfailed(self) -> int:
        """How many queries were asked and have not failed."""
        return self.n_asked - len(self.failed_rows)

    def arrivals(self, mask: Mask | None = None) -> Data:
        """The answers in the order of arrival, a sequence that only ever grows; revised values stand in their place."""
        data = Data(self._rows.arrived_points, self._rows.arrived_values, self._errors)
        return data if mask is None else data.of(np.flatnonzero(mask[self._rows.arrivals["row"]]))

    def by_row(self, rows: Indices | Mask) -> Data:
        """Some rows in the order asked, with the errors of their answers; the value is NaN where there is no answer."""
        errors = self._errors
        if errors is not None:
            errors = errors.placed(self._rows.arrivals["row"], len(self)).of(rows)
        return Data(self.points[rows], self.values[rows], errors)

    def answers_before(self, rows: Indices) -> Indices:
        """How many answers had come when each of these rows was decided on. (k,)"""
        return np.searchsorted(self._rows.arrivals["arrived"], self._rows.entries["after"][rows], side="right")

    def answers_seen_by(self, number: int) -> int:
        """How many answers had come when query `number`, or the next that is here, was decided on; all, if none is."""
        rows = self._rows.asked(number, self.n_asked)
        return int(self.answers_before(rows[:1])[0]) if rows.size else self.n_answered

    def arrived_in(self, first: int, last: int) -> Data:
        """Answers to queries number `first` to `last` that had come before query `last` + 1 was asked."""
        places = np.sort(self._rows.answer_places[self._rows.asked(first, last)])
        places = places[places < self.n_answered]
        after = self._decided_after(last + 1)
        if after is not None:
            places = places[self._rows.arrivals["arrived"][places] <= after]
        return self.arrivals().of(places)

    def asked_in(self, first: int, last: int) -> Array:
        """The points of queries number `first` to `last` that were not abandoned, in the order asked. (k, d)"""
        return self.points[self.asked_rows(first, last)]

    def asked_rows(self, first: int, last: int) -> Indices:
        """The rows of queries number `first` to `last` that are answered or waited for, in the order asked. (k,)"""
        return self._rows.kept(first, last)

    def best_rows(self, count: int) -> Indices:
        """The rows of the highest answers, best first, and in their own order where they are equal."""
        return self._rows.best(count)

    def ages(self) -> Indices:
        """How many queries were asked after each row; 0 for added data. (n,)"""
        return self._rows.ages(slice(None))

    def ages_of(self, rows: Indices, now: float, unit: Unit) -> Array:
        """How long each of these rows has been waited for by now, in queries asked since or in seconds. (k,)"""
        if unit == "queries":
            return self._rows.ages(rows).astype(float)
        return np.asarray(now - self._rows.entries["asked_at"][rows])

    def waiting_rows(self, window: Window, now: float) -> Indices:
        """The pending rows that the window still holds, in the order asked."""
        return self._rows.pending[~self._rows.exceed(window, now)]

    def waiting_mask(self, window: Window, now: float) -> Mask:
        """Pending rows that the window still holds."""
        return self._mask(self.waiting_rows(window, now))

    def counted_rows(self, window: Window, now: float) -> Indices:
        """The rows of queries that were answered or are still waited for, in the order asked."""
        rows = self._rows.kept(1, self.n_asked)
        return rows[~self.overdue_mask(window, now)[rows]]

    def overdue_mask(self, window: Window, now: float) -> Mask:
        """Pending rows that have waited longer than the window."""
        return self._mask(self._rows.pending[self._rows.exceed(window, now)])

    def late_mask(self, window: Window) -> Mask:
        """Rows whose answer came after the window."""
        arrivals = self._rows.arrivals
        waited = arrivals["answered_at"] - self._rows.entries["asked_at"][arrivals["row"]]
        return self._mask(arrivals["row"][window.exceeded(arrivals["delay"], waited)])

    def recent_rows(self, window: Window, now: float) -> Indices:
        """Asked rows that the window still holds, answered or not: s = t − m, …, t − 1 for a window of m queries."""
        first = 1 if window.queries is None else self.n_asked + 1 - window.queries
        rows = self._rows.kept(first, self.n_asked)
        return rows[~window.exceeded(self._rows.ages(rows) + 1, now - self._rows.entries["asked_at"][rows])]

    def recent_mask(self, window: Window, now: float) -> Mask:
        """Asked rows that the window still holds, answered or not."""
        return self._mask(self.recent_rows(window, now))

    def longest_delay(self, last: int) -> int:
        """The most queries that were asked between a query and its answer, among the last of the answers."""
        return int(self._rows.arrivals["delay"][-last:].max(initial=0))

    def waits(self, now: float, last: int | None = None) -> Waits:
        """How long every query, or each of the last ones, has been waited for, and how its wait ended."""
        return waits(self._rows, now, last)

    def plays(self) -> Plays:
        """What the arms have asked, in the order asked, and the answers."""
        arms = self._arms()
        rows = np.flatnonzero(arms >= 0)
        return Plays(arms[rows], self.answers_before(rows), self._rows.answer_places[rows])

    def played_by(self, arm: int) -> Evidence:
        """The evidence as one arm sees it: the queries that it asked, and what no arm did."""
        arms = self._arms()
        return self.only((arms < 0) | (arms == arm))

    @property
    def contexts(self) -> Array:
        """The contexts seen after decisions, in the order in which they were seen. (s, c)"""
        return self._rows.contexts

    def unplaced_rows(self) -> Indices:
        """The pending rows whose context has not been seen, in the order asked."""
        pending = self._rows.pending
        return pending[self._rows.sighting_places[pending] >= self._rows.extent.sightings]

    def placed(self, contexts: Array) -> Evidence:
        """The evidence as if its contexts, seen after the decisions, had been known before them.

        A row is (context, point). An answer counts once its context has been seen too; the pending rows whose context
        has not, `unplaced_rows`, stand in these (p, c), and failed ones whose context was never seen at its origin.
        """
        assert self.context is not None, "only a study with contexts has rows to place"
        seen = self._rows.sighting_places < self._rows.extent.sightings
        columns = np.zeros((len(self), self.contexts.shape[1]))
        columns[seen] = self.contexts[self._rows.sighting_places[seen]]
        columns[self.unplaced_rows()] = contexts
        rows = np.flatnonzero(seen | self.pending_mask | self.failed_mask)
        placed = self._rows.placed(columns[rows], rows)
        come = None if self._come is None else self._come[rows]
        return replace(self, context=self.context.given(), _rows=placed, _placed=True, _come=come)

    def counting_silence(self, window: Window, now: float, come: Array) -> Evidence:
        """The evidence in which queries past the window are answered, since they passed it, with what silence means.

        Of pending rows, the share of all answers is given that would have `come` by now. (p,)
        """
        assert self.silence is not None, "only a silence that means something counts"
        by_row = np.ones(len(self))
        by_row[self._rows.pending] = come
        rows = self._rows.pending[self._rows.exceed(window, now)]
        if not len(rows):
            return replace(self, _come=by_row)
        return replace(self, _rows=self._rows.presumed(rows, self._passed(rows, window), self.silence), _come=by_row)

    @property
    def has_silent(self) -> bool:
        """Whether some answers are what silence means, be it that they were told or that nothing was."""
        return self.silence is not None and bool(np.any(self._rows.arrived_values == self.silence))

    def come_shares(self) -> tuple[Indices, Array]:
        """The pending rows, and of each the share of the answers that would have come by now. (p,), (p,)"""
        rows = self._rows.pending
        return rows, np.zeros(len(rows)) if self._come is None else self._come[rows]

    def _passed(self, rows: Indices, window: Window) -> Indices:
        """The number of the last event that was seen by the first ask for which these rows were past the window. (k,)

        Where no ask has seen them so, it is the last event of all.
        """
        entries, arrivals = self._rows.entries, self._rows.arrivals
        last = max(int(entries["entered"][-1]), int(arrivals["arrived"][-1]) if len(arrivals) else 0)
        passed = np.full(len(rows), last)
        if window.queries is not None:
            asked = np.searchsorted(entries["asks"], entries["number"][rows] + window.queries + 1)
            passed = np.append(entries["entered"], last)[asked]
        if window.seconds is not None:
            clock = np.maximum.accumulate(entries["asked_at"])
            asked = np.searchsorted(clock, clock[rows] + window.seconds, side="right")
            passed = np.minimum(passed, np.append(entries["after"], last)[asked])
        return passed

    def only(self, mask: Mask) -> Evidence:
        """The evidence of some rows alone, as if the others had never entered; the asks keep their numbers."""
        come = None if self._come is None else self._come[mask]
        return replace(self, _rows=self._rows.only(np.flatnonzero(mask)), _come=come)

    def before(self, number: int) -> Evidence:
        """The evidence that the decision to ask query `number` saw, revisions and abandonments kept."""
        after = self._decided_after(number)
        if after is None:
            return self
        # Data added while the decision was made stand before the query in the log, and it did not see them.
        return replace(self, _rows=self._rows.until(after, number - 1))

    def imagined(self, point: Array, value: float) -> Evidence:
        """The evidence with one more query, asked at this row and answered at once with this inside value."""
        return replace(self, _rows=self._rows.answered_at_once(point, value))

    def asked_at(self, number: int) -> float | None:
        """When query `number` was asked; None if it was not."""
        rows = self._rows.asked(number, number)
        return float(self._rows.entries["asked_at"][rows[0]]) if rows.size else None

    def on(self, scale: Scale) -> Evidence:
        """The evidence with its answers, as they are here, read on a scale."""
        assert self.scale is None, "answers are read on one scale"
        values, told = self._rows.arrived_values, self._errors
        errors = None if told is None else told.read_on(scale, values)
        read = self._rows.with_values(
            scale.inward(values), None if errors is None else (errors.sd, errors.repeats, errors.scatter)
        )
        return replace(self, _rows=read, scale=scale)

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

    # From the rows.

    @cached_property
    def _errors(self) -> Errors | None:
        """What was told of the errors of the answers, in the order of arrival; None where nothing was."""
        if self._rows.bare:
            return None
        told = self._rows.errors
        # What was told may have been taken back, or belong to rows that are not here.
        return Errors(told["sd"], told["repeats"].astype(float), told["scatter"]).of(slice(None))

    def _mask(self, rows: Indices) -> Mask:
        mask = np.zeros(len(self), dtype=bool)
        mask[rows] = True
        return frozen(mask)

    def _by_row(self, missing: float, arrived: Items) -> Items:
        """What arrived, at its rows; elsewhere what is put for missing."""
        values = np.full(len(self), missing, arrived.dtype)
        values[self._rows.arrivals["row"]] = arrived
        return frozen(values)

    def _arms(self) -> Indices:
        """The arm that asked each row; −1 for none, and for one of an earlier policy: its number meant another. (n,)"""
        entries = self._rows.entries
        return np.where(entries["after"] >= self.decides_since, entries["arm"], -1)

    def _decided_after(self, number: int) -> int | None:
        """The number of the last event that the decision to ask query `number` saw; None if it was not asked."""
        rows = self._rows.asked(number, number)
        return int(self._rows.entries["after"][rows[0]]) if rows.size else None
