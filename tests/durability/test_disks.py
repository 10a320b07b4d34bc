"""A disk that is full and files that may not be written: a clear error, a log intact, and on it goes afterwards."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from belated.errors import StorageError
from belated.storage.database import close_connections
from belated.study import Study, differences
from tests.durability.checks import assert_integrity
from tests.durability.crowd import SPACE, STUDY, begin, joined, started

if TYPE_CHECKING:
    from tests.servers import Server

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits and permissions are those of POSIX")

NOBODY = 65534


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder in which any user may do anything."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o777)
        yield Path(name)


@pytest.fixture
def small_disk(open_folder: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A disk of 300 kB, or of another size."""
    size = getattr(request, "param", "300k")
    mounting = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(open_folder)]
    if os.geteuid() != 0 or subprocess.run(mounting, capture_output=True, check=False).returncode:
        pytest.skip("only root mounts a disk, and not everywhere")
    yield open_folder
    subprocess.run(["umount", str(open_folder)], check=True)


def in_a_process(call: Callable[[Path], None], folder: Path) -> None:
    """Run a part of a test where it may change its limits and its user, and where its files are closed at the end."""
    with tempfile.TemporaryDirectory() as elsewhere:
        complaints = Path(elsewhere, "stderr")
        joined([started(call, folder, complaints=complaints)], [complaints])


def address_in(folder: Path) -> str:
    return f"sqlite:///{folder / 'lab.db'}"


def begun(folder: Path) -> Study:
    study = begin(address_in(folder))
    study.ask(3)
    return study


def refusal(call: Callable[[], object]) -> str:
    """What a storage says that cannot be written, less its address."""
    with pytest.raises(StorageError) as caught:
        call()
    return str(caught.value).partition(": ")[2]


def fill(study: Study) -> str:
    """Add data until the storage refuses; it has all that it acknowledged, and nothing else."""
    n_before, count = len(study.events), 0

    def add_for_ever() -> None:
        nonlocal count
        while count < 100_000:
            study.add({"heat": 20.0}, float(count))
            count += 1

    reason = refusal(add_for_ever)
    assert len(study.events) == n_before + count
    return reason


def assert_goes_on(study: Study, address: str) -> None:
    """Everything works again, in this study and for whoever opens it."""
    n_before = len(study.events)
    study.tell(1, 0.5)
    study.ask()
    again = Study.open(address, STUDY)
    assert again.events == study.events
    assert len(again.events) == n_before + 2
    assert list(differences(again.events)) == []
    if address.startswith("sqlite"):
        assert_integrity(address)


# The disk is full.


def written_ahead(folder: Path) -> int:
    """How many bytes of the write-ahead log are valid, by SQLite's index of it: a header, and a frame for each page."""
    page, frames = struct.unpack_from("=HI", (folder / "lab.db-shm").read_bytes(), 14)
    return int(32 + frames * (24 + page))


def outgrow_a_limit(folder: Path) -> None:
    import resource

    study = begun(folder)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
    reason = "disk I/O error; nothing was written; check the disk (is it full?) and call again."
    assert fill(study) == reason
    # An answer may fit where an added point did not: now nothing does.
    resource.setrlimit(resource.RLIMIT_FSIZE, (written_ahead(folder), hard))
    assert refusal(lambda: study.tell(1, 0.5)) == refusal(study.ask) == reason
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    assert_goes_on(study, address_in(folder))


def test_a_file_that_may_not_grow_is_a_clear_error_and_the_log_stays(tmp_path: Path) -> None:
    in_a_process(outgrow_a_limit, tmp_path)


def fill_a_disk(folder: Path) -> None:
    ballast = folder / "ballast"
    ballast.write_bytes(bytes(60_000))
    study = begun(folder)
    reason = "database or disk is full; nothing was written; free some space on the disk and call again."
    assert fill(study) == refusal(lambda: study.tell(1, 0.5)) == refusal(study.ask) == reason
    ballast.unlink()
    assert_goes_on(study, address_in(folder))


