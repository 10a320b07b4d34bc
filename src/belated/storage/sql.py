"""Logs in a database: one row per event, appended under a lock and never changed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, final

import numpy as np
import sqlalchemy as sa

from belated.errors import CorruptError, LogError, StorageError
from belated.log import Archived, Body, Effect, Event, Unarchived, kind_of
from belated.storage import schema
from belated.storage.database import Database
from belated.storage.names import deleted_study, name_taken, unknown_study
from belated.storage.protocol import Reader, Unanswered, Writer
from belated.storage.tables import DELETED, events, studies, tokens
from belated.storage.tokens import Tokens

# What a row keeps beside the event's body, in columns of their own.
_COLUMNS = ("number", "at", "event", "query", "by")
_EVENT = (*(events.c[name] for name in _COLUMNS), events.c.body)
# The effects that begin the waiting for a query, and those that end it.
_BEGINS = [effect.word for effect in Effect if effect.waits > 0]
_ENDS = [effect.word for effect in Effect if effect.waits < 0]
# The events that put a study into the archive, and take it out.
_IN, _OUT = kind_of(Archived), kind_of(Unarchived)
# Databases take some tens of thousands of parameters in one statement.
_AT_ONCE = 5_000


@final
class SQLStorage:
    """The logs of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._ready = False

    @property
    def gone(self) -> bool:
        """Whether another database is at the address by now."""
        return self._database.gone

    def create(self, name: str, events: Sequence[Event]) -> SQLLog:
        """A new log that begins with these events, in tables that are made if there are none."""
        self._make()
        with self._database.listing() as connection:
            self._require_free(connection, name)
            study = connection.scalars(sa.insert(studies).values(name=name).returning(studies.c.id)).one()
            _insert(connection, study, events)
        return SQLLog(self._database, study, name)

    def open(self, name: str) -> SQLLog:
        """The log of that name."""
        self._check()
        with self._database.reading() as connection:
            return SQLLog(self._database, self._known(connection, name), name)

    def tokens(self) -> Tokens:
        """The tokens of the service, in tables that are made if there are none."""
        self._make()
        return Tokens(self._database)

    def names(self, archived: bool = False) -> list[str]:
        """The names of the studies in sight, or of those in the archive, in the order of their creation."""
        self._check()
        with self._database.reading() as connection:
            return _names(connection, archived)

    def rename(self, name: str, new: str) -> None:
        """Call a study otherwise, and let the tokens for it alone open it still."""
        self._check()
        with self._database.listing() as connection:
            study = self._known(connection, name)
            if new == name:
                return
            self._require_free(connection, new)
            connection.execute(sa.update(studies).where(studies.c.id == study).values(name=new))
            connection.execute(sa.update(tokens).where(tokens.c.study == name).values(study=new))

    def delete(self, name: str, at: float) -> None:
        """Remove a study with all events of its log, and revoke the tokens for it alone."""
        self._check()
        with self._database.listing() as connection:
            study = self._known(connection, name)
            # Who writes to it now has its row locked, and ends first.
            connection.execute(sa.update(studies).where(studies.c.id == study).values(name=f"{DELETED}{study}"))
            connection.execute(sa.delete(events).where(events.c.study == study))
            own = sa.and_(tokens.c.study == name, tokens.c.revoked_at.is_(None))
            connection.execute(sa.update(tokens).where(own).values(revoked_at=at))

    def revision(self) -> str | None:
        """The revision of the tables; None where there are none yet."""
        with self._database.reading() as connection:
            return schema.revision(connection)

    def upgrade(self) -> None:
        """Bring the tables to the newest revision, or make them."""
        with self._database.making() as connection:
            found = schema.revision(connection)
            if found is None:
                schema.make(connection)
            elif found in schema.REVISIONS:
                schema.migrate(connection)
            else:
                schema.check(self._database.where, found)

    def _known(self, connection: sa.Connection, name: str) -> int:
        """The number of the study of that name."""
        study = _identifier(connection, name)
        if study is None:
            in_sight, archived = (_names(connection, put_away) for put_away in (False, True))
            raise unknown_study(self._database.where, name, in_sight, archived)
        return study

    def _require_free(self, connection: sa.Connection, name: str) -> None:
        if _identifier(connection, name) is not None:
            raise name_taken(self._database.where, name, name in _names(connection, archived=True))

    def _check(self) -> None:
        if not self._ready:
            found = self.revision()
            if found is None:
                raise StorageError(
                    f"{self._database.where}: the database has no tables of belated; check the address, or create a "
                    f"study in it first."
                )
            schema.check(self._database.where, found)
            self._ready = True

    def _make(self) -> None:
        if not self._ready:
            with self._database.making() as connection:
                found = schema.revision(connection)
                if found is None:
                    schema.make(connection)
                else:
                    schema.check(self._database.where, found)
            self._ready = True


