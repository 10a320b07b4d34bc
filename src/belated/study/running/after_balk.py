"""When to ask again after a balk."""

from __future__ import annotations

from typing import final

from belated.log import Balk, State
from belated.study.running.patient_study import Desk

# Seconds: between looks at what others have answered; and until an ask is tried whatever they have.
LOOK, ANYWAY = 1.0, 30.0


@final
class Balking:
    """A policy that would rather wait: for this run's own answers, or for those of others who work on the study.

    Its balk is final if nothing is waited for. Others are seen by what the study waits for, which is quick to read.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._waited: frozenset[tuple[int, State]] | None = None  # for what, when it balked
        self._since = 0.0
        self._confirming = False
        self.next_look: float | None = None

    def balked(self, balk: Balk, own: int, now: float) -> str | None:
        """Why the balk is final, if it is; `own` flights of this run are waited for in any case."""
        waited = self._desk.waited_for()
        if own or any(state is State.PENDING for _, state in waited):
            self._waited, self._since, self.next_look, self._confirming = waited, now, now + LOOK, False
            return None
        if self._confirming:
            return f"the policy balks, and no answer is to come ({balk.reason})"
        # What it waited for may have come just now, so that it is asked once more.
        self.forget()
        self._confirming = True
        return None

    def over(self, now: float) -> bool:
        """Whether to ask again."""
        if self.next_look is None:
            return True
        if now < self.next_look:
            return False
        self.next_look = now + LOOK
        if now - self._since < ANYWAY and self._desk.waited_for() == self._waited:
            return False
        self.forget()
        return True

    def forget(self) -> None:
        """Something has changed."""
        self._waited, self.next_look, self._confirming = None, None, False
