"""Databases that are damaged, and files that are none: an error that says so, and never anything else."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from belated.errors import BelatedError, CorruptError, StorageError
from belated.study import Study
from tests.unit.storage.by_hand import SPACE, eventful, gathered, run

PAGE = 4096  # bytes, of SQLite's files

# Each opens the study anew, as a process would that has just begun.
ACTS: dict[str, Callable[[str], object]] = {
    "open": lambda url: Study.open(url, "yield"),
    "events": lambda url: Study.open(url, "yield").events,
    "record": lambda url: Study.open(url, "yield").record(),
    "pending": lambda url: Study.open(url, "yield").pending(),
    "settings": lambda url: Study.open(url, "yield").settings,
    "ask": lambda url: Study.open(url, "yield").ask(),
    "tell": lambda url: Study.open(url, "yield").tell(100, 3.0),
    "tell again": lambda url: Study.open(url, "yield").tell(5, 5 / 7),
    "best": lambda url: Study.open(url, "yield").best(),
    "names": Study.names,
    "create": lambda url: Study.create(url, "another", SPACE, seed=1),
}
WHOLE = ("events", "record", "ask", "best")  # what reads the whole log


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a sound database."""
    folder = tmp_path_factory.mktemp("sound")
    address = f"sqlite:///{folder / 'lab.db'}"
    assert len(eventful(address).events) == 227
    return gathered(address, folder / "copy.db").read_bytes()


def laid_out(folder: Path, content: bytes) -> str:
    """The address of a file with these bytes."""
    (folder / "lab.db").write_bytes(content)
    return f"sqlite:///{folder / 'lab.db'}"


def refused(url: str, acts: tuple[str, ...], message: str, error: type[BelatedError] = CorruptError) -> None:
    for act in acts:
        with pytest.raises(error, match=f": {re.escape(message)}"):
            ACTS[act](url)


# Files.


@pytest.mark.parametrize("content", [b"heat,yield\n" * 900, b"abc", random.Random(1).randbytes(9000)], ids=len)
def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    url = laid_out(tmp_path, content)
    message = "file is not a database; nothing was written; give the path of a database that belated wrote."
    refused(url, tuple(ACTS), message)
    assert (tmp_path / "lab.db").read_bytes() == content


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_a_database_that_was_cut_off_is_refused(tmp_path: Path, sound: bytes, share: float) -> None:
    url = laid_out(tmp_path, sound[: int(share * len(sound))])
    message = "database disk image is malformed; nothing was written; restore it from a copy or from an export."
    refused(url, tuple(ACTS), message)


def test_a_page_of_events_with_other_bytes_is_refused(tmp_path: Path, sound: bytes) -> None:
    place = sound.index(b'{"version":2,"value":') // PAGE * PAGE
    page = random.Random(2).randbytes(PAGE)
    url = laid_out(tmp_path, sound[:place] + page + sound[place + PAGE :])
    refused(url, WHOLE, "database disk image is malformed; nothing was written; restore it")


@pytest.mark.parametrize(
    "statement", [b"CREATE TABLE belated_events", b"CREATE INDEX", b"CREATE TABLE belated_version"]
)
def test_a_schema_that_is_no_text_is_refused(tmp_path: Path, sound: bytes, statement: bytes) -> None:
    place = sound.index(statement) + len("CREATE ")
    url = laid_out(tmp_path, sound[:place] + b"\xff\xfe\xfd\xfc\xfb" + sound[place + 5 :])
    message = "the text of its schema is no UTF-8; nothing was written; restore it from a copy or from an export."
    refused(url, tuple(ACTS), message)


@pytest.mark.parametrize("seed", range(12))
def test_whatever_bytes_are_changed_the_error_is_one_of_ours(tmp_path: Path, sound: bytes, seed: int) -> None:
    rng = random.Random(seed)
    content = bytearray(sound)
    for _ in range(rng.choice([1, 4, 60])):
        place, length = rng.randrange(len(content) - 300), rng.choice([1, 300])
        content[place : place + length] = rng.randbytes(length)
    for number, act in enumerate(ACTS.values()):
        (tmp_path / str(number)).mkdir()
        # What is not damaged can still be read, and no storage can tell a digit from another one.
        with suppress(BelatedError):
            act(laid_out(tmp_path / str(number), bytes(content)))


