"""What was asked before, and what came of it, as far as rules look at it beside the belief."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from belated.beliefs import Incumbents
from belated.evidence import Data, Plays
from belated.log import Window
from belated.pending import LeavingOpen
from belated.rules.moment import Moment
from belated.search import prefixed
from belated.space import Array, Indices


@dataclass(frozen=True, eq=False)
class Past:
    """The queries and answers of a study up to one of its moments."""

    _moment: Moment

    @property
    def arrivals(self) -> Data:
        """The answers and their points, in the order of their arrival."""
        return self._moment.evidence.arrivals()

    def arrived_in(self, first: int, last: int) -> Data:
        """Answers to queries number `first` to `last` that had come before query `last` + 1 was asked."""
        return self._moment.evidence.arrived_in(first, last)

    def asked_in(self, first: int, last: int) -> Array:
        """The points of queries number `first` to `last` that were not abandoned, in the order asked. (k, d)"""
        return self._moment.evidence.asked_in(first, last)[:, self._moment.context.size :]

    def recent(self, window: Window) -> Array:
        """The points asked so recently that the window still holds them. (k, d)"""
        return self._moment.evidence.points[self._moment.evidence.recent_rows(window, self._moment.now)]

    def counted(self) -> tuple[Indices, Array]:
        """The queries that were answered or are still waited for, in the order asked: rows and points. (k,), (k, d)"""
        evidence = self._moment.evidence
        rows = evidence.counted_rows(self._moment.treatment.window, self._moment.now)
        return rows, evidence.points[rows]

    @cached_property
    def answered_here(self) -> Array:
        """The points that were answered, in whatever context, each in the one of this ask. (n, d)"""
        evidence, context = self._moment.evidence, self._moment.context
        return prefixed(context, evidence.points[evidence.answered_mask][:, context.size :])

    @cached_property
    def asked_here(self) -> Array:
        """Those points, and all of which an answer may still come. (k, d)"""
        evidence, context = self._moment.evidence, self._moment.context
        rows = evidence.answered_mask | evidence.pending_mask
        return prefixed(context, evidence.points[rows][:, context.size :])

    @property
    def incumbents(self) -> Incumbents:
        """The points among which the best so far is, each in the context of this ask: answered ones, and such as the
        treatment leaves open.
        """
        evidence, context, treatment = self._moment.evidence, self._moment.context, self._moment.treatment
        if not isinstance(treatment, LeavingOpen):
            return Incumbents(self.answered_here, self.answered_here[:0])
        points = evidence.points[treatment.open_mask(evidence)]
        return Incumbents(self.answered_here, prefixed(context, points[:, context.size :]))

    @property
    def news(self) -> int:
        """How many answers have come since the last query was decided on; all of them before any query."""
        evidence = self._moment.evidence
        return evidence.n_answered - (evidence.answers_seen_by(evidence.n_asked) if evidence.n_asked else 0)

    @property
    def plays(self) -> Plays:
        """What the arms of the policy have asked, and what came of it."""
        return self._moment.evidence.plays()
