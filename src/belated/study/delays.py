"""What the log of a study says about its delays."""

from __future__ import annotations

import numpy as np

from belated.delays import Delays, learned
from belated.log import Abandoned, Event, History
from belated.storage import Log


def delays_of(log: Log, history: History, now: float) -> Delays:
    """The delays of a study; of the events only those of abandoned queries are read again."""
    abandoned = np.flatnonzero(~(history.answered_mask | history.pending_mask)) + 1
    return learned(history, _abandonments(log, abandoned.tolist()), now)


def _abandonments(log: Log, queries: list[int]) -> list[Event]:
    if not queries:
        return []
    with log.reading() as reader:
        return [event for event in reader.about(queries) if isinstance(event.body, Abandoned)]