@final
class SQLLog:
    """The log of one study."""

    def __init__(self, database: Database, study: int, name: str) -> None:
        self._database, self._study = database, study
        self._last_name = name

    @property
    def name(self) -> str:
        """What the study is called now."""
        with self._database.reading() as connection:
            return self._found(connection, self._row)

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        with self._database.reading() as connection:
            self._found(connection, self._row)
            yield SQLWriter(connection, self._study, self._database.where)

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """Read and append; committed when it ends, rolled back if an error ends it."""
        with self._database.writing() as connection:
            self._found(connection, self._row.with_for_update())
            yield SQLWriter(connection, self._study, self._database.where)

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Keep other processes and threads from asking."""
        with self._database.asking(self._study):
            yield

    @property
    def _row(self) -> sa.Select[Any]:
        return sa.select(studies.c.name).where(studies.c.id == self._study)

    def _found(self, connection: sa.Connection, row: sa.Select[Any]) -> str:
        """The study's name, if it is still there."""
        name: str | None = connection.scalar(row)
        if name is None or name.startswith(DELETED):
            raise deleted_study(self._last_name)
        self._last_name = name
        return name


@final
class SQLWriter:
    """The log of one study within a transaction."""

    def __init__(self, connection: sa.Connection, study: int, where: str) -> None:
        self._connection = connection
        self._study = study
        self._where = where

    def events(self, after: int = 0, most: int | None = None) -> list[Event]:
        """The events with a larger number, in order, with `most` only that many of them; raises if one is missing."""
        chosen = self._own(events.c.number > after).order_by(events.c.number).limit(most)
        found = self._read(chosen)
        numbers = [event.number for event in found[:1] + found[-1:]]
        # A log has its creation at least, so that nothing at all is a gap too.
        if numbers != [after + 1, after + len(found)] and (found or not after):
            raise self._gap(after)
        return found

    def about(self, queries: Collection[int]) -> list[Event]:
        """The events about these queries, in order."""
        return self._found(*_about(sorted(set(queries))))

    def settings(self, after: int = 0) -> list[Event]:
        """The events about the study itself rather than a query that have a larger number; the creation is event 1."""
        # By the bare number, SQLite would walk all events after that one.
        found = self._found(sa.and_(events.c.query.is_(None), events.c.number + 0 > after))
        if not after and (not found or found[0].number != 1):
            raise self._gap(0)
        return found

    def unanswered(self) -> Unanswered:
        """What is still waited for, in the order asked.

        An identifier counts the asks and the added data before it; less the latter, it is the number of the ask.
        """
        # The index `belated_events_effect` alone is read, and then the events by their queries: in one statement, a
        # PostgreSQL that has not counted a new table yet groups all of it again for each event.
        own, effect = (events.c.study == self._study, events.c.query.is_not(None)), events.c.effect
        waits = sa.func.sum(sa.case((effect.in_(_BEGINS), 1), (effect.in_(_ENDS), -1), else_=0))
        waiting = sa.select(events.c.query).where(*own).group_by(events.c.query).having(waits > 0)
        found = sorted(self._connection.scalars(waiting).all())
        asks = self._found(*(sa.and_(effect == Effect.ASKS.word, about) for about in _about(found)))
        chosen = sa.select(events.c.query).where(*own, effect == Effect.ADDS.word)
        added = np.sort(np.array(self._connection.scalars(chosen).all(), dtype=np.int64))
        queries = [event.query or 0 for event in asks]
        numbers = queries - np.searchsorted(added, queries)
        return Unanswered(
            [(event, int(number)) for event, number in zip(asks, numbers, strict=True)], self.last_query() - len(added)
        )

    def last_query(self) -> int:
        """The largest identifier given so far; 0 before the first."""
        largest = sa.select(sa.func.max(events.c.query)).where(events.c.study == self._study)
        return self._connection.scalar(largest) or 0

    def append(self, bodies: Sequence[Body], at: float, by: str | None = None) -> list[Event]:
        """Number these events on, and write them."""
        largest = sa.select(sa.func.max(events.c.number)).where(events.c.study == self._study)
        first = (self._connection.scalar(largest) or 0) + 1
        written = [Event(number, at, body, by) for number, body in enumerate(bodies, start=first)]
        _insert(self._connection, self._study, written)
        return written

    def _gap(self, after: int) -> CorruptError:
        return CorruptError(
            f"{self._where}: the log has a gap after event {after} or later; restore it from a copy or an export."
        )

    def _found(self, *conditions: sa.ColumnElement[bool]) -> list[Event]:
        """The events that meet any of these conditions, in order."""
        found = [event for condition in conditions for event in self._read(self._own(condition))]
        # Asked for an order, SQLite would walk the whole log in it rather than look the queries up.
        return sorted(found, key=lambda event: event.number)

    def _own(self, condition: sa.ColumnElement[bool]) -> sa.Select[Any]:
        return sa.select(*_EVENT).where(events.c.study == self._study, condition)

    def _read(self, chosen: sa.Select[Any]) -> list[Event]:
        try:
            return [_event(row) for row in self._connection.execute(chosen)]
        except (LogError, ValueError, TypeError) as error:
            raise CorruptError(
                f"{self._where}: an event cannot be read ({error}); restore the database from a copy or an export."
            ) from error


