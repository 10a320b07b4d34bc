"""Where the next point may lie, and how the best one is found there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from belated.contexts import View, drawn_contexts
from belated.randomness import Stream
from belated.rules.moment import Moment
from belated.search import (
    AcrossSearch,
    BoxSearch,
    InContext,
    Odds,
    Search,
    TableSearch,
    Taken,
    alike,
    pairs,
    prefixed,
    resolution,
)
from belated.space import Array, Candidates, Space

# A box has no finite set to be greedy on; this many quasi-random points stand for it.
DISCRETISATION = 512
# Contexts that stand for all that may come where a rough mean is enough.
FEW = 32
# Answered points and recent queries near which a box is searched closely.
ANCHORS = 5
# Of the rest of a design, so many points are looked at where some have failed.
REST = 64


@dataclass(frozen=True, eq=False)
class Ground:
    """The set to choose from at a moment, in the context of the ask or across all contexts that may come."""

    _moment: Moment
    _taken: Taken | None = None
    _stand_ins: int = DISCRETISATION

    @property
    def domain(self) -> Space | Candidates:
        """The set to choose from."""
        return self._moment.domain

    @property
    def is_across(self) -> bool:
        """Whether contexts are seen only after the decision, and points weighed across them."""
        return self._moment.aim is not None

    @cached_property
    def search(self) -> Search:
        """How the best point is found."""
        domain = self.domain
        if self.is_across:
            return AcrossSearch(domain, self.views, self._anchors(), self._taken, self.odds)
        if isinstance(domain, Candidates):
            return TableSearch(domain, self.candidates, self._taken, self.odds)
        return BoxSearch(domain, self._moment.context, self._anchors(), self._taken, self.odds)

    @cached_property
    def odds(self) -> Odds | None:
        """What is known of success at the points of the set; None where nothing failed."""
        chance, context = self._moment.success, self._moment.context
        if chance is None:
            return None
        log_chance = InContext(chance, context) if context.size else chance
        return Odds(log_chance, self._moment.prior.scale)

    @cached_property
    def candidates(self) -> Array:
        """The table in the belief's columns, or points that stand for a box or for all contexts to come. (N, d)"""
        return self.anywhere if self.is_across else prefixed(self._moment.context, self._points)

    @cached_property
    def anywhere(self) -> Array:
        """The points or, where the belief is over contexts too, points in contexts spread over all of them. (N, d)"""
        points = self._points
        if not self.is_placed:
            return points
        points = np.tile(points, (-(-DISCRETISATION // len(points)), 1))
        contexts = self._context_space.sample(len(points), self._moment.random(Stream.DESIGN, 0, 1))
        return np.concatenate([contexts, points], axis=1)

    @property
    def is_whole(self) -> bool:
        """Whether those are all the points that there are, and none only stand for others."""
        return isinstance(self.domain, Candidates) and not self.is_placed

    @property
    def is_placed(self) -> bool:
        """Whether the belief is over contexts too."""
        return bool(self._moment.evidence.points.shape[1] != self.domain.dimension)

    @cached_property
    def views(self) -> tuple[View, ...]:
        """The contexts to look at, few first, with what is made of scores there; the same until another is seen."""
        aim, seen, prior = self._moment.aim, self._moment.seen, self._moment.prior
        assert aim is not None, "only an aim has views"
        return aim.views(seen, self._context_space, prior, self._moment.random(Stream.CONTEXT, len(seen)))

    def designed(self, length: int) -> Array:
        """The next point of a design of this length, which is drawn once per study. (d,)

        Where something failed, it is the first that was not asked yet and is no less likely to succeed than most.
        """
        domain, place, chance = self.domain, self._moment.number - 1, self._moment.random(Stream.DESIGN, 0)
        if self.odds is None:
            point: Array = domain.sample(length, chance)[place]
            return point
        rest = domain.sample(place + REST, chance)[place:]
        asked = np.concatenate([self._moment.asked_alike, self._moment.unanswered])
        new = rest[~alike(rest, asked, resolution(domain.levels))]
        if not len(new):
            return np.asarray(rest[0])
        odds = self.odds.values(new)
        return np.asarray(new[odds >= np.median(odds)][0])

    def rows(self, point: Array) -> Array:
        """A point in the belief's columns, once for each of the contexts that it may meet. (k, d)"""
        aim = self._moment.aim
        if aim is None:
            return prefixed(self._moment.context, point[None])
        chance = self._moment.random(Stream.CONTEXT, 0)
        return pairs(drawn_contexts(aim.law, self._moment.seen, self._context_space, FEW, chance), point[None])

    def _anchors(self) -> Array:
        """Where to look closely: the best answers and the latest queries. (k, d)"""
        evidence, width = self._moment.evidence, self._moment.evidence.points.shape[1] - self.domain.dimension
        latest = np.arange(max(0, len(evidence) - ANCHORS), len(evidence))
        return evidence.points[np.concatenate([evidence.best_rows(ANCHORS), latest]), width:]

    @property
    def _points(self) -> Array:
        if isinstance(self.domain, Candidates):
            return self.domain.table
        return self.domain.sample(self._stand_ins, self._moment.random(Stream.DESIGN, 0))

    @property
    def _context_space(self) -> Space:
        context = self._moment.evidence.context
        assert context is not None, "an aim needs contexts"
        return context.space
