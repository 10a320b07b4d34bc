"""Tomorrow morning: the machine is switched off in the middle of an ask, and next day another one opens the study."""

from __future__ import annotations

import shutil
import sqlite3
import struct
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.forks import Fork
from tests.meanwhile import until
from tests.scenes.laboratory import DAY, SPACE, pass_time, yielded
from tests.scenes.terminal import done, read, start, switch_off

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="what a process does is seen by Linux alone")

BATCH, KEY = 3, "Monday evening"
ASK = ("ask", "lab", "--count", BATCH, "--key", KEY)


@pytest.fixture(scope="module")
def monday(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a study on a Monday evening: eight queries, of which six are answered."""
    folder = tmp_path_factory.mktemp("Monday")
    done(folder, "create", "lab", "--space", SPACE, "--seed", 7)
    asked = read(folder, "ask", "lab", "--count", 8)["queries"]
    answers = "".join(f"{query['id']},{yielded(query['point'])!r}\n" for query in asked[:6])
    (folder / "answers.csv").write_text(f"query,value\n{answers}")
    done(folder, "tell", "lab", "--file", "answers.csv")
    return folder


@pytest.fixture(scope="module")
def undisturbed(monday: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What a twin of that study asks, whose machine is never switched off."""
    folder = tmp_path_factory.mktemp("twin") / "lab"
    shutil.copytree(monday, folder)
    return points(read(folder, *ASK)["queries"])


def points(queries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [query["point"] for query in queries]


# The moments.


@contextmanager
def nobody_writes(folder: Path) -> Iterator[None]:
    """Another program holds the database, as one that makes a backup does: what was decided waits to be written."""
    with closing(sqlite3.connect(folder / "belated.db", isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        yield
        database.execute("ROLLBACK")


def while_it_decides(folder: Path) -> None:
    with nobody_writes(folder):
        process = start(folder, *ASK)
        until(lambda: has_the_turn(folder), "the ask has its turn")
        switch_off(process)


def between_decision_and_write(folder: Path) -> None:
    with nobody_writes(folder):
        process = start(folder, *ASK)
        until(lambda: has_the_turn(folder), "the ask has its turn")
        until(lambda: is_idle(process), "it has decided, and waits")
        assert has_the_turn(folder)
        switch_off(process)


def once_the_first_of_three_is_written(folder: Path) -> None:
    process = start(folder, *ASK)
    until(lambda: n_asked(folder) > 8, "a query is in the log")
    switch_off(process)


def has_the_turn(folder: Path) -> bool:
    """Whether somebody holds a lock on the file of turns."""
    import fcntl

    path = folder / "belated.db-lock"
    if not path.exists():
        return False
    with path.open("rb+") as file:
        found = fcntl.fcntl(file, fcntl.F_OFD_GETLK, struct.pack("hhqqi0q", fcntl.F_WRLCK, 0, 0, 0, 0))
    return bool(struct.unpack("hhqqi0q", found)[0] != fcntl.F_UNLCK)


def is_idle(process: Fork) -> bool:
    """Whether a process has not computed for half a second."""
    before = ticks(process)
    time.sleep(0.5)
    return ticks(process) == before


def ticks(process: Fork) -> int:
    """How long it has computed, in the system's ticks."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def n_asked(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "belated.db")) as database:
        (count,) = database.execute("SELECT count(*) FROM belated_events WHERE event = 'asked'").fetchone()
    return int(count)


@pytest.mark.longest
@pytest.mark.parametrize(
    "switched_off", [while_it_decides, between_decision_and_write, once_the_first_of_three_is_written]
)
def test_another_machine_goes_on_as_if_nothing_had_happened(
    monday: Path, undisturbed: list[dict[str, Any]], tmp_path: Path, switched_off: Callable[[Path], None]
) -> None:
    evening, morning = tmp_path / "evening", tmp_path / "morning"
    shutil.copytree(monday, evening)
    switched_off(evening)
    shutil.copytree(evening, morning)
    # What is under way is what was written, and nothing else.
    written = read(morning, "pending", "lab")
    assert points(written)[2:] == undisturbed[: len(written) - 2]
    assert len(written) == 2 or switched_off is once_the_first_of_three_is_written
    pass_time(morning, DAY)
    asked = read(morning, *ASK)["queries"]
    assert points(asked) == undisturbed
    assert [query["id"] for query in asked] == [9, 10, 11]
    assert done(morning, "replay", "lab") == "11 queries come out the same\n"
