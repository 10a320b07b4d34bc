"""Logs in the memory of this process: nothing to install, and nothing left when it ends."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import final

from belated.log import Body, Event, settings_after
from belated.storage.names import deleted_study, name_taken, unknown_study
from belated.storage.protocol import Reader, Unanswered, Writer

NOWHERE = -1


@final
class MemoryLog:
    """A log in a list, with the place of the last event about each query, and from each event to the one before it."""

    def __init__(self, name: str, events: Sequence[Event] = ()) -> None:
        self._name = name
        self._access = threading.RLock()
        self._turn = threading.RLock()
        self._deleted = False
        self._begin(events)

    @property
    def name(self) -> str:
        """What the study is called now."""
        self._require()
        return self._name

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        with self._access:
            self._require()
            yield self

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """Read and append; what was appended is taken back if an error ends it."""
        with self._access:
            self._require()
            before = len(self._events)
            try:
                yield self
            except BaseException:
                if len(self._events) > before:
                    self._begin(self._events[:before])
                raise

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Keep other threads from asking."""
        with self._turn:
            yield

    def rename(self, name: str) -> None:
        """Call it otherwise."""
        self._name = name

    def delete(self) -> None:
        """Keep nothing of it."""
        with self._access:
            self._deleted = True
            self._begin(())

    def _require(self) -> None:
        if self._deleted:
            raise deleted_study(self._name)

    # Within reading and writing.

    def events(self, after: int = 0, most: int | None = None) -> list[Event]:
        """The events with a larger number, in order; with `most`, only that many of them."""
        return self._events[after : None if most is None else after + most]

    def about(self, queries: Collection[int]) -> list[Event]:
        """The events about these queries, in order."""
        places = sorted(place for query in set(queries) if query > 0 for place in self._places(query))
        return [self._events[place] for place in places]

    def settings(self, after: int = 0) -> list[Event]:
        """The events about the study itself rather than a query that have a larger number, in order."""
        return [self._events[place] for place in sorted(self._places(0)) if place >= after]

    def unanswered(self) -> Unanswered:
        """What is still waited for, in the order asked."""
        return Unanswered(list(self._waiting.values()), self._n_asked)

    def last_query(self) -> int:
        """The largest identifier given so far; 0 before the first."""
        return len(self._last) - 1

    def append(self, bodies: Sequence[Body], at: float, by: str | None = None) -> list[Event]:
        """Number these events on, and keep them."""
        first = len(self._events) + 1
        events = [Event(number, at, body, by) for number, body in enumerate(bodies, start=first)]
        self._keep(events)
        return events

    def _begin(self, events: Sequence[Event]) -> None:
        self._events: list[Event] = []
        self._last = array("q", [NOWHERE])  # by query; 0 stands for the study itself
        self._previous = array("q")  # by event
        self._waiting: dict[int, tuple[Event, int]] = {}
        self._n_asked = 0
        self._keep(events)

    def _keep(self, events: Sequence[Event]) -> None:
        for event in events:
            query, effect = event.query or 0, event.body.effect
            while query >= len(self._last):
                self._last.append(NOWHERE)
            self._previous.append(self._last[query])
            self._last[query] = len(self._events)
            self._events.append(event)
            if effect is not None and effect.waits > 0:
                self._n_asked += 1
                self._waiting[query] = event, self._n_asked
            elif effect is not None and effect.waits < 0:
                self._waiting.pop(query, None)

    def _places(self, query: int) -> Iterator[int]:
        """The places of the events about a query, the last one first."""
        place = self._last[query] if query < len(self._last) else NOWHERE
        while place != NOWHERE:
            yield place
            place = self._previous[place]


@final
class MemoryStorage:
    """The logs of one process."""

    gone = False

    def __init__(self) -> None:
        self._logs: dict[str, MemoryLog] = {}
        self._access = threading.Lock()

    def create(self, name: str, events: Sequence[Event]) -> MemoryLog:
        """A new log that begins with these events."""
        with self._access:
            self._require_free(name)
            return self._logs.setdefault(name, MemoryLog(name, events))

    def open(self, name: str) -> MemoryLog:
        """The log of that name."""
        with self._access:
            return self._known(name)

    def names(self, archived: bool = False) -> list[str]:
        """The names of the studies in sight, or of those in the archive, in the order of their creation."""
        with self._access:
            return self._names(archived)

    def rename(self, name: str, new: str) -> None:
        """Call a study otherwise."""
        with self._access:
            log = self._known(name)
            if new != name:
                self._require_free(new)
                self._logs = {new if known == name else known: each for known, each in self._logs.items()}
                log.rename(new)

    def delete(self, name: str, at: float) -> None:
        """Remove a study."""
        with self._access:
            self._known(name).delete()
            del self._logs[name]

    def _known(self, name: str) -> MemoryLog:
        if name not in self._logs:
            raise unknown_study("memory://", name, self._names(archived=False), self._names(archived=True))
        return self._logs[name]

    def _names(self, archived: bool) -> list[str]:
        return [name for name, log in self._logs.items() if _archived(log) == archived]

    def _require_free(self, name: str) -> None:
        if name in self._logs:
            raise name_taken("memory://", name, _archived(self._logs[name]))


def _archived(log: MemoryLog) -> bool:
    with log.reading() as reader:
        return settings_after(reader.settings()).archived is not None
