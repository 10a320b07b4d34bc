"""What is SQLite's alone: one file, one writer at a time, and patience with it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from belated.errors import StorageError
from belated.storage import sqlite as room
from belated.study import Study
from tests.unit.storage.by_hand import SPACE, gathered


def test_the_log_is_written_ahead_so_that_readers_go_on(sqlite: str) -> None:
    Study.create(sqlite, "yield", SPACE, seed=1)
    connection = sqlite3.connect(sqlite.removeprefix("sqlite:///"))
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_a_file_that_was_removed_can_be_begun_again(sqlite: str) -> None:
    path = Path(sqlite.removeprefix("sqlite:///"))
    study = Study.create(sqlite, "yield", SPACE, policy="random", seed=1)
    study.ask()
    path.unlink()  # as in a notebook, with the connections open and the write-ahead log left behind
    missing = "there is no such file; check the path, or create a study in it first."
    for call in (lambda: study.tell(1, 0.5), lambda: Study.open(sqlite, "yield"), lambda: Study.names(sqlite)):
        with pytest.raises(StorageError, match=f": {missing}$"):
            call()
    again = Study.create(sqlite, "yield", SPACE, policy="random", seed=1)
    assert len(again.events) == 1
    assert_replaced(study)
    again.ask()
    assert len(Study.open(sqlite, "yield").pending()) == 1


def test_nothing_is_written_to_a_file_that_another_one_has_replaced(sqlite: str, tmp_path: Path) -> None:
    other = f"sqlite:///{tmp_path / 'other.db'}"
    Study.create(other, "colour", SPACE, policy="random", seed=1).ask()
    study = Study.create(sqlite, "yield", SPACE, policy="random", seed=1)
    study.ask()
    gathered(sqlite, tmp_path / "backup.db")
    gathered(other, tmp_path / "copy.db").replace(tmp_path / "lab.db")
    assert_replaced(study)
    assert Study.names(sqlite) == ["colour"]
    Study.open(sqlite, "colour").tell(1, 0.5)
    assert_replaced(study)


def assert_replaced(study: Study) -> None:
    reason = "another file has taken the place of the one that was opened; open the study again."
    calls: list[Callable[[], object]] = [lambda: study.tell(1, 0.5), study.ask, study.pending, lambda: study.events]
    for call in calls:
        with pytest.raises(StorageError, match=f": {reason}$"):
            call()


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
