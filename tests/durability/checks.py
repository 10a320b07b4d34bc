"""What must hold of a log, whatever happened to those who wrote it."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence

from belated.log import Answered, Asked, Event, Failed, whole_log
from belated.study import Study, differences
from tests.durability.crowd import STUDY, Bench

# What a worker notes, and the kind of event that must be in the log before it does.
KINDS = {"asked": "asked", "told": "answered", "failed": "failed", "retracted": "retracted"}


def assert_nothing_lost_or_doubled(benches: Sequence[Bench]) -> None:
    """Every acknowledged event stands in the log exactly once, and the log tells one story that replays."""
    address = benches[0].address
    events = Study.open(address, STUDY).events
    assert [event.number for event in events] == list(range(1, len(events) + 1))
    asks = [event.body for event in events if isinstance(event.body, Asked)]
    assert [ask.query for ask in asks] == list(range(1, len(asks) + 1))
    # Nobody told a query twice, took anything back twice, or failed what was answered: such a log would be refused.
    whole_log("crowd", events)
    assert_said_once(events)

    askers = {ask.query: ask.worker for ask in asks}
    said = Counter((event.kind, event.query) for event in events)
    for bench in benches:
        acknowledged = Counter((what, query) for what, query, *_ in bench.read() if what in KINDS)
        for (what, query), count in acknowledged.items():
            assert askers[query] == bench.worker, "a query belongs to who was given it"
            least = 1 if what == "asked" else count  # a query is given again to the worker whose it is
            assert said[KINDS[what], query] >= least, f"{what} of query {query} was acknowledged {count} times"
    ended = {event.query or 0 for event in events if isinstance(event.body, Answered | Failed)}
    assert_workers_took_up_their_own(benches, asks, ended)
    assert list(differences(events)) == []
    if address.startswith("sqlite"):
        assert_integrity(address)


def assert_said_once(events: Sequence[Event]) -> None:
    """Of each query the log has what was told of it, once and whole."""
    told: dict[int, list[Event]] = {}
    for event in events:
        if event.query is not None and not isinstance(event.body, Asked):
            told.setdefault(event.query, []).append(event)
    for query, found in told.items():
        kinds, numbers = [event.kind for event in found], [event.number for event in found]
        if query % 5 == 3:
            assert kinds == ["performed", "answered"]
            assert numbers[1] == numbers[0] + 1, "both were told in one transaction"
        elif query % 5 == 4:
            assert kinds == ["answered", "retracted", "answered"][: len(kinds)]
        else:
            assert kinds == (["failed"] if query % 5 == 1 else ["answered"])


def assert_workers_took_up_their_own(benches: Sequence[Bench], asks: Sequence[Asked], ended: set[int]) -> None:
    """Nobody was given a second query before the first had ended, and nobody left one but at the very end."""
    for bench in benches:
        own = [ask.query for ask in asks if ask.worker == bench.worker]
        assert set(own[:-1]) <= ended
        acknowledged = [words[0] for what, *words in bench.read() if what == "asked"]
        assert acknowledged == sorted(acknowledged)
        assert set(own[:-1]) <= set(acknowledged)


def assert_integrity(address: str) -> None:
    """SQLite itself finds no fault in the file."""
    connection = sqlite3.connect(address.removeprefix("sqlite:///"))
    try:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    finally:
        connection.close()
