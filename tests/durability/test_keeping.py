"""Processes that rename, copy and delete studies, killed at any moment: a study is whole or gone, never half."""

from __future__ import annotations

import sqlite3
import time
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from belated.errors import BelatedError, ConflictError, UnknownStudyError
from belated.log import Event, Query
from belated.storage import connect
from belated.study import Study, differences
from tests.durability.checks import assert_integrity
from tests.durability.crowd import KNOWN, SPACE, STUDY, answer_to, begin, joined, started
from tests.durability.gates import Gate, ask_through
from tests.meanwhile import until
from tests.pairs import first

LENGTH = 2_000  # events; long enough for a kill to hit a copy or a deletion half-way


def long_study(address: str, name: str) -> tuple[Event, ...]:
    """The log of a study that takes a while to copy and to delete."""
    study = Study.create(address, name, SPACE, policy="random", seed=5)
    study.add_many([({"heat": float(row % 97)}, float(row)) for row in range(LENGTH)])
    return study.events


def rename_for_ever(address: str, reached: Path) -> None:
    """Rename a study to and fro."""
    for number in count():
        Study.rename(address, *(("here", "there") if "here" in Study.names(address) else ("there", "here")))
        reached.write_text(str(number))


def copy_and_delete_for_ever(address: str, reached: Path) -> None:
    """Copy a study, and delete the copy."""
    for number in count():
        if "copy" in Study.names(address):
            Study.delete(address, "copy")
        Study.copy(address, "here", "copy")
        reached.write_text(str(number))


@pytest.mark.longest
@pytest.mark.parametrize("kills", first(1, 4, 24))
@pytest.mark.parametrize("call", [rename_for_ever, copy_and_delete_for_ever])
def test_a_kill_leaves_a_study_whole_or_gone(shared: str, tmp_path: Path, call: object, kills: int) -> None:
    events = long_study(shared, "here")
    rng = np.random.default_rng(11)
    for _ in range(kills):
        reached = tmp_path / "reached"
        reached.unlink(missing_ok=True)
        process = started(call, shared, reached, complaints=tmp_path / "stderr")  # type: ignore[arg-type]
        until(reached.exists, "the process has begun")
        time.sleep(float(rng.uniform(0.0, 0.1)))
        process.kill()
        process.join()
        names = Study.names(shared)
        assert set(names) <= {"here", "there", "copy"}
        for name in names:
            assert Study.open(shared, name).events == events
        assert len({"here", "there"} & set(names)) == 1
    assert rows_of_no_study(shared) == 0
    if shared.startswith("sqlite"):
        assert_integrity(shared)


def rows_of_no_study(address: str) -> int:
    """How many events belong to no study by name."""
    if not address.startswith("sqlite"):
        return 0
    connection = sqlite3.connect(address.removeprefix("sqlite:///"))
    try:
        named = "SELECT id FROM belated_studies WHERE name NOT LIKE '/%'"
        (found,) = connection.execute(f"SELECT count(*) FROM belated_events WHERE study NOT IN ({named})").fetchone()
        return int(found)
    finally:
        connection.close()


def work_until_it_is_gone(address: str, notes: Path) -> None:
    """Ask and tell until the study is no more; anything else that goes wrong is left to complain."""
    try:
        study = Study.open(address, STUDY)
        while True:
            query = study.ask()
            assert isinstance(query, Query)
            study.tell(query, answer_to(query))
            with notes.open("a") as file:
                file.write(f"{query.id}\n")
    except UnknownStudyError as error:
        notes.with_suffix(".end").write_text(str(error))


@pytest.mark.longest
def test_a_study_is_deleted_under_the_hands_of_those_who_work_on_it(shared: str, tmp_path: Path) -> None:
    for turn in range(2):
        begin(shared)
        complaints = [tmp_path / f"{turn}-{number}.stderr" for number in range(3)]
        notes = [path.with_suffix(".notes") for path in complaints]
        workers = [
            started(work_until_it_is_gone, shared, note, complaints=path)
            for note, path in zip(notes, complaints, strict=True)
        ]
        until(lambda notes=notes: all(note.exists() for note in notes), "all have worked")  # type: ignore[misc]
        Study.delete(shared, STUDY)
        joined(workers, complaints)
        assert all("deleted" in note.with_suffix(".end").read_text() for note in notes)
        assert Study.names(shared) == []
        assert rows_of_no_study(shared) == 0
    assert begin(shared).events[0].number == 1


def rename_often(address: str, times: int) -> None:
    for turn in range(times):
        Study.rename(address, STUDY if turn % 2 == 0 else "other", "other" if turn % 2 == 0 else STUDY)


def test_a_study_is_renamed_under_the_hands_of_those_who_work_on_it(shared: str, tmp_path: Path) -> None:
    study = begin(shared)
    complaints = [tmp_path / f"{number}.stderr" for number in range(2)]
    notes = [path.with_suffix(".notes") for path in complaints]
    workers = [
        started(work_until_it_is_gone, shared, note, complaints=path)
        for note, path in zip(notes, complaints, strict=True)
    ]
    until(lambda: all(note.exists() for note in notes), "all have worked")
    joined([started(rename_often, shared, 20, complaints=tmp_path / "stderr")], [tmp_path / "stderr"])
    events = study.events
    assert list(differences(events)) == []
    Study.delete(shared, STUDY)
    joined(workers, complaints)


def test_a_study_is_deleted_while_another_process_decides(shared: str, tmp_path: Path) -> None:
    begin(shared)
    gate, complaints = Gate(tmp_path / "gate"), tmp_path / "stderr"
    asking = started(ask_through, gate, shared, STUDY, complaints=complaints)
    gate.await_arrival()
    Study.delete(shared, STUDY)
    new = begin(shared)
    gate.open()
    asking.join()
    assert "UnknownStudyError" in complaints.read_text()
    assert len(new.events) == 1


def test_nothing_stays_beside_the_database(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'lab.db'}"
    for number in range(5):
        study = Study.create(address, f"study {number}", SPACE, policy=KNOWN, seed=1)
        study.ask()
        Study.rename(address, f"study {number}", f"renamed {number}")
        study.ask()
        Study.delete(address, f"renamed {number}")
    assert {path.name for path in tmp_path.iterdir()} <= {"lab.db", "lab.db-wal", "lab.db-shm", "lab.db-lock"}
    assert (tmp_path / "lab.db-lock").stat().st_size == 0


def test_a_damaged_study_can_be_deleted(sqlite: str) -> None:
    begin(sqlite).ask(3)
    connection = sqlite3.connect(sqlite.removeprefix("sqlite:///"))
    connection.execute("DELETE FROM belated_events WHERE number = 2")
    connection.execute("UPDATE belated_events SET body = 'no json' WHERE number = 1")
    connection.commit()
    connection.close()
    with pytest.raises(BelatedError):
        Study.open(sqlite, STUDY)
    with pytest.raises(ConflictError):
        begin(sqlite)
    Study.rename(sqlite, STUDY, "damaged")
    connect(sqlite).delete("damaged", 1.0)
    assert Study.names(sqlite) == []
