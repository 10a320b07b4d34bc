"""Evidence: what events add up to in numbers, against sums written out event by event."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from belated.evidence import Evidence
from belated.log import Answered, Asked, Event, Record, Window, encode
from belated.space import Context, Float
from tests.unit.log.plain_reading import POINT, SPACE, WINDOWS, Notes, Row, at, check, encodings, logs, read, too_long


def seen(events: list[Event], sign: float = 1.0) -> Evidence:
    return Evidence.of(read(events, sign))


def assert_data(data: Any, rows: list[Row], sign: float) -> None:
    np.testing.assert_array_equal(data.points, encodings(rows))
    np.testing.assert_array_equal(data.values, [sign * row.value for row in rows])


@given(logs(), st.sampled_from([1.0, -1.0]))
@check
def test_rows_say_what_the_log_says(events: list[Event], sign: float) -> None:
    evidence, rows = seen(events, sign), Notes(events).rows()
    n_asked = Notes(events).n_asked()
    assert len(evidence) == len(rows)
    assert evidence.n_asked == n_asked
    assert evidence.answered_mask.tolist() == [row.answered for row in rows]
    assert evidence.pending_mask.tolist() == [row.pending for row in rows]
    assert evidence.n_answered == sum(row.answered for row in rows)
    np.testing.assert_array_equal(evidence.values, [sign * row.value for row in rows])
    assert evidence.ages().tolist() == [n_asked - row.number if row.number else 0 for row in rows]
    for encoded, row in zip(evidence.points, rows, strict=True):
        np.testing.assert_array_equal(encoded, SPACE.encode(row.point))


@given(logs(), st.sampled_from(WINDOWS), st.sampled_from([0.0, 1.5, 6.0]))
@check
def test_overdue_late_waiting_and_recent_follow_from_ages_and_instants(
    events: list[Event], window: Window, later: float
) -> None:
    evidence, rows, n_asked = seen(events), Notes(events).rows(), Notes(events).n_asked()
    now = events[-1].at + later
    overdue = [row.pending and too_long(window, n_asked - row.number, now - row.asked_at) for row in rows]
    assert evidence.overdue_mask(window, now).tolist() == overdue
    waiting = [row.pending and not late for row, late in zip(rows, overdue, strict=True)]
    assert evidence.waiting_mask(window, now).tolist() == waiting
    assert evidence.late_mask(window).tolist() == [
        row.answered and too_long(window, row.delay, row.answered_at - row.asked_at) for row in rows
    ]
    # A window of m queries holds the last m: the query about to be asked is one further.
    assert evidence.recent_mask(window, now).tolist() == [
        row.number > 0 and not row.abandoned and not too_long(window, n_asked - row.number + 1, now - row.asked_at)
        for row in rows
    ]
    assert evidence.counted_rows(window, now).tolist() == [
        place
        for place, (row, waits) in enumerate(zip(rows, waiting, strict=True))
        if row.number > 0 and (waits or row.answered)
    ]


@given(logs(), st.sampled_from([1.0, -1.0]))
@check
def test_arrivals_come_in_the_order_of_the_events_that_brought_them(events: list[Event], sign: float) -> None:
    evidence, rows = seen(events, sign), Notes(events).rows()
    arrived = sorted((row for row in rows if row.answered), key=lambda row: row.arrived)
    assert_data(evidence.arrivals(), arrived, sign)
    odd = np.arange(len(rows)) % 2 == 1
    assert_data(evidence.arrivals(odd), [row for row in arrived if rows.index(row) % 2 == 1], sign)


@given(logs())
@check
def test_a_round_holds_its_queries_and_what_came_before_the_next_round(events: list[Event]) -> None:
    evidence, rows = seen(events), Notes(events).rows()
    for first, last in [(1, 1), (1, 3), (2, 5), (1, 99)]:
        inside = [row for row in rows if row.number and first <= row.number <= last]
        asked = [row for row in inside if not row.abandoned]
        np.testing.assert_array_equal(evidence.asked_in(first, last), encodings(asked))
        following = [row.entered for row in rows if row.number == last + 1]
        in_time = [row for row in inside if row.answered and (not following or row.arrived < following[0])]
        assert_data(evidence.arrived_in(first, last), sorted(in_time, key=lambda row: row.arrived), 1.0)


@given(logs())
@check
def test_evidence_can_be_taken_back_to_just_before_a_query(events: list[Event]) -> None:
    evidence, rows = seen(events, -1.0), Notes(events).rows()
    for number in range(1, evidence.n_asked + 1):
        [entered] = [row.entered for row in rows if row.number == number]
        before, earlier = evidence.before(number), [row for row in rows if row.entered < entered]
        assert before.n_asked == number - 1
        arrived = sorted((row for row in earlier if 0 < row.arrived < entered), key=lambda row: row.arrived)
        assert_data(before.arrivals(), arrived, -1.0)
        assert before.points.tobytes() == encodings(earlier).tobytes()
    assert evidence.before(evidence.n_asked + 1) is evidence


# Examples with numbers that can be checked by eye.


def test_a_query_is_overdue_once_more_queries_than_the_window_holds_were_asked_after_it() -> None:
    asks = [at(place, Asked(place, POINT), float(place)) for place in range(1, 5)]
    evidence = seen(asks)
    assert evidence.overdue_mask(Window(queries=2), 4.0).tolist() == [True, False, False, False]
    assert evidence.overdue_mask(Window(seconds=2.0), 4.0).tolist() == [True, False, False, False]
    assert evidence.overdue_mask(Window(seconds=2.0), 4.5).tolist() == [True, True, False, False]


def test_evidence_without_events_is_empty() -> None:
    evidence = Evidence.none(SPACE)
    assert len(evidence) == evidence.n_answered == evidence.n_asked == 0
    assert evidence.points.shape == (0, 2)
    assert evidence.arrivals().points.shape == (0, 2)
    assert evidence.best_rows(3).tolist() == []


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_inward_is_its_own_inverse(sign: float) -> None:
    evidence = seen([], sign)
    assert evidence.inward(0.3) == sign * 0.3
    assert evidence.inward(evidence.inward(0.3)) == 0.3


def test_columns_of_a_context_seen_before_come_first() -> None:
    context = Context(hour=Float(0, 24), seen="before")
    record = Record.empty(SPACE, context).extend([at(1, Asked(1, POINT, {"hour": 6.0}))])
    np.testing.assert_array_equal(Evidence.of(record).points, [[0.25, 0.5, 0.5 / 8]])


def test_a_context_seen_after_adds_no_columns() -> None:
    context = Context(demand=Float(0, 1), seen="after")
    assert Evidence.none(SPACE, context).points.shape == (0, 2)
    np.testing.assert_array_equal(encode(SPACE, context, POINT, {"demand": 1.0}), SPACE.encode(POINT))


def test_nobody_can_write_into_evidence() -> None:
    evidence = seen([at(1, Asked(1, POINT)), at(2, Answered(1, 1.0))])
    with pytest.raises(ValueError, match="read-only"):
        evidence.points[0] = 7.0
    with pytest.raises(ValueError, match="read-only"):
        evidence.values[0] = 7.0
