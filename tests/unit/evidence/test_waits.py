"""The waits of a log: their lengths, and how they ended."""

from __future__ import annotations

import numpy as np
import pytest

from belated.delays import delays_at
from belated.evidence import Evidence, Waits
from belated.log import (
    Abandoned,
    Added,
    Answered,
    Asked,
    Body,
    Event,
    Record,
    Revised,
    Values,
)
from belated.space import Float, Space
from tests.logbook import CREATED

SPACE = Space(heat=Float(0.0, 1.0))
POINT = Values({"heat": 0.5})
# When each event was written, and what it says.
STORY: list[tuple[float, Body]] = [
    (0.0, CREATED),
    (10.0, Asked(1, POINT)),
    (20.0, Asked(2, POINT)),
    (25.0, Answered(2, 0.5)),  # before the next ask
    (26.0, Added(3, POINT, 0.7)),
    (30.0, Asked(4, POINT)),
    (40.0, Asked(5, POINT)),
    (41.0, Answered(1, 0.1)),  # three queries later
    (42.0, Abandoned(4, "spilt")),  # after one query
    (50.0, Asked(6, POINT)),
    (55.0, Revised(1, 0.2)),
    (60.0, Asked(7, POINT)),
]


def logged(story: list[tuple[float, Body]]) -> Evidence:
    return Evidence.of(recorded(story))


def recorded(story: list[tuple[float, Body]]) -> Record:
    events = [Event(number, at, body) for number, (at, body) in enumerate(story, start=1)]
    return Record.empty(SPACE).extend(events)


def seen(story: list[tuple[float, Body]], now: float) -> Waits:
    return logged(story).waits(now)


def test_a_wait_ends_with_the_first_answer_with_the_abandonment_or_now() -> None:
    found = seen(STORY, now=100.0)
    assert (found.rows + 1).tolist() == [1, 2, 4, 5, 6, 7]
    assert found.queries.lengths.tolist() == [3, 0, 1, 2, 1, 0]
    assert found.seconds.lengths.tolist() == [31.0, 5.0, 12.0, 60.0, 50.0, 40.0]
    assert found.answered_mask.tolist() == [True, True, False, False, False, False]
    assert found.pending_mask.tolist() == [False, False, False, True, True, True]


def test_a_query_is_followed_until_it_is_abandoned_or_now() -> None:
    found = seen(STORY, now=100.0)
    assert found.queries.followed.tolist() == [5, 4, 1, 2, 1, 0]
    assert found.seconds.followed.tolist() == [90.0, 80.0, 12.0, 60.0, 50.0, 40.0]


def test_data_that_was_added_was_never_waited_for() -> None:
    story: list[tuple[float, Body]] = [(0.0, CREATED), (1.0, Added(1, POINT, 0.7)), (2.0, Added(2, POINT, 0.8))]
    assert len(seen(story, now=9.0)) == 0


def test_a_revision_changes_no_wait() -> None:
    without = [entry for entry in STORY if not isinstance(entry[1], Revised)]
    one, other = seen(STORY, now=100.0), seen(without, now=100.0)
    assert one.seconds.lengths.tolist() == other.seconds.lengths.tolist()
    assert one.queries.lengths.tolist() == other.queries.lengths.tolist()


def test_another_zero_of_the_clock_changes_no_wait() -> None:
    shifted = [(at + 1024.0, body) for at, body in STORY]
    assert seen(STORY, now=100.0).seconds.lengths.tolist() == seen(shifted, now=1124.0).seconds.lengths.tolist()


def test_a_clock_that_was_set_back_makes_no_wait_negative() -> None:
    story: list[tuple[float, Body]] = [
        (0.0, CREATED),
        (50.0, Asked(1, POINT)),
        (60.0, Asked(2, POINT)),
        (40.0, Answered(1, 0.5)),
        (41.0, Asked(3, POINT)),
        (30.0, Abandoned(3, "")),
    ]
    found = seen(story, now=42.0)
    assert found.seconds.lengths.tolist() == [0.0, 0.0, 0.0]
    assert found.seconds.followed.tolist() == [0.0, 0.0, 0.0]


def test_just_before_an_ask_the_curve_in_queries_is_that_of_the_delays() -> None:
    """All answers of a delay up to the age of a query have had their time, so that the law is not blurred."""
    rng = np.random.default_rng(3)
    delays = rng.geometric(0.3, 400) - 1
    story: list[tuple[float, Body]] = [(0.0, CREATED)]
    for number in range(1, 401):
        story.append((float(number), Asked(number, POINT)))
        # After this ask, query s has been followed by `number` − s others.
        story += [(number + 0.5, Answered(s, 0.0)) for s in range(1, number + 1) if s + delays[s - 1] == number]
    found = delays_at(logged(story), 401.0)
    known = found.n_answered
    assert found.queries.answered_by(0.0) == pytest.approx(float(np.mean(delays == 0)))
    assert found.queries.answered_by(3.0) == pytest.approx(float(np.mean(delays <= 3)), abs=0.01)
    assert known + found.n_waiting == 400


def test_the_last_waits_are_those_of_the_queries_asked_last() -> None:
    every, last = logged(STORY).waits(100.0), logged(STORY).waits(100.0, last=4)
    assert last.rows.tolist() == every.rows[-4:].tolist()
    assert last.seconds.lengths.tolist() == every.seconds.lengths[-4:].tolist()
    assert last.queries.followed.tolist() == every.queries.followed[-4:].tolist()
    assert len(logged(STORY).waits(100.0, last=99)) == 6


def test_the_waits_before_an_earlier_query_are_those_that_its_decision_saw() -> None:
    """The fifth ask came after both answers and the abandonment; the fourth before two of them."""
    for number, at, until in ((5, 50.0, 9), (4, 40.0, 6)):
        then, now_seen = logged(STORY[:until]).waits(at), logged(STORY).before(number).waits(at)
        assert now_seen.rows.tolist() == then.rows.tolist()
        assert now_seen.answered_mask.tolist() == then.answered_mask.tolist()
        assert now_seen.queries.lengths.tolist() == then.queries.lengths.tolist()
        assert now_seen.seconds.lengths.tolist() == then.seconds.lengths.tolist()


def test_a_record_that_goes_on_twice_keeps_its_abandonments_apart() -> None:
    common = recorded(STORY[:7])
    one = Evidence.of(common.extend([Event(8, 42.0, Abandoned(4, "spilt"))]))
    other = Evidence.of(common.extend([Event(8, 45.0, Abandoned(5, "lost"))]))
    assert one.waits(100.0).seconds.lengths.tolist() == [90.0, 5.0, 12.0, 60.0]
    assert other.waits(100.0).seconds.lengths.tolist() == [90.0, 5.0, 70.0, 5.0]
