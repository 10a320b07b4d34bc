"""The queries that are waited for, and whether for too long."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from belated.log import Query, QueryStanding, State, Values, Window, entered, standings
from belated.storage import Reader, Unanswered


def standings_among(reader: Reader, unanswered: Unanswered) -> dict[int, QueryStanding]:
    """What was said so far of the queries that are waited for."""
    return standings(reader.about([event.query or 0 for event, _ in unanswered.asks]))


def waiting(unanswered: Unanswered, said: Mapping[int, QueryStanding], window: Window, now: float) -> list[Query]:
    """The queries without an answer, in the order asked, with what was said of them; past the window they are overdue.

    Of a study with one outcome, that is their context and the point that was tried.
    """
    numbers = np.array([number for _, number in unanswered.asks], dtype=np.int64)
    asked_at = np.array([event.at for event, _ in unanswered.asks])
    overdue = window.exceeded(unanswered.n_asked - numbers, now - asked_at)
    found = []
    for (event, number), late in zip(unanswered.asks, overdue, strict=True):
        known = said[event.query or 0]
        context, performed = (None if part is None else Values(part) for part in (known.context, known.performed))
        state = State.OVERDUE if late else State.PENDING
        found.append(entered(event, number, state, context=context, performed=performed))
    return found
