"""What a storage offers a study: an append-only log that many processes may read and write at once.

Three things are kept apart. `reading` sees the log as it is. `writing` is a short transaction that no other writer of
the same study shares: what is read in it still holds when its events are written, and it ends only when they are
durable. `asking` is a lock among those who decide what to ask, held as long as a model takes; nobody else waits for it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from belated.log import Body, Event

if TYPE_CHECKING:
    from belated.storage.tokens import Tokens


@dataclass(frozen=True)
class Unanswered:
    """The asks without an answer or an abandonment, each with its number; and the number of all asks."""

    asks: Sequence[tuple[Event, int]]
    n_asked: int


class Reader(Protocol):
    """The log as it is."""

    def events(self, after: int = 0, most: int | None = None) -> list[Event]:
        """The events with a larger number, in order; with `most`, only that many of them."""

    def about(self, queries: Collection[int]) -> list[Event]:
        """The events about these queries, in order."""

    def settings(self, after: int = 0) -> list[Event]:
        """The events about the study itself rather than a query that have a larger number, in order."""

    def unanswered(self) -> Unanswered:
        """What is still waited for, in the order asked."""

    def last_query(self) -> int:
        """The largest identifier given so far; 0 before the first."""


class Writer(Reader, Protocol):
    """The log, while no other process writes to it."""

    def append(self, bodies: Sequence[Body], at: float, by: str | None = None) -> list[Event]:
        """Number these events on, and write them, signed with `by`."""


class Log(Protocol):
    """The log of one study, whatever it is called; everything raises an UnknownStudyError once it is deleted."""

    @property
    def name(self) -> str:
        """What the study is called now, since another process may have renamed it."""

    def reading(self) -> AbstractContextManager[Reader]:
        """Open the log for reading."""

    def writing(self) -> AbstractContextManager[Writer]:
        """Read and append; durable when it ends, and nothing written if it ends by an error."""

    def asking(self) -> AbstractContextManager[None]:
        """Let no other process ask meanwhile."""


class Storage(Protocol):
    """Where logs are kept, by the names of their studies."""

    @property
    def gone(self) -> bool:
        """Whether another storage is at its address by now, so that it must be opened again."""

    def create(self, name: str, events: Sequence[Event]) -> Log:
        """A new log that begins with these events; a ConflictError if there is one of that name."""

    def open(self, name: str) -> Log:
        """The log of that name; an UnknownStudyError if there is none."""

    def names(self, archived: bool = False) -> list[str]:
        """The names of the studies in sight, or of those in the archive, in the order of their creation."""

    def rename(self, name: str, new: str) -> None:
        """Call a study otherwise, with all that knows it by its name; a ConflictError if there is one of that name."""

    def delete(self, name: str, at: float) -> None:
        """Remove a study with all events of its log, and let the tokens for it alone open nothing from then on."""


@runtime_checkable
class DatabaseStorage(Storage, Protocol):
    """A storage of tables, which releases bring up to date, and in which the service keeps its tokens."""

    def revision(self) -> str | None:
        """The revision of the tables; None where there are none yet."""

    def upgrade(self) -> None:
        """Bring the tables to the newest revision."""

    def tokens(self) -> Tokens:
        """The tokens of the service, in tables that are made if there are none."""
