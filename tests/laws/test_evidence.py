"""A record is a value, though it shares its rows with others, and so is the evidence that is read off it.

Trees of records are held against plain readings of their logs, in the words of people and in those of the mathematics.

The reading walks through the events again for every question, and shares no code with the library.
"""

from __future__ import annotations

import copy
import math
import pickle
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from belated.errors import PointError
from belated.evidence import Evidence
from belated.log import (
    FOREVER,
    Abandoned,
    Added,
    Answer,
    Answered,
    Asked,
    Body,
    Closed,
    Created,
    Event,
    Query,
    Record,
    Revised,
    State,
    Values,
    Window,
    encode,
)
from belated.space import Context, Float, Int, Space
from tests.logbook import number_in, signed

SPACE = Space(heat=Float(-30.0, 170.0), steps=Int(1, 8))
CONTEXT = Context(hour=Float(0.0, 24.0), seen="before")
SPANS = [(1, 1), (1, 4), (3, 9), (0, 2), (5, 3), (2, 10**6)]
WINDOWS = [FOREVER, Window(queries=0), Window(queries=3), Window(seconds=6.0), Window(queries=5, seconds=9.0)]


@dataclass
class Note:
    """What a plain reader notes down about one query."""

    id: int
    point: dict[str, Any]
    context: dict[str, Any]
    entered: int
    after: int
    asked_at: float
    number: int
    key: str | None = None
    worker: str | None = None
    values: list[float] = field(default_factory=list)
    arrived: int = 0
    answered_at: float = 0.0
    delay: int = 0
    reason: str | None = None

    @property
    def pending(self) -> bool:
        return not self.values and self.reason is None

    def query(self, overdue: bool = False) -> Query:
        state = State.OVERDUE if overdue else State.PENDING
        state = State.ABANDONED if self.reason is not None else State.ANSWERED if self.values else state
        answer = None
        if self.values:
            answer = Answer(self.values[-1], self.answered_at, self.delay, tuple(self.values[:-1]))
        point, context = Values(self.point), Values(self.context)
        return Query(
            self.id,
            point,
            context,
            self.asked_at,
            self.number,
            state,
            answer,
            self.reason,
            self.key,
            self.worker,
            answers=Values({} if answer is None else {"value": answer}),
        )


@dataclass
class Reading:
    """A plain reading of a log."""

    events: list[Event]
    notes: list[Note] = field(default_factory=list)
    n_asked: int = 0
    closed: str | None = None

    def __post_init__(self) -> None:
        for event in self.events:
            self.read(event, event.body)

    def read(self, event: Event, body: Body) -> None:
        if isinstance(body, Asked):
            self.n_asked += 1
            after = event.number - 1 if body.after is None else body.after
            note = Note(body.query, dict(body.point), dict(body.context or {}), event.number, after, event.at, 0)
            note.number, note.key, note.worker = self.n_asked, body.key, body.worker
            self.notes.append(note)
        elif isinstance(body, Added):
            note = Note(body.query, dict(body.point), dict(body.context or {}), event.number, 0, event.at, 0)
            note.values, note.arrived, note.answered_at = [number_in(body)], event.number, event.at
            self.notes.append(note)
        elif isinstance(body, Answered):
            note = self.notes[body.query - 1]
            note.values, note.arrived, note.answered_at = [number_in(body)], event.number, event.at
            note.delay = self.n_asked - note.number
        elif isinstance(body, Revised):
            self.notes[body.query - 1].values.append(number_in(body))
        elif isinstance(body, Abandoned):
            self.notes[body.query - 1].reason = body.reason
        elif isinstance(body, Closed):
            self.closed = body.reason

    def arrivals(self) -> list[Note]:
        return sorted((note for note in self.notes if note.values), key=lambda note: note.arrived)


def following(reading: Reading, rng: np.random.Generator, count: int) -> list[Event]:
    """So many events that may come next."""
    events = list(reading.events)
    while len(events) < len(reading.events) + count:
        now = Reading(events)
        body = some_body(now, rng)
        if body is not None:
            events.append(Event(len(events) + 1, events[-1].at + float(rng.exponential()), body))
    return events[len(reading.events) :]


