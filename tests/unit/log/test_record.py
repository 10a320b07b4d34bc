"""Record: what events add up to in the words of people, against sums written out event by event."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from belated.evidence import Evidence
from belated.log import (
    Added,
    Answer,
    Answered,
    Asked,
    Closed,
    Counts,
    Created,
    Event,
    PolicyChanged,
    Record,
    Revised,
    Settings,
    State,
    Window,
)
from belated.space import Context, Float
from tests.builders import all_rows
from tests.unit.log.plain_reading import OTHER, POINT, POLICY, SPACE, WINDOWS, Notes, at, check, logs, read, too_long


def assert_same(first: Record, second: Record) -> None:
    assert first.queries == second.queries
    assert first.rows.points.tobytes() == second.rows.points.tobytes()
    assert all_rows(Evidence.of(first)) == all_rows(Evidence.of(second))
    assert (first.counts, first.n_events) == (second.counts, second.n_events)
    assert (first.settings, first.sign) == (second.settings, second.sign)


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
def test_more_events_leave_the_earlier_record_as_it_was(events: list[Event], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(events)))
    before = read(events[:cut])

    def said() -> tuple[object, ...]:
        return all_rows(Evidence.of(before)), before.rows.points.tobytes(), tuple(before.queries), before.counts

    earlier = said()
    before.extend(events[cut:])
    assert said() == earlier


@given(logs())
@check
def test_queries_say_what_the_log_says(events: list[Event]) -> None:
    record, rows = read(events, -1.0), Notes(events).rows()
    assert (len(record), record.n_events) == (len(rows), events[-1].number)
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
def test_queries_are_marked_overdue_and_counted_as_they_stand(
    events: list[Event], window: Window, later: float
) -> None:
    record, rows, n_asked = read(events), Notes(events).rows(), Notes(events).n_asked()
    now = events[-1].at + later
    overdue = [row.pending and too_long(window, n_asked - row.number, now - row.asked_at) for row in rows]
    marked = record.at(now, window)
    assert [query.state is State.OVERDUE for query in marked.queries] == overdue
    assert all(query.state is not State.OVERDUE for query in record.queries)
    assert marked.overdue() == [query for query, late in zip(marked.queries, overdue, strict=True) if late]
    asked = [row for row in rows if row.number]
    answered, pending = sum(row.answered for row in asked), sum(row.pending for row in asked)
    abandoned = sum(row.abandoned for row in asked)
    assert marked.counts == Counts(n_asked, answered, pending, sum(overdue), abandoned, len(rows) - n_asked)
    assert marked.counts.waiting == pending - sum(overdue)
    assert record.counts == Counts(n_asked, answered, pending, 0, abandoned, len(rows) - n_asked)


# Examples with numbers that can be checked by eye.


def test_a_delay_counts_the_queries_asked_after_and_not_the_data_added() -> None:
    asks = [at(1, Asked(1, POINT)), at(2, Asked(2, POINT)), at(3, Added(3, POINT, 0.0)), at(4, Asked(4, POINT))]
    record = read([*asks, at(5, Answered(1, 1.0)), at(6, Answered(4, 2.0))])
    delays = [query.answer.delay if query.answer else None for query in record.queries]
    assert delays == [2, None, 0, 0]
    assert Evidence.of(record).ages().tolist() == [2, 1, 0, 0]
    assert [query.number for query in record.queries] == [1, 2, 0, 3]


def test_revisions_keep_every_earlier_value_and_the_first_arrival() -> None:
    events = [at(1, Asked(1, POINT)), at(2, Answered(1, 1.0), 3.0), at(3, Asked(2, POINT), 4.0)]
    record = read([*events, at(4, Revised(1, 2.0), 5.0), at(5, Revised(1, 1.0), 6.0), at(6, Revised(1, 4.0), 7.0)])
    assert record.queries[0].answer == Answer(4.0, 3.0, 0, (1.0, 2.0, 1.0))
    assert Evidence.of(record).arrivals().values.tolist() == [4.0]


def test_queries_are_overdue_at_a_moment_and_a_record_that_goes_on_has_another() -> None:
    asks = [at(place, Asked(place, POINT), float(place)) for place in range(1, 4)]
    marked = read(asks).at(3.0, Window(queries=0))
    assert [query.id for query in marked.overdue()] == [1, 2]
    later = marked.extend([at(4, Answered(1, 0.5), 4.0)])
    assert later.overdue() == []
    assert later.counts == Counts(3, 1, 2, 0, 0, 0)
    assert later.at(4.0, Window(queries=0)).counts == Counts(3, 1, 2, 1, 0, 0)


def test_a_record_without_events_is_empty() -> None:
    record = Record.empty(SPACE)
    assert len(record) == record.n_answers == record.n_events == 0
    assert record.counts == Counts(0, 0, 0, 0, 0, 0)
    assert record.at(5.0, Window(queries=0)).queries == ()
    assert record.best() == record.pending() == []
    assert record.progress() == ()
    assert record.settings == Settings()


def test_the_policy_and_the_end_are_read_from_the_log() -> None:
    created = at(1, Created(SPACE.to_json(), None, "maximize", POLICY, 0))
    record = read([created, at(2, PolicyChanged(OTHER)), at(3, Closed("no money"))])
    assert record.settings.policy == OTHER
    assert record.settings.closed == "no money"
    assert read([created]).settings.closed is None


def test_a_context_seen_before_stands_with_its_query() -> None:
    context = Context(hour=Float(0, 24), seen="before")
    record = Record.empty(SPACE, context).extend([at(1, Asked(1, POINT, {"hour": 6.0}))])
    assert record.queries[0].context == {"hour": 6.0}
