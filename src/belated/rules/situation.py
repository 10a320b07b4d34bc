"""What a rule may know when it chooses: what was asked and answered, what is believed, where to look, and chance.

Which queries are pending is not among it: they are in the belief, by the treatment.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from belated.beliefs import GREEDY_RATIO, Belief
from belated.randomness import Stream
from belated.rules.ground import DISCRETISATION, Ground
from belated.rules.moment import Model, Moment
from belated.rules.past import Past
from belated.search import PenalisedSearch, Penalty, Score, Search, Taken, prefixed
from belated.space import Array, Candidates, Space

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Situation:
    """One moment of a study, seen from the query about to be asked."""

    _moment: Moment
    _taken: Taken | None = None
    _stand_ins: int = DISCRETISATION
    _penalty: Penalty | None = None

    # What was asked and answered.

    @property
    def number(self) -> int:
        """t, the number of the query about to be asked."""
        return self._moment.number

    @property
    def answers(self) -> int:
        """The number of answers that have come, fb in [desautels2014]."""
        return self._moment.evidence.n_answered

    @property
    def unfailed(self) -> int:
        """The number of queries asked that have not failed."""
        return self._moment.evidence.n_unfailed

    @property
    def past(self) -> Past:
        """The queries so far, and their answers."""
        return Past(self._moment)

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
    def belief(self) -> Belief:
        """The belief to decide with."""
        return self._moment.belief

    def maximum_information(self, count: int) -> float:
        """γ_count, what the best `count` points could tell, each in the best context; on a table an upper bound.

        It is the smaller of γ_1 · count and e/(e−1) times what as many steps of uncertainty sampling tell. In a box,
        and across contexts, some points stand for all: that is an estimate, and no bound. For more points than stand
        in it is γ_1 · count alone, which holds for every stationary kernel.
        """
        if count <= 0:
            return 0.0
        if not self._ground.is_whole and count > len(self._ground.anywhere):
            return float(self._greedy_gains(1)[0]) * count
        # In powers of two, so that the greedy design is computed seldom.
        gains = self._greedy_gains(1 << (count - 1).bit_length())
        linear = float(gains[0]) * count
        return min(GREEDY_RATIO * float(gains[:count].sum()), linear)

    def _greedy_gains(self, length: int) -> Array:
        prior = self.prior
        return self._moment.memory.recall(
            "greedy gains",
            (prior.key, length, self._moment.seed),
            lambda: prior.greedy_gains(self._ground.anywhere, length),
        )

    # Where to look.

    @property
    def domain(self) -> Space | Candidates:
        """The set to choose from."""
        return self._ground.domain

    @property
    def context(self) -> Array:
        """The encoded context of this ask, empty where there is none. (c,)"""
        return self._moment.context

    @property
    def search(self) -> Search:
        """How the best point is found."""
        return self._ground.search if self._penalty is None else PenalisedSearch(self._ground.search, self._penalty)

    def maximise(self, score: Score, stream: Stream = Stream.SEARCH) -> Array:
        """The point of the space with the highest score. (d,)"""
        return self.search.best(score, self.random(stream))

    @property
    def candidates(self) -> Array:
        """The table in the belief's columns, or points that stand for a box or for all contexts to come. (N, d)"""
        return self._ground.candidates

    def designed(self, length: int) -> Array:
        """The next point of a design of this length, which is drawn once per study. (d,)"""
        return self._ground.designed(length)

    def chances(self) -> Array | float:
        """For each candidate of a table, the share of its worth that the chance of success leaves; 1 if none failed."""
        odds = self._ground.odds
        return 1.0 if odds is None else np.exp(odds.values(self._ground.candidates[:, self.context.size :]))

    def rows(self, point: Array) -> Array:
        """A point in the belief's columns, once for each of the contexts that it may meet. (k, d)"""
        return self._ground.rows(point)

    # Chance and memory.

    def random(self, stream: Stream, number: int | None = None, *within: int) -> np.random.Generator:
        """The generator of this ask, or of ask `number`: a function of the study's seed and these numbers."""
        return self._moment.random(stream, number, *within)

    def remembered(self, slot: Hashable, key: Hashable, compute: Callable[[], T]) -> T:
        """What was computed in the slot for this key, computed if it was not; no decision depends on the memory."""
        return self._moment.memory.recall(slot, key, compute)

    # Other situations.

    def discretised(self, count: int) -> Situation:
        """The situation in which so many quasi-random points stand for a box; a table stays as it is."""
        return replace(self, _stand_ins=count)

    def of_arm(self, model: Model, arm: int) -> Situation:
        """The situation as one arm sees it: its own belief, and the queries that it asked or no arm did."""
        return Situation(self._moment.of_arm(model, arm), self._taken, _penalty=self._penalty)

    def penalising(self, penalty: Penalty) -> Situation:
        """The situation in which every score is penalised."""
        return replace(self, _penalty=penalty)

    def believing(self, prior: Belief) -> Situation:
        """The situation under another belief before any answer."""
        return Situation(self._moment.believing(prior), self._taken, _penalty=self._penalty)

    def before(self, number: int) -> Situation:
        """The situation in which query `number` was asked, with what is fitted now."""
        return Situation(self._moment.before(number))

    def imagining(self) -> Situation:
        """The situation from which what is imagined goes on: nothing is fitted again."""
        return Situation(self._moment.settling())

    def after(self, point: Array, value: float) -> Situation:
        """The situation one query later, had it been this point and been answered at once."""
        assert not self._ground.is_across, "what is imagined has a context"
        # Imagined like real: the point as the log would have it.
        asked = self.domain.encode(self.domain.decode(point))
        return Situation(self._moment.after(prefixed(self.context, asked[None])[0], value))

    @property
    def key(self) -> Hashable:
        """What tells this situation from others as far as what is imagined in it goes."""
        moment = self._moment
        failed = moment.failed.tobytes()
        return (moment.model, moment.seed, moment.evidence.arrivals().key(), self.context.tobytes(), failed)

    @cached_property
    def _ground(self) -> Ground:
        return Ground(self._moment, self._taken, self._stand_ins)