def some_body(now: Reading, rng: np.random.Generator) -> Body | None:
    pending = [note.id for note in now.notes if note.pending]
    answered = [note.id for note in now.notes if note.values]
    point = Values({"heat": float(rng.choice([-30.0, 12.3, 170.0])), "steps": int(rng.integers(1, 9))})
    context, value = Values({"hour": float(rng.choice([0.0, 7.5]))}), float(rng.choice([-2.0, 0.0, 0.5, 0.5, 7.25]))
    match rng.choice(["ask", "add", "tell", "revise", "abandon", "close"], p=[0.35, 0.1, 0.35, 0.1, 0.08, 0.02]):
        case "ask":
            # What was written since the last ask need not have been seen.
            asks = [event.number for event in now.events if isinstance(event.body, Asked)]
            after = int(rng.integers(max([1, *asks]), len(now.events) + 1)) if rng.random() < 0.4 else None
            key, worker = (str(name) if name else None for name in rng.choice(["", "a", "b"], size=2))
            return Asked(len(now.notes) + 1, point, context, after, key, worker)
        case "add":
            return Added(len(now.notes) + 1, point, value, context)
        case "tell" if pending:
            return Answered(int(rng.choice(pending)), value)
        case "abandon" if pending:
            return Abandoned(int(rng.choice(pending)), "lost")
        case "revise" if answered:
            return Revised(int(rng.choice(answered)), value)
        case "close":
            return Closed("enough")
    return None


def beginning(sign: float = 1.0) -> tuple[list[Event], Record]:
    goal = signed(sign).goal
    events = [Event(1, 100.0, Created(SPACE.to_json(), CONTEXT.to_json(), goal, {"name": "random"}, 0))]
    return events, Record.empty(SPACE, CONTEXT, signed(sign)).extend(events)


def grown(seed: int, n_events: int) -> tuple[list[Event], Record]:
    """A log and its record, read event by event."""
    events, record = beginning()
    for event in following(Reading(events), np.random.default_rng(seed), n_events):
        events, record = [*events, event], record.extend([event])
    return events, record


def taken_back(record: Record, note: Note) -> Record:
    """The record over the rows that the decision to ask a query saw."""
    return replace(record, n_events=note.after, rows=Evidence.of(record).before(note.number)._rows)


# Everything that a record says, and the evidence read off it, as plain values.


def encoded(notes: list[Note]) -> list[list[float]]:
    return [[*CONTEXT.space.encode(note.context).tolist(), *SPACE.encode(note.point).tolist()] for note in notes]


def assert_data(data: Any, notes: list[Note], sign: float) -> None:
    assert data.points.tolist() == encoded(notes)
    assert data.values.tolist() == [sign * note.values[-1] for note in notes]


def assert_reads(record: Record, reading: Reading) -> None:
    assert (len(record), record.n_events) == (len(reading.notes), reading.events[-1].number)
    assert record.settings.closed == reading.closed
    assert_told(record, reading)
    assert_weighed(Evidence.of(record), reading)


def assert_told(record: Record, reading: Reading) -> None:
    """What people read."""
    expected = [note.query() for note in reading.notes]
    assert record.queries == tuple(expected)
    assert record.queries == expected
    assert [record.queries[row] for row in range(len(record))] == expected
    assert record.pending() == [query for query in expected if query.state is State.PENDING]
    assert record.overdue() == []
    for key in ("a", "b", "c"):
        assert record.asked_with(key) == [query for query in expected if query.key == key]
        assert record.under_way(key) == [query for query in record.pending() if query.worker == key]
    states = [query.state for query in expected if query.number]
    counts = record.counts
    assert (counts.asked, counts.added) == (reading.n_asked, len(expected) - reading.n_asked)
    assert (counts.answered, counts.abandoned) == (states.count(State.ANSWERED), states.count(State.ABANDONED))
    assert (counts.pending, counts.overdue, counts.waiting) == (states.count(State.PENDING), 0, len(record.pending()))
    arrivals, sign = reading.arrivals(), record.sign
    assert record.n_answers == len(arrivals)
    ranked = sorted(arrivals, key=lambda note: (-sign * note.values[-1], note.id))
    for count in (1, 5, 9):
        assert record.best(count) == [note.query() for note in ranked[:count]]
    assert record.progress() == tuple(accumulate((note.values[-1] for note in arrivals), max if sign > 0 else min))


