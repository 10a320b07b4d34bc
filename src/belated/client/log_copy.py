"""A copy of a log that a service keeps: events that were read once are not read again."""

from __future__ import annotations

import threading
from typing import final

from belated.client.connection import HttpConnection
from belated.log import Event, Record
from belated.study import Study
from belated.study.creation import declaration

PAGE = 1_000


@final
class LogCopy:
    """All events of a study up to now, and what they add up to."""

    def __init__(self, connection: HttpConnection, name: str) -> None:
        self._connection, self._name = connection, name
        self._access = threading.Lock()
        self._events: list[Event] = []
        self._record: Record | None = None
        self._study: Study | None = None

    def events(self, after: int = 0) -> tuple[Event, ...]:
        """The events with a larger number, in order."""
        with self._access:
            self._catch_up()
            return tuple(self._events[after:])

    def record(self) -> Record:
        """The record with all that has been written by now."""
        with self._access:
            self._catch_up()
            if self._record is None:
                self._record = declaration(f"RemoteStudy({self._name!r})", self._events[0]).record()
            self._record = self._record.extend(self._events[self._record.n_events :])
            return self._record

    def study(self) -> Study:
        """A study in memory that has come as far, for what is computed here."""
        with self._access:
            self._catch_up()
            if self._study is None or self._study.record().n_events < len(self._events):
                self._study = Study(self._events)
            return self._study

    def _catch_up(self) -> None:
        """Read what is new: the first time all of it at once, then page by page."""
        if not self._events:
            self._events = [Event.from_json(line) for line in self._connection.lines("studies", self._name, "export")]
            return
        more: int | None = len(self._events)
        while more is not None:
            page = self._connection.get("studies", self._name, "log", after=more, limit=PAGE)
            self._events += [Event.from_json(event) for event in page["events"]]
            more = page["next"]
