"""What is SQLite's alone: one file, one writer at a time, and patience with it."""

from __future__ import annotations

import sqlite3

import pytest

from belated.errors import StorageError
from belated.storage import sqlite as room
from belated.study import Study
from tests.unit.storage.by_hand import SPACE


def test_the_log_is_written_ahead_so_that_readers_go_on(sqlite: str) -> None:
    Study.create(sqlite, "yield", SPACE, seed=1)
    connection = sqlite3.connect(sqlite.removeprefix("sqlite:///"))
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_a_process_that_hangs_while_it_writes_is_an_error_after_a_while(
    sqlite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "PATIENCE", 0.2)
    study = Study.create(sqlite, "yield", SPACE, policy="random", seed=1)
    study.ask()
    hanging = sqlite3.connect(sqlite.removeprefix("sqlite:///"), isolation_level=None)
    hanging.execute("BEGIN IMMEDIATE")
    reason = "database is locked; nothing was written; another process has been writing for 30 seconds; call again."
    for call in (lambda: study.tell(1, 0.5), study.ask, study.close):
        with pytest.raises(StorageError, match=f": {reason}$"):
            call()
    assert len(study.pending()) == 1
    hanging.execute("ROLLBACK")
    hanging.close()
    study.tell(1, 0.5)
    assert len(study.events) == 3
