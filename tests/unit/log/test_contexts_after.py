"""Contexts seen after the decision, in a log and in its record: against a reading with lists and dictionaries.

The reading walks through the events again for every question, and shares no code with the library but encodings.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from belated.errors import LogError
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
    whole_log,
)
from belated.space import Choice, Context, Float, Int, Space

SPACE = Space(heat=Float(-30.0, 170.0), steps=Int(1, 8))
AFTER = Context(demand=Float(10.0, 90.0), site=Choice("north", "south"), seen="after")
BEFORE = Context(demand=Float(10.0, 90.0), site=Choice("north", "south"), seen="before")
POINT = Values({"heat": 20.0, "steps": 2})
HERE = Values({"demand": 30.0, "site": "south"})
THERE = Values({"demand": 31.0, "site": "south"})


# Events.


@pytest.mark.parametrize(
    "body",
    [
        Answered(1, 0.5),
        Answered(1, -0.0, HERE),
        Answered(7, 1e-300, Values({"demand": 10.0, "site": "north"})),
        ContextSeen(1, HERE),
        ContextSeen(2**31 - 1, Values({"n": 3, "open": True, "site": "…"})),
    ],
)
def test_answers_and_contexts_go_through_json(body: Body) -> None:
    event = Event(3, 12.5, body)
    text = json.dumps(event.to_json())
    again = Event.from_json(json.loads(text))
    assert again == event
    assert json.dumps(again.to_json()) == text


def test_an_answer_without_a_context_is_written_as_it_always_was() -> None:
    written = Event(3, 12.5, Answered(1, 0.5)).to_json()
    assert written == {"version": 1, "number": 3, "at": 12.5, "event": "answered", "query": 1, "value": 0.5}
    assert Event(4, 12.5, ContextSeen(1, HERE)).to_json() == {
        "version": 1, "number": 4, "at": 12.5, "event": "context-seen", "query": 1, "context": dict(HERE),
    }  # fmt: skip


def test_a_context_read_from_json_cannot_be_changed_by_whoever_wrote_it() -> None:
    data = Event(4, 12.5, ContextSeen(1, HERE)).to_json()
    event = Event.from_json(data)
    data["context"]["demand"] = 0.0
    event.to_json()["context"]["demand"] = 0.0
    assert isinstance(event.body, ContextSeen)
    assert event.body.context == HERE


@pytest.mark.parametrize("missing", ["query", "context"])
def test_a_context_event_without_its_parts_is_refused(missing: str) -> None:
    data = Event(4, 12.5, ContextSeen(1, HERE)).to_json()
    del data[missing]
    with pytest.raises(LogError, match=re.escape("Event.from_json(): event 'context-seen' has wrong fields")):
        Event.from_json(data)


# Whole logs.


def log_of(context: Context | None, *bodies: Body) -> list[Event]:
    described = None if context is None else context.to_json()
    created = Created(SPACE.to_json(), described, "maximize", {"name": "random", "parameters": {}}, 0)
    return [Event(number, 100.0 + number, body) for number, body in enumerate([created, *bodies], start=1)]


SOUND: list[tuple[Context, list[Body]]] = [
    (AFTER, [Asked(1, POINT), Answered(1, 0.5, HERE)]),
    (AFTER, [Asked(1, POINT), Answered(1, 0.5), ContextSeen(1, HERE)]),
    (AFTER, [Asked(1, POINT), ContextSeen(1, HERE), Answered(1, 0.5)]),
    (AFTER, [Asked(1, POINT), Abandoned(1, "lost"), ContextSeen(1, HERE)]),
    (AFTER, [Asked(1, POINT), Answered(1, 0.5), Revised(1, 0.7), ContextSeen(1, HERE), Revised(1, 0.8)]),
    (AFTER, [Added(1, POINT, 0.5), ContextSeen(1, HERE)]),
    (AFTER, [Added(1, POINT, 0.5, HERE)]),
    (BEFORE, [Asked(1, POINT, HERE), Answered(1, 0.5), Added(2, POINT, 0.5, HERE)]),
]


@pytest.mark.parametrize("context, bodies", SOUND)
def test_contexts_may_come_in_any_order(context: Context, bodies: list[Body]) -> None:
    events = log_of(context, *bodies)
    assert whole_log("Study()", events) == (events[0].body, events)


BROKEN: list[tuple[Context | None, list[Body], str]] = [
    (None, [Asked(1, POINT, HERE)], f"event 2 has the context {HERE!r}, and the study declares none"),
    (None, [Added(1, POINT, 0.5, HERE)], f"event 2 has the context {HERE!r}, and the study declares none"),
    (None, [Asked(1, POINT), ContextSeen(1, HERE)], f"event 3 has the context {HERE!r}, and the study declares none"),
    (None, [Asked(1, POINT), Answered(1, 0.5, HERE)], f"event 3 has the context {HERE!r}, and the study declares none"),
    (AFTER, [Asked(1, POINT, HERE)], f"event 2 has the context {HERE!r}, and the study's is seen after the decision"),
    (BEFORE, [Asked(1, POINT)], "event 2 has no context, and the study declares one"),
    (BEFORE, [Added(1, POINT, 0.5)], "event 2 has no context, and the study declares one"),
    (
        BEFORE,
        [Asked(1, POINT, HERE), ContextSeen(1, HERE)],
        f"event 3 has the context {HERE!r}, and the study's is seen before the decision",
    ),
    (
        BEFORE,
        [Asked(1, POINT, HERE), Answered(1, 0.5, HERE)],
        f"event 3 has the context {HERE!r}, and the study's is seen before the decision",
    ),
    (
        AFTER,
        [Asked(1, POINT), ContextSeen(1, HERE), ContextSeen(1, HERE)],
        "event 4 brings a second context of query 1",
    ),
    (AFTER, [Asked(1, POINT), ContextSeen(1, HERE), Answered(1, 1.0, THERE)], "event 4 brings a second context"),
    (AFTER, [Asked(1, POINT), Answered(1, 1.0, HERE), ContextSeen(1, THERE)], "event 4 brings a second context"),
    (AFTER, [Added(1, POINT, 1.0, HERE), ContextSeen(1, HERE)], "event 3 brings a second context of query 1"),
    (AFTER, [ContextSeen(1, HERE)], "event 2 is about query 1, and there are 0"),
    (AFTER, [Asked(1, POINT), ContextSeen(2, HERE)], "event 3 is about query 2, and there are 1"),
    (AFTER, [Asked(1, POINT), ContextSeen(0, HERE)], "event 3 is about query 0, and there are 1"),
    (AFTER, [Asked(1, POINT), ContextSeen("1", HERE)], "event 3 is about query '1', and there are 1"),  # type: ignore[arg-type]
    (AFTER, [Asked(1, POINT), Answered(1, math.nan, HERE)], "event 3 has the value nan"),
]


@pytest.mark.parametrize("context, bodies, said", BROKEN)
def test_a_log_whose_contexts_contradict_each_other_is_refused(
    context: Context | None, bodies: list[Body], said: str
) -> None:
    with pytest.raises(LogError, match="^" + re.escape(f"Study(): {said}")):
        whole_log("Study()", log_of(context, *bodies))


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
        state = State.ANSWERED if self.values else State.PENDING if self.reason is None else State.ABANDONED
        context = None if self.context is None else Values(self.context)
        return Query(self.id, Values(self.point), context, self.asked_at, self.number, state, answer, self.reason)

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
            note.values, note.arrived, note.answered_at = [body.value], event.number, event.at
            note.delay = self.n_asked - note.number if note.number else 0
        if isinstance(body, Added | Answered | ContextSeen) and body.context is not None:
            note.context, note.seen = dict(body.context), event.number
        if isinstance(body, Revised):
            note.values.append(body.value)
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
    events = log_of(AFTER)
    return events, Record.empty(SPACE, AFTER, sign).extend(events)


def grown(seed: int, n_events: int) -> tuple[list[Event], Record]:
    """A log, and its record read event by event."""
    events, record = beginning()
    more = following(events, np.random.default_rng(seed), n_events)
    for event in more:
        record = record.extend([event])
    return events + more, record


def assert_reads(record: Record, reading: Reading) -> None:
    """All that a record says of its contexts, and of what contexts must not change."""
    notes, sign = reading.notes, record.sign
    assert (len(record), record.n_asked) == (len(notes), reading.n_asked)
    assert record.points.tolist() == [SPACE.encode(note.point).tolist() for note in notes]
    arrived = sorted((note for note in notes if note.values), key=lambda note: note.arrived)
    assert record.arrivals().values.tolist() == [sign * note.values[-1] for note in arrived]
    sighted = sorted((note for note in notes if note.context is not None), key=lambda note: note.seen)
    expected = np.array([AFTER.space.encode(note.context or {}) for note in sighted]).reshape(-1, 2)
    assert_array_equal(record.contexts, expected)
    unplaced = [note for note in notes if note.pending and note.context is None]
    assert record.unplaced_rows().tolist() == [note.id - 1 for note in unplaced]
    assert record.queries == tuple(note.query() for note in notes)
    assert [record.records[row] for row in range(len(notes))] == [note.query() for note in notes]
    assert record.pending() == [note.query() for note in notes if note.pending]
    assert_placed(record, reading)


def assert_placed(record: Record, reading: Reading) -> None:
    """The record over (context, point), with made-up contexts where a pending query's is unknown."""
    sign = record.sign
    notes = [note for note in reading.notes if note.context is not None or note.pending]
    guesses = {note.id: [0.01 * note.id, 0.25 + 0.5 * (note.id % 2)] for note in notes if note.context is None}
    rows = [
        note.whole() if note.context is not None else [*guesses[note.id], *SPACE.encode(note.point).tolist()]
        for note in notes
    ]
    placed = record.placed(np.array(list(guesses.values())).reshape(-1, 2))
    assert placed.context is not None
    assert (placed.context.space, placed.context.seen) == (AFTER.space, "before")
    assert (placed.n_asked, placed.n_events, placed.settings) == (record.n_asked, record.n_events, record.settings)
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
def test_every_evidence_of_a_tree_keeps_the_contexts_of_its_own_log(seed: int) -> None:
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
    assert max(len(record.contexts) for _, record in tree) > 4


