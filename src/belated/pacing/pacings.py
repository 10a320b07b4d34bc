"""Whether to ask at all now, or to wait for answers first.

A pacing returns None to go on, or the reason to balk. It sees the points that are still waited for, and the point
that the rule would choose if it is let to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from belated.checks import require_count, require_number
from belated.pending import Rounds
from belated.rules import ExploreFirst, Need, Situation, Waiting, needs_of, words_of
from belated.show import counted
from belated.space import Array

# More than rounding, so that the last digit never says whether a query that tells exactly C must balk.
ROUNDING = 1e-9
# Steps of a greedy design, each with a row over the whole space.
MOST_GREEDY = 1024


class Pacing(Protocol):
    """Whether to ask at all now."""

    def __call__(self, situation: Situation, waiting: Waiting, choice: Callable[[], Array]) -> str | None:
        """None to ask, or why not; `waiting` has the queries whose answers are awaited."""


@dataclass(frozen=True)
class Always:
    """Every ask gets a query."""

    def describe(self) -> str:
        """When it asks, in words."""
        return "asks whenever it is asked to"

    def __call__(self, situation: Situation, waiting: Waiting, choice: Callable[[], Array]) -> str | None:
        """None: never balk."""
        return None


@dataclass(frozen=True)
class Bounded:
    """At most `limit` queries wait for their answers at any time."""

    limit: int

    def __post_init__(self) -> None:
        require_count("Bounded", "limit", self.limit)

    def describe(self) -> str:
        """When it asks, in words."""
        return f"lets at most {counted(self.limit, 'query wait', 'queries wait')}"

    def __call__(self, situation: Situation, waiting: Waiting, choice: Callable[[], Array]) -> str | None:
        """Balk while the queue is full."""
        return None if len(waiting) < self.limit else _full(len(waiting), self.limit)


@dataclass(frozen=True)
class Batches:
    """Queries go out in batches of `size`; the next batch waits for every answer to the last."""

    size: int

    def __post_init__(self) -> None:
        require_count("Batches", "size", self.size)

    def describe(self) -> str:
        """When it asks, in words."""
        return f"asks in batches of {self.size}"

    def __call__(self, situation: Situation, waiting: Waiting, choice: Callable[[], Array]) -> str | None:
        """Balk between batches while answers are missing."""
        asked = situation.number - 1
        if asked % self.size or not len(waiting):
            return None
        return f"a batch of {self.size} is complete and {len(waiting)} of its answers are still to come"


@dataclass(frozen=True)
class InformationLimited:
    """Balk while what the pending queries will tell about f, given the answers, is more than C [desautels2014, alg. 4].

    C is `limit` if given, else the smaller of e/(e−1) I_greedy(B) and γ_1 B for B = `minimum` queries, so that at
    least B can wait at once; with that C it balks at C already [desautels2014, section 7.1].
    """

    limit: float | None = None
    minimum: int = 2

    def __post_init__(self) -> None:
        reason = "what so many queries would tell is computed step by step"
        require_count("InformationLimited", "minimum", self.minimum, most=MOST_GREEDY, reason=reason)
        if self.limit is not None:
            require_number("InformationLimited", "limit", self.limit, above=0)

    def describe(self) -> str:
        """When it asks, in words."""
        return "waits while the pending queries will tell much about f"

    def __call__(self, situation: Situation, waiting: Waiting, choice: Callable[[], Array]) -> str | None:
        """Balk while too much is on its way."""
        if not len(waiting):
            return None
        limit = self.threshold(situation)
        information = situation.known.information(waiting.points)
        if information < _barred_from(limit, self.limit):
            return None
        return (
            f"the {len(waiting)} pending queries will tell {information:.3g} nats about f, and the limit is {limit:.3g}"
        )

    def threshold(self, situation: Situation) -> float:
        """C, the most information that may be under way."""
        return situation.maximum_information(self.minimum) if self.limit is None else self.limit


@dataclass(frozen=True)
class LocallyLimited:
    """Balk when the pending queries shrink some deviation by more than exp(C) [desautels2014, algorithm 5].

        max_x σ_fb(x) / σ_{t−1}(x) > exp(C),
    or when `maximum` queries wait. C is `limit` if given, else max_x ½ log(1 + B_min σ_n⁻² k(x, x)), and with that C it
    balks at exp(C) already [desautels2014, section 7.1]. The global test comes first: while the information of all
    pending queries is below C, no ratio can exceed exp(C) [desautels2014, section 6].
    """

    needs: ClassVar = frozenset({Need.TABLE})  # it looks at every candidate

    minimum: int = 2
    maximum: int = 10
    limit: float | None = None

    def __post_init__(self) -> None:
        require_count("LocallyLimited", "minimum", self.minimum)
        require_count("LocallyLimited", "maximum", self.maximum)
        if self.limit is not None:
            require_number("LocallyLimited", "limit", self.limit, above=0)

    def describe(self) -> str:
        """When it asks, in words."""
        return "waits while the pending queries make the belief much too sure somewhere, or too many are pending"

    def __call__(self, situation: Situation, waiting: Waiting, choice: Callable[[], Array]) -> str | None:
        """Balk when the hallucinated deviations are no longer faithful somewhere."""
        if len(waiting) >= self.maximum:
            return _full(len(waiting), self.maximum)
        limit = self.threshold(situation)
        barred_from = _barred_from(limit, self.limit)
        if not len(waiting) or situation.known.information(waiting.points) < barred_from:
            return None
        ratio = self.largest_ratio(situation)
        if np.log(ratio) < barred_from:
            return None
        return f"pending queries shrink a deviation {ratio:.3g} times, and the limit is {np.exp(limit):.3g} times"

    def threshold(self, situation: Situation) -> float:
        """C, the most information about one f(x) that may be under way."""
        if self.limit is not None:
            return self.limit
        largest = float(situation.prior.moments(situation.candidates).deviation.max())
        return float(0.5 * np.log1p(self.minimum * largest**2 / situation.prior.noise))

    def largest_ratio(self, situation: Situation) -> float:
        """max_x σ_fb(x) / σ_{t−1}(x)."""
        before = situation.known.moments(situation.candidates).deviation
        after = situation.belief.moments(situation.candidates).deviation
        return float(np.max(before / np.maximum(after, np.finfo(float).tiny)))


@dataclass(frozen=True)
class Predictable:
    """Balk when the pending answers are expected to move the mean at the chosen point by more than ε [azimi2012].

    The mean at x would change by a Gaussian of variance σ²_fb(x) − σ²_{t−1}(x), so its expected size is √(2/π) times
    the root of that. ε is `tolerance`, in the units of the answers, or 0.02 prior deviations. At most `maximum`
    queries wait.
    """

    tolerance: float | None = None
    maximum: int = 10

    def __post_init__(self) -> None:
        require_count("Predictable", "maximum", self.maximum)
        if self.tolerance is not None:
            require_number("Predictable", "tolerance", self.tolerance, above=0)

    def describe(self) -> str:
        """When it asks, in words."""
        return "waits while pending answers would move what is expected at the next point, or too many are pending"

    def __call__(self, situation: Situation, waiting: Waiting, choice: Callable[[], Array]) -> str | None:
        """Balk when waiting is likely to change the choice's mean."""
        if not len(waiting):
            return None
        if len(waiting) >= self.maximum:
            return _full(len(waiting), self.maximum)
        change, tolerance = self.expected_change(situation, choice()), self.threshold(situation)
        if change <= tolerance:
            return None
        return f"pending answers would move the mean there by {change:.3g}, and the tolerance is {tolerance:.3g}"

    def threshold(self, situation: Situation) -> float:
        """ε, in inside units."""
        return 0.02 * situation.prior.scale if self.tolerance is None else self.tolerance

    def expected_change(self, situation: Situation, point: Array) -> float:
        """√(2/π) (σ²_fb(x) − σ²_{t−1}(x))^½; the mean over contexts that may come, where they are seen afterwards."""
        rows = situation.rows(point)
        before = situation.known.moments(rows).deviation
        after = situation.belief.moments(rows).deviation
        return float(np.sqrt(2.0 / np.pi * np.maximum(before**2 - after**2, 0.0)).mean())


