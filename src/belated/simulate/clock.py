"""Time that passes only when it is told to."""

from __future__ import annotations


class SimulatedClock:
    """A clock for a study that is simulated; it changes in place, and never runs backwards."""

    def __init__(self, now: float = 0.0) -> None:
        self._now = now

    def __call__(self) -> float:
        """The time now."""
        return self._now

    def move_to(self, instant: float) -> None:
        """Let time pass until this instant; one that lies in the past changes nothing."""
        self._now = max(self._now, float(instant))
