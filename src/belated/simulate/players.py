"""What plays a simulation: a study, or whatever else can be asked and told.

A player is given its queries, the answers when they are due, and contexts. It never sees the problem, the law of delays
or the true values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from belated.errors import NoAnswerError
from belated.log import Balk, Query
from belated.simulate.clock import SimulatedClock
from belated.study import Study

# What a study is told of a point that fails.
CANNOT = "it cannot be done there"


class Player(Protocol):
    """Asked once a round, and told what came of its queries when that is due."""

    def ask(self, now: float, context: Mapping[str, Any] | None) -> Query | Balk:
        """The query of this round, which carries its number, or none."""

    def tell(self, at: float, query: Query, answer: float, context: Mapping[str, Any] | None) -> None:
        """The answer to a query, with the context that came after its decision, if any."""

    def fail(self, at: float, query: Query) -> None:
        """It cannot be done at the point of a query."""


@dataclass(frozen=True)
class StudyPlayer:
    """A study, whose clock is the simulation's."""

    study: Study
    clock: SimulatedClock

    def ask(self, now: float, context: Mapping[str, Any] | None) -> Query | Balk:
        """What the study asks now."""
        self.clock.move_to(now)
        return self.study.ask(context=context)

    def tell(self, at: float, query: Query, answer: float, context: Mapping[str, Any] | None) -> None:
        """The answer, at its instant."""
        self.clock.move_to(at)
        self.study.tell(query, answer, context=context)

    def fail(self, at: float, query: Query) -> None:
        """The failure, at its instant."""
        self.clock.move_to(at)
        self.study.fail(query, CANNOT)

    def recommend(self, context: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        """The point that the study would use now; None before any answer."""
        try:
            return self.study.recommend(context=context).point
        except NoAnswerError:
            return None
