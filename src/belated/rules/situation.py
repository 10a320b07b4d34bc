"""What a rule may know when it chooses: the belief, the round, the recent queries, the space.

Everything is computed when it is first looked at, so a rule that needs no belief never pays for one. What is pending
is in the belief by the treatment; that the history says so too is for the treatment and the pacing.

A rule scores what the belief is about. Where that is (context, point), the situation makes of it a score over points:
in the context that is known, or, where contexts are seen only after the decision, across all that may come.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from belated.beliefs import Belief, Memory
from belated.beliefs.information import GREEDY_RATIO
from belated.contexts import drawn_contexts
from belated.errors import UnsupportedError
from belated.log import Answered, Asked, Event, History, Window
from belated.pending import Settling, Treatment
from belated.randomness import Stream, generator
from belated.rules.across import Across, maximise_across, pairs
from belated.rules.aims import Aim, View
from belated.search import Elsewhere, Score, alike, maximise_box, maximise_table, resolution
from belated.space import Array, Candidates, Indices, Mask, Space

# A box has no finite set to be greedy on; so many quasi-random points stand for it.
DISCRETISATION = 512
# Contexts that stand for all that may come where a rough mean is enough.
FEW = 32
# Answered points and recent queries near which a box is searched closely.
ANCHORS = 5


class Model(Protocol):
    """How a belief begins: the prior, with the hyperparameters that the log has taught so far."""

    def prior(self, history: History, memory: Memory) -> Belief:
        """The belief before any answer."""


@dataclass(frozen=True, eq=False)
class Situation:
    """One moment of a study, seen from the query about to be asked."""

    model: Model
    treatment: Treatment
    history: History
    now: float
    seed: int
    memory: Memory
    context: Array  # (c,) the encoded context, empty where there is none
    aim: Aim | None = None  # what is made of contexts seen after the decision, where they are
    seen: Array = field(default_factory=lambda: np.empty((0, 0)))  # (s, c) those contexts
    taken: Array | None = None  # (k, d) points that are not to be asked

    @property
    def number(self) -> int:
        """t, the number of the query about to be asked."""
        return self.history.n_asked + 1

    @property
    def answers(self) -> int:
        """The number of answers that have come, fb in [desautels2014]."""
        return self.history.n_answered

    @property
    def domain(self) -> Space | Candidates:
        """The set to choose from."""
        domain = self.history.domain
        assert isinstance(domain, Space | Candidates)
        return domain

    @cached_property
    def prior(self) -> Belief:
        """The belief before any answer."""
        return self.model.prior(self.history, self.memory)

    @cached_property
    def known(self) -> Belief:
        """The belief from the answers alone."""
        return self.prior.condition(*self.history.arrivals())

    @cached_property
    def settled(self) -> Belief:
        """The belief from the answers and, where silence says something, from queries that are waited for no longer."""
        if not isinstance(self.treatment, Settling):
            return self.known
        return self.treatment.settled(self.prior, self.history, self.now)

    @cached_property
    def belief(self) -> Belief:
        """The belief to decide with."""
        return self.treatment(self.prior, self.history, self.now)

    def random(self, stream: Stream, number: int | None = None, *within: int) -> np.random.Generator:
        """The generator of this ask, or of ask `number`: a function of the study's seed and these numbers."""
        return generator(self.seed, stream, self.number if number is None else number, *within)

    def recent(self, window: Window) -> Array:
        """The points asked so recently that the window still holds them. (k, d)"""
        return self.history.points[self.history.recent_rows(window, self.now)]

    @cached_property
    def answered(self) -> Array:
        """The points that were answered. (n, d)"""
        return self.history.points[self.history.answered_mask]

    @cached_property
    def under_way(self) -> Array:
        """The points of queries that wait for their answer, overdue ones too, in the context of this ask. (k, d)"""
        return self._alike(self.history.pending_mask)

    @cached_property
    def answered_alike(self) -> Array:
        """The points that were answered in the context of this ask. (k, d)"""
        return self._alike(self.history.answered_mask)

    def _alike(self, mask: Mask) -> Array:
        rows, width = self.history.points[mask], self.history.points.shape[1] - self.domain.dimension
        same = np.all(rows[:, :width] == self.context[:width], axis=1) if width else slice(None)
        return np.asarray(rows[same][:, width:])

    @property
    def answered_here(self) -> Array:
        """The points that were answered, in whatever context, each in the one of this ask. (n, d)"""
        return self._in_context(self.answered[:, self.context.size :])

    @cached_property
    def candidates(self) -> Array:
        """The table in the belief's columns, or points that stand for a box or for all contexts to come. (N, d)"""
        return self._in_context(self._points) if self.aim is None else self.anywhere

    @property
    def _points(self) -> Array:
        if isinstance(self.domain, Candidates):
            return self.domain.table
        return self.domain.sample(DISCRETISATION, self.random(Stream.DESIGN, 0))

    @cached_property
    def anywhere(self) -> Array:
        """The points or, where the belief is over contexts too, points in contexts spread over all of them. (N, d)"""
        points = self._points
        if self.history.points.shape[1] == self.domain.dimension:
            return points
        points = np.tile(points, (-(-DISCRETISATION // len(points)), 1))
        contexts = self._context_space.sample(len(points), self.random(Stream.DESIGN, 0, 1))
        return np.concatenate([contexts, points], axis=1)

    def maximum_information(self, count: int) -> float:
        """An upper bound of γ_count, what the best `count` points could tell about f, each in the best context."""
        if count <= 0:
            return 0.0
        prior = self.prior
        # In powers of two, so that the greedy design is computed seldom.
        length = 1 << (count - 1).bit_length()
        gains = self.memory.recall(
            "greedy gains",
            (prior.key, length, self.seed),
            lambda: prior.greedy_gains(self.anywhere, length),
        )
        linear = float(gains[0]) * count
        return min(GREEDY_RATIO * float(gains[:count].sum()), linear)

    def maximise(self, score: Score, stream: Stream = Stream.SEARCH) -> Array:
        """The point of the space with the highest score. (d,)"""
        return self.maximise_with(score, self.random(stream))

    def maximise_with(self, score: Score, rng: np.random.Generator) -> Array:
        """The point of the space with the highest score, with the search's randomness given. (d,)"""
        domain = self.domain
        if self.aim is not None:
            return maximise_across(score, self.views, domain, rng, self.anchors)
        if isinstance(domain, Candidates):
            row: Array = domain.table[maximise_table(score, self.candidates, rng, self._barred(domain))]
            return row
        within = score if not self.context.size else InContext(score, self.context)
        best = maximise_box(within, domain, rng, anchors=self.anchors)
        if self.taken is None or not alike(best[None], self.taken, apart := resolution(domain.levels))[0]:
            return best
        return maximise_box(Elsewhere(within, self.taken, apart), domain, rng, anchors=self.anchors)

    def _barred(self, table: Candidates) -> Indices | None:
        return None if self.taken is None else table.rows(self.taken)

    def summit(self, score: Score, rng: np.random.Generator) -> tuple[Array, float]:
        """The point of the space with the highest score, and that score."""
        domain = self.domain
        if self.aim is not None:
            point = self.maximise_with(score, rng)
            return point, float(Across(score, self.views[-1]).values(point[None])[0])
        if isinstance(domain, Candidates):
            place = maximise_table(score, self.candidates, rng, self._barred(domain))
            return domain.table[place], float(score.values(self.candidates)[place])
        point = self.maximise_with(score, rng)
        return point, float(score.values(self._in_context(point[None]))[0])

    def after(self, point: Array, value: float) -> Situation:
        """The situation one query later, had it been this point and been answered at once; nothing is refitted."""
        assert self.aim is None, "what is imagined has a context"
        query = len(self.history) + 1
        asked, answered = self.history.n_events + 1, self.history.n_events + 2
        context = self.history.decoded(self.context)
        events = [
            Event(asked, self.now, Asked(query, self.domain.decode(point), context)),
            Event(answered, self.now, Answered(query, float(self.history.outward(np.array(value), np.array(0.0))[0]))),
        ]
        return replace(self, model=Settled(self.prior), history=self.history.extend(events))

    @cached_property
    def anchors(self) -> Array:
        """Where to look closely: the best answers and the latest queries. (k, d)"""
        history, width = self.history, self.history.points.shape[1] - self.domain.dimension
        best = history.best_rows(ANCHORS)
        latest = np.arange(max(0, len(history) - ANCHORS), len(history))
        return history.points[np.concatenate([best, latest]), width:]

    @cached_property
    def views(self) -> tuple[View, ...]:
        """The contexts to look at, few first, with what is made of scores there; the same until another is seen."""
        assert self.aim is not None, "only an aim has views"
        chance = self.random(Stream.CONTEXT, len(self.seen))
        return self.aim.views(self.seen, self._context_space, self.prior, chance)

    def rows(self, point: Array) -> Array:
        """A point in the belief's columns, once for each of the contexts that it may meet. (k, d)"""
        if self.aim is None:
            return self._in_context(point[None])
        law, chance = self.aim.law, self.random(Stream.CONTEXT, 0)
        return pairs(drawn_contexts(law, self.seen, self._context_space, FEW, chance), point[None])

    def require_one_context(self, rule: str) -> None:
        """Refuse a rule whose score has no meaning across contexts."""
        if self.aim is not None:
            raise UnsupportedError(
                f"ask(): the rule {rule} decides in one context, and this policy's are seen only after the decision; "
                f"use UpperBound, Thompson or Explore."
            )

    @property
    def _context_space(self) -> Space:
        context = self.history.context
        assert context is not None, "an aim needs contexts"
        return context.space

    def _in_context(self, points: Array) -> Array:
        return prefixed(self.context, points)


@dataclass(frozen=True)
class Settled:
    """A belief whose beginning is decided: what is imagined teaches no hyperparameters."""

    belief: Belief

    def prior(self, history: History, memory: Memory) -> Belief:
        """The belief, with another memory."""
        return self.belief.remembering(memory)


@dataclass(frozen=True)
class InContext:
    """A score over the belief's columns, read as one over the point's columns in a given context."""

    score: Score
    context: Array  # (c,)

    def values(self, points: Array) -> Array:
        """The score in the context. (m,)"""
        return self.score.values(prefixed(self.context, points))

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """The score in the context, and its gradient in the point."""
        values, gradients = self.score.slopes(prefixed(self.context, points))
        return values, gradients[:, self.context.size :]


def prefixed(context: Array, points: Array) -> Array:
    """The points with the context's columns before theirs."""
    if not context.size:
        return points
    return np.concatenate([np.broadcast_to(context, (len(points), context.size)), points], axis=1)