def test_a_full_disk_is_a_clear_error_and_the_log_stays(small_disk: Path) -> None:
    in_a_process(fill_a_disk, small_disk)


def begin_on_a_full_disk(folder: Path) -> None:
    with pytest.raises(OSError, match="No space left"):
        (folder / "ballast").write_bytes(bytes(400_000))
    assert refusal(lambda: begin(address_in(folder))).startswith(("database or disk is full", "disk I/O error"))
    (folder / "ballast").unlink()
    assert_goes_on(begun(folder), address_in(folder))


def test_a_study_that_finds_no_room_can_be_created_later(small_disk: Path) -> None:
    in_a_process(begin_on_a_full_disk, small_disk)


# Files and folders that may not be written.

READ_ONLY = "attempt to write a readonly database; nothing was written; make the file and its folder writable."


def as_nobody() -> None:
    """Permissions do not bind root."""
    if os.geteuid() == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def begin_as_nobody(folder: Path) -> None:
    as_nobody()
    begun(folder)


def find_the_file_read_only(folder: Path) -> None:
    as_nobody()
    study = Study.open(address_in(folder), STUDY)
    assert [query.id for query in study.pending()] == [1, 2, 3]
    for call in (lambda: study.tell(1, 0.5), study.ask, study.close, lambda: create_another(folder)):
        assert refusal(call) == READ_ONLY


def find_the_folder_read_only(folder: Path) -> None:
    as_nobody()
    # Readers of a file with a write-ahead log need a file of shared memory beside it.
    for call in (lambda: Study.open(address_in(folder), STUDY), lambda: Study.names(address_in(folder))):
        assert (said := refusal(call)) == READ_ONLY, said


def create_another(folder: Path) -> Study:
    return Study.create(address_in(folder), "another", SPACE)


def go_on_as_nobody(folder: Path) -> None:
    as_nobody()
    study = Study.open(address_in(folder), STUDY)
    assert len(study.events) == 4
    assert_goes_on(study, address_in(folder))


def test_a_read_only_file_can_be_read_and_writing_is_a_clear_error(open_folder: Path) -> None:
    in_a_process(begin_as_nobody, open_folder)
    (open_folder / "lab.db").chmod(0o444)
    in_a_process(find_the_file_read_only, open_folder)
    (open_folder / "lab.db").chmod(0o666)
    in_a_process(go_on_as_nobody, open_folder)


def test_a_read_only_folder_is_a_clear_error(open_folder: Path) -> None:
    in_a_process(begin_as_nobody, open_folder)
    assert_integrity(address_in(open_folder))  # and, as the last one, this reader clears away the write-ahead log
    open_folder.chmod(0o555)
    in_a_process(find_the_folder_read_only, open_folder)
    open_folder.chmod(0o777)
    in_a_process(go_on_as_nobody, open_folder)


def create_in_a_read_only_folder(folder: Path) -> None:
    as_nobody()
    reason = "the folder cannot be written to (Permission denied); check that it exists and make it writable."
    assert refusal(lambda: begin(address_in(folder))) == reason
    assert list(folder.iterdir()) == []


def test_no_study_begins_in_a_read_only_folder(open_folder: Path) -> None:
    open_folder.chmod(0o555)
    in_a_process(create_in_a_read_only_folder, open_folder)


# Several users.

TEAM = 54321


def as_member(user: int) -> None:
    """A user of the team, with the mask that most systems give."""
    os.setgroups([])
    os.setgid(TEAM)
    os.setuid(user)
    os.umask(0o022)


def begin_as_one(folder: Path) -> None:
    as_member(54001)
    begun(folder)
    close_connections()  # what SQLite leaves beside the file has the mode that the file had when it was opened
    (folder / "lab.db").chmod(0o664)


def ask_as_another(folder: Path) -> None:
    as_member(54002)
    study = Study.open(address_in(folder), STUDY)
    study.ask(key="of another")
    study.tell(1, 0.5)


