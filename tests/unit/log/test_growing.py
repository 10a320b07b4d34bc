"""Growing: an array whose beginnings are shared."""

from __future__ import annotations

import numpy as np
import pytest

from belated.log.growing import ROOM, Growing, frozen


def test_what_was_appended_is_there_in_order_and_older_views_stay() -> None:
    growing = Growing(np.empty((0, 2)))
    views = []
    for place in range(5 * ROOM):
        growing.append((place, -place))
        views.append(growing.first(place + 1))
    for place, view in enumerate(views):
        np.testing.assert_array_equal(view, [[item, -item] for item in range(place + 1)])
    assert growing.item(7).tolist() == [7, -7]


def test_room_is_made_by_doubling_so_that_most_items_move_nothing() -> None:
    growing = Growing(np.empty(0))
    moves, view = 0, growing.first(0)
    for place in range(1000):
        growing.append(place)
        moves += int(place > 0 and not np.shares_memory(view, growing.first(place + 1)))
        view = growing.first(place + 1)
    assert moves == np.log2(1024 / ROOM)


def test_a_fork_goes_on_by_itself() -> None:
    growing = Growing(np.arange(40))
    fork = growing.fork(30)
    growing.append(40)
    fork.append(-1)
    fork.mark(2, -2)
    assert growing.first(41).tolist() == list(range(41))
    assert fork.first(31).tolist() == [0, 1, -2, *range(3, 30), -1]


def test_items_given_at_first_are_copied() -> None:
    items = np.arange(3)
    growing = Growing(items)
    items[0] = 9
    assert growing.first(3).tolist() == [0, 1, 2]


def test_views_are_read_only() -> None:
    growing = Growing(np.arange(3.0))
    for array in (growing.first(2), frozen(np.arange(3.0))):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
