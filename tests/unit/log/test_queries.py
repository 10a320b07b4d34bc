"""Queries: made when somebody looks at them, and not to be told from a tuple of them."""

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
    queries = three().queries
    made = tuple(queries)
    assert len(queries) == 3
    assert [query.id for query in made] == [1, 2, 3]
    assert [query.state for query in made] == [State.ANSWERED, State.ANSWERED, State.PENDING]
    assert [queries[place] for place in range(3)] == list(made)
    assert queries[1:] == made[1:]
    assert isinstance(queries[:0], tuple)
    assert (queries[-1], queries[0]) == (made[2], made[0])
    assert repr(queries) == repr(made)
    assert made[1] in queries
    for place in (3, -4):
        with pytest.raises(IndexError):
            queries[place]


def test_they_equal_sequences_of_equal_queries() -> None:
    record = three()
    assert record.queries == tuple(record.queries) == three().queries == list(record.queries)
    assert record.queries != record.queries[:2]
    assert record.queries != record.extend([Event(5, 0.0, Answered(3, 0.0))]).queries
    assert record.queries != "three"


def test_the_values_of_a_point_are_those_of_the_event_and_never_change() -> None:
    point = Values(heat=1.0)
    record = Record.empty(SPACE).extend([Event(1, 0.0, Asked(1, point)), Event(2, 0.0, Added(2, {"heat": 2.0}, 5.0))])
    assert record.queries[0].point is point
    assert isinstance(record.queries[1].point, Values)


def test_what_is_settled_is_made_once_and_what_waits_is_seen_as_it_is() -> None:
    record = three()
    assert record.queries[0] is record.at(9.0, Window(seconds=1.0)).queries[0]
    assert record.at(9.0, Window(seconds=1.0)).queries[2].state is State.OVERDUE
    assert record.queries[2].state is State.PENDING
    later = record.extend([Event(5, 0.0, Answered(3, 0.0))])
    assert later.queries[2].state is State.ANSWERED
    assert record.queries[2].state is State.PENDING
    assert all(isinstance(query, Query) for query in later.queries)
