"""What is asked and told in a run of the league, and says in the end what it would use: a study, or any optimizer."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from belated.errors import ParameterError
from belated.experiments.league.optimizer import Failing, Optimizer, Point, Recommending
from belated.log import Balk, Query, State, Values
from belated.simulate.players import Player
from belated.space import Candidates, Space

# Why an optimizer that returns None has no query.
SILENT = "it asks nothing in this round"

Result = TypeVar("Result")


class LeaguePlayer(Player, Protocol):
    """A player that can be asked what it would use now."""

    def recommend(self, context: Mapping[str, Any] | None) -> Point | None:
        """The point that it would use, in a context that is seen before the decision; None if it names none."""


@dataclass
class OptimizerPlayer:
    """An optimizer, which is given points, values and contexts and nothing else; it changes in place.

    Points go to it as the objects that it returned, and are kept as they were when it did.
    """

    name: str
    optimizer: Optimizer
    space: Space | Candidates
    asked: dict[int, Point] = field(default_factory=dict)

    def ask(self, now: float, context: Mapping[str, Any] | None) -> Query | Balk:
        """The point that it asks, which must be of the space."""
        point = self._call("ask", context)
        if point is None:
            return Balk(SILENT)
        read, number = self._read("ask", point), len(self.asked) + 1
        self.asked[number] = point
        return Query(number, read, None if context is None else Values(context), now, number, State.PENDING)

    def tell(self, at: float, query: Query, answer: float, context: Mapping[str, Any] | None) -> None:
        """The answer to a point, with its context where it has one."""
        seen = query.context if context is None else context
        self.optimizer.tell(self.asked[query.number], answer, *(() if seen is None else (dict(seen),)))

    def fail(self, at: float, query: Query) -> None:
        """The failure of a point, if it wants to know."""
        if isinstance(self.optimizer, Failing):
            self.optimizer.fail(self.asked[query.number])

    def recommend(self, context: Mapping[str, Any] | None) -> Point | None:
        """The point that it would use, if it says so."""
        if not isinstance(self.optimizer, Recommending):
            return None
        point = self._call("recommend", context)
        return None if point is None else self._read("recommend", point)

    def _call(self, method: str, context: Mapping[str, Any] | None) -> Any:
        """What a method returns, given the context before a decision if there is one."""
        return getattr(self.optimizer, method)(*(() if context is None else (dict(context),)))

    def _read(self, method: str, point: Any) -> Values:
        call = f"{self.name}.{method}()"
        if not isinstance(point, Mapping):
            raise ParameterError(
                f"{call}: returned {point!r}; a point is a mapping of the names {', '.join(self.space.names)} to "
                f"values; return one, or None."
            )
        return Values(self.space.read(point, call=call))


@dataclass
class Timed:
    """A player, and the processor time that its asks and tells have taken; it changes in place."""

    player: LeaguePlayer
    seconds: float = 0.0

    def ask(self, now: float, context: Mapping[str, Any] | None) -> Query | Balk:
        """What the player asks."""
        return self._timed(lambda: self.player.ask(now, context))

    def tell(self, at: float, query: Query, answer: float, context: Mapping[str, Any] | None) -> None:
        """Tell the player."""
        self._timed(lambda: self.player.tell(at, query, answer, context))

    def fail(self, at: float, query: Query) -> None:
        """Tell the player."""
        self._timed(lambda: self.player.fail(at, query))

    def _timed(self, act: Callable[[], Result]) -> Result:
        began = time.process_time()
        try:
            return act()
        finally:
            self.seconds += time.process_time() - began