@pytest.mark.parametrize("seed", range(4))
def test_read_at_once_or_event_by_event_a_history_is_the_same(seed: int) -> None:
    events, record = grown(seed, 70)
    whole = Record.empty(SPACE, AFTER).extend(events)
    for one in (record, whole):
        assert_reads(one, Reading(events))
    assert_array_equal(whole.contexts, record.contexts)


@pytest.mark.parametrize("seed", range(6))
def test_taken_back_to_before_a_query_a_history_has_the_contexts_that_were_seen_by_then(seed: int) -> None:
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
        before = record.before(note.number)
        assert_reads(before, early)
    assert_reads(record, Reading(events))


@pytest.mark.parametrize("seed", range(6))
def test_a_history_taken_back_can_be_told_other_contexts(seed: int) -> None:
    events, record = grown(seed, 50)
    rng = np.random.default_rng([seed, 4])
    for note in Reading(events).notes:
        seen, since = events[: note.after], events[note.after :]
        if not note.number or any(isinstance(event.body, Abandoned | Revised) for event in since):
            continue  # these are kept, so that the record is not that of the shorter log
        more = following(seen, rng, 6)
        assert_reads(record.before(note.number).extend(more), Reading([*seen, *more]))
    assert_reads(record, Reading(events))


@pytest.mark.parametrize("seed", range(6))
def test_some_rows_alone_keep_their_own_contexts(seed: int) -> None:
    events, record = grown(seed, 80)
    mask = np.random.default_rng([seed, 2]).random(len(record)) < 0.6
    some, reading = record.only(mask), Reading(events)
    kept = [note for note in reading.notes if mask[note.id - 1]]
    sighted = sorted((note for note in kept if note.context is not None), key=lambda note: note.seen)
    assert_array_equal(some.contexts, [AFTER.space.encode(note.context or {}) for note in sighted])
    unplaced = [place for place, note in enumerate(kept) if note.pending and note.context is None]
    assert some.unplaced_rows().tolist() == unplaced
    assert some.queries == tuple(note.query() for note in kept)
    placed = some.placed(np.full((len(unplaced), 2), 0.25))
    counted = [note for note in kept if note.values and note.context is not None]
    counted.sort(key=lambda note: max(note.arrived, note.seen))
    assert placed.arrivals().points.tolist() == [note.whole() for note in counted]
    assert_reads(record, reading)