def assert_weighed(evidence: Evidence, reading: Reading) -> None:
    """What the mathematics reads."""
    notes, sign = reading.notes, evidence.sign
    assert (len(evidence), evidence.n_asked) == (len(notes), reading.n_asked)
    assert evidence.points.tolist() == encoded(notes)
    np.testing.assert_array_equal(
        evidence.values, [sign * note.values[-1] if note.values else math.nan for note in notes]
    )
    assert evidence.answered_mask.tolist() == [bool(note.values) for note in notes]
    assert evidence.pending_mask.tolist() == [note.pending for note in notes]
    assert evidence.ages().tolist() == [reading.n_asked - note.number if note.number else 0 for note in notes]
    arrivals = reading.arrivals()
    assert evidence.n_answered == len(arrivals)
    assert_data(evidence.arrivals(), arrivals, sign)
    even = np.arange(len(notes)) % 2 == 0
    assert_data(evidence.arrivals(even), [note for note in arrivals if note.id % 2], sign)
    ranked = sorted(arrivals, key=lambda note: (-sign * note.values[-1], note.id))
    for count in (0, 1, 5, 8, 9, 1000):
        assert evidence.best_rows(count).tolist() == [note.id - 1 for note in ranked[:count]]
    assert_stretches(evidence, reading)


def assert_stretches(evidence: Evidence, reading: Reading) -> None:
    for first, last in SPANS:
        inside = [note for note in reading.notes if note.number and first <= note.number <= last]
        assert evidence.asked_in(first, last).tolist() == encoded([note for note in inside if note.reason is None])
        after = [note.after for note in reading.notes if note.number and note.number == last + 1]
        in_time = [note for note in reading.arrivals() if note in inside and (not after or note.arrived <= after[0])]
        assert_data(evidence.arrived_in(first, last), in_time, evidence.sign)


def assert_waits(record: Record, reading: Reading, window: Window, now: float) -> None:
    def too_long(queries: int, seconds: float) -> bool:
        return (window.queries is not None and queries > window.queries) or (
            window.seconds is not None and seconds > window.seconds
        )

    evidence, notes, n_asked = Evidence.of(record), reading.notes, reading.n_asked
    overdue = [note.pending and too_long(n_asked - note.number, now - note.asked_at) for note in notes]
    waiting = [note.pending and not late for note, late in zip(notes, overdue, strict=True)]
    late = [bool(note.values) and too_long(note.delay, note.answered_at - note.asked_at) for note in notes]
    recent = [
        note.number > 0 and note.reason is None and not too_long(n_asked - note.number + 1, now - note.asked_at)
        for note in notes
    ]
    assert evidence.overdue_mask(window, now).tolist() == overdue
    assert evidence.waiting_mask(window, now).tolist() == waiting
    assert evidence.late_mask(window).tolist() == late
    assert evidence.recent_mask(window, now).tolist() == recent
    assert evidence.waiting_rows(window, now).tolist() == np.flatnonzero(waiting).tolist()
    assert evidence.recent_rows(window, now).tolist() == np.flatnonzero(recent).tolist()
    counted = [note.number > 0 and (waits or bool(note.values)) for note, waits in zip(notes, waiting, strict=True)]
    assert evidence.counted_rows(window, now).tolist() == np.flatnonzero(counted).tolist()
    marked = [note.query(overdue=is_late) for note, is_late in zip(notes, overdue, strict=True)]
    assert record.at(now, window).queries == marked
    assert record.at(now, window).overdue() == [query for query in marked if query.state is State.OVERDUE]
    assert record.at(now, window).counts.overdue == sum(overdue)


# A tree of records: any of them may be gone on from, any number of times.


@pytest.mark.parametrize("seed", range(12))
def test_every_record_of_a_tree_stays_what_its_own_log_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = [beginning(sign=1.0 if seed % 2 else -1.0)]
    for _ in range(40):
        # Mostly on from the newest, as a study does; now and then from any of them.
        events, record = tree[-1] if rng.random() < 0.6 else tree[int(rng.integers(len(tree)))]
        more = following(Reading(events), rng, int(rng.integers(1, 6)))
        if rng.random() < 0.3:  # what was looked at before must not be what is shown later
            assert_reads(record, Reading(events))
        tree.append(([*events, *more], record.extend(more)))
    for events, record in tree:
        assert_reads(record, Reading(events))
    for events, record in tree[::7]:
        for window in WINDOWS:
            assert_waits(record, Reading(events), window, events[-1].at + float(rng.exponential(2.0)))


