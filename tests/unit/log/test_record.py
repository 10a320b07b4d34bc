"""Record: what events add up to, against sums written out event by event."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belated.log import (
    FOREVER,
    Abandoned,
    Added,
    Answer,
    Answered,
    Asked,
    Closed,
    Created,
    Event,
    PolicyChanged,
    Record,
    Revised,
    Settings,
    State,
    Window,
    encode,
)
from belated.space import Array, Context, Float, Int, Space
from tests.builders import all_rows

SPACE = Space(heat=Float(-30.0, 170.0), steps=Int(1, 8))
POLICY = {"name": "random", "parameters": {}}
OTHER = {"name": "gp-ei", "parameters": {}}
WINDOWS = [FOREVER, Window(queries=0), Window(queries=2), Window(seconds=3.0), Window(queries=3, seconds=5.0)]


@dataclass
class Row:
    """What a plain reader of the log notes down about one query."""

    point: dict[str, Any]
    entered: int
    asked_at: float
    number: int
    value: float = math.nan
    arrived: int = 0
    answered_at: float = 0.0
    delay: int = 0
    earlier: list[float] = field(default_factory=list)
    abandoned: bool = False

    @property
    def answered(self) -> bool:
        return self.arrived > 0

    @property
    def pending(self) -> bool:
        return not self.answered and not self.abandoned


@dataclass
class Notes:
    """A plain reading of a log, one list that is walked through again for every question."""

    events: list[Event]

    def rows(self) -> list[Row]:
        rows: list[Row] = []
        n_asked = 0
        for event in self.events:
            body = event.body
            if isinstance(body, Asked):
                n_asked += 1
                rows.append(Row(dict(body.point), event.number, event.at, n_asked))
            elif isinstance(body, Added):
                rows.append(Row(dict(body.point), event.number, event.at, 0, body.value, event.number, event.at))
            elif isinstance(body, Answered):
                row = rows[body.query - 1]
                row.value, row.arrived, row.answered_at = body.value, event.number, event.at
                row.delay = n_asked - row.number
            elif isinstance(body, Revised):
                row = rows[body.query - 1]
                row.earlier.append(row.value)
                row.value = body.value
            elif isinstance(body, Abandoned):
                rows[body.query - 1].abandoned = True
        return rows

    def n_asked(self) -> int:
        return sum(isinstance(event.body, Asked) for event in self.events)


def too_long(window: Window, queries: int, seconds: float) -> bool:
    return (window.queries is not None and queries > window.queries) or (
        window.seconds is not None and seconds > window.seconds
    )


@st.composite
def logs(draw: st.DrawFn) -> list[Event]:
    """Logs that a study could have written."""
    events = [Event(1, 100.0, Created(SPACE.to_json(), None, "maximize", POLICY, 0))]
    at, ids, open_ids, answered_ids = 100.0, 0, [], []
    values = st.sampled_from([-2.0, 0.0, 0.5, 0.5, 7.25])
    kinds = st.sampled_from(["ask", "ask", "ask", "add", "tell", "tell", "revise", "abandon", "change", "close"])
    for kind in draw(st.lists(kinds, max_size=30)):
        at += draw(st.sampled_from([0.0, 0.5, 1.0, 2.25]))
        point = {"heat": draw(st.sampled_from([-30.0, 12.3, 170.0])), "steps": draw(st.integers(1, 8))}
        body: Any = None
        if kind == "ask":
            ids += 1
            open_ids.append(ids)
            body = Asked(ids, point)
        elif kind == "add":
            ids += 1
            answered_ids.append(ids)
            body = Added(ids, point, draw(values))
        elif kind == "tell" and open_ids:
            query = open_ids.pop(draw(st.integers(0, len(open_ids) - 1)))
            answered_ids.append(query)
            body = Answered(query, draw(values))
        elif kind == "abandon" and open_ids:
            body = Abandoned(open_ids.pop(draw(st.integers(0, len(open_ids) - 1))), "lost")
        elif kind == "revise" and answered_ids:
            body = Revised(draw(st.sampled_from(answered_ids)), draw(values))
        elif kind == "change":
            body = PolicyChanged(OTHER)
        elif kind == "close":
            body = Closed("done")
        if body is not None:
            events.append(Event(len(events) + 1, at, body))
    return events


def read(events: list[Event], sign: float = 1.0) -> Record:
    return Record.empty(SPACE, None, sign).extend(events)


def assert_same(first: Record, second: Record) -> None:
    assert first.records == second.records
    assert first.points.tobytes() == second.points.tobytes()
    assert all_rows(first) == all_rows(second)
    assert (first.n_asked, first.n_events) == (second.n_asked, second.n_events)
    assert (first.settings, first.sign) == (second.settings, second.sign)


check = settings(max_examples=60, derandomize=True, deadline=None)


@given(logs(), st.data())
@check
def test_it_does_not_matter_in_how_many_pieces_a_log_is_read(events: list[Event], data: st.DataObject) -> None:
    whole = read(events)
    one_by_one = Record.empty(SPACE)
    for event in events:
        one_by_one = one_by_one.extend([event])
    cut = data.draw(st.integers(0, len(events)))
    assert_same(one_by_one, whole)
    assert_same(read(events[:cut]).extend(iter(events[cut:])), whole)
    assert_same(whole.extend([]), whole)


@given(logs(), st.data())
@check
def test_more_events_leave_the_earlier_history_as_it_was(events: list[Event], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(events)))
    before = read(events[:cut])
    rows, points, records = all_rows(before), before.points.tobytes(), before.records
    before.extend(events[cut:])
    assert (all_rows(before), before.points.tobytes(), before.records) == (rows, points, records)


@given(logs(), st.sampled_from([1.0, -1.0]))
@check
def test_rows_say_what_the_log_says(events: list[Event], sign: float) -> None:
    record, rows = read(events, sign), Notes(events).rows()
    n_asked = Notes(events).n_asked()
    assert len(record) == len(rows)
    assert record.n_asked == n_asked
    assert record.n_events == events[-1].number
    assert record.answered_mask.tolist() == [row.answered for row in rows]
    assert record.pending_mask.tolist() == [row.pending for row in rows]
    assert record.n_answered == sum(row.answered for row in rows)
    np.testing.assert_array_equal(record.values, [sign * row.value for row in rows])
    assert record.ages().tolist() == [n_asked - row.number if row.number else 0 for row in rows]
    for encoded, row in zip(record.points, rows, strict=True):
        np.testing.assert_array_equal(encoded, SPACE.encode(row.point))


@given(logs())
@check
def test_records_say_what_the_log_says(events: list[Event]) -> None:
    record, rows = read(events, -1.0), Notes(events).rows()
    assert [query.id for query in record.queries] == list(range(1, len(rows) + 1))
    for query, row in zip(record.queries, rows, strict=True):
        assert (query.point, query.context, query.asked_at, query.number) == (row.point, None, row.asked_at, row.number)
        state = State.ABANDONED if row.abandoned else State.ANSWERED if row.answered else State.PENDING
        assert query.state is state
        assert query.reason == ("lost" if row.abandoned else None)
        assert (query.answer is not None) == row.answered
        if query.answer is not None:
            assert (query.answer.value, query.answer.at) == (row.value, row.answered_at)
            assert (query.answer.delay, query.answer.earlier) == (row.delay, tuple(row.earlier))


@given(logs(), st.sampled_from(WINDOWS), st.sampled_from([0.0, 1.5, 6.0]))
@check
def test_overdue_late_waiting_and_recent_follow_from_ages_and_instants(
    events: list[Event], window: Window, later: float
) -> None:
    record, rows, n_asked = read(events), Notes(events).rows(), Notes(events).n_asked()
    now = events[-1].at + later
    overdue = [row.pending and too_long(window, n_asked - row.number, now - row.asked_at) for row in rows]
    assert record.overdue_mask(window, now).tolist() == overdue
    waiting = [row.pending and not late for row, late in zip(rows, overdue, strict=True)]
    assert record.waiting_mask(window, now).tolist() == waiting
    assert record.late_mask(window).tolist() == [
        row.answered and too_long(window, row.delay, row.answered_at - row.asked_at) for row in rows
    ]
    # A window of m queries holds the last m: the query about to be asked is one further.
    assert record.recent_mask(window, now).tolist() == [
        row.number > 0 and not row.abandoned and not too_long(window, n_asked - row.number + 1, now - row.asked_at)
        for row in rows
    ]
    assert record.counted_rows(window, now).tolist() == [
        place
        for place, (row, waits) in enumerate(zip(rows, waiting, strict=True))
        if row.number > 0 and (waits or row.answered)
    ]
    marked = record.at(now, window)
    assert [query.state is State.OVERDUE for query in marked.queries] == overdue
    assert all(query.state is not State.OVERDUE for query in record.queries)


@given(logs(), st.sampled_from([1.0, -1.0]))
@check
def test_arrivals_come_in_the_order_of_the_events_that_brought_them(events: list[Event], sign: float) -> None:
    record, rows = read(events, sign), Notes(events).rows()
    arrived = sorted((row for row in rows if row.answered), key=lambda row: row.arrived)
    assert_data(record.arrivals(), arrived, sign)
    odd = np.arange(len(rows)) % 2 == 1
    assert_data(record.arrivals(odd), [row for row in arrived if rows.index(row) % 2 == 1], sign)


@given(logs())
@check
def test_a_round_holds_its_queries_and_what_came_before_the_next_round(events: list[Event]) -> None:
    record, rows = read(events), Notes(events).rows()
    for first, last in [(1, 1), (1, 3), (2, 5), (1, 99)]:
        inside = [row for row in rows if row.number and first <= row.number <= last]
        asked = [row for row in inside if not row.abandoned]
        np.testing.assert_array_equal(record.asked_in(first, last), encodings(asked))
        following = [row.entered for row in rows if row.number == last + 1]
        in_time = [row for row in inside if row.answered and (not following or row.arrived < following[0])]
        assert_data(record.arrived_in(first, last), sorted(in_time, key=lambda row: row.arrived), 1.0)


@given(logs())
@check
def test_a_history_can_be_taken_back_to_just_before_a_query(events: list[Event]) -> None:
    record, rows = read(events, -1.0), Notes(events).rows()
    for number in range(1, record.n_asked + 1):
        [entered] = [row.entered for row in rows if row.number == number]
        before, earlier = record.before(number), [row for row in rows if row.entered < entered]
        assert (before.n_asked, before.n_events) == (number - 1, entered - 1)
        arrived = sorted((row for row in earlier if 0 < row.arrived < entered), key=lambda row: row.arrived)
        assert_data(before.arrivals(), arrived, -1.0)
        assert before.points.tobytes() == encodings(earlier).tobytes()
    assert record.before(record.n_asked + 1) is record


def assert_data(data: Any, rows: list[Row], sign: float) -> None:
    np.testing.assert_array_equal(data.points, encodings(rows))
    np.testing.assert_array_equal(data.values, [sign * row.value for row in rows])


def encodings(rows: list[Row]) -> Array:
    return np.array([SPACE.encode(row.point) for row in rows]).reshape(len(rows), SPACE.dimension)


# Examples with numbers that can be checked by eye.


def at(number: int, body: Any, instant: float = 0.0) -> Event:
    return Event(number, instant, body)


POINT = {"heat": 70.0, "steps": 1}


def test_a_delay_counts_the_queries_asked_after_and_not_the_data_added() -> None:
    asks = [at(1, Asked(1, POINT)), at(2, Asked(2, POINT)), at(3, Added(3, POINT, 0.0)), at(4, Asked(4, POINT))]
    record = read([*asks, at(5, Answered(1, 1.0)), at(6, Answered(4, 2.0))])
    delays = [query.answer.delay if query.answer else None for query in record.queries]
    assert delays == [2, None, 0, 0]
    assert record.ages().tolist() == [2, 1, 0, 0]
    assert [query.number for query in record.queries] == [1, 2, 0, 3]


def test_revisions_keep_every_earlier_value_and_the_first_arrival() -> None:
    events = [at(1, Asked(1, POINT)), at(2, Answered(1, 1.0), 3.0), at(3, Asked(2, POINT), 4.0)]
    record = read([*events, at(4, Revised(1, 2.0), 5.0), at(5, Revised(1, 1.0), 6.0), at(6, Revised(1, 4.0), 7.0)])
    assert record.queries[0].answer == Answer(4.0, 3.0, 0, (1.0, 2.0, 1.0))
    np.testing.assert_array_equal(record.arrivals().values, [4.0])


def test_a_query_is_overdue_once_more_queries_than_the_window_holds_were_asked_after_it() -> None:
    asks = [at(place, Asked(place, POINT), float(place)) for place in range(1, 5)]
    record = read(asks)
    assert record.overdue_mask(Window(queries=2), 4.0).tolist() == [True, False, False, False]
    assert record.overdue_mask(Window(seconds=2.0), 4.0).tolist() == [True, False, False, False]
    assert record.overdue_mask(Window(seconds=2.0), 4.5).tolist() == [True, True, False, False]


def test_a_history_without_events_is_empty() -> None:
    record = Record.empty(SPACE)
    assert len(record) == record.n_answered == record.n_asked == record.n_events == 0
    assert record.points.shape == (0, 2)
    assert record.arrivals().points.shape == (0, 2)
    assert record.at(5.0, Window(queries=0)).queries == ()
    assert record.settings == Settings()


def test_the_policy_and_the_end_are_read_from_the_log() -> None:
    created = at(1, Created(SPACE.to_json(), None, "maximize", POLICY, 0))
    record = read([created, at(2, PolicyChanged(OTHER)), at(3, Closed("no money"))])
    assert record.settings.policy == OTHER
    assert record.settings.closed == "no money"
    assert read([created]).settings.closed is None


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_inward_is_its_own_inverse(sign: float) -> None:
    record = Record.empty(SPACE, None, sign)
    assert record.inward(0.3) == sign * 0.3
    assert record.inward(record.inward(0.3)) == 0.3


def test_columns_of_a_context_seen_before_come_first() -> None:
    context = Context(hour=Float(0, 24), seen="before")
    record = Record.empty(SPACE, context).extend([at(1, Asked(1, POINT, {"hour": 6.0}))])
    np.testing.assert_array_equal(record.points, [[0.25, 0.5, 0.5 / 8]])
    assert record.queries[0].context == {"hour": 6.0}
    assert record.decoded(np.array([0.25])) == {"hour": 6.0}
    assert record.decoded(np.empty(0)) is None
    assert Record.empty(SPACE).decoded(np.empty(0)) is None


def test_a_context_seen_after_adds_no_columns() -> None:
    context = Context(demand=Float(0, 1), seen="after")
    assert Record.empty(SPACE, context).points.shape == (0, 2)
    np.testing.assert_array_equal(encode(SPACE, context, POINT, {"demand": 1.0}), SPACE.encode(POINT))


def test_nobody_can_write_into_a_history() -> None:
    record = read([at(1, Asked(1, POINT)), at(2, Answered(1, 1.0))])
    with pytest.raises(ValueError, match="read-only"):
        record.points[0] = 7.0
    with pytest.raises(ValueError, match="read-only"):
        record.values[0] = 7.0