def test_a_second_context_is_not_taken_in_and_leaves_the_history_as_it_was() -> None:
    events = log_of(AFTER, Asked(1, POINT), Asked(2, POINT), ContextSeen(1, HERE))
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


def test_a_revision_after_the_context_leaves_earlier_histories_alone() -> None:
    events = log_of(AFTER, Asked(1, POINT), Answered(1, 0.5, HERE))
    record = Record.empty(SPACE, AFTER).extend(events)
    assert record.records[0].context == HERE  # read, and so kept
    revision = Event(4, 104.0, Revised(1, 9.0))
    later = record.extend([revision])
    assert later.records[0] == Reading([*events, revision]).notes[0].query()
    assert_reads(record, Reading(events))


def test_overdue_queries_stay_marked_where_rows_are_placed() -> None:
    bodies: list[Body] = [Answered(1, 0.5), ContextSeen(3, HERE)]
    events = log_of(AFTER, *(Asked(query, POINT) for query in range(1, 6)), *bodies)
    record = Record.empty(SPACE, AFTER).extend(events).at(1e4, Window(queries=2))
    placed = record.placed(np.full((3, 2), 0.25))  # the first query, answered, has no context yet
    assert [query.state for query in placed.queries] == [query.state for query in record.queries[1:]]
    assert [query.state is State.OVERDUE for query in placed.queries] == [True, False, False, False]


def test_what_a_history_hands_out_of_its_contexts_cannot_be_written_to() -> None:
    events, record = grown(3, 40)
    placed = record.placed(np.zeros((len(record.unplaced_rows()), 2)))
    for array in (record.contexts, placed.points, *placed.arrivals()):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    assert_reads(record, Reading(events))