@pytest.mark.parametrize("seed", range(6))
def test_taken_back_to_before_a_query_a_record_is_that_of_a_shorter_log_and_can_be_gone_on_from(seed: int) -> None:
    events, record = grown(seed, 60)
    rng = np.random.default_rng([seed, 1])
    for note in Reading(events).notes:
        if not note.number:
            continue
        seen = events[: note.after]
        # Revisions and abandonments are kept: those that came later are as if they had come in time.
        early = Reading(seen)
        known = {earlier.id: earlier for earlier in early.notes}
        for later in events[note.after :]:
            body = later.body
            there = isinstance(body, Revised | Abandoned) and body.query in known
            if there and (isinstance(body, Abandoned) or (isinstance(body, Revised) and known[body.query].values)):
                early.read(later, body)
        before = Evidence.of(record).before(note.number)
        assert before.n_asked == note.number - 1
        assert before.points.tolist() == encoded(early.notes)
        assert_data(before.arrivals(), early.arrivals(), 1.0)
        assert before.pending_mask.tolist() == [earlier.pending for earlier in early.notes]
        ranked = sorted(early.arrivals(), key=lambda earlier: (-earlier.values[-1], earlier.id))
        assert before.best_rows(5).tolist() == [earlier.id - 1 for earlier in ranked[:5]]
        back = taken_back(record, note)
        assert back.queries == tuple(earlier.query() for earlier in early.notes)
        early.events = seen
        early.closed = record.settings.closed
        for more in following(Reading(seen), rng, 3):
            if getattr(more.body, "query", 0) in [earlier.id for earlier in early.notes if earlier.reason]:
                break  # abandoned later on, so nothing may happen to it now
            back = back.extend([more])
            early.read(more, more.body)
            early.events = [*early.events, more]
            assert_data(Evidence.of(back).arrivals(), early.arrivals(), 1.0)
            assert back.queries == tuple(earlier.query() for earlier in early.notes)
    assert_reads(record, Reading(events))


@pytest.mark.parametrize("seed", range(6))
def test_some_rows_alone_are_as_if_the_others_had_never_entered(seed: int) -> None:
    events, record = grown(seed, 80)
    now, window = events[-1].at, Window(queries=2)
    mask = np.random.default_rng([seed, 2]).random(len(record)) < 0.6
    evidence, reading = Evidence.of(record), Reading(events)
    some = evidence.only(mask)
    assert (some.n_asked, some.seed, some.decides_since) == (evidence.n_asked, evidence.seed, evidence.decides_since)
    reading.notes = [note for note in reading.notes if mask[note.id - 1]]
    assert some.points.tolist() == encoded(reading.notes)
    assert_data(some.arrivals(), reading.arrivals(), 1.0)
    assert_stretches(some, reading)
    for read in (Evidence.ages, lambda of: of.values, lambda of: of.answered_mask, lambda of: of.pending_mask):
        assert_array_equal(read(some), read(evidence)[mask])
    assert_array_equal(some.waiting_mask(window, now), evidence.waiting_mask(window, now)[mask])
    assert_array_equal(some.overdue_mask(window, now), evidence.overdue_mask(window, now)[mask])
    assert_array_equal(some.late_mask(window), evidence.late_mask(window)[mask])
    assert_array_equal(some.recent_mask(window, now), evidence.recent_mask(window, now)[mask])
    assert_imagined(some)
    assert_reads(record, Reading(events))


@pytest.mark.parametrize("seed", range(6))
def test_one_query_imagined_is_one_more_that_was_answered_at_once_and_leaves_the_evidence_as_it_was(seed: int) -> None:
    events, record = grown(seed, 60)
    assert_imagined(Evidence.of(record))
    n_asked = Evidence.of(record).n_asked
    assert_imagined(Evidence.of(record).before(n_asked))
    point, context = Values({"heat": 12.3, "steps": 2}), Values({"hour": 7.5})
    bodies: list[Body] = [Asked(len(record) + 1, point, context), Answered(len(record) + 1, 99.0)]
    more = [Event(number, events[-1].at, body) for number, body in enumerate(bodies, start=len(events) + 1)]
    real, row = Evidence.of(record.extend(more)), encode(SPACE, CONTEXT, point, context)
    assert_same_to_a_rule(Evidence.of(record).imagined(row, 99.0), real)
    assert_reads(record, Reading(events))


