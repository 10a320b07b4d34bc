"""From an address to its storage: memory://, sqlite:///file.db or postgresql+psycopg://user@host/database.

Other packages bring storages of their own by the entry point `belated.storages`: its name is how addresses begin, and
what it leads to makes the storage of an address.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from belated.errors import MissingPackageError, ParameterError
from belated.storage.memory import MemoryStorage
from belated.storage.protocol import DatabaseStorage, Storage

if TYPE_CHECKING:
    from belated.storage.tokens import Tokens

DEFAULT_URL = "sqlite:///belated.db"
ENTRY_POINTS = "belated.storages"

_known: dict[tuple[str, str], Storage] = {}
_access = threading.Lock()


def connect(url: str) -> Storage:
    """The storage at an address; one per address in each process, so that its connections are shared."""
    if not isinstance(url, str) or "://" not in url:
        raise ParameterError(
            f"storage: got {url!r} as the address; give memory://, sqlite:///lab.db or "
            f"postgresql+psycopg://user@host/database."
        )
    # A relative path means another file once the process has changed its folder.
    place = (url, os.getcwd() if url.startswith("sqlite:///") else "")
    with _access:
        known = _known.get(place)
        if known is None or known.gone:
            known = _known[place] = _made(url)
        return known


def revision(url: str) -> str | None:
    """The revision of the tables at an address; None where there are none."""
    return _database(url).revision()


def tokens_of(url: str) -> Tokens:
    """The tokens of the service at an address."""
    return _database(url).tokens()


def upgrade(url: str) -> tuple[str | None, str]:
    """Bring the tables at an address to the revision of this release; returns the one before and the one after."""
    from belated.storage.schema import HEAD

    storage = _database(url)
    before = storage.revision()
    storage.upgrade()
    return before, HEAD


def _made(url: str) -> Storage:
    scheme = url.partition("://")[0]
    if scheme == "memory":
        return MemoryStorage()
    if scheme.partition("+")[0] in ("sqlite", "postgresql", "postgres"):
        return _sql(url)
    from importlib.metadata import entry_points

    for entry in entry_points(group=ENTRY_POINTS, name=scheme):
        brought: Callable[[str], Storage] = entry.load()
        return brought(url)
    raise _no_storage(url)


def _no_storage(url: str) -> ParameterError:
    return ParameterError(
        f"storage: got an address that begins with {url.partition('://')[0]!r} and names no storage; give memory://, "
        f"sqlite:///lab.db or postgresql+psycopg://user@host/database."
    )


def _database(url: str) -> DatabaseStorage:
    storage = connect(url)
    if not isinstance(storage, DatabaseStorage):
        raise ParameterError(
            f"storage: got {url!r}, which has no tables; give the address of a database, as sqlite:///lab.db."
        )
    return storage


def _sql(url: str) -> Storage:
    try:
        import sqlalchemy as sa

        from belated.storage.postgres import PostgresDatabase
        from belated.storage.sql import SQLStorage
        from belated.storage.sqlite import SQLiteDatabase
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("sqlalchemy", "alembic"):
            raise
        raise MissingPackageError(
            f"storage: keeping studies in a database needs the package {error.name}, which is not installed; "
            f"Belated's extra 'storage' brings it."
        ) from None
    try:
        address = sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError):
        address = None
    if address is None:
        raise _no_storage(url)
    if address.drivername.startswith("sqlite"):
        return SQLStorage(SQLiteDatabase(url))
    return SQLStorage(PostgresDatabase(address))
