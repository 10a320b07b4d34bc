"""Contexts seen after the decision, in records and evidence: against a reading with lists and dictionaries.

The reading walks through the events again for every question, and shares no code with the library but encodings.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from belated.evidence import Evidence
from belated.log import (
    Abandoned,
    Added,
    Answer,
    Answered,
    Asked,
    Body,
    ContextSeen,
    Created,
    Event,
    Query,
    Record,
    Revised,
    State,
    Values,
    Window,
)
from belated.space import Choice, Context, Float, Int, Space
from tests.logbook import number_in, signed

SPACE = Space(heat=Float(-30.0, 170.0), steps=Int(1, 8))
AFTER = Context(demand=Float(10.0, 90.0), site=Choice("north", "south"), seen="after")
POINT = Values({"heat": 20.0, "steps": 2})
HERE = Values({"demand": 30.0, "site": "south"})
THERE = Values({"demand": 31.0, "site": "south"})


def log_of(*bodies: Body, sign: float = 1.0) -> list[Event]:
    goal = signed(sign).goal
    created = Created(SPACE.to_json(), AFTER.to_json(), goal, {"name": "random", "parameters": {}}, 0)
    return [Event(number, 100.0 + number, body) for number, body in enumerate([created, *bodies], start=1)]


# A plain reading.


@dataclass
class Note:
    """What a plain reader notes down about one query."""

    id: int
    point: dict[str, Any]
    number: int
    asked_at: float
    after: int
    values: list[float] = field(default_factory=list)
    arrived: int = 0
    answered_at: float = 0.0
    delay: int = 0
    reason: str | None = None
    context: dict[str, Any] | None = None
    seen: int = 0

    @property
    def pending(self) -> bool:
        return not self.values and self.reason is None

    def query(self) -> Query:
        answer = None
        if self.values:
            answer = Answer(self.values[-1], self.answered_at, self.delay, tuple(self.values[:-1]))
        answers = Values({} if answer is None else {"value": answer})
        state = State.ANSWERED if self.values else State.PENDING if self.reason is None else State.ABANDONED
        context = None if self.context is None else Values(self.context)
        return Query(
            self.id,
            Values(self.point),
            context,
            self.asked_at,
            self.number,
            state,
            answer,
            self.reason,
            answers=answers,
        )

    def whole(self) -> list[float]:
        """The context's coordinates, then the point's."""
        assert self.context is not None
        return [*AFTER.space.encode(self.context).tolist(), *SPACE.encode(self.point).tolist()]


@dataclass
class Reading:
    """A plain reading of a log."""

    events: list[Event]
    notes: list[Note] = field(default_factory=list)
    n_asked: int = 0

    def __post_init__(self) -> None:
        for event in self.events:
            self.read(event)

    def read(self, event: Event) -> None:
        body = event.body
        if isinstance(body, Asked):
            self.n_asked += 1
            self.notes.append(Note(body.query, dict(body.point), self.n_asked, event.at, event.number - 1))
        if isinstance(body, Added):
            self.notes.append(Note(body.query, dict(body.point), 0, event.at, 0))
        if not isinstance(body, Asked | Added | Answered | ContextSeen | Revised | Abandoned):
            return
        note = self.notes[body.query - 1]
        if isinstance(body, Added | Answered):
            note.values, note.arrived, note.answered_at = [number_in(body)], event.number, event.at
            note.delay = self.n_asked - note.number if note.number else 0
        if isinstance(body, Added | Answered | ContextSeen) and body.context is not None:
            note.context, note.seen = dict(body.context), event.number
        if isinstance(body, Revised):
            note.values.append(number_in(body))
        if isinstance(body, Abandoned):
            note.reason = body.reason


def some_body(now: Reading, rng: np.random.Generator) -> Body | None:
    """What may come next, at random."""
    point = Values({"heat": float(rng.choice([-30.0, 12.3, 170.0])), "steps": int(rng.integers(1, 9))})
    context = Values({"demand": float(rng.uniform(10, 90)), "site": str(rng.choice(["north", "south"]))})
    value, with_context = float(rng.choice([-2.0, 0.5, 0.5, 7.25])), rng.random() < 0.4
    pending = [note for note in now.notes if note.pending]
    answered = [note for note in now.notes if note.values]
    unseen = [note for note in now.notes if note.context is None]
    match rng.choice(["ask", "add", "tell", "see", "revise", "abandon"], p=[0.3, 0.08, 0.25, 0.22, 0.08, 0.07]):
        case "ask":
            return Asked(len(now.notes) + 1, point)
        case "add":
            return Added(len(now.notes) + 1, point, value, context if with_context else None)
        case "tell" if pending:
            note = pending[rng.integers(len(pending))]
            return Answered(note.id, value, context if with_context and note.context is None else None)
        case "see" if unseen:
            return ContextSeen(unseen[rng.integers(len(unseen))].id, context)
        case "revise" if answered:
            return Revised(answered[rng.integers(len(answered))].id, value)
        case "abandon" if pending:
            return Abandoned(pending[rng.integers(len(pending))].id, "lost")
    return None


def following(events: list[Event], rng: np.random.Generator, count: int) -> list[Event]:
    """So many events that may come next."""
    now = Reading(list(events))
    more: list[Event] = []
    while len(more) < count:
        body = some_body(now, rng)
        if body is not None:
            event = Event(len(events) + len(more) + 1, 100.0 + len(events) + len(more), body)
            now.read(event)
            more.append(event)
    return more


def beginning(sign: float = 1.0) -> tuple[list[Event], Record]:
    events = log_of(sign=sign)
    return events, Record.empty(SPACE, AFTER, signed(sign)).extend(events)


def grown(seed: int, n_events: int) -> tuple[list[Event], Record]:
    """A log, and its record read event by event."""
    events, record = beginning()
    more = following(events, np.random.default_rng(seed), n_events)
    for event in more:
        record = record.extend([event])
    return events + more, record


def taken_back(record: Record, note: Note) -> Record:
    """The record over the rows that the decision to ask a query saw."""
    return replace(record, n_events=note.after, rows=Evidence.of(record).before(note.number)._rows)


def assert_reads(record: Record, reading: Reading) -> None:
    """All that a record, and the evidence read off it, say of contexts, and of what contexts must not change."""
    assert_told(record, reading)
    assert_weighed(Evidence.of(record), reading)


def assert_told(record: Record, reading: Reading) -> None:
    """What people read."""
    notes = reading.notes
    assert (len(record), record.counts.asked) == (len(notes), reading.n_asked)
    assert record.n_contexts == sum(note.context is not None for note in notes)
    assert record.queries == tuple(note.query() for note in notes)
    assert [record.queries[row] for row in range(len(notes))] == [note.query() for note in notes]
    assert record.pending() == [note.query() for note in notes if note.pending]


def assert_weighed(evidence: Evidence, reading: Reading) -> None:
    """What the mathematics reads."""
    notes, sign = reading.notes, evidence.sign
    assert (len(evidence), evidence.n_asked) == (len(notes), reading.n_asked)
    assert evidence.points.tolist() == [SPACE.encode(note.point).tolist() for note in notes]
    arrived = sorted((note for note in notes if note.values), key=lambda note: note.arrived)
    assert evidence.arrivals().values.tolist() == [sign * note.values[-1] for note in arrived]
    sighted = sorted((note for note in notes if note.context is not None), key=lambda note: note.seen)
    expected = np.array([AFTER.space.encode(note.context or {}) for note in sighted]).reshape(-1, 2)
    assert_array_equal(evidence.contexts, expected)
    unplaced = [note for note in notes if note.pending and note.context is None]
    assert evidence.unplaced_rows().tolist() == [note.id - 1 for note in unplaced]
    assert_placed(evidence, reading)


def assert_placed(evidence: Evidence, reading: Reading) -> None:
    """The evidence over (context, point), with made-up contexts where a pending query's is unknown."""
    sign = evidence.sign
    notes = [note for note in reading.notes if note.context is not None or note.pending]
    guesses = {note.id: [0.01 * note.id, 0.25 + 0.5 * (note.id % 2)] for note in notes if note.context is None}
    rows = [
        note.whole() if note.context is not None else [*guesses[note.id], *SPACE.encode(note.point).tolist()]
        for note in notes
    ]
    placed = evidence.placed(np.array(list(guesses.values())).reshape(-1, 2))
    assert placed.context is not None
    assert (placed.context.space, placed.context.seen) == (AFTER.space, "before")
    assert (placed.n_asked, placed.seed, placed.decides_since) == (
        evidence.n_asked,
        evidence.seed,
        evidence.decides_since,
    )
    assert placed.points[:, placed.decided_columns].tolist() == [row[2:] for row in rows]
    assert placed.points.reshape(-1, 4).tolist() == rows
    assert placed.pending_mask.tolist() == [note.pending for note in notes]
    counted = sorted((note for note in notes if note.values), key=lambda note: max(note.arrived, note.seen))
    assert placed.n_answered == len(counted)
    data = placed.arrivals()
    assert data.points.tolist() == [note.whole() for note in counted]
    assert data.values.tolist() == [sign * note.values[-1] for note in counted]
    by_row = [sign * note.values[-1] if note.values else math.nan for note in notes]
    assert_array_equal(placed.values, by_row)
    places = {note.id: place for place, note in enumerate(notes)}
    ranked = sorted(counted, key=lambda note: (-sign * note.values[-1], note.id))
    assert placed.best_rows(5).tolist() == [places[note.id] for note in ranked[:5]]
    window, now = Window(queries=3), 1e4
    waits = [note.pending and reading.n_asked - note.number <= 3 for note in notes]
    assert placed.waiting_mask(window, now).tolist() == waits
    assert placed.overdue_mask(window, now).tolist() == [
        note.pending and not waiting for note, waiting in zip(notes, waits, strict=True)
    ]
    late = [bool(note.values) and note.delay > 3 for note in notes]
    assert placed.late_mask(window).tolist() == late
    recent = [note.number > max(0, reading.n_asked - 3) and note.reason is None for note in notes]
    assert placed.recent_mask(window, now).tolist() == recent