def assert_imagined(evidence: Evidence) -> None:
    before, row = [column.copy() for column in evidence.arrivals()[:2]], np.array([0.5, 0.25, 0.75])
    first = evidence.imagined(row, 99.0)
    second = first.imagined(row, 7.0)
    assert first.arrivals().values.tolist() == [*before[1].tolist(), 99.0]
    assert second.arrivals().values.tolist() == [*before[1].tolist(), 99.0, 7.0]
    assert second.points.tolist() == [*evidence.points.tolist(), row.tolist(), row.tolist()]
    assert (second.n_asked, second.n_answered) == (evidence.n_asked + 2, evidence.n_answered + 2)
    assert_array_equal(second.pending_mask[:-2], evidence.pending_mask)
    assert_array_equal(second.ages()[-2:], [1, 0])
    for column, kept in zip(evidence.arrivals()[:2], before, strict=True):
        assert_array_equal(column, kept)


def assert_same_to_a_rule(one: Evidence, other: Evidence) -> None:
    assert (len(one), one.n_asked, one.n_answered) == (len(other), other.n_asked, other.n_answered)
    for column, its in zip((*one.arrivals()[:2], one.values), (*other.arrivals()[:2], other.values), strict=True):
        assert_array_equal(column, its)
    for read in (Evidence.ages, lambda of: of.points, lambda of: of.answered_mask, lambda of: of.pending_mask):
        assert_array_equal(read(one), read(other))
    assert_array_equal(one.best_rows(5), other.best_rows(5))
    for first, last in SPANS:
        assert_array_equal(one.asked_in(first, last), other.asked_in(first, last))
        assert_array_equal(one.arrived_in(first, last).points, other.arrived_in(first, last).points)


CONTRADICTIONS: list[Body] = [
    Asked(99, Values({"heat": 0.0, "steps": 1}), Values({"hour": 1.0})),
    Answered(99, 1.0),
    Answered(0, 1.0),
    Abandoned(99, "unknown"),
    Revised(99, 1.0),
    Asked(3, Values({"cold": 0.0}), Values({"hour": 1.0})),
    Answered(1, 2.0),
    Abandoned(1, "answered"),
    Revised(2, 2.0),
]


@pytest.mark.parametrize("wrong", CONTRADICTIONS)
def test_events_that_cannot_be_taken_in_leave_the_record_as_it_was(wrong: Body) -> None:
    events, record = beginning()
    point, context = Values({"heat": 12.3, "steps": 2}), Values({"hour": 7.5})
    told: list[Body] = [Asked(1, point, context, key="a"), Asked(2, point, context), Answered(1, 0.5)]
    events += [Event(number, 101.0, body) for number, body in enumerate(told, start=2)]
    record = record.extend(events[1:])
    sound: list[Body] = [Asked(3, point, context, key="a"), Answered(2, 0.25), Revised(1, 7.0), Abandoned(3, "lost")]
    more = [Event(number, 102.0, body) for number, body in enumerate(sound, start=5)]
    # Not only the event itself: those before it in the same lot are not taken in either.
    for lot in ([Event(5, 102.0, wrong)], [more[0], Event(6, 102.0, wrong)]):
        with pytest.raises((AssertionError, PointError)):
            record.extend(lot)
        assert_reads(record, Reading(events))
    assert_reads(record.extend(more), Reading([*events, *more]))
    assert_reads(record, Reading(events))


def test_events_are_numbered_on() -> None:
    _, record = beginning()
    with pytest.raises(AssertionError, match="numbered on"):
        record.extend([Event(1, 100.0, Closed("again"))])


def test_threads_that_go_on_from_one_record_do_not_meet() -> None:
    events, record = grown(5, 40)
    branches = [following(Reading(events), np.random.default_rng([8, branch]), 30) for branch in range(16)]

    def went_on(branch: list[Event]) -> Record:
        end = record
        for event in branch:
            end = end.extend([event])
        return end

    with ThreadPoolExecutor(8) as threads:
        ends = list(threads.map(went_on, branches))
    for branch, end in zip(branches, ends, strict=True):
        assert_reads(end, Reading([*events, *branch]))
    assert_reads(record, Reading(events))


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda record: pickle.loads(pickle.dumps(record))])
def test_a_copy_goes_on_by_itself(duplicate: Any) -> None:
    events, record = grown(6, 40)
    other = duplicate(record)
    branches = [following(Reading(events), np.random.default_rng([9, branch]), 20) for branch in range(2)]
    ends = [base.extend(branch) for base, branch in zip((record, other), branches, strict=True)]
    for branch, end in zip(branches, ends, strict=True):
        assert_reads(end, Reading([*events, *branch]))
    assert_reads(record, Reading(events))
    assert_reads(other, Reading(events))


