"""Databases that somebody has laid hands on."""

from __future__ import annotations

import shutil
import sqlite3
from functools import cache
from pathlib import Path

import sqlalchemy as sa

from belated.log import Event
from belated.space import Float, Space
from belated.study import Study
from tests.builders import Clock

SPACE = Space(heat=Float(0.0, 1.0))


def eventful(address: str) -> Study:
    """A study of 227 events: 120 asks (events 2 to 121), 99 answers, and one of most other kinds."""
    return Study.restore(address, "yield", _events())


@cache
def _events() -> tuple[Event, ...]:
    study = Study.in_memory(SPACE, policy="random", seed=1, clock=Clock())
    study.ask(120)
    study.tell_many({query: query / 7 for query in range(1, 100)})
    study.revise(3, 0.25)
    study.abandon(110, "lost")
    study.add({"heat": 0.5}, 1.0)
    study.change(policy="gp-bucb", window=3)
    study.change(policy="random")
    study.close("weekend")
    study.reopen("monday")
    return study.events


def run(address: str, *statements: str) -> None:
    """Change a database behind the library's back."""
    engine = sa.create_engine(address)
    with engine.begin() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
    engine.dispose()


def gathered(address: str, copy: Path) -> Path:
    """A copy of a SQLite database in one file, without its write-ahead log."""
    original = address.removeprefix("sqlite:///")
    connection = sqlite3.connect(original)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return Path(shutil.copy(original, copy))
