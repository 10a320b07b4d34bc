"""What a rule is: given a situation, the point most worth asking."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

from belated.checks import require_count, require_number
from belated.evidence import Evidence
from belated.randomness import Stream
from belated.rules.described import described
from belated.rules.needs import Need, needs_of
from belated.rules.situation import Situation
from belated.show import counted
from belated.space import Array, Candidates, Domain


class Played(NamedTuple):
    """A point, and which of a policy's arms asks it."""

    point: Array  # (d,)
    arm: int


Choice = Array | Played

# An initial design is drawn as a whole at every ask; more points than this are no beginning any more.
LARGEST_DESIGN = 10_000


class Rule(Protocol):
    """Which point is most worth asking."""

    def choose(self, situation: Situation) -> Choice:
        """The encoding of that point (d,), with the arm that asks it where a rule plays with arms."""


def point_of(choice: Choice) -> Array:
    """The point of a choice. (d,)"""
    return choice.point if isinstance(choice, Played) else choice


@dataclass(frozen=True)
class Anywhere:
    """A point drawn evenly from the space."""

    # It reads no answers, of whatever outcomes.
    takes_any_outcomes: ClassVar = True

    def describe(self) -> str:
        """What it does, in words."""
        return "a point drawn evenly from the space"

    def choose(self, situation: Situation) -> Array:
        """A random point."""
        point: Array = situation.domain.sample(1, situation.random(Stream.CHOICE))[0]
        return point


@dataclass(frozen=True)
class Initially:
    """The first `count` queries from a quasi-random design (None: two more than parameters), then another rule.

    The design is drawn once per study. Answers that were never asked count towards it: with that many of them the
    belief has something to go by, and the design is skipped. Queries that failed do not count. In a box it goes on
    until the share `answered` of its `count` is: a belief without answers asks where it is least certain, and that is
    in one corner after another.
    """

    count: int | None
    then: Rule
    answered: float = 0.0

    def __post_init__(self) -> None:
        if self.count is not None:
            require_count(
                "Initially", "count", self.count, least=0, most=LARGEST_DESIGN, reason="it is drawn as a whole"
            )
        require_number("Initially", "answered", self.answered, low=0, high=1)

    def describe_now(self, evidence: Evidence, now: float) -> str:
        """What it does at this moment, in words."""
        rest, domain = described(self.then, evidence, now), evidence.domain
        if not self.lasts(domain, evidence.n_unfailed, evidence.n_answered):
            return rest
        awaited = self.awaited(domain)
        until = f" and all others until {counted(awaited, 'answer has come', 'answers have come')}" if awaited else ""
        first = counted(self.length(domain.dimension), "query", "queries")
        return f"the first {first}{until} spread evenly, then {rest}"

    @property
    def needs(self) -> frozenset[Need]:
        """What the other rule needs."""
        return needs_of(self.then)

    def choose(self, situation: Situation) -> Choice:
        """The next point of the design, or what the other rule says."""
        if not self.lasts(situation.domain, situation.unfailed, situation.answers):
            return self.then.choose(situation)
        # More points of a box begin with those of fewer.
        return situation.designed(max(self.length(situation.domain.dimension), situation.number))

    def lasts(self, domain: Domain, n_unfailed: int, n_answered: int) -> bool:
        """Whether the next query is one of the design."""
        count = self.length(domain.dimension)
        begun = n_unfailed < count and n_answered < count
        return begun or n_answered < self.awaited(domain)

    def length(self, dimension: int) -> int:
        """How many queries the design has."""
        # Enough for a first fit of the lengthscales; more would spend queries that the belief can place better.
        return min(dimension + 2, 10) if self.count is None else self.count

    def awaited(self, domain: Domain) -> int:
        """With how many answers it ends at the earliest; 0 on a table."""
        return 0 if isinstance(domain, Candidates) else math.ceil(self.answered * self.length(domain.dimension))