def test_nobody_can_write_into_what_evidence_hands_out() -> None:
    _, record = grown(7, 40)
    evidence = Evidence.of(record)
    arrays = [evidence.points, evidence.values, evidence.answered_mask, evidence.pending_mask, *evidence.arrivals()[:2]]
    for array in [*arrays, evidence.waiting_mask(FOREVER, 0.0), evidence.recent_mask(FOREVER, 0.0)]:
        assert len(array)
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


# What it costs.


def long_log(n: int, n_pending: int = 10) -> list[Event]:
    """n answers, each ten asks late."""
    events, _ = beginning()
    point, context = Values({"heat": 12.3, "steps": 2}), Values({"hour": 7.5})
    for query in range(1, n + n_pending + 1):
        events.append(Event(len(events) + 1, float(query), Asked(query, point, context)))
        if query > n_pending:
            events.append(Event(len(events) + 1, float(query), Answered(query - n_pending, 1.0 / query)))
    return events


def test_the_arrivals_of_later_records_share_their_memory_with_those_of_earlier_ones() -> None:
    events = long_log(600)
    record, moves = Record.empty(SPACE, CONTEXT), 0
    for event in events:
        data = Evidence.of(record).arrivals()
        record = record.extend([event])
        for before, after in zip(data[:2], Evidence.of(record).arrivals()[:2], strict=True):
            moves += int(len(before) > 0 and not np.shares_memory(before, after))
    # Room is made by doubling it: from 16 to 1024, for the points and for the values.
    assert moves == 2 * 6


def test_a_revision_moves_the_values_and_nothing_else() -> None:
    events = long_log(100)
    record = Record.empty(SPACE, CONTEXT).extend(events)
    evidence = Evidence.of(record)
    revised = Evidence.of(record.extend([Event(len(events) + 1, 700.0, Revised(7, 5.0))]))
    assert np.shares_memory(revised.arrivals().points, evidence.arrivals().points)
    assert np.shares_memory(revised.points, evidence.points)
    assert not np.shares_memory(revised.arrivals().values, evidence.arrivals().values)
    assert (evidence.arrivals().values[6], revised.arrivals().values[6]) == (1.0 / 17, 5.0)


def test_an_abandonment_moves_nothing() -> None:
    events = long_log(100)
    record = Record.empty(SPACE, CONTEXT).extend(events)
    after = Evidence.of(record.extend([Event(len(events) + 1, 700.0, Abandoned(105, "lost"))]))
    assert all(
        np.shares_memory(*pair) for pair in zip(Evidence.of(record).arrivals()[:2], after.arrivals()[:2], strict=True)
    )


def test_one_more_event_and_a_look_at_it_take_no_memory_in_proportion_to_the_rows() -> None:
    n = 20_000  # between two doublings
    events = long_log(n)
    record = Record.empty(SPACE, CONTEXT).extend(events)
    number, point, context = len(events), Values({"heat": 12.3, "steps": 2}), Values({"hour": 7.5})
    peaks = []
    tracemalloc.start()
    try:
        for turn in range(21):
            tracemalloc.reset_peak()
            held, _ = tracemalloc.get_traced_memory()
            asked = Event(number + 1, 1e5, Asked(n + 11 + turn, point, context, key="a"))
            answered = Event(number + 2, 1e5, Answered(n + 1 + turn, 2.0))
            record, number = record.extend([asked]).extend([answered]), number + 2
            evidence = Evidence.of(record)
            assert evidence.n_answered == len(evidence.arrivals().values) == record.n_answers == n + turn + 1
            assert len(evidence.waiting_rows(Window(seconds=1.0), 1e5)) == min(turn + 1, 10)
            assert len(evidence.recent_rows(Window(queries=7), 1e5)) == 7
            assert evidence.best_rows(5).tolist() == [*range(n, n + turn + 1), *range(5)][:5]
            assert [query.id - 1 for query in record.best(5)] == evidence.best_rows(5).tolist()
            assert len(record.asked_with("a")) == turn + 1
            assert evidence.before(n).n_asked == n - 1
            assert record.at(1e5, Window(queries=5)).queries[-1].state is State.PENDING
            assert record.counts.pending == len(record.pending()) == 10
            assert len(evidence.arrived_in(n - 5, n)[0]) + len(evidence.asked_in(n - 5, n)) > 0
            peaks.append(tracemalloc.get_traced_memory()[1] - held)
    finally:
        tracemalloc.stop()
    # One mask over the rows would take n bytes by itself.
    assert sorted(peaks)[len(peaks) // 2] < n / 2
