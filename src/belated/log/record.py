"""What people read of a study: its queries in their own units and words, how many are in which state, the best ones.

A record takes in the log event by event. One more event costs the same however long the log is; so do counts, pending
queries and the best answers. Other queries are built when they are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import islice

import numpy as np

from belated.log.events import Event
from belated.log.growth import Growth
from belated.log.intake import Intake
from belated.log.notes import Notes
from belated.log.outcomes import Constraint, Outcomes
from belated.log.queries import Arrived, Queries
from belated.log.query import Query, State, Window
from belated.log.rows import ENDINGS, Rows
from belated.log.settings import Settings
from belated.show import written
from belated.space import Context, Domain, Mask


def meaning(silence: float | None) -> str:
    """What overdue queries count as, to be said after their number; nothing where silence says nothing."""
    return "" if silence is None else f" and counted as {written(silence)}"


@dataclass(frozen=True)
class Counts:
    """How many queries are in which state: asked = answered + pending + abandoned + failed + retracted.

    Overdue ones are pending too. Data that was added and taken back is no longer counted as added.
    """

    asked: int
    answered: int
    pending: int
    overdue: int
    abandoned: int
    added: int
    failed: int = 0
    retracted: int = 0

    @property
    def waiting(self) -> int:
        """Pending queries that are not overdue."""
        return self.pending - self.overdue

    def to_json(self) -> dict[str, int]:
        """The counts by their names."""
        return asdict(self)

    def words(self, silence: float | None = None) -> dict[str, str]:
        """The counts that are not 0 as text: pending, "5, 2 of them overdue", and counted as what silence means."""
        overdue = f", {self.overdue:,} of them overdue{meaning(silence)}" if self.overdue else ""
        counts = asdict(self)
        shown = "asked", "answered", "pending", "failed", "abandoned", "retracted", "added"
        said = {"pending": overdue}
        return {name: f"{counts[name]:,}{said.get(name, '')}" for name in shown if counts[name]}


@dataclass(frozen=True, eq=False)
class Record:
    """The study so far, for people. Immutable: `extend` returns the record with more events.

    `rows` has the numbers behind it, in inside units: the sign of the objective is applied there, so that all
    mathematics maximises (see `Evidence`), and is taken back here. In a study with several outcomes, `parts` has those
    of each outcome, with its own arrivals and waits.
    """

    domain: Domain
    context: Context | None
    n_events: int
    settings: Settings
    rows: Rows
    _notes: Notes
    _parts: Mapping[str, tuple[Rows, Notes]]
    _overdue: frozenset[int] = frozenset()  # rows that `at` has marked

    @staticmethod
    def empty(domain: Domain, context: Context | None = None, outcomes: Outcomes | None = None) -> Record:
        """The record of a study in which nothing has happened."""
        declared = Outcomes.one() if outcomes is None else outcomes
        of_context = 0 if context is None else context.space.dimension
        before = context is not None and context.seen == "before"
        widths = (domain.dimension + of_context, 0) if before else (domain.dimension, of_context)
        # An objective that a query alone waits for is what answers the query.
        apart = [name for name in declared if declared.required != (name,)]
        parts = {name: (Rows.empty(*widths), Notes()) for name in apart}
        return Record(domain, context, 0, Settings(outcomes=declared), Rows.empty(*widths), Notes(), parts)

    @property
    def outcomes(self) -> Outcomes:
        """What is measured of a query, by name, and what each is for, with what silence means by now."""
        return self.settings.outcomes

    @property
    def sign(self) -> float:
        """The factor after which large values of the main objective are good."""
        return self.outcomes.sign()

    def rows_of(self, outcome: str) -> Rows:
        """The numbers behind one outcome."""
        return self._parts[outcome][0] if outcome in self._parts else self.rows

    def extend(self, events: Iterable[Event]) -> Record:
        """The record with these further events."""
        following = list(events)
        if not following:
            return self
        whole, settings, number = Growth(self.rows, self._notes), self.settings, self.n_events
        growing = {name: Growth(*part) for name, part in self._parts.items()}
        intake = Intake(self.domain, self.context, self.outcomes, whole, growing)
        for event in following:
            assert event.number > number, "events are numbered on"
            number = event.number
            settings = settings.after(event)
            intake.take(event)
        rows, notes = whole.grown()
        parts = {name: growth.grown() for name, growth in growing.items()}
        return replace(
            self, n_events=number, settings=settings, rows=rows, _notes=notes, _parts=parts, _overdue=frozenset()
        )

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
        entries, asked = self.rows.entries["number"], {}
        for state in ENDINGS:
            asked[state] = int(np.count_nonzero(entries[self.rows.ended(state)])) if extent.endings else 0
        answered = extent.asks - pending - sum(asked.values())
        return Counts(
            asked=extent.asks,
            answered=answered,
            pending=pending,
            overdue=len(self._overdue),
            abandoned=asked[State.ABANDONED],
            failed=asked[State.FAILED],
            retracted=asked[State.RETRACTED],
            added=extent.answers - answered,
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
        whole = Arrived(self.outcomes.main, self.sign, self.rows, self._notes)
        parts = {
            name: Arrived(name, self.outcomes.sign(name), *self._parts.get(name, (self.rows, self._notes)))
            for name in self.outcomes
        }
        return Queries(whole, parts, self._overdue)

    def pending(self) -> list[Query]:
        """The queries that wait for an answer, overdue ones included, in the order asked."""
        queries = self.queries
        return [queries[row] for row in self.rows.pending.tolist()]

    def overdue(self) -> list[Query]:
        """The pending queries that have waited longer than the window, in the order asked."""
        return [query for query in self.pending() if query.state is State.OVERDUE]

    def partly_answered(self) -> list[Query]:
        """The pending queries of which some outcomes have come, in the order asked."""
        return [query for query in self.pending() if query.answers] if self._parts else []

    def ended(self, state: State) -> list[Query]:
        """The queries whose wait ended in this state, other than with an answer, in the order asked."""
        queries = self.queries
        return [queries[row] for row in self.rows.ended(state).tolist()]

    @property
    def first_silent(self) -> Query | None:
        """The first query whose silence counts as an answer; None where there is none."""
        return self.queries[min(self._overdue)] if self._overdue and self.outcomes.silence is not None else None

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
        """The queries with the best answers, best first, and equal ones in the order of their identifiers.

        Where there are constraints, they are those that meet them all.
        """
        queries, constraints = self.queries, self.outcomes.constraints
        if not constraints:
            return [queries[row] for row in self.rows.best(count).tolist()]
        ranked = (queries[row] for row in self.rows.best(self.n_answers).tolist())
        return list(islice((query for query in ranked if self.is_feasible(query)), count))

    def is_feasible(self, query: Query) -> bool:
        """Whether an answered query meets all constraints."""
        limits = ((self.outcomes[name], query.answers[name].value) for name in self.outcomes.constraints)
        return all(isinstance(limit, Constraint) and limit.allows(value) for limit, value in limits)

    def progress(self) -> tuple[float, ...]:
        """The best answer so far, after each answer in the order of arrival.

        Where there are constraints, only answers that meet them all count. Several objectives have no single best.
        """
        if len(self.outcomes.objectives) > 1:
            return ()
        values: list[float] = (self.sign * np.maximum.accumulate(self.rows.arrived_values[self._feasible])).tolist()
        return tuple(values)

    @property
    def _feasible(self) -> Mask | slice:
        """Which answers, in the order of arrival, meet all constraints."""
        if not self.outcomes.constraints:
            return slice(None)
        rows = self.rows.arrivals["row"]
        met = np.ones(len(rows), dtype=bool)
        for name in self.outcomes.constraints:
            told, limit = self.rows_of(name), self.outcomes[name]
            assert isinstance(limit, Constraint)
            values = self.outcomes.sign(name) * told.arrived_values[told.answer_places[rows]]
            met &= np.array([limit.allows(value) for value in values.tolist()], dtype=bool)
        return met
