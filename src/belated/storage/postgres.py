"""PostgreSQL: one server for a team, with a lock on the study that is written and no other."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import final

import sqlalchemy as sa

from belated.errors import MissingPackageError, StorageError
from belated.storage.database import new_engine

# The first half of the keys of our advisory locks, so that they are not those of another program.
_KEY = zlib.crc32(b"belated") - 2**31


@final
class PostgresDatabase:
    """The database on a server."""

    gone = False  # a name on a server is what was opened, whatever the server has done since

    def __init__(self, url: sa.URL) -> None:
        # A password may also stand among the options, where it would not be hidden.
        self.where = url.difference_update_query(["password", "sslpassword"]).render_as_string(hide_password=True)
        try:
            self._engine = new_engine(
                url.set(drivername="postgresql+psycopg"),
                pool_pre_ping=True,
                max_overflow=-1,
                connect_args={"connect_timeout": 10, "application_name": "belated"},
            )
        except ModuleNotFoundError as error:
            raise MissingPackageError(
                f"{self.where}: PostgreSQL needs the package {error.name}, which is not installed; "
                f"Belated's extra 'postgres' brings it."
            ) from None

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """One moment of what is committed, however many statements it takes to read."""
        engine = self._engine.execution_options(isolation_level="REPEATABLE READ")
        with self._troubles(), engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Nothing is locked but the rows that are asked for."""
        with self._troubles(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def listing(self) -> Iterator[sa.Connection]:
        """Nobody else writes to the lists meanwhile, or makes tables."""
        with self._troubles(), self._engine.begin() as connection:
            self._lock(connection, 0)
            yield connection

    @contextmanager
    def asking(self, study: int) -> Iterator[None]:
        """The turn to ask: a lock that ends with its transaction, so with its process too."""
        with self._troubles():
            connection = self._engine.connect()
        try:
            with self._troubles():
                self._lock(connection, study)
            yield
        finally:
            try:
                connection.rollback()
            except sa.exc.DBAPIError:
                # The server has dropped the connection, and the lock with it.
                connection.invalidate()
            connection.close()

    making = listing

    def _lock(self, connection: sa.Connection, study: int) -> None:
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_KEY, study)))

    @contextmanager
    def _troubles(self) -> Iterator[None]:
        try:
            yield
        except sa.exc.DBAPIError as error:
            reason = " ".join(str(error.orig).split())
            raise StorageError(
                f"{self.where}: {reason}; what was not acknowledged may not be written; check the server and call "
                f"again: the same answer twice, or an ask with the same key, changes nothing."
            ) from error
