"""What a rule may know when it chooses: how much was asked and answered, what is believed, where to look, and chance.

Which queries are pending is not among it: they are in the belief, by the treatment. Nor is the log: what rules need of
it beside the belief, as the answers to a round, has a name here.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from belated.beliefs import GP, GREEDY_RATIO, Belief, Hyperparameters
from belated.contexts import View, drawn_contexts
from belated.errors import UnsupportedError
from belated.evidence import Data, Plays
from belated.log import Window
from belated.randomness import Stream, generator
from belated.rules.moment import Model, Moment
from belated.search import AcrossSearch, BoxSearch, Score, Search, TableSearch, pairs, prefixed
from belated.space import Array, Candidates, Indices, Space

T = TypeVar("T")
# A box has no finite set to be greedy on; so many quasi-random points stand for it.
DISCRETISATION = 512
# Contexts that stand for all that may come where a rough mean is enough.
FEW = 32
# Answered points and recent queries near which a box is searched closely.
ANCHORS = 5


@dataclass(frozen=True, eq=False)
class Situation:
    """One moment of a study, seen from the query about to be asked."""

    _moment: Moment
    _taken: Array | None = None  # (k, d) points that are not to be asked

    # What was asked and answered.

    @property
    def number(self) -> int:
        """t, the number of the query about to be asked."""
        return self._moment.evidence.n_asked + 1

    @property
    def answers(self) -> int:
        """The number of answers that have come, fb in [desautels2014]."""
        return self._moment.evidence.n_answered

    @property
    def arrivals(self) -> Data:
        """The answers and their points, in the order of their arrival."""
        return self._moment.evidence.arrivals()

    def arrived_in(self, first: int, last: int) -> Data:
        """Answers to queries number `first` to `last` that had come before query `last` + 1 was asked."""
        return self._moment.evidence.arrived_in(first, last)

    def asked_in(self, first: int, last: int) -> Array:
        """The points of queries number `first` to `last` that were not abandoned, in the order asked. (k, d)"""
        return self._moment.evidence.asked_in(first, last)[:, self.context.size :]

    def recent(self, window: Window) -> Array:
        """The points asked so recently that the window still holds them. (k, d)"""
        return self._moment.evidence.points[self._moment.evidence.recent_rows(window, self._moment.now)]

    def counted(self) -> tuple[Indices, Array]:
        """The queries that were answered or are still waited for, in the order asked: rows and points. (k,), (k, d)"""
        rows = self._moment.counted()
        return rows, self._moment.evidence.points[rows]

    @cached_property
    def answered(self) -> Array:
        """The points that were answered. (n, d)"""
        return self._moment.evidence.points[self._moment.evidence.answered_mask]

    @cached_property
    def answered_alike(self) -> Array:
        """The points that were answered in the context of this ask. (k, d)"""
        return self._moment.alike(self._moment.evidence.answered_mask)

    @property
    def answered_here(self) -> Array:
        """The points that were answered, in whatever context, each in the one of this ask. (n, d)"""
        return prefixed(self.context, self.answered[:, self.context.size :])

    @property
    def plays(self) -> Plays:
        """What the arms of the policy have asked, and what came of it."""
        return self._moment.evidence.plays()

    # What is believed.

    @property
    def prior(self) -> Belief:
        """The belief before any answer."""
        return self._moment.prior

    @property
    def known(self) -> Belief:
        """The belief from the answers alone."""
        return self._moment.known

    @property
    def settled(self) -> Belief:
        """The belief from the answers and, where silence says something, from queries that are waited for no longer."""
        return self._moment.settled

    @property
    def belief(self) -> Belief:
        """The belief to decide with."""
        return self._moment.belief

    def fitted(self, process: GP, slot: Hashable) -> Hyperparameters:
        """The hyperparameters of another process, fitted to the same answers."""
        return process.hyperparameters(self._moment.evidence, self._moment.memory, slot=slot)

    def maximum_information(self, count: int) -> float:
        """An upper bound of γ_count, what the best `count` points could tell about f, each in the best context."""
        if count <= 0:
            return 0.0
        prior = self.prior
        # In powers of two, so that the greedy design is computed seldom.
        length = 1 << (count - 1).bit_length()
        gains = self._moment.memory.recall(
            "greedy gains",
            (prior.key, length, self._moment.seed),
            lambda: prior.greedy_gains(self.anywhere, length),
        )
        linear = float(gains[0]) * count
        return min(GREEDY_RATIO * float(gains[:count].sum()), linear)

    def outward(self, mean: Array, deviation: Array) -> tuple[Array, Array]:
        """Mean and deviation of the belief, in the user's units."""
        return self._moment.evidence.outward(mean, deviation)

    # Where to look.

    @property
    def domain(self) -> Space | Candidates:
        """The set to choose from."""
        domain = self._moment.evidence.domain
        assert isinstance(domain, Space | Candidates)
        return domain

    @property
    def context(self) -> Array:
        """The encoded context of this ask, empty where there is none. (c,)"""
        return self._moment.context

    @property
    def is_across(self) -> bool:
        """Whether contexts are seen only after the decision, and points weighed across them."""
        return self._moment.aim is not None

    @cached_property
    def search(self) -> Search:
        """How the best point is found."""
        domain = self.domain
        if self.is_across:
            return AcrossSearch(domain, self.views, self._anchors())
        if isinstance(domain, Candidates):
            return TableSearch(domain, self.candidates, self._taken)
        return BoxSearch(domain, self.context, self._anchors(), self._taken)

    def maximise(self, score: Score, stream: Stream = Stream.SEARCH) -> Array:
        """The point of the space with the highest score. (d,)"""
        return self.search.best(score, self.random(stream))

    @cached_property
    def candidates(self) -> Array:
        """The table in the belief's columns, or points that stand for a box or for all contexts to come. (N, d)"""
        return self.anywhere if self.is_across else prefixed(self.context, self._points)

    @cached_property
    def anywhere(self) -> Array:
        """The points or, where the belief is over contexts too, points in contexts spread over all of them. (N, d)"""
        points = self._points
        if self._moment.evidence.points.shape[1] == self.domain.dimension:
            return points
        points = np.tile(points, (-(-DISCRETISATION // len(points)), 1))
        contexts = self._context_space.sample(len(points), self.random(Stream.DESIGN, 0, 1))
        return np.concatenate([contexts, points], axis=1)

    @cached_property
    def views(self) -> tuple[View, ...]:
        """The contexts to look at, few first, with what is made of scores there; the same until another is seen."""
        aim, seen = self._moment.aim, self._moment.seen
        assert aim is not None, "only an aim has views"
        return aim.views(seen, self._context_space, self.prior, self.random(Stream.CONTEXT, len(seen)))

    def rows(self, point: Array) -> Array:
        """A point in the belief's columns, once for each of the contexts that it may meet. (k, d)"""
        aim = self._moment.aim
        if aim is None:
            return prefixed(self.context, point[None])
        chance = self.random(Stream.CONTEXT, 0)
        return pairs(drawn_contexts(aim.law, self._moment.seen, self._context_space, FEW, chance), point[None])

    def require_one_context(self, rule: str) -> None:
        """Refuse a rule whose score has no meaning across contexts."""
        if self.is_across:
            raise UnsupportedError(
                f"ask(): the rule {rule} decides in one context, and this policy's are seen only after the decision; "
                f"use UpperBound, Thompson or Explore."
            )

    # Chance and memory.

    def random(self, stream: Stream, number: int | None = None, *within: int) -> np.random.Generator:
        """The generator of this ask, or of ask `number`: a function of the study's seed and these numbers."""
        return generator(self._moment.seed, stream, self.number if number is None else number, *within)

    def remembered(self, slot: Hashable, key: Hashable, compute: Callable[[], T]) -> T:
        """What was computed in the slot for this key, computed if it was not; no decision depends on the memory."""
        return self._moment.memory.recall(slot, key, compute)

    # Other situations.

    def without(self, points: Array) -> Situation:
        """The same situation, in which these points are not to be asked."""
        return replace(self, _taken=points)

    def of_arm(self, model: Model, arm: int) -> Situation:
        """The situation as one arm sees it: its own belief, and the queries that it or nobody asked."""
        return Situation(self._moment.of_arm(model, arm), self._taken)

    def believing(self, prior: Belief) -> Situation:
        """The situation under another belief before any answer."""
        return Situation(self._moment.believing(prior), self._taken)

    def before(self, number: int) -> Situation:
        """The situation in which query `number` was asked, with what is fitted now."""
        return Situation(self._moment.before(number))

    def imagining(self) -> Situation:
        """The situation from which what is imagined goes on: nothing is fitted again."""
        return Situation(self._moment.settling())

    def after(self, point: Array, value: float) -> Situation:
        """The situation one query later, had it been this point and been answered at once."""
        assert not self.is_across, "what is imagined has a context"
        # Imagined like real: the point as the log would have it.
        asked = self.domain.encode(self.domain.decode(point))
        return Situation(self._moment.after(prefixed(self.context, asked[None])[0], value))

    @property
    def key(self) -> Hashable:
        """What tells this situation from others as far as what is imagined in it goes."""
        return (self._moment.model, self._moment.seed, self.arrivals.key(), self.context.tobytes())

    def _anchors(self) -> Array:
        """Where to look closely: the best answers and the latest queries. (k, d)"""
        evidence, width = self._moment.evidence, self._moment.evidence.points.shape[1] - self.domain.dimension
        latest = np.arange(max(0, len(evidence) - ANCHORS), len(evidence))
        return evidence.points[np.concatenate([evidence.best_rows(ANCHORS), latest]), width:]

    @property
    def _points(self) -> Array:
        if isinstance(self.domain, Candidates):
            return self.domain.table
        return self.domain.sample(DISCRETISATION, self.random(Stream.DESIGN, 0))

    @property
    def _context_space(self) -> Space:
        context = self._moment.evidence.context
        assert context is not None, "an aim needs contexts"
        return context.space
