"""A moment of a study: all that a decision depends on, of which a rule sees the `Situation` alone."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from belated.beliefs import Belief, Memory, SuccessChance, success_chance
from belated.contexts import Aim
from belated.evidence import Evidence
from belated.log import Window
from belated.pending import Settling, Treatment
from belated.randomness import Stream, generator
from belated.search import alike
from belated.space import Array, Candidates, Indices, Mask, Space


class Model(Protocol):
    """How a belief begins: the prior, with the hyperparameters that the log has taught so far."""

    def prior(self, evidence: Evidence, memory: Memory) -> Belief:
        """The belief before any answer."""


@dataclass(frozen=True, eq=False)
class Waiting:
    """The queries that are waited for, in the order asked."""

    rows: Indices  # (p,)
    points: Array  # (p, d)

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, eq=False)
class Moment:
    """The evidence, the time and the seed, with the parts of a policy that make a belief of them.

    Everything is computed when it is first looked at, so that a rule that needs no belief never pays for one.
    """

    model: Model
    treatment: Treatment
    evidence: Evidence
    now: float
    seed: int
    memory: Memory
    context: Array  # (c,) the encoded context, empty where there is none
    aim: Aim | None = None  # what is made of contexts seen after the decision, where they are
    seen: Array = field(default_factory=lambda: np.empty((0, 0)))  # (s, c) those contexts
    tried: Evidence | None = None  # all of it, whoever asked and on whatever scale; None: the evidence

    @cached_property
    def prior(self) -> Belief:
        """The belief before any answer."""
        return self.model.prior(self.evidence, self.memory)

    @cached_property
    def known(self) -> Belief:
        """The belief from the answers alone."""
        return self.prior.condition(*self.evidence.arrivals())

    @cached_property
    def settled(self) -> Belief:
        """The belief from the answers and, where silence says something, from queries that are waited for no longer."""
        if not isinstance(self.treatment, Settling):
            return self.known
        return self.treatment.settled(self.prior, self.evidence, self.now)

    @cached_property
    def belief(self) -> Belief:
        """The belief to decide with."""
        return self.treatment(self.prior, self.evidence, self.now)

    @cached_property
    def success(self) -> SuccessChance | None:
        """The chance of success at points, in their context where that is known before; None where nothing failed."""
        return success_chance(self._tried, self.memory)

    @property
    def number(self) -> int:
        """t, the number of the query about to be asked."""
        return self.evidence.n_asked + 1

    @property
    def domain(self) -> Space | Candidates:
        """The set to choose from."""
        domain = self.evidence.domain
        assert isinstance(domain, Space | Candidates)
        return domain

    @cached_property
    def answered_alike(self) -> Array:
        """The points that were answered in the context of this ask. (k, d)"""
        return self.alike(self.evidence.answered_mask)

    @cached_property
    def under_way(self) -> Array:
        """The points of queries that wait for their answer, overdue ones too, in the context of this ask. (k, d)"""
        return self.alike(self.evidence.pending_mask)

    @cached_property
    def overdue(self) -> Array:
        """The points of those that have waited longer than the window, in the context of this ask. (k, d)"""
        return self.alike(self.evidence.overdue_mask(self.treatment.window, self.now))

    @cached_property
    def asked_alike(self) -> Array:
        """The points of queries under way, then of those that were answered, in the context of this ask. (k, d)"""
        return np.concatenate([self.under_way, self.answered_alike])

    @cached_property
    def failed(self) -> Array:
        """The points of queries that failed in the context of this ask, where no answer ever came. (k, d)"""
        return self._never_answered(self._tried.failed_mask)

    @cached_property
    def unanswered(self) -> Array:
        """The points of queries that failed, then of those that were abandoned, where no answer ever came. (k, d)"""
        return np.concatenate([self.failed, self._never_answered(self._tried.abandoned_mask)])

    def waiting(self, window: Window) -> Waiting:
        """The queries that a window still holds."""
        rows = self.evidence.waiting_rows(window, self.now)
        return Waiting(rows, self.evidence.points[rows])

    def alike(self, mask: Mask) -> Array:
        """The points of these rows that stand in the context of this ask, without its columns. (k, d)"""
        return self._alike(self.evidence, mask)

    def _alike(self, evidence: Evidence, mask: Mask) -> Array:
        rows, width = evidence.points[mask], evidence.points.shape[1] - evidence.domain.dimension
        same = np.all(rows[:, :width] == self.context[:width], axis=1) if width else slice(None)
        return np.asarray(rows[same][:, width:])

    @property
    def _tried(self) -> Evidence:
        return self.evidence if self.tried is None else self.tried

    def _never_answered(self, mask: Mask) -> Array:
        """The points of these rows that stand in the context of this ask, but those that were answered too. (k, d)"""
        if not mask.any():
            return np.empty((0, self.domain.dimension))
        points, answered = self._alike(self._tried, mask), self._alike(self._tried, self._tried.answered_mask)
        return points[~alike(points, answered, np.zeros(points.shape[1]))]

    def random(self, stream: Stream, number: int | None = None, *within: int) -> np.random.Generator:
        """The generator of this ask, or of ask `number`: a function of the study's seed and these numbers."""
        return generator(self.seed, stream, self.number if number is None else number, *within)

    def of_arm(self, model: Model, arm: int) -> Moment:
        """The moment as one arm sees it: its own model, and the queries that it asked or no arm did."""
        return replace(self, model=model, evidence=self.evidence.played_by(arm))

    def believing(self, prior: Belief) -> Moment:
        """The moment under another belief before any answer."""
        return replace(self, model=Settled(prior))

    def before(self, number: int) -> Moment:
        """The moment with the evidence that the decision to ask query `number` saw."""
        tried = None if self.tried is None else self.tried.before(number)
        return replace(self, evidence=self.evidence.before(number), tried=tried)

    def settling(self) -> Moment:
        """The moment as what is imagined starts from: nothing is fitted again, and its memory is its own."""
        return replace(self, model=Settled(self.prior), memory=self.memory.aside())

    def after(self, row: Array, value: float) -> Moment:
        """The moment one query later, had it been this row and been answered at once; nothing is fitted again."""
        return replace(self, model=Settled(self.prior), evidence=self.evidence.imagined(row, value))


@dataclass(frozen=True)
class Settled:
    """A belief whose beginning is decided: what is imagined teaches no hyperparameters."""

    belief: Belief

    def prior(self, evidence: Evidence, memory: Memory) -> Belief:
        """The belief, with another memory."""
        return self.belief.remembering(memory)
