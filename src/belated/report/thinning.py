"""How large studies are drawn in part, so that a page of a hundred thousand queries can still be opened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from belated.log import Query, State

Item = TypeVar("Item")

MOST_DRAWN = 2000
WAITING = (State.PENDING, State.OVERDUE)


def spread(items: Sequence[Item], count: int = MOST_DRAWN) -> list[Item]:
    """At most `count` of the items, evenly spread over their order."""
    if len(items) <= count:
        return list(items)
    return [items[place] for place in np.linspace(0, len(items) - 1, count).round().astype(int)]


def thinned(queries: Sequence[Query], count: int = MOST_DRAWN) -> list[Query]:
    """At most `count` queries in their order; those without an answer are kept first."""
    waiting = spread([query for query in queries if query.state in WAITING], count)
    others = [query for query in queries if query.state not in WAITING]
    return sorted([*waiting, *spread(others, count - len(waiting))], key=lambda query: query.id)


def remark(drawn: Sequence[object], there_are: Sequence[object], what: str = "queries") -> str:
    """The remark on a figure that is drawn in part; empty for a whole one."""
    return "" if len(drawn) == len(there_are) else f"{len(drawn):,} of {len(there_are):,} {what} are drawn."
