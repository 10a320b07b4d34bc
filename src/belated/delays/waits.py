"""How long each query has been waited for, and whether its answer came.

A wait ends with the first answer, and a later revision does not change it; with the abandonment, which says that
nobody waits any longer; or, for now, with the present. Only the first kind has shown its delay, of the others we know
that it is longer: they are censored. Data that was added was never waited for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from belated.log import Abandoned, Event, History
from belated.space import Array, Indices, Mask

Unit = Literal["queries", "seconds"]


@dataclass(frozen=True, eq=False)
class Spans:
    """Waits in one unit: how long they were, and the longest delay that would be known by now."""

    lengths: Array  # (n,) until the answer, the abandonment or the present
    followed: Array  # (n,) until the abandonment or the present, whether or not an answer came before


@dataclass(frozen=True, eq=False)
class Waits:
    """The waits for the queries that were asked, in that order."""

    rows: Indices  # (n,) their rows in the history
    answered_mask: Mask  # (n,)
    pending_mask: Mask  # (n,) the others were abandoned
    queries: Spans  # counted in queries asked since
    seconds: Spans

    def __len__(self) -> int:
        return len(self.rows)

    def spans(self, unit: Unit) -> Spans:
        """The waits in this unit."""
        return self.queries if unit == "queries" else self.seconds


def waits(history: History, abandonments: Iterable[Event], now: float) -> Waits:
    """The waits of a study at this time; the history does not know when queries were abandoned, the events do."""
    seen = history._seen
    entries, arrivals = seen.entries, seen.arrivals
    asked_at, queries = entries["asked_at"], history.ages().astype(float)
    seconds = now - asked_at
    given_up = [
        (event.body.query - 1, event.number, event.at) for event in abandonments if isinstance(event.body, Abandoned)
    ]
    if given_up:
        gone, numbers, at = (np.array(column) for column in zip(*given_up, strict=True))
        last = np.searchsorted(entries["entered"], numbers) - 1  # the last row that was there by then
        queries[gone] = entries["asks"][last] - entries["number"][gone]
        seconds[gone] = at - asked_at[gone]
    rows, arrived = np.flatnonzero(entries["number"] > 0), arrivals["row"]
    return Waits(
        rows,
        history.answered_mask[rows],
        history.pending_mask[rows],
        _spans(queries, arrived, arrivals["delay"], rows),
        _spans(seconds, arrived, arrivals["answered_at"] - asked_at[arrived], rows),
    )


def _spans(followed: Array, arrived: Indices, delays: Array, rows: Indices) -> Spans:
    """The waits of some rows, given how long each was followed, and after how long the answers arrived."""
    lengths = followed.copy()
    lengths[arrived] = delays
    # A clock that was set back must not make a wait negative, nor longer than it was followed.
    lengths = np.maximum(lengths, 0.0)
    return Spans(lengths[rows], np.maximum(followed, lengths)[rows])
