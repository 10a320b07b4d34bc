"""The studies of a storage, each opened once in a process, so that what was computed for one ask helps the next."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from belated.errors import ConflictError, StorageError, UnknownStudyError, Way
from belated.storage import connect
from belated.study import Study

MOST_OPEN = 64


class Studies:
    """Opened studies by name; the one not used for longest is let go."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._open: OrderedDict[str, Study] = OrderedDict()
        self._access = threading.Lock()

    def names(self, archived: bool = False) -> list[str]:
        """Of the studies in sight, or of those in the archive."""
        return connect(self.url).names(archived)

    def open(self, name: str) -> Study:
        """The study of that name."""
        known = self._known(name)
        if known is not None:
            return known
        opened = self._opened(name)
        with self._access:
            kept = self._open.setdefault(name, opened)
            while len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)
        return kept

    def glance(self, name: str) -> Study:
        """The study of that name for a short look, which drives no other one out."""
        return self._known(name) or self._opened(name)

    def opener(self, count: int) -> Callable[[str], Study]:
        """How to open studies for a look at each; where there are many, asks keep those that they have open."""
        return self.open if count <= MOST_OPEN // 2 else self.glance

    def rename(self, name: str, new: str) -> None:
        """Call a study otherwise."""
        with self._discreetly(name, new):
            Study.rename(self.url, name, new)

    def copy(self, name: str, new: str) -> Study:
        """A copy of a study under another name."""
        with self._discreetly(name, new):
            return Study.copy(self.url, name, new)

    def delete(self, name: str) -> None:
        """Remove a study for good."""
        with self._discreetly(name):
            Study.delete(self.url, name)

    def _known(self, name: str) -> Study | None:
        """The study of that name, if it is open; another process may have renamed or deleted it."""
        with self._access:
            known = self._open.get(name)
            if known is None:
                return None
            self._open.move_to_end(name)
        try:
            if known.name == name:
                return known
        except UnknownStudyError:
            pass
        with self._access:
            if self._open.get(name) is known:
                del self._open[name]
        return None

    def _opened(self, name: str) -> Study:
        with self._discreetly(name):
            return Study.open(self.url, name)

    @contextmanager
    def _discreetly(self, name: str, new: str = "") -> Iterator[None]:
        """Do not say where the storage is and what else there is, which is not for everybody."""
        try:
            yield
        except UnknownStudyError:
            way = Way("studies", (), "GET /v1/studies lists those that the token opens")
            raise UnknownStudyError(f"service: no study is named {name!r}; ", way, ".") from None
        except ConflictError:
            raise ConflictError(f"service: a study named {new!r} is there already; choose another name.") from None

    def forget(self) -> None:
        """Open all of them anew: after trouble with the storage, it may be another one."""
        with self._access:
            self._open.clear()

    def ready(self) -> None:
        """Raise a StorageError where the storage cannot be read."""
        try:
            self.names()
        except StorageError:
            self.forget()
            raise
