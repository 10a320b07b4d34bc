"""What an event does to the query that it is about.

Each kind of event says it once, and the others read it there: storages, which keep it beside each event,
records, standings and checks.
"""

from __future__ import annotations

from enum import Enum

from belated.log.query import State

_NOTHING: frozenset[State] = frozenset()
_UNANSWERED = frozenset({State.PENDING, State.RETRACTED})
_MEASURED = frozenset({State.PENDING, State.ANSWERED, State.RETRACTED})
_ENDED = frozenset({State.ANSWERED, State.ABANDONED, State.FAILED})
_ANY = _MEASURED | _ENDED


class Effect(Enum):
    """The states in which an event may find its query, the one in which it leaves it, and the fields it needs for that.

    A query that an event enters had no state before; an event that leaves none leaves the state as it finds it.
    """

    ASKS = "asks", _NOTHING, State.PENDING, ("point", "context")
    ADDS = "adds", _NOTHING, State.ANSWERED, ("point", "context", "value")
    ANSWERS = "answers", _UNANSWERED, State.ANSWERED, ("value",)
    # Some outcomes arrived; of those that end the wait, one is missing or all were there.
    MEASURES = "measures", _MEASURED, None, ("value",)
    CORRECTS = "corrects", _MEASURED, None, ("value",)
    MOVES = "moves", _ANY, None, ("point",)
    FAILS = "fails", _UNANSWERED, State.FAILED, ("reason",)
    ABANDONS = "abandons", _UNANSWERED, State.ABANDONED, ("reason",)
    RETRACTS = "retracts", _ENDED, State.RETRACTED, ("reason", "outcome")
    # One outcome is taken back which does not decide whether the query is answered.
    WITHDRAWS = "withdraws", _MEASURED, None, ("reason", "outcome")
    NOTES = "notes", _ANY, None, ()

    def __init__(self, word: str, finds: frozenset[State], leaves: State | None, needs: tuple[str, ...]) -> None:
        self.word, self.finds, self.leaves, self.needs = word, finds, leaves, ("query", *needs)
        self.enters = not finds
        self.measures = "value" in needs
        # By how much the number of queries that are waited for changes.
        self.waits = int(leaves is State.PENDING) - int(leaves is not None and State.PENDING in finds)
