"""Turns that a fork would keep, or that the system does not give: nobody waits for them, and nothing is asked twice."""

from __future__ import annotations

import errno
import multiprocessing
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest

from belated.log import Query
from belated.study import Study, differences
from tests.durability.crowd import PROCESSES, SPACE, STUDY, begin, joined, started
from tests.durability.gates import Gate, ask_through, deciding_takes_until, seconds_of
from tests.meanwhile import PATIENCE, Meanwhile

if TYPE_CHECKING:
    from tests.servers import Server

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows does not fork")

LIFE = 40.0  # seconds that a forked child lives
# Far less than that, and far more than asks and the start of an interpreter take on a busy machine.
PROMPTLY = 20.0
# A fork waits for asks under way, and here these wait for the fork; what follows is the same however long it waited.
IMPATIENT = mock.patch("belated.study.forks._GATE._patience", 0.1)


# Forks.


def fork_while_a_thread_asks(address: str, folder: Path) -> None:
    """Leave a child behind that was forked during an ask, and ask again here and elsewhere."""
    study, gate = Study.open(address, STUDY), Gate(folder / "gate")
    with deciding_takes_until(gate), IMPATIENT:
        asking = Meanwhile(study.ask)
        gate.await_arrival()
        child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(LIFE,), daemon=True)
        child.start()
        gate.open()
        assert asking.result().id == 1
    took = seconds_of(study.ask)
    elsewhere = f"from belated.study import Study; print(Study.open({address!r}, {STUDY!r}).ask().id)"
    command = [sys.executable, "-c", elsewhere]
    took += seconds_of(lambda: subprocess.run(command, check=True, capture_output=True))
    assert child.is_alive()
    child.kill()
    assert took < PROMPTLY, f"the next two asks took {took:.1f} s"


def test_a_child_forked_during_an_ask_does_not_keep_the_turn(shared: str, tmp_path: Path) -> None:
    study = begin(shared, "random")
    complaints = tmp_path / "stderr"
    process = PROCESSES.Process(target=fork_while_a_thread_asks, args=(shared, tmp_path))
    process.start()
    joined([process], [complaints])
    assert [query.id for query in study.pending()] == [1, 2, 3]


def fork_and_be_killed(address: str, folder: Path) -> None:
    """Die while asking, and leave a child behind that was forked meanwhile."""
    gate = Gate(folder / "gate")
    with deciding_takes_until(gate), IMPATIENT:
        Meanwhile(Study.open(address, STUDY).ask)
        gate.await_arrival()
        child = os.fork()
        if not child:
            time.sleep(LIFE)
            os._exit(0)
        (folder / "child").write_text(str(child))
        os._exit(0)


def test_a_child_does_not_keep_the_turn_of_a_parent_that_died_asking(sqlite: str, tmp_path: Path) -> None:
    study = begin(sqlite, "random")
    complaints = tmp_path / "stderr"
    joined([started(fork_and_be_killed, sqlite, tmp_path, complaints=complaints)], [complaints])
    try:
        assert seconds_of(study.ask) < PROMPTLY
    finally:
        os.kill(int((tmp_path / "child").read_text()), 9)


PROGRAM = """
import multiprocessing, sys, time
import belated as bl

def objective(point):
    for _ in range(3):
        multiprocessing.get_context("fork").Process(target=time.sleep, args=(90.0,), daemon=True).start()
    return point["heat"]

study = bl.Study.create(sys.argv[1], "oven", bl.Space(heat=bl.Float(0.0, 9.0)), policy="random", seed=1)
begun = time.monotonic()
ran = study.run(objective, 16, workers=4)
print(ran.answered, time.monotonic() - begun)
"""


def test_a_run_ends_promptly_whose_objective_forks_processes_that_live_long(sqlite: str) -> None:
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM, sqlite]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    answered, seconds = done.stdout.split()
    assert (int(answered), float(seconds) < 2.0 * PROMPTLY) == (16, True), done.stdout


