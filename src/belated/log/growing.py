"""Arrays that grow at their end, so that a view of the first items is shared with views of more of them."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

Items = np.ndarray[Any, Any]
A = TypeVar("A", bound=Items)

ROOM = 16


class Growing:
    """An array with room for more items. What was appended is handed out as read-only views."""

    def __init__(self, items: Items) -> None:
        """An array of its own that begins with these items."""
        self._size = len(items)
        self._room = np.empty((max(2 * len(items), ROOM), *items.shape[1:]), items.dtype)
        self._room[: self._size] = items

    def append(self, item: Any) -> None:
        """Add one item at the end; a full array doubles, and views of the old one stay valid."""
        if self._size == len(self._room):
            self._room = np.concatenate([self._room, np.empty_like(self._room)])
        self._room[self._size] = item
        self._size += 1

    def mark(self, place: int, item: Any) -> None:
        """Overwrite one item, also in the views that include it."""
        self._room[place] = item

    def remove(self, place: int) -> None:
        """Take out one item, and let those behind it move up; only where no view has been handed out."""
        self._room[place : self._size - 1] = self._room[place + 1 : self._size]
        self._size -= 1

    def item(self, place: int) -> Any:
        return self._room[place]

    def __len__(self) -> int:
        return self._size

    def first(self, count: int) -> Items:
        """The first items, without a copy."""
        return frozen(self._room[:count])

    def fork(self, count: int) -> Growing:
        """An array of its own with the first items of this one."""
        return Growing(self.first(count))


def frozen(array: A) -> A:
    """The array, which can no longer be written to."""
    array.flags.writeable = False
    return array