def test_an_empty_file_and_the_database_of_another_program_have_no_studies(tmp_path: Path) -> None:
    url = laid_out(tmp_path, b"")
    message = "the database has no tables of belated; check the address, or create a study in it first."
    refused(url, ("open", "names"), message, StorageError)
    run(url, "CREATE TABLE letters (letter TEXT)", "INSERT INTO letters VALUES ('a')")
    refused(url, ("open", "names"), message, StorageError)
    ACTS["create"](url)
    assert Study.names(url) == ["another"]


def test_a_server_without_our_tables_has_no_studies(postgres: str) -> None:
    message = "the database has no tables of belated; check the address, or create a study in it first."
    refused(postgres, ("open", "names"), message, StorageError)
    ACTS["create"](postgres)
    assert Study.names(postgres) == ["another"]


# Rows, changed by hand.


@pytest.mark.parametrize(
    "body",
    ['{"version":1', "[]", "null", "7", "", "{}", '{"version":1}', '{"version":3,"point":{"heat":0.5}}'],
    ids=repr,
)
def test_an_event_that_cannot_be_read_is_refused(sqlite: str, body: str) -> None:
    eventful(sqlite)
    run(sqlite, f"UPDATE belated_events SET body = '{body}' WHERE number = 5")
    refused(sqlite, WHOLE, "an event cannot be read (")
    Study.open(sqlite, "yield").tell(100, 3.0)  # what the event is not about goes on


@pytest.mark.parametrize("change", ["event = 'imagined'", "at = 'noon'", "query = 'x'", "body = X'FF00FE'"])
def test_a_row_that_holds_something_else_is_refused(sqlite: str, change: str) -> None:
    eventful(sqlite)
    run(sqlite, f"UPDATE belated_events SET {change} WHERE number = 5")
    refused(sqlite, WHOLE, "an event cannot be read (")


@pytest.mark.parametrize(
    "number, body",
    [
        (5, '{"version":1,"point":{"heat":7.5}}'),
        (5, '{"version":1,"point":{}}'),
        (5, '{"version":1,"point":7}'),
        (125, '{"version":1,"value":"much"}'),
        (125, '{"version":1,"value":null}'),
    ],
)
def test_an_event_that_says_what_cannot_be_is_refused(shared: str, number: int, body: str) -> None:
    eventful(shared)
    run(shared, f"UPDATE belated_events SET body = '{body}' WHERE number = {number}")
    refused(shared, ("record", "ask", "best"), "the events after number 1 contradict each other (")


def test_an_event_about_another_query_is_refused_before_anything_is_written(shared: str) -> None:
    eventful(shared)
    run(shared, "UPDATE belated_events SET query = 999 WHERE number = 5")
    refused(shared, ("record", "ask", "best"), "the events after number 1 contradict each other (")
    assert len(Study.open(shared, "yield").events) == 227


def test_text_that_is_no_text_is_refused(sqlite: str) -> None:
    eventful(sqlite)
    run(sqlite, "UPDATE belated_events SET body = CAST(X'22FF22' AS TEXT) WHERE number = 5")
    refused(sqlite, WHOLE, "Could not decode to UTF-8 column 'body'")


@pytest.mark.parametrize("numbers, known", [("= 5", 1), ("= 1", 0), ("< 3", 0), ("BETWEEN 100 AND 150", 1), ("> 0", 0)])
def test_a_gap_in_the_log_is_refused(shared: str, numbers: str, known: int) -> None:
    eventful(shared)
    run(shared, f"DELETE FROM belated_events WHERE number {numbers}")
    # What is read after the opening begins after the creation, which is known by then.
    for acts, after in ((("events",), 0), (("record", "ask", "best"), known)):
        message = f"the log has a gap after event {after} or later; restore it from a copy or an export."
        refused(shared, acts, message)


def test_a_log_without_its_beginning_cannot_be_opened(shared: str) -> None:
    eventful(shared)
    run(shared, "DELETE FROM belated_events WHERE number = 1")
    refused(shared, ("open", "pending", "settings", "tell"), "the log has a gap after event 0 or later; restore it")


@pytest.mark.parametrize("table", ["belated_events", "belated_studies"])
def test_a_database_without_one_of_its_tables_is_refused(sqlite: str, table: str) -> None:
    eventful(sqlite)
    run(sqlite, f"DROP TABLE {table}")
    message = f"no such table: {table}; nothing was written; its tables are not those of belated; restore it"
    refused(sqlite, ("open", "create"), message)
