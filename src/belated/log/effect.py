"""What an event does to the query that it is about.

Each kind of event says it once, and the others read it there: storages, which keep it beside each event,
records, standings and checks.
"""

from __future__ import annotations

from enum import Enum

from belated.log.query import State


class Effect(Enum):
    """The state in which an event finds its query, the state in which it leaves it, and the fields it needs for that.

    A query that an event enters had no state before; a note finds its query in any state, and leaves it there.
    """

    ASKS = "asks", None, State.PENDING, ("point", "context")
    ADDS = "adds", None, State.ANSWERED, ("point", "context", "value")
    ANSWERS = "answers", State.PENDING, State.ANSWERED, ("value",)
    ABANDONS = "abandons", State.PENDING, State.ABANDONED, ("reason",)
    CORRECTS = "corrects", State.ANSWERED, State.ANSWERED, ("value",)
    NOTES = "notes", None, None, ()

    def __init__(self, word: str, finds: State | None, leaves: State | None, needs: tuple[str, ...]) -> None:
        self.word, self.finds, self.leaves, self.needs = word, finds, leaves, ("query", *needs)
        self.enters = finds is None and leaves is not None
        # By how much the number of queries that are waited for changes.
        self.waits = int(leaves is State.PENDING) - int(finds is State.PENDING)
