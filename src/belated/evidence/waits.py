"""How long each query has been waited for, and whether its answer came.

A wait ends with the first answer, and a later revision does not change it; with the abandonment, which says that
there is no point in waiting; or, for now, with the present. Only the first kind has shown its delay; of the others we
know that it is longer: they are censored. Data that was added was never waited for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from belated.log import Rows
from belated.log.growing import Items
from belated.space import Array, Indices, Mask

Unit = Literal["queries", "seconds"]


@dataclass(frozen=True, eq=False)
class Spans:
    """Waits in one unit: how long they were, and the longest delay that would be known by now."""

    lengths: Array  # (n,) until the answer, the abandonment or the present
    followed: Array  # (n,) until the abandonment or the present, whether or not an answer came before

    def only(self, mask: Mask) -> Spans:
        """Some of the waits."""
        return Spans(self.lengths[mask], self.followed[mask])


@dataclass(frozen=True, eq=False)
class Waits:
    """The waits for the queries that were asked, in that order."""

    rows: Indices  # (n,) their rows in the evidence
    answered_mask: Mask  # (n,)
    pending_mask: Mask  # (n,) the others were abandoned
    queries: Spans  # counted in queries asked since
    seconds: Spans

    def __len__(self) -> int:
        return len(self.rows)

    def spans(self, unit: Unit) -> Spans:
        """The waits in this unit."""
        return self.queries if unit == "queries" else self.seconds

    def only(self, mask: Mask) -> Waits:
        """Some of the waits, in their order."""
        masks = self.answered_mask[mask], self.pending_mask[mask]
        return Waits(self.rows[mask], *masks, self.queries.only(mask), self.seconds.only(mask))


def waits(seen: Rows, now: float, last: int | None = None) -> Waits:
    """The waits for all queries at this time, or for the last ones asked.

    Rows as they were at an earlier time keep endings that came since: those queries were waited for until then.
    """
    asks = seen.extent.asks
    rows = seen.asked(1 if last is None else asks - last + 1, asks)
    entries, places, ends = seen.entries[rows], seen.answer_places[rows], seen.ending_places[rows]
    answered, abandoned = places < seen.extent.answers, ends < seen.extent.endings
    arrivals, endings = seen.arrivals[places[answered]], seen.endings[ends[abandoned]]

    def spans(starts: Items, present: float, delays: Items, ended: Items) -> Spans:
        followed = np.asarray(present - starts, dtype=float)
        followed[abandoned] = np.minimum(followed[abandoned], ended - starts[abandoned])
        lengths = followed.copy()
        lengths[answered] = delays
        # A clock that was set back must not make a wait negative, nor longer than it was followed.
        lengths = np.maximum(lengths, 0.0)
        return Spans(lengths, np.maximum(followed, lengths))

    asked_at = entries["asked_at"]
    return Waits(
        rows,
        answered,
        ~(answered | abandoned),
        spans(entries["number"], asks, arrivals["delay"], endings["asks"]),
        spans(asked_at, now, arrivals["answered_at"] - asked_at[answered], endings["ended_at"]),
    )
