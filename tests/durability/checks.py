"""What must hold of a log, whatever happened to those who wrote it."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence

from belated.log import Answered, Asked
from belated.study import Study, differences
from tests.durability.crowd import STUDY, Bench


def assert_nothing_lost_or_doubled(benches: Sequence[Bench]) -> None:
    """Every acknowledged event stands in the log exactly once, and the log tells one story that replays."""
    address = benches[0].address
    events = Study.open(address, STUDY).events
    assert [event.number for event in events] == list(range(1, len(events) + 1))
    asks = [event.body for event in events if isinstance(event.body, Asked)]
    answers = [event.body for event in events if isinstance(event.body, Answered)]
    assert [ask.query for ask in asks] == list(range(1, len(asks) + 1))
    assert max(Counter(answer.query for answer in answers).values()) == 1

    askers = {ask.query: ask.worker for ask in asks}
    values = {answer.query: answer.value for answer in answers}
    for bench in benches:
        for what, *words in bench.read():
            if what == "asked":
                assert askers[words[0]] == bench.worker, "a query belongs to who was given it"
            elif what == "told":
                assert values[words[0]] == words[1]
    assert_workers_took_up_their_own(benches, asks, set(values))
    assert list(differences(events)) == []
    if address.startswith("sqlite"):
        assert_integrity(address)


def assert_workers_took_up_their_own(benches: Sequence[Bench], asks: Sequence[Asked], answered: set[int]) -> None:
    """Nobody was given a second query before the first was answered, and nobody left one but at the very end."""
    for bench in benches:
        own = [ask.query for ask in asks if ask.worker == bench.worker]
        assert set(own[:-1]) <= answered
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
