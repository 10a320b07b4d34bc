"""What every database does alike, and the few things in which SQLite and PostgreSQL differ."""

from __future__ import annotations

import json
import os
import weakref
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, Protocol

import sqlalchemy as sa

# Bodies are written without spaces, and a number that JSON has no word for is refused rather than written.
dumps = partial(json.dumps, separators=(",", ":"), allow_nan=False)


class Database(Protocol):
    """A place for tables; every error of the driver leaves it as one of ours."""

    @property
    def where(self) -> str:
        """Its address, without the password."""

    @property
    def gone(self) -> bool:
        """Whether it is no longer the one at its address."""

    def reading(self) -> AbstractContextManager[sa.Connection]:
        """A transaction that reads."""

    def writing(self) -> AbstractContextManager[sa.Connection]:
        """A transaction that writes; who writes to a study locks its row first."""

    def listing(self) -> AbstractContextManager[sa.Connection]:
        """A transaction that writes to the list of studies or of tokens, alone."""

    def asking(self, study: int) -> AbstractContextManager[None]:
        """The turn to ask in this study."""

    def making(self) -> AbstractContextManager[sa.Connection]:
        """A transaction that makes or changes tables, in a database that may not exist yet."""


def new_engine(url: sa.URL | str, **options: Any) -> sa.Engine:
    """An engine whose connections a forked process does not share with its parent."""
    engine = sa.create_engine(url, json_serializer=dumps, **options)
    _engines.add(engine)
    sa.event.listen(engine, "connect", lambda *_: _connected.add(engine))
    return engine


_engines: weakref.WeakSet[sa.Engine] = weakref.WeakSet()
# Those that have connected since they were last closed: a process may know thousands that have not.
_connected: weakref.WeakSet[sa.Engine] = weakref.WeakSet()


def close_connections() -> None:
    """Close every connection of this process that is not in use; who needs one opens it again."""
    for engine in list(_connected):
        _connected.discard(engine)
        engine.dispose()


def _forget_connections() -> None:
    for engine in list(_engines):
        engine.dispose(close=False)


if hasattr(os, "register_at_fork"):
    # SQLite's locks stay with the parent, and a child that inherits a connection goes on as if it held them: others may
    # then clear away the write-ahead log that it writes to. So none is open at a fork, save those in use elsewhere.
    os.register_at_fork(before=close_connections, after_in_child=_forget_connections)