def _event(row: Any) -> Event:
    number, at, name, query, by, body = row
    # SQLite keeps any value in any column.
    if not isinstance(at, float) or not isinstance(query, int | None) or not isinstance(by, str | None):
        raise ValueError(f"event {number!r} has the time {at!r}, is about query {query!r} and by {by!r}")
    fields = {**body, "number": number, "at": at, "event": name, "by": by}
    return Event.from_json(fields if query is None else {**fields, "query": query})


def _about(queries: Sequence[int]) -> Iterator[sa.ColumnElement[bool]]:
    """Conditions that hold of the events about these queries, each of as many as a statement takes."""
    for start in range(0, len(queries), _AT_ONCE):
        yield events.c.query.in_(queries[start : start + _AT_ONCE])


def _insert(connection: sa.Connection, study: int, written: Sequence[Event]) -> None:
    rows = []
    for event in written:
        body = event.to_json()
        columns = {name: body.pop(name, None) for name in _COLUMNS}
        effect = None if event.body.effect is None else event.body.effect.word
        rows.append({"study": study, **columns, "effect": effect, "body": body})
    if rows:
        connection.execute(sa.insert(events), rows)


def _identifier(connection: sa.Connection, name: str) -> int | None:
    return connection.scalar(sa.select(studies.c.id).where(studies.c.name == name))


def _names(connection: sa.Connection, archived: bool) -> list[str]:
    """The names of the studies whose last move was into the archive, or of the others."""
    move = sa.select(events.c.event).where(
        events.c.study == studies.c.id, events.c.query.is_(None), events.c.event.in_((_IN, _OUT))
    )
    # By the bare number, SQLite would walk the whole log from its end.
    last = sa.func.coalesce(move.order_by((events.c.number + 0).desc()).limit(1).scalar_subquery(), _OUT)
    there = sa.not_(studies.c.name.startswith(DELETED))
    chosen = sa.select(studies.c.name).where(there, last == (_IN if archived else _OUT))
    return list(connection.scalars(chosen.order_by(studies.c.id)))
