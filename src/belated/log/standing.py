"""The state of single queries, from their own events alone: what a tell must know, without the rest of the log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from belated.log.effect import Effect
from belated.log.events import Event, Point
from belated.log.measurement import Measurement, measurements_in
from belated.log.outcomes import Outcomes
from belated.log.query import State


@dataclass(frozen=True)
class QueryStanding:
    """The state of a query, its answers by outcome or why there are none, its point and context."""

    state: State
    point: Point
    answers: Mapping[str, Measurement] = field(default_factory=dict)
    reason: str = ""
    context: Point | None = None
    performed: Point | None = None
    withdrawn: Mapping[str, Measurement] = field(default_factory=dict)  # answers that were taken back, the last of each

    def is_partial(self, told: Iterable[str], outcomes: Outcomes) -> bool:
        """Whether telling these outcomes too ends no wait: one is missing, or the query is answered already."""
        return self.state is State.ANSWERED or not {*self.answers, *told}.issuperset(outcomes.required)

    def is_withdrawal(self, outcome: str | None, outcomes: Outcomes) -> bool:
        """Whether taking back an outcome leaves the query as much answered as it is."""
        return outcome is not None and (self.state is not State.ANSWERED or outcome not in outcomes.required)

    def after(self, body: Any) -> QueryStanding:
        """The standing after one more event about the query, of which this is the body."""
        effect, context = body.effect, getattr(body, "context", None)
        known = self if context is None else replace(self, context=context)
        match effect:
            case Effect.NOTES:
                return known
            case Effect.MOVES:
                return replace(known, performed=body.point)
            case Effect.WITHDRAWS | Effect.RETRACTS:
                answers = known._kept(body.outcome)
                gone = {name: measured for name, measured in self.answers.items() if name not in answers}
                withdrawn = {**self.withdrawn, **gone}
                state = effect.leaves or self.state
                return replace(known, state=state, reason=body.reason, answers=answers, withdrawn=withdrawn)
            case Effect.FAILS | Effect.ABANDONS:
                return replace(known, state=effect.leaves, reason=body.reason)
        return replace(known, state=effect.leaves or self.state, answers={**self.answers, **measurements_in(body)})

    def _kept(self, outcome: str | None) -> Mapping[str, Measurement]:
        """The answers that stay where an outcome is taken back, or what came of the query as a whole."""
        if outcome is not None:
            return {name: measured for name, measured in self.answers.items() if name != outcome}
        return {} if self.state is State.ANSWERED else self.answers


def standings(events: Iterable[Event]) -> dict[int, QueryStanding]:
    """The standing of every query that these events are about."""
    found: dict[int, QueryStanding] = {}
    for event in events:
        body: Any = event.body
        effect, query = body.effect, event.query
        if effect is None or query is None:
            continue
        found[query] = entered_standing(body) if effect.enters else found[query].after(body)
    return found


def entered_standing(body: Any) -> QueryStanding:
    """The standing of a query that an event brings, of which this is the body."""
    return QueryStanding(body.effect.leaves, body.point, measurements_in(body), "", body.context)
