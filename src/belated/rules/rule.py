"""What a rule is: given a situation, the point most worth asking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from belated.errors import require_count
from belated.randomness import Stream
from belated.rules.situation import Situation
from belated.space import Array


class Played(NamedTuple):
    """A point, and which of a policy's arms asks it."""

    point: Array  # (d,)
    arm: int


Choice = Array | Played


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

    def choose(self, situation: Situation) -> Array:
        """A random point."""
        point: Array = situation.domain.sample(1, situation.random(Stream.CHOICE))[0]
        return point


@dataclass(frozen=True)
class Initially:
    """The first `count` queries from a quasi-random design (None: two more than parameters), then another rule.

    The design is drawn once per study. Answers that were never asked count towards it: with that many of them the
    belief has something to go by, and the design is skipped.
    """

    count: int | None
    then: Rule

    def __post_init__(self) -> None:
        if self.count is not None:
            require_count("Initially", "count", self.count, least=0)

    def choose(self, situation: Situation) -> Choice:
        """The next point of the design, or what the other rule says."""
        if not self.designs(situation):
            return self.then.choose(situation)
        design = situation.domain.sample(self.length(situation.domain.dimension), situation.random(Stream.DESIGN, 0))
        point: Array = design[situation.number - 1]
        return point

    def designs(self, situation: Situation) -> bool:
        """Whether the next query is one of the design."""
        count = self.length(situation.domain.dimension)
        return situation.number <= count and situation.answers < count

    def length(self, dimension: int) -> int:
        """How many queries the design has."""
        # Enough for a first fit of the lengthscales; more would spend queries that the belief can place better.
        return min(dimension + 2, 10) if self.count is None else self.count
