"""Records: queries that are made when somebody looks at them, and cannot be told from a tuple of them."""

from __future__ import annotations

import pytest

from belated.log import Added, Answered, Asked, Body, Event, Query, Record, State, Values, Window
from belated.space import Float, Space

SPACE = Space(heat=Float(-30.0, 170.0))


def three() -> Record:
    bodies: list[Body] = [
        Asked(1, Values(heat=1.0)),
        Added(2, {"heat": 2.0}, 5.0),
        Asked(3, Values(heat=3.0)),
        Answered(1, 0.5),
    ]
    return Record.empty(SPACE).extend(Event(number, 0.0, body) for number, body in enumerate(bodies, start=1))


def test_they_read_as_a_tuple_does() -> None:
    records, queries = three().records, three().queries
    assert isinstance(queries, tuple)
    assert len(records) == 3
    assert list(records) == list(queries)
    assert [query.id for query in records[1:]] == [2, 3]
    assert isinstance(records[:0], tuple)
    assert (records[-1], records[0]) == (queries[2], queries[0])
    assert repr(records) == repr(queries)
    assert queries[1] in records
    for place in (3, -4):
        with pytest.raises(IndexError):
            records[place]


def test_they_equal_sequences_of_equal_queries() -> None:
    record = three()
    assert record.records == record.queries == three().records == list(record.queries)
    assert record.records != record.queries[:2]
    assert record.records != record.extend([Event(5, 0.0, Answered(3, 0.0))]).records
    assert record.records != "three"


def test_the_values_of_a_point_are_those_of_the_event_and_never_change() -> None:
    point = Values(heat=1.0)
    record = Record.empty(SPACE).extend([Event(1, 0.0, Asked(1, point)), Event(2, 0.0, Added(2, {"heat": 2.0}, 5.0))])
    assert record.records[0].point is point
    assert isinstance(record.records[1].point, Values)


def test_what_is_settled_is_made_once_and_what_waits_is_seen_as_it_is() -> None:
    record = three()
    assert record.records[0] is record.at(9.0, Window(seconds=1.0)).records[0]
    assert record.at(9.0, Window(seconds=1.0)).records[2].state is State.OVERDUE
    assert record.records[2].state is State.PENDING
    later = record.extend([Event(5, 0.0, Answered(3, 0.0))])
    assert later.records[2].state is State.ANSWERED
    assert record.records[2].state is State.PENDING
    assert all(isinstance(query, Query) for query in later.records)
