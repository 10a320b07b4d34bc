"""What every storage does alike: logs that read back to the last bit, in lots that are whole or not there at all."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from belated.errors import ConflictError, UnknownStudyError
from belated.log import (
    Abandoned,
    Added,
    Answered,
    Asked,
    Body,
    Closed,
    ContextSeen,
    Event,
    Failed,
    Noticed,
    Performed,
    PolicyChanged,
    Reopened,
    Retracted,
    Revised,
    SeedChanged,
    SeekChanged,
    SilenceChanged,
    Values,
)
from belated.storage import Reader, connect
from tests.logbook import BEGINNING, CREATED, POINT, append, events_of, new_log, number_in
from tests.meanwhile import Meanwhile
from tests.reference import logs

HARD_NUMBERS = (-0.0, 5e-324, -5e-324, sys.float_info.max, 1.7e308, 0.1 + 0.2, 1 / 3, 2.0**53 + 2, 1e23, 1e-7)


MOVES = ["ask", "ask", "add", "answer", "see", "abandon", "fail", "measure", "retract", "answer again", "perform"]
MOVES += ["revise", "set"]

# What is written is read.

numbers = st.sampled_from(HARD_NUMBERS) | st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(st.characters(), max_size=8)  # lone surrogates and NUL among them
values = st.dictionaries(texts, numbers | st.integers() | texts | st.booleans(), max_size=3).map(Values)
labels = st.none() | texts
# SQLite keeps no sign of an instant that is zero; minus zero is the same instant.
instants = st.floats(allow_nan=False, allow_infinity=False).map(lambda at: at + 0.0)


@st.composite
def lives(draw: st.DrawFn) -> list[list[Body]]:
    """Events in the order of a sound log, in the lots in which they are written."""
    lots: list[list[Body]] = []
    pending: list[int] = []
    answered: list[int] = []
    ended: list[int] = []
    n_queries = 0
    unseen: list[int] = []
    for move in draw(st.lists(st.sampled_from(MOVES), max_size=12)):
        body: Body | None = None
        if move in ("ask", "add"):
            n_queries += 1
            (pending if move == "ask" else answered).append(n_queries)
            unseen.append(n_queries)
            point, context = draw(values), draw(st.none() | values)
            asked = Asked(n_queries, point, context, draw(st.none() | st.integers(1, 9)), draw(labels), draw(labels))
            body = asked if move == "ask" else Added(n_queries, point, draw(numbers), context)
        elif move in ("answer", "abandon", "fail") and pending:
            query = pending.pop(draw(st.integers(0, len(pending) - 1)))
            (answered if move == "answer" else ended).append(query)
            if move == "abandon":
                body = Abandoned(query, draw(texts))
            elif move == "fail":
                body = Failed(query, draw(texts))
            elif query in unseen and draw(st.booleans()):
                unseen.remove(query)
                body = Answered(query, draw(numbers), draw(values))
            else:
                body = Answered(query, draw(numbers))
        elif move == "measure" and pending + answered:
            told = draw(st.dictionaries(texts, st.fixed_dictionaries({"value": numbers, "sd": numbers}), min_size=1))
            body = Answered(draw(st.sampled_from(pending + answered)), values=told, partly=True)
        elif move == "answer again" and ended:
            query = ended.pop()
            lots = [*lots, [Retracted(query, draw(texts))]]
            answered.append(query)
            body = Answered(query, draw(numbers), sd=draw(numbers), repeats=draw(st.none() | st.lists(numbers)))
        elif move == "retract" and answered:
            ended.append(answered.pop(draw(st.integers(0, len(answered) - 1))))
            body = Retracted(ended[-1], draw(texts), draw(labels))
        elif move == "perform" and n_queries:
            body = Performed(draw(st.integers(1, n_queries)), draw(values))
        elif move == "see" and unseen:
            body = ContextSeen(unseen.pop(draw(st.integers(0, len(unseen) - 1))), draw(values))
        elif move == "revise" and answered:
            body = Revised(draw(st.sampled_from(answered)), draw(numbers))
        elif move == "set":
            body = draw(
                st.builds(PolicyChanged, values)
                | st.builds(SeedChanged, st.integers(0, 2**200))
                | st.builds(SilenceChanged, numbers | st.none())
                | st.builds(SeekChanged, st.sampled_from(["best", "total"]))
                | st.builds(Closed, texts)
                | st.builds(Reopened, texts)
                | st.builds(Noticed, texts, texts)
            )
        if body is not None:
            lots = [*lots, [body]] if not lots or draw(st.booleans()) else [*lots[:-1], [*lots[-1], body]]
    return lots


def assert_parts_agree_with_the_whole(reader: Reader, events: Sequence[Event]) -> None:
    last = logs.last_query(events)
    unanswered = reader.unanswered()
    assert reader.last_query() == last
    assert list(unanswered.asks) == logs.unanswered(events)
    assert unanswered.n_asked == sum(isinstance(event.body, Asked) for event in events)
    for after in range(len(events) + 2):
        assert reader.settings(after) == [event for event in logs.settings(events) if event.number > after]
    for queries in (range(1, last + 1), range(2, last + 5, 2), [last, last, 1], [10**9], []):
        assert reader.about(queries) == logs.about(events, queries)
    for after in range(len(events) + 2):
        assert reader.events(after) == list(events[after:])


@given(lots=lives(), at=instants)
@settings(max_examples=60, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_log_reads_back_to_the_last_bit_and_its_parts_agree_with_the_whole(
    address: str, lots: list[list[Body]], at: float
) -> None:
    log = new_log(address)
    expected = list(BEGINNING)
    for lot in lots:
        with log.writing() as writer:
            written = writer.append(lot, at)
            assert_parts_agree_with_the_whole(writer, [*expected, *written])
        expected += [Event(number, at, body) for number, body in enumerate(lot, start=len(expected) + 1)]
    again = connect(address).open(log.name)
    assert logs.text_of(events_of(again)) == logs.text_of(expected)
    with again.reading() as reader:
        assert_parts_agree_with_the_whole(reader, expected)


def test_hard_numbers_are_kept_to_the_last_bit(address: str) -> None:
    for value in HARD_NUMBERS:
        log = new_log(address)
        append(log, Added(1, Values({"heat": value}), value, Values({"hour": value})))
        added = events_of(log)[-1].body
        assert isinstance(added, Added)
        assert added.context is not None
        assert {value.hex()} == {number_in(added).hex(), added.point["heat"].hex(), added.context["hour"].hex()}


def test_instants_are_kept_to_the_last_bit(address: str) -> None:
    instants = [0.0, 1e-300, 1763205000.1234567, 1e15 + 0.125, -3.5]
    log = new_log(address)
    for query, at in enumerate(instants, start=1):
        append(log, Asked(query, POINT), at=at)
    assert [event.at.hex() for event in events_of(log)[1:]] == [at.hex() for at in instants]


def test_any_text_is_kept(address: str) -> None:
    log = new_log(address)
    texts = ["", "Ångström 𝔸 水", "a\0b", "\ud800", "'; DROP TABLE belated_events; --", "%s %(x)s :x"]
    asked = [Asked(query, Values({text: text}), None, None, text, text) for query, text in enumerate(texts, start=1)]
    closed = [Closed(text) for text in texts]
    append(log, *asked, *closed)
    assert [event.body for event in events_of(log)[1:]] == [*asked, *closed]


def test_thousands_of_events_are_found_by_their_queries(address: str) -> None:
    log = new_log(address)
    n = 6_000  # more than are looked up by one statement
    append(log, *(Asked(query, POINT) for query in range(1, n + 1)))
    append(log, *(Answered(query, float(query)) for query in range(n, 0, -2)))
    with log.reading() as reader:
        assert reader.about(range(1, n + 1)) == reader.events(after=1)
        assert [logs.query_of(event) for event, _ in reader.unanswered().asks] == list(range(1, n, 2))


# Whole, or not at all.


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_within_writing_leaves_the_log_as_it_was(address: str, error: type[BaseException]) -> None:
    log = new_log(address)
    append(log, Asked(1, POINT))
    before = events_of(log)

    def fail(*bodies: Body) -> None:
        with log.writing() as writer:
            writer.append(bodies, 1002.0)
            raise error("on purpose")

    for bodies in ([], [Answered(1, 2.0)], [Asked(2, POINT), Answered(1, 2.0), Closed("")]):
        with pytest.raises(error, match="on purpose"):
            fail(*bodies)
        with log.reading() as reader:
            assert reader.events() == before
            assert_parts_agree_with_the_whole(reader, before)
    assert append(log, Answered(1, 3.0)) == [Event(3, 1001.0, Answered(1, 3.0))]


def test_a_reader_sees_all_events_of_a_lot_or_none(address: str) -> None:
    log = new_log(address)
    done = threading.Event()

    def write() -> None:
        for first in range(1, 60, 3):
            append(log, *(Asked(query, POINT) for query in range(first, first + 3)))
        done.set()

    writer = Meanwhile(write)
    lengths = set()
    while not done.is_set() and writer.waits(0.0):
        lengths.add(len(events_of(log)))
    writer.result()
    assert {length % 3 for length in lengths} <= {1}
    assert len(events_of(log)) == 61


def test_a_reader_sees_one_moment_however_often_it_reads(address: str) -> None:
    log = new_log(address)
    with log.reading() as reader:
        before = reader.events()
        writing = Meanwhile(lambda: append(log, Asked(1, POINT)))
        writing.waits()  # in memory until the reader is done, in a database not at all
        assert reader.events() == before
        assert reader.last_query() == reader.unanswered().n_asked == 0
    writing.result()
    assert len(events_of(log)) == 2


# Studies by name.


def test_names_come_in_the_order_of_their_creation(address: str) -> None:
    storage = connect(address)
    names = ["zinc", "Ångström 水", "aluminium", "it's %s", "100%"]
    for name in names:
        assert storage.create(name, BEGINNING).name == name
    assert storage.names() == connect(address).names() == names


def test_an_unknown_study_is_refused_with_the_nearest_names(address: str) -> None:
    storage = connect(address)
    for name in ("yield", "yields", "colour"):
        storage.create(name, BEGINNING)
    with pytest.raises(UnknownStudyError, match=r": no study is named 'yeild'; did you mean 'yield' or 'yields'\?$"):
        storage.open("yeild")
    with pytest.raises(UnknownStudyError, match=r": no study is named 'q'; there are 'yield', 'yields', 'colour'\.$"):
        storage.open("q")
    assert storage.names() == ["yield", "yields", "colour"]


def test_a_name_that_is_taken_is_refused_and_its_log_untouched(address: str) -> None:
    storage = connect(address)
    append(storage.create("yield", BEGINNING), Asked(1, POINT))
    reason = ": a study named 'yield' is there already; open it, or choose another name."
    with pytest.raises(ConflictError, match=re.escape(reason) + "$"):
        storage.create("yield", BEGINNING)
    assert len(events_of(storage.open("yield"))) == 2
    assert storage.names() == ["yield"]


def test_of_many_who_create_a_study_at_once_one_succeeds(address: str) -> None:
    def create() -> bool:
        try:
            connect(address).create("yield", BEGINNING)
        except ConflictError:
            return False
        return True

    creators = [Meanwhile(create) for _ in range(6)]
    assert sorted(creator.result() for creator in creators) == [False] * 5 + [True]
    assert connect(address).names() == ["yield"]


def test_two_logs_do_not_see_each_other(address: str) -> None:
    first, second = new_log(address), new_log(address)
    append(first, Asked(1, POINT), Answered(1, 1.0))
    append(second, Added(1, POINT, 2.0))
    append(first, Asked(2, POINT))
    assert [event.body for event in events_of(first)] == [CREATED, Asked(1, POINT), Answered(1, 1.0), Asked(2, POINT)]
    assert events_of(second) == [*BEGINNING, Event(2, 1001.0, Added(1, POINT, 2.0))]
    for log in (first, second):
        with log.reading() as reader:
            assert_parts_agree_with_the_whole(reader, events_of(log))
