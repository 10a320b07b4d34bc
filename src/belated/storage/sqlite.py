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

# A write lasts milliseconds; whoever waits longer than this has met a process that hangs in one.
PATIENCE = 30.0  # seconds

_TROUBLES: dict[str, tuple[type[BelatedError], str]] = {
    "SQLITE_FULL": (StorageError, "free some space on the disk and call again"),
    "SQLITE_READONLY": (StorageError, "make the file and its folder writable"),
    "SQLITE_PERM": (StorageError, "make the file and its folder writable"),
    "SQLITE_CANTOPEN": (StorageError, "check that its folder exists and may be written to"),
    "SQLITE_BUSY": (StorageError, f"another process has been writing for {PATIENCE:g} seconds; call again"),
    "SQLITE_IOERR": (StorageError, "check the disk (is it full?) and call again"),
    "SQLITE_NOTADB": (CorruptError, "give the path of a database that belated wrote"),
    "SQLITE_CORRUPT": (CorruptError, "restore it from a copy or from an export"),
}


@final
class SQLiteDatabase:
    """The database in one file."""

    def __init__(self, url: sa.URL) -> None:
        if not url.database or url.database == ":memory:" or url.query:
            raise ParameterError(
                f"storage: got the address {str(url)!r}; a SQLite storage is a file, as sqlite:///lab.db; use "
                f"memory:// for a study that ends with its process."
            )
        self.where = str(url)
        self._path = Path(url.database).absolute()
        self._engine = new_engine("sqlite://", creator=self._connected, poolclass=sa.QueuePool, max_overflow=-1)
        sa.event.listen(self._engine, "begin", _begin)

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A snapshot of the file."""
        self._require_file()
        with self._troubles(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self, study: int) -> Iterator[sa.Connection]:
        """SQLite has one writer at a time, whatever the study."""
        self._require_file()
        with self._troubles(), self._engine.execution_options(belated_writing=True).begin() as connection:
            yield connection

    @contextmanager
    def asking(self, study: int) -> Iterator[None]:
        """The turn to ask: outside the database, so that answers can be written meanwhile."""
        self._require_file()
        with self._turn(f"ask-{study}"):
            yield

    @contextmanager
    def making(self) -> Iterator[sa.Connection]:
        """Make the file, if it is not there, and write to it alone."""
        with self._turn("make"), self._troubles():
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
    def _turn(self, purpose: str) -> Iterator[None]:
        with ExitStack() as held:
            try:
                held.enter_context(turn(self._path.with_name(f"{self._path.name}-{purpose}")))
            except OSError as error:
                raise StorageError(
                    f"{self.where}: the folder cannot be written to ({error.strerror or error}); check that it exists "
                    f"and make it writable."
                ) from None
            yield

    def _require_file(self) -> None:
        if not self._path.exists():
            raise StorageError(f"{self.where}: there is no such file; check the path, or create a study in it first.")

    @contextmanager
    def _troubles(self) -> Iterator[None]:
        try:
            yield
        except sa.exc.DBAPIError as error:
            raise self._as_ours(error.orig) from error
        except sqlite3.Error as error:
            raise self._as_ours(error) from error

    def _as_ours(self, error: Any) -> BelatedError:
        name = str(getattr(error, "sqlite_errorname", ""))
        for start, (kind, way_out) in _TROUBLES.items():
            if name.startswith(start):
                return kind(f"{self.where}: {error}; nothing was written; {way_out}.")
        return StorageError(f"{self.where}: {error}; nothing was written.")


def _begin(connection: sa.Connection) -> None:
    """A writer takes its lock at the start: one that began by reading could be refused it later."""
    writing = connection.get_execution_options().get("belated_writing")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")
