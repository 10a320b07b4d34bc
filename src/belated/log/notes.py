"""The texts of a log, row by row: what people read beside the numbers, in lists that only ever grow."""

from __future__ import annotations

from copy import copy

from belated.log.events import Asked, Event
from belated.log.measurement import Measurement
from belated.log.query import Query
from belated.log.rows import Extent
from belated.log.values import Values


class Notes:
    """What was said of queries: the events that brought them, reasons, contexts, keys, errors and corrections."""

    def __init__(self) -> None:
        self.events: list[Event] = []  # by row: that brought it
        self.reasons: list[str] = []  # in the order in which waits ended without an answer
        self.contexts: list[Values] = []  # in the order in which they were seen, where they are seen after the decision
        # The rows that were asked with a key.
        self.keyed: dict[str, list[int]] = {}
        # By row, if there are any: values since revised, oldest first; answers of which more than the value is known;
        # the points that were tried instead; and queries that are built and final.
        self.earlier: dict[int, tuple[float, ...]] = {}
        self.errors: dict[int, Measurement] = {}
        self.performed: dict[int, Values] = {}
        self.settled: dict[int, Query] = {}

    def enter(self, event: Event) -> None:
        """Add the next row, which this event brings."""
        if isinstance(event.body, Asked) and event.body.key is not None:
            self.keyed.setdefault(event.body.key, []).append(len(self.events))
        self.events.append(event)

    def revisable(self) -> Notes:
        """These notes for rows with values of their own: what depends on values is no longer shared."""
        fork = copy(self)
        fork.earlier, fork.errors, fork.performed = dict(self.earlier), dict(self.errors), dict(self.performed)
        fork.settled = {}
        return fork

    def copied(self, extent: Extent, answered: set[int]) -> Notes:
        """A copy for the rows of this extent, of which these have been answered."""
        fork = Notes()
        for event in self.events[: extent.rows]:
            fork.enter(event)
        fork.reasons = self.reasons[: extent.endings]
        fork.contexts = self.contexts[: extent.sightings]
        fork.earlier = {row: values for row, values in self.earlier.items() if row in answered}
        fork.errors = {row: measured for row, measured in self.errors.items() if row in answered}
        fork.performed = {row: values for row, values in self.performed.items() if row < extent.rows}
        return fork