@dataclass(frozen=True)
class AfterInitialisation:
    """Once the initial set is complete, wait for all of its answers [desautels2014, section 4.5]; then go on as `then`.

    Until then nothing is waited for.
    """

    phase: ExploreFirst
    then: Pacing = Always()

    def describe(self) -> str:
        """When it asks, in words."""
        return f"waits for all answers to the first stage before the second, then {words_of(self.then)}"

    @property
    def needs(self) -> frozenset[Need]:
        """What the phase and the other pacing need."""
        return needs_of(self.phase, self.then)

    def __call__(self, situation: Situation, waiting: Waiting, choice: Callable[[], Array]) -> str | None:
        """Balk between the two stages, and in the second as the other pacing does."""
        initial = self.phase.initial_set(situation)
        if initial is None or not len(waiting):
            return None
        missing = int(np.count_nonzero(np.isin(initial, waiting.rows)))
        if not missing:
            return self.then(situation, waiting, choice)
        return f"{missing} answers of the initial set of {len(initial)} are still to come"


@dataclass(frozen=True)
class Until:
    """Ask until the last round of a horizon ends, then no more [vakili2023, algorithm 1]."""

    rounds: Rounds

    def describe(self) -> str:
        """When it asks, in words."""
        return f"asks {counted(self.rounds.horizon, 'query', 'queries')}, then no more"

    def __call__(self, situation: Situation, waiting: Waiting, choice: Callable[[], Array]) -> str | None:
        """Balk past the horizon."""
        if situation.number <= self.rounds.horizon:
            return None
        return f"the horizon of {self.rounds.horizon} queries is reached; change the policy to go on"


def _barred_from(limit: float, given: float | None) -> float:
    """From where on to balk: above C where it was given, at C where it is what so many queries tell at most."""
    return limit * (1.0 - ROUNDING if given is None else 1.0 + ROUNDING)


def _full(waiting: int, most: int) -> str:
    """Why no further query may wait."""
    queries = "query waits for its answer" if waiting == 1 else "queries wait for answers"
    return f"{waiting} {queries}, and at most {most} may"