# No locks.

LABELS = [{"key": f"order {number}"} for number in range(10)] + [{"worker": f"bench {number}"} for number in range(10)]


def ask_without_locks(address: str, folder: Path, number: int) -> None:
    """Ask by every label, on a system that has no locks; note which queries that were."""
    with mock.patch("fcntl.fcntl", side_effect=OSError(errno.ENOLCK, "No locks available")):
        study = Study.open(address, STUDY)
        (folder / f"{number}.ready").touch()
        while len(list(folder.glob("*.ready"))) < 3:
            time.sleep(0.001)
        asked = [[query.id for query in _asked(study, label)] for label in LABELS]
    (folder / f"{number}.asked").write_text(repr(asked))


def _asked(study: Study, label: dict[str, Any]) -> list[Query]:
    found = study.ask(2, **label)
    assert isinstance(found, list)
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="the lock that is refused here is that of Linux")
def test_without_locks_a_key_and_a_worker_still_lead_to_the_same_queries(sqlite: str, tmp_path: Path) -> None:
    study = begin(sqlite)
    complaints = [tmp_path / f"{number}.stderr" for number in range(3)]
    joined(
        [
            started(ask_without_locks, sqlite, tmp_path, number, complaints=path)
            for number, path in enumerate(complaints)
        ],
        complaints,
    )
    first, *others = [(tmp_path / f"{number}.asked").read_text() for number in range(3)]
    assert others == [first, first]
    assert len(study.pending()) == 2 * len(LABELS)
    assert list(differences(study.events)) == []


def ask_with_a_key(gate: Gate, address: str, notes: Path) -> None:
    """An ask that decides as long as its gate is closed."""
    with deciding_takes_until(gate):
        query = Study.open(address, STUDY).ask(key="order 4711")
    assert isinstance(query, Query)
    notes.write_text(str(query.id))


def test_a_turn_that_a_server_has_dropped_does_not_double_a_key(own_server: Server, tmp_path: Path) -> None:
    database = own_server.create()
    address = own_server.address(database)
    study = begin(address)
    own_server.run(f"ALTER DATABASE {database} SET idle_in_transaction_session_timeout = '300ms'")
    gates = [Gate(tmp_path / name) for name in ("first", "second")]
    notes, complaints = [[tmp_path / f"{name}.{end}" for name in "ab"] for end in ("notes", "stderr")]
    asking = []
    for gate, note, path in zip(gates, notes, complaints, strict=True):
        asking.append(started(ask_with_a_key, gate, address, note, complaints=path))
        gate.await_arrival()  # the second one decides as well, as the turn of the first has been dropped
    for gate in gates:
        gate.open()
    joined(asking, complaints)
    assert [note.read_text() for note in notes] == ["1", "1"]
    assert len(study.pending()) == 1


# One file.


def test_one_file_serves_the_turns_of_all_studies(sqlite: str, tmp_path: Path) -> None:
    for number in range(31):
        Study.create(sqlite, f"oven {number}", SPACE, policy="random", seed=1).ask()
    beside = {path.name for path in tmp_path.iterdir()} - {"lab.db", "lab.db-wal", "lab.db-shm"}
    assert beside == {"lab.db-lock"}


def test_lock_files_of_the_first_release_do_no_harm(sqlite: str, tmp_path: Path) -> None:
    for name in ("make", "ask-1", "ask-2"):
        (tmp_path / f"lab.db-{name}").touch(mode=0o400)
    gate, complaints = Gate(tmp_path / "gate"), tmp_path / "stderr"
    study = begin(sqlite)
    asking = started(ask_through, gate, sqlite, STUDY, complaints=complaints)
    gate.await_arrival()
    waiting = Meanwhile(study.ask)
    assert waiting.waits()
    gate.open()
    joined([asking], [complaints])
    assert waiting.result().id == 2
