"""What is still waited for, and whether for too long."""

from __future__ import annotations

import numpy as np

from belated.log import Query, State, Window, entered
from belated.storage import Unanswered


def waiting(unanswered: Unanswered, window: Window, now: float) -> list[Query]:
    """The queries without an answer, in the order asked; those past the window are overdue."""
    numbers = np.array([number for _, number in unanswered.asks], dtype=np.int64)
    asked_at = np.array([event.at for event, _ in unanswered.asks])
    overdue = window.exceeded(unanswered.n_asked - numbers, now - asked_at)
    return [
        entered(event, number, State.OVERDUE if late else State.PENDING)
        for (event, number), late in zip(unanswered.asks, overdue, strict=True)
    ]
