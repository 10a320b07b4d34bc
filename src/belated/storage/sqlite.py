"""SQLite: one file, no server. Write-ahead logging lets readers go on while one process writes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, final
from urllib.parse import quote

import sqlalchemy as sa

from belated.errors import BelatedError, CorruptError, ParameterError, StorageError
from belated.storage.database import new_engine
from belated.storage.turns import turn

# A write lasts milliseconds; a process that waits longer than this has met one that hangs.
PATIENCE = 30.0  # seconds

Identity = tuple[int, int]  # the device and the number of a file

_TROUBLES: dict[str, tuple[type[BelatedError], str]] = {
    "SQLITE_FULL": (StorageError, "free some space on the disk and call again"),
    "SQLITE_READONLY": (StorageError, "make the file and its folder writable"),
    "SQLITE_PERM": (StorageError, "make the file and its folder writable"),
    "SQLITE_CANTOPEN": (StorageError, "check that its folder exists and may be written to"),
    "SQLITE_BUSY": (StorageError, f"another process has been writing for {PATIENCE:g} seconds; call again"),
    "SQLITE_IOERR": (StorageError, "check the disk (is it full?) and call again"),
    "SQLITE_NOTADB": (CorruptError, "give the path of a database that belated wrote"),
    "SQLITE_CORRUPT": (CorruptError, "restore it from a copy or from an export"),
    "SQLITE_CONSTRAINT": (CorruptError, "its rows contradict each other; restore it from a copy or from an export"),
    "SQLITE_ERROR": (CorruptError, "its tables are not those of belated; restore it from a copy or from an export"),
}


@final
class SQLiteDatabase:
    """The database in one file."""

    def __init__(self, url: str) -> None:
        # Taken as it stands: whether an escape as %20 is read differs between the versions of SQLAlchemy.
        path = url.partition(":///")[2]
        if not path or path == ":memory:" or "?" in path:
            raise ParameterError(
                f"storage: got the address {url!r}; a SQLite storage is a file, as sqlite:///lab.db; use "
                f"memory:// for a study that ends with its process."
            )
        self.where = f"sqlite:///{path}"
        self._path = Path(path).absolute()
        self._file: Identity | None = None  # the one that was opened
        self._log: Identity | None = None  # the write-ahead log beside it, of the connections that are open
        self._engine = new_engine("sqlite://", creator=self._connected, poolclass=sa.QueuePool, max_overflow=-1)
        sa.event.listen(self._engine, "begin", _begin)

    @property
    def gone(self) -> bool:
        """Whether the file that was opened has been removed or replaced, so that writes to it are lost."""
        return self._file not in (None, _identity(self._path))

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A snapshot of the file."""
        self._require_file()
        with self._troubles(), self._engine.begin() as connection:
            self._log = self._log or self._log_there()
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """SQLite has one writer at a time, whatever is written."""
        self._require_file()
        with self._troubles(), self._engine.execution_options(belated_writing=True).begin() as connection:
            self._log = self._log or self._log_there()
            yield connection

    listing = writing

    @contextmanager
    def asking(self, study: int) -> Iterator[None]:
        """The turn to ask: outside the database, so that answers can be written meanwhile."""
        self._require_file()
        with self._turn(study):
            yield

    @contextmanager
    def making(self) -> Iterator[sa.Connection]:
        """Make the file, if it is not there, and write to it alone."""
        self._refuse_folder()
        with self._turn(0), self._troubles():
            raw = self._connected("rwc")
            try:
                # It holds for every later connection; switched under the turn, as it knows no patience.
                raw.execute("PRAGMA journal_mode = WAL")
            finally:
                raw.close()
            with self._engine.execution_options(belated_writing=True).begin() as connection:
                yield connection

    def _connected(self, mode: str = "rw") -> sqlite3.Connection:
        address = f"file:{quote(str(self._path))}?mode={mode}"
        connection = sqlite3.connect(address, PATIENCE, uri=True, isolation_level=None, check_same_thread=False)
        # With FULL, a commit has reached the disk when it returns, not only the system's memory.
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        return connection

    @contextmanager
    def _turn(self, study: int) -> Iterator[None]:
        """The turn of a study, or 0 to make tables; if its file cannot be had, no process waits."""
        with ExitStack() as held:
            try:
                held.enter_context(turn(self._path, study))
            except OSError as error:
                # A database that is there says itself what may not be done with it.
                if not self._path.exists():
                    raise StorageError(
                        f"{self.where}: the folder cannot be written to ({error.strerror or error}); check that it "
                        f"exists and make it writable."
                    ) from None
            yield

    def _refuse_folder(self) -> None:
        if self._path.is_dir():
            raise StorageError(f"{self.where}: this is a folder; give the path of a file.")

    def _require_file(self) -> None:
        self._refuse_folder()
        found = _identity(self._path)
        if found is None:
            raise StorageError(f"{self.where}: there is no such file; check the path, or create a study in it first.")
        self._file = self._file or found
        if found != self._file:
            raise StorageError(
                f"{self.where}: another file has taken the place of the one that was opened; open the study again."
            )
        self._require_log()

    def _require_log(self) -> None:
        """Refuse to go on where the write-ahead log was deleted, since writes to it would be lost."""
        if not isinstance(pool := self._engine.pool, sa.QueuePool) or not pool.checkedin() + pool.checkedout():
            self._log = None  # the last connection takes the log with it, and the next one makes another
        elif self._log not in (None, self._log_there()):
            # Its connections stay open: closing the last of all puts what the deleted log holds into the file, and a
            # new one would begin another log, over which SQLite would write the old.
            raise StorageError(
                f"{self.where}: its write-ahead log, {self._path.name}-wal, was deleted while it was in use; nothing "
                f"was written; end all programs that use it, as they usually end, which saves what they have."
            )

    def _log_there(self) -> Identity | None:
        return _identity(self._path.with_name(f"{self._path.name}-wal"))

    @contextmanager
    def _troubles(self) -> Iterator[None]:
        try:
            yield
        except sa.exc.DBAPIError as error:
            raise self._as_ours(error.orig) from error
        except sqlite3.Error as error:
            raise self._as_ours(error) from error
        except UnicodeDecodeError as error:
            # SQLite quotes from a damaged schema in its message, and Python cannot read the message.
            raise CorruptError(
                f"{self.where}: the text of its schema is no UTF-8; nothing was written; restore it from a copy or "
                f"from an export."
            ) from error

    def _as_ours(self, error: Any) -> BelatedError:
        # Text that is no UTF-8 is an error of Python's own, without one of SQLite's codes.
        undecoded = str(error).startswith("Could not decode to UTF-8")
        name = "SQLITE_CORRUPT" if undecoded else str(getattr(error, "sqlite_errorname", ""))
        for start, (kind, way_out) in _TROUBLES.items():
            if name.startswith(start):
                return kind(f"{self.where}: {error}; nothing was written; {way_out}.")
        return StorageError(f"{self.where}: {error}; nothing was written.")


def _identity(path: Path) -> Identity | None:
    """What tells a file from others that have had its name; None if there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _begin(connection: sa.Connection) -> None:
    """A writer takes its lock at the start: one that began by reading could be refused it later."""
    writing = connection.get_execution_options().get("belated_writing")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")
