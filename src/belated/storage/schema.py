"""The version of a database's tables: the one it has, the one that this release needs, and the way there.

New tables are made as `tables` describes them. The migrations are Alembic's, shipped in `migrations/`; Alembic is
imported only when tables of an older release are changed.
"""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from belated.errors import SchemaError
from belated.storage.tables import metadata

VERSION_TABLE = "belated_version"
MIGRATIONS = Path(__file__).with_name("migrations")
# Every revision that this release knows, oldest first; it works with the last one.
REVISIONS = ("0001", "0002", "0003")
HEAD = REVISIONS[-1]

# As Alembic makes it.
_versions = sa.Table(
    VERSION_TABLE,
    sa.MetaData(),
    sa.Column("version_num", sa.String(32), nullable=False),
    sa.PrimaryKeyConstraint("version_num", name=f"{VERSION_TABLE}_pkc"),
)


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


def make(connection: sa.Connection) -> None:
    """Make the tables of the newest revision in the connection's transaction, where there are none.

    They are the same, to the order of their columns, as all migrations make one after the other.
    """
    # An empty table of versions may be there: Alembic leaves one where it has taken all tables away.
    _versions.create(connection, checkfirst=True)
    metadata.create_all(connection, checkfirst=False)
    connection.execute(sa.insert(_versions).values(version_num=HEAD))


def migrate(connection: sa.Connection, migrations: Path = MIGRATIONS) -> None:
    """Bring tables of an older release to the newest revision, in the connection's transaction."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(migrations).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