def ask_as_one(folder: Path) -> None:
    as_member(54001)
    Study.open(address_in(folder), STUDY).ask()


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root becomes another user")
def test_everybody_who_may_write_to_a_database_can_ask_in_it(open_folder: Path) -> None:
    os.chown(open_folder, 0, TEAM)
    open_folder.chmod(0o2770)
    for call in (begin_as_one, ask_as_another, ask_as_one, ask_as_another):
        in_a_process(call, open_folder)
    lock = (open_folder / "lab.db-lock").stat()
    assert (lock.st_mode & 0o777, lock.st_gid) == (0o664, TEAM)
    # And where somebody else's file may not be opened at all.
    (open_folder / "lab.db-lock").chmod(0o600)
    in_a_process(ask_as_another, open_folder)
    study = Study.open(address_in(open_folder), STUDY)
    assert [query.id for query in study.pending()] == [2, 3, 4, 5]


# Servers.


def test_a_database_that_may_only_be_read_is_a_clear_error(own_server: Server) -> None:
    database = own_server.create()
    study = begin(own_server.address(database))
    study.ask()
    own_server.run(f"ALTER DATABASE {database} SET default_transaction_read_only = on")
    reader = Study.open(own_server.address(database).replace("+psycopg", ""), STUDY)  # on a connection of its own
    assert [query.id for query in reader.pending()] == [1]
    for call in (lambda: reader.tell(1, 0.5), reader.ask, reader.close):
        with pytest.raises(StorageError, match=r"in a read-only transaction; .*; check the server and call again"):
            call()
    assert study.events == reader.events
    study.tell(1, 0.5)


@pytest.mark.parametrize("small_disk", ["4m"], indirect=True)
def test_a_server_whose_disk_is_full_is_a_clear_error_and_the_log_stays(small_disk: Path, own_server: Server) -> None:
    address = own_server.address(own_server.create(disk=small_disk))
    study = begin(address, policy="random")  # nothing is believed, so that nothing is said of what is added
    study.ask(3)
    ballast = small_disk / "ballast"
    with pytest.raises(OSError, match="No space left"):
        ballast.write_bytes(bytes(10**7))
    reason = fill(study)
    assert "No space left on device" in reason
    assert "; check the server and call again" in reason
    ballast.unlink()
    assert_goes_on(study, address)


# Whoever ends as programs do closes its files, as processes of multiprocessing do not.
DELETES_THE_LOG = """
import sys
from pathlib import Path
from belated.errors import StorageError
from belated.study import Study
address, name, log = sys.argv[1:]
study = Study.open(address, name)
study.tell(1, 0.5)
calls = [study.ask, lambda: study.tell(2, 0.25), study.pending, lambda: Study.open(address, name).ask()]
for there_again in (False, True):
    Path(log).unlink()
    if there_again:
        Path(log).touch()  # another in its place is not the one that this process writes to
    for call in calls:
        try:
            call()
        except StorageError as error:
            assert "lab.db-wal, was deleted while it was in use; nothing was written; end all programs" in str(error)
        else:
            sys.exit("it went on")
    if not there_again:
        Path(log).touch()
Path(log).unlink()
"""


def test_nothing_is_acknowledged_once_the_write_ahead_log_is_deleted_and_what_was_is_kept(tmp_path: Path) -> None:
    begun(tmp_path)
    close_connections()
    program = [sys.executable, "-c", DELETES_THE_LOG, address_in(tmp_path), STUDY, str(tmp_path / "lab.db-wal")]
    done = subprocess.run(program, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    study = Study.open(address_in(tmp_path), STUDY)
    assert [query.answer and query.answer.value for query in study.queries()] == [0.5, None, None]
    assert study.ask()
    close_connections()
    assert_integrity(address_in(tmp_path))


def test_a_log_that_was_put_away_by_closing_is_no_alarm(tmp_path: Path) -> None:
    study = begun(tmp_path)
    for _ in range(3):
        assert study.ask()
        close_connections()
        assert not (tmp_path / "lab.db-wal").exists()
    assert study.record().counts.asked == 6
