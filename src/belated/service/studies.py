"""The studies of a storage, each opened once in a process, so that what was computed for one ask helps the next."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

from belated.errors import StorageError, UnknownStudyError
from belated.storage import connect
from belated.study import Study

MOST_OPEN = 64


class Studies:
    """Opened studies by name; the one not used for longest is let go."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._open: OrderedDict[str, Study] = OrderedDict()
        self._access = threading.Lock()

    def names(self) -> list[str]:
        """Of all studies; of none, where there are no tables yet."""
        return connect(self.url).names()

    def open(self, name: str) -> Study:
        """The study of that name."""
        with self._access:
            known = self._open.get(name)
            if known is not None:
                self._open.move_to_end(name)
                return known
        opened = self._opened(name)
        with self._access:
            kept = self._open.setdefault(name, opened)
            while len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)
        return kept

    def glance(self, name: str) -> Study:
        """The study of that name for a short look, which drives no other one out."""
        with self._access:
            known = self._open.get(name)
        return known or self._opened(name)

    def opener(self, count: int) -> Callable[[str], Study]:
        """How to open studies for a look at each; where there are many, asks keep those that they have open."""
        return self.open if count <= MOST_OPEN // 2 else self.glance

    def _opened(self, name: str) -> Study:
        try:
            return Study.open(self.url, name)
        except UnknownStudyError:
            # The storage would say where it is and what else there is, which is not for everybody.
            raise UnknownStudyError(
                f"service: no study is named {name!r}; GET /v1/studies lists those that the token opens."
            ) from None

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
