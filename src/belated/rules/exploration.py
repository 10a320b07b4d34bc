"""Rules that learn first: uncertainty sampling, an initial phase of it, and elimination round by round."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from belated.beliefs import Combined, Moments
from belated.checks import is_past, require_count, require_number
from belated.errors import ParameterError
from belated.evidence import Data
from belated.pending import Rounds
from belated.randomness import Stream
from belated.rules.described import words_of
from belated.rules.needs import Need, needs_of
from belated.rules.rule import Choice, Rule
from belated.rules.situation import Situation
from belated.rules.widths import Simultaneous, Width
from belated.search import MomentScore
from belated.show import counted
from belated.space import Array, Indices, Mask

# Points that may stand for a box.
MOST_DISCRETISED = 10_000


@dataclass(frozen=True)
class Explore:
    """x_t = argmax σ(x): uncertainty sampling [desautels2014, algorithm 3]."""

    def describe(self) -> str:
        """What it does, in words."""
        return "the most uncertain point"

    def choose(self, situation: Situation) -> Array:
        """The most uncertain point."""
        return situation.maximise(MomentScore(situation.belief, deviation_alone))


@dataclass(frozen=True)
class ExploreFirst:
    """Uncertainty sampling until little is left to learn in a batch, then another rule [desautels2014, section 4.5].

    The initial set of T queries is complete once (B − 1) · ½ log(1 + σ_n⁻² σ²_{T−1}(x_T)) ≤ C: where x_T was the most
    uncertain point, no later one tells more, so this bounds γ^init_{B−1}, what any batch of B − 1 further points could
    tell [desautels2014, proof of lemma 4]. Unlike lemma 4 itself, whose (B − 1)/T · I(f; y_1..T) is weaker. C is
    `threshold`, or else half of (B − 1) γ_1, what B − 1 points could tell at the start: a share, so that neither noise
    nor scale decides how long the set grows. Every query counts as one measurement, as those of the batch will,
    whatever errors were told.
    """

    batch: int
    threshold: float | None
    then: Rule

    def __post_init__(self) -> None:
        require_count("ExploreFirst", "batch", self.batch)
        if self.threshold is not None:
            require_number("ExploreFirst", "threshold", self.threshold, above=0)

    def describe(self) -> str:
        """What it does, in words."""
        return f"the most uncertain point until little is left to learn in a batch, then {words_of(self.then)}"

    @property
    def needs(self) -> frozenset[Need]:
        """What the other rule needs."""
        return needs_of(self.then)

    def choose(self, situation: Situation) -> Choice:
        """The most uncertain point while the initial set is incomplete."""
        if self.initial_set(situation) is None:
            return Explore().choose(situation)
        return self.then.choose(situation)

    def initial_set(self, situation: Situation) -> Indices | None:
        """The rows of the initial set, or None while it is incomplete.

        A query past the window is none of it: nothing was learned there, and another is explored in its stead.
        """
        rows, points = situation.past.counted()
        if self.batch == 1:
            return rows[:0]
        bound = (self.batch - 1) * situation.prior.gains(points)
        first = situation.maximum_information(1)
        limit = 0.5 * (self.batch - 1) * first if self.threshold is None else self.threshold
        complete = np.flatnonzero(bound <= limit)
        return rows[: complete[0] + 1] if complete.size else None


@dataclass(frozen=True)
class Eliminate:
    """Uncertainty sampling among the candidates that may still be the best [vakili2023, algorithm 1].

    At the end of round r, with μ̃ and σ̃ from the answers to this round's queries that have come by then, keep x if
        U(x) ≥ max_z L(z),   U, L = μ̃ ± β̃ σ̃   [vakili2023, theorem 6.1].
    A round without answers removes nothing. With `discretise`, so many quasi-random points of a box are the candidates.
    """

    width: Width
    rounds: Rounds
    discretise: int | None = None

    def __post_init__(self) -> None:
        if self.discretise is not None:
            reason = "each is judged after every round"
            require_count(None, "discretise", self.discretise, most=MOST_DISCRETISED, reason=reason)
        needed = len(self.rounds.ends())
        # A log of before this was refused is read all the same.
        if isinstance(self.width, Simultaneous) and is_past(needed, self.width.rounds):
            raise ParameterError(
                f"it holds for {counted(self.width.rounds, 'round')}, and {self.rounds.horizon} queries are "
                f"{counted(needed, 'round')}; give rounds={needed}.",
                given=("width", self.width),
            )

    @property
    def needs(self) -> frozenset[Need]:
        """A table, or else a box that points stand for; and one context at a time."""
        return frozenset({Need.ONE_CONTEXT, Need.TABLE if self.discretise is None else Need.BOX})

    def describe(self) -> str:
        """What it does, in words."""
        return "the most uncertain of the candidates that may still be the best"

    def choose(self, situation: Situation) -> Array:
        """The most uncertain of the survivors, uncertain given this round's points alone."""
        situation = self._discretised(situation)
        alive = self.survivors(situation)
        deviation = situation.belief.moments(situation.candidates).deviation * situation.chances()
        deviation = np.where(alive, deviation, -np.inf)
        best = np.flatnonzero(deviation >= deviation.max() * (1 - 1e-10))
        place = situation.random(Stream.SEARCH).choice(best)
        return np.asarray(situation.candidates[place, situation.context.size :])

    def survivors(self, situation: Situation) -> Mask:
        """The candidates that no finished round has removed. (N,)"""
        situation = self._discretised(situation)
        alive = np.ones(len(situation.candidates), dtype=bool)
        width = self.width(situation)
        for first, last in self.rounds.bounds(situation.number)[:-1]:
            arrived = situation.past.arrived_in(first, last)
            if len(arrived.values):
                alive = _remembered(situation, first, arrived, width, alive)
        return alive

    def ended_empty(self, situation: Situation) -> tuple[int, int] | None:
        """The first and last query of the round that has just ended, if none of its answers had come by then."""
        ended = self.rounds.bounds(situation.number)[:-1]
        if not ended or ended[-1][1] != situation.number - 1 or len(situation.past.arrived_in(*ended[-1]).values):
            return None
        return ended[-1]

    def _discretised(self, situation: Situation) -> Situation:
        return situation if self.discretise is None else situation.discretised(self.discretise)


def _remembered(situation: Situation, first: int, arrived: Data, width: float, alive: Mask) -> Mask:
    """What `keep` says of a finished round, computed once: its data change no more."""
    prior = situation.prior
    known = (prior.key, width, situation.context.tobytes())
    return situation.remembered(
        ("survivors", first),
        (known, arrived.key(), alive.tobytes()),
        lambda: keep(prior.condition(*arrived).moments(situation.candidates), width, alive),
    )


def keep(moments: Moments, width: float, alive: Mask) -> Mask:
    """Those of the living whose upper bound reaches the highest lower bound among them. (N,)"""
    mean, deviation = moments
    highest = np.max((mean - width * deviation)[alive])
    return alive & (mean + width * deviation >= highest)


def deviation_alone(mean: Array, deviation: Array) -> Combined:
    """The deviation as a score."""
    return Combined(deviation, np.zeros_like(mean), np.ones_like(deviation))