@pytest.mark.parametrize("seed", range(8))
def test_every_record_of_a_tree_keeps_the_contexts_of_its_own_log(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = [beginning(sign=1.0 if seed % 2 else -1.0)]
    for _ in range(40):
        # Mostly on from the newest, as a study does; now and then from any of them, while others share its rows.
        events, record = tree[-1] if rng.random() < 0.6 else tree[int(rng.integers(len(tree)))]
        more = following(events, rng, int(rng.integers(1, 6)))
        if rng.random() < 0.5:  # a record that was read and kept must not be shown where it is not true
            assert_reads(record, Reading(events))
        tree.append(([*events, *more], record.extend(more)))
    for events, record in tree:
        assert_reads(record, Reading(events))
    assert max(record.n_contexts for _, record in tree) > 4


@pytest.mark.parametrize("seed", range(4))
def test_read_at_once_or_event_by_event_a_record_is_the_same(seed: int) -> None:
    events, record = grown(seed, 70)
    whole = Record.empty(SPACE, AFTER).extend(events)
    for one in (record, whole):
        assert_reads(one, Reading(events))
    assert_array_equal(Evidence.of(whole).contexts, Evidence.of(record).contexts)


@pytest.mark.parametrize("seed", range(6))
def test_taken_back_to_before_a_query_evidence_has_the_contexts_that_were_seen_by_then(seed: int) -> None:
    events, record = grown(seed, 60)
    for note in Reading(events).notes:
        if not note.number:
            continue
        early = Reading(events[: note.after])
        known = {earlier.id: earlier for earlier in early.notes}
        # Revisions and abandonments are kept, as if they had come in time.
        for later in events[note.after :]:
            body = later.body
            if isinstance(body, Abandoned) and body.query in known:
                early.read(later)
            if isinstance(body, Revised) and body.query in known and known[body.query].values:
                early.read(later)
        assert_weighed(Evidence.of(record).before(note.number), early)
        assert_reads(taken_back(record, note), early)
    assert_reads(record, Reading(events))


@pytest.mark.parametrize("seed", range(6))
def test_a_record_taken_back_can_be_told_other_contexts(seed: int) -> None:
    events, record = grown(seed, 50)
    rng = np.random.default_rng([seed, 4])
    for note in Reading(events).notes:
        seen, since = events[: note.after], events[note.after :]
        if not note.number or any(isinstance(event.body, Abandoned | Revised) for event in since):
            continue  # these are kept, so that the record is not that of the shorter log
        more = following(seen, rng, 6)
        assert_reads(taken_back(record, note).extend(more), Reading([*seen, *more]))
    assert_reads(record, Reading(events))


@pytest.mark.parametrize("seed", range(6))
def test_some_rows_alone_keep_their_own_contexts(seed: int) -> None:
    events, record = grown(seed, 80)
    mask = np.random.default_rng([seed, 2]).random(len(record)) < 0.6
    some, reading = Evidence.of(record).only(mask), Reading(events)
    kept = [note for note in reading.notes if mask[note.id - 1]]
    sighted = sorted((note for note in kept if note.context is not None), key=lambda note: note.seen)
    assert_array_equal(some.contexts, [AFTER.space.encode(note.context or {}) for note in sighted])
    unplaced = [place for place, note in enumerate(kept) if note.pending and note.context is None]
    assert some.unplaced_rows().tolist() == unplaced
    assert some.points.tolist() == [SPACE.encode(note.point).tolist() for note in kept]
    assert some.pending_mask.tolist() == [note.pending for note in kept]
    assert_array_equal(some.values, [note.values[-1] if note.values else math.nan for note in kept])
    assert some.ages().tolist() == [reading.n_asked - note.number if note.number else 0 for note in kept]
    placed = some.placed(np.full((len(unplaced), 2), 0.25))
    counted = [note for note in kept if note.values and note.context is not None]
    counted.sort(key=lambda note: max(note.arrived, note.seen))
    assert placed.arrivals().points.tolist() == [note.whole() for note in counted]
    assert_reads(record, reading)


def test_a_second_context_is_not_taken_in_and_leaves_the_record_as_it_was() -> None:
    events = log_of(Asked(1, POINT), Asked(2, POINT), ContextSeen(1, HERE))
    record = Record.empty(SPACE, AFTER).extend(events)
    second = Event(5, 106.0, ContextSeen(1, THERE))
    for lot in ([second], [Event(5, 106.0, ContextSeen(2, THERE)), Event(6, 107.0, ContextSeen(1, THERE))]):
        with pytest.raises(AssertionError, match="a query has one context"):
            record.extend(lot)
        assert_reads(record, Reading(events))
    for unknown in (0, 3):
        with pytest.raises(AssertionError, match="a query enters before anything else happens to it"):
            record.extend([Event(5, 106.0, ContextSeen(unknown, THERE))])
    sound = Event(5, 106.0, ContextSeen(2, THERE))
    assert_reads(record.extend([sound]), Reading([*events, sound]))


def test_a_revision_after_the_context_leaves_earlier_records_alone() -> None:
    events = log_of(Asked(1, POINT), Answered(1, 0.5, HERE))
    record = Record.empty(SPACE, AFTER).extend(events)
    assert record.queries[0].context == HERE  # read, and so kept
    revision = Event(4, 104.0, Revised(1, 9.0))
    later = record.extend([revision])
    assert later.queries[0] == Reading([*events, revision]).notes[0].query()
    assert_reads(record, Reading(events))


def test_overdue_queries_stay_overdue_where_rows_are_placed() -> None:
    bodies: list[Body] = [Answered(1, 0.5), ContextSeen(3, HERE)]
    events = log_of(*(Asked(query, POINT) for query in range(1, 6)), *bodies)
    record, window = Record.empty(SPACE, AFTER).extend(events), Window(queries=2)
    placed = Evidence.of(record).placed(np.full((3, 2), 0.25))  # the first query, answered, has no context yet
    overdue = placed.overdue_mask(window, 1e4).tolist()
    assert overdue == [True, False, False, False]
    assert overdue == [query.state is State.OVERDUE for query in record.at(1e4, window).queries[1:]]
    assert placed.pending_mask.all()


def test_what_evidence_hands_out_of_its_contexts_cannot_be_written_to() -> None:
    events, record = grown(3, 40)
    evidence = Evidence.of(record)
    placed = evidence.placed(np.zeros((len(evidence.unplaced_rows()), 2)))
    for array in (evidence.contexts, placed.points, *placed.arrivals()[:2]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    assert_reads(record, Reading(events))
