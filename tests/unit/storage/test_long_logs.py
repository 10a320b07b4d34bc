"""What a long log costs SQLite: an answer is looked up and written in as many steps as in a short one."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import sqlalchemy as sa

from belated.log import Answered, Asked, Body, Event, Values
from belated.storage import connect
from belated.study import Study
from tests.unit.storage.by_hand import SPACE

# A tree of pages is a little deeper in a long log; walking the log would take some hundred times as many steps.
DEEPER = 1.5


class Steps:
    """A count of the instructions that SQLite executes."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> int:
        self.count += 1
        return 0


@contextmanager
def counted() -> Iterator[Steps]:
    """Count what all connections do meanwhile."""
    steps = Steps()

    def watch(connection: sqlite3.Connection, *_: object) -> None:
        connection.set_progress_handler(steps, 1)

    def unwatch(connection: sqlite3.Connection, *_: object) -> None:
        connection.set_progress_handler(None, 1)

    sa.event.listen(sa.pool.Pool, "checkout", watch)
    sa.event.listen(sa.pool.Pool, "checkin", unwatch)
    try:
        yield steps
    finally:
        sa.event.remove(sa.pool.Pool, "checkout", watch)
        sa.event.remove(sa.pool.Pool, "checkin", unwatch)


def long_study(address: str, name: str, size: int) -> Study:
    """A study with so many answers, and queries 1 to 4 still waiting."""
    created = Study.in_memory(SPACE, policy="random", seed=1).events[0]
    asked: list[Body] = [Asked(query, Values({"heat": 0.5})) for query in range(1, size + 5)]
    answered: list[Body] = [Answered(query, 0.5) for query in range(5, size + 5)]
    bodies = enumerate(asked + answered, start=2)
    connect(address).create(name, [created, *(Event(number, float(number), body) for number, body in bodies)])
    return Study.open(address, name)


CALLS: dict[str, Callable[[Study], object]] = {
    "tell": lambda study: study.tell(2, 0.5),
    "tell_many": lambda study: study.tell_many({1: 0.5, 3: 0.25}),
    "tell again": lambda study: study.tell(7, 0.5),
    "revise": lambda study: study.revise(6, 0.75),
    "abandon": lambda study: study.abandon(4, "lost"),
    "settings": lambda study: study.settings,
    "close": lambda study: study.close(),
}


@pytest.mark.parametrize("call", CALLS)
def test_what_is_told_takes_no_more_steps_in_a_long_log_than_in_a_short_one(sqlite: str, call: str) -> None:
    taken = []
    for name, size in (("short", 20), ("long", 4000)):
        study = long_study(sqlite, name, size)
        with counted() as steps:
            CALLS[call](study)
        taken.append(steps.count)
    short, long = taken
    assert short > 10, "something was counted"
    assert long <= DEEPER * short


def test_what_is_waited_for_is_found_at_once_in_a_study_that_postgresql_has_not_counted_yet(postgres: str) -> None:
    long_study(postgres, "counted", 1000)
    engine = sa.create_engine(postgres)
    with engine.begin() as connection:
        connection.execute(sa.text("ANALYZE belated_events"))
    engine.dispose()
    study = long_study(postgres, "new", 4000)
    began = time.perf_counter()
    assert len(study.events) == 8005
    whole, began = time.perf_counter() - began, time.perf_counter()
    assert [query.id for query in study.pending()] == [1, 2, 3, 4]
    # A plan that groups all events again for each of them takes a hundred times as long.
    assert time.perf_counter() - began < 3.0 * whole
