"""The queries that are waited for, and whether for too long."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from belated.log import Query, State, Values, Window, entered, standings
from belated.space import Context
from belated.storage import Reader, Unanswered


def contexts_seen(reader: Reader, unanswered: Unanswered, declared: Context | None) -> dict[int, Values]:
    """The contexts that were seen after the decision, of queries without an answer."""
    if declared is None or declared.seen == "before":
        return {}
    found = standings(reader.about([event.query or 0 for event, _ in unanswered.asks]))
    return {query: Values(standing.context) for query, standing in found.items() if standing.context is not None}


def waiting(unanswered: Unanswered, contexts: Mapping[int, Values], window: Window, now: float) -> list[Query]:
    """The queries without an answer, in the order asked, with their contexts; those past the window are overdue."""
    numbers = np.array([number for _, number in unanswered.asks], dtype=np.int64)
    asked_at = np.array([event.at for event, _ in unanswered.asks])
    overdue = window.exceeded(unanswered.n_asked - numbers, now - asked_at)
    return [
        entered(
            event,
            number,
            State.OVERDUE if late else State.PENDING,
            context=contexts.get(event.query or 0),
        )
        for (event, number), late in zip(unanswered.asks, overdue, strict=True)
    ]
