"""The version of a database's tables: the one it has, the one that this release needs, and the way there.

The migrations are Alembic's, shipped in `migrations/`; Alembic is imported only when tables are made or changed.
"""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from belated.errors import SchemaError

VERSION_TABLE = "belated_version"
MIGRATIONS = Path(__file__).with_name("migrations")
# Every revision that this release knows, oldest first; it works with the last one.
REVISIONS = ("0001", "0002", "0003")
HEAD = REVISIONS[-1]


def revision(connection: sa.Connection) -> str | None:
    """The revision of the tables; None where there are none yet."""
    if not sa.inspect(connection).has_table(VERSION_TABLE):
        return None
    found = connection.execute(sa.text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()
    return None if found is None else str(found)


def check(where: str, found: str) -> None:
    """Refuse tables of another revision than this release works with."""
    if found not in REVISIONS:
        raise SchemaError(
            f"{where}: the database has the schema {found!r}, which a newer release wrote; this one knows up to "
            f"{HEAD!r}; upgrade belated to open it."
        )
    if found != HEAD:
        raise SchemaError(
            f"{where}: the database has the schema {found!r}, which an older release wrote; this one needs {HEAD!r}; "
            f"run `belated db upgrade` (or belated.storage.upgrade(url)) once, when nobody is using it."
        )


def migrate(connection: sa.Connection, migrations: Path = MIGRATIONS) -> None:
    """Make the tables, or bring them to the newest revision, in the connection's transaction."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(migrations).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
