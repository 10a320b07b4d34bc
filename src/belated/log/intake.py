"""How a record takes in events: what each does to the query as a whole, and to each of several outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from belated.log.effect import Effect
from belated.log.events import Added, Answered, Event, Retracted
from belated.log.growth import Growth
from belated.log.measurement import measurements_in
from belated.log.outcomes import Outcomes
from belated.log.queries import kept
from belated.log.query import State
from belated.space import Array, Context, Domain, performed_units


@dataclass(frozen=True)
class Intake:
    """How a record takes in events: the whole answers of queries, and each outcome of several apart."""

    domain: Domain
    context: Context | None
    outcomes: Outcomes
    whole: Growth
    parts: Mapping[str, Growth]

    def take(self, event: Event) -> None:
        """Take in one event."""
        body: Any = event.body  # with what its effect needs
        domain, declared = self.domain, self.context
        match event.body.effect:
            case None:
                return
            case Effect.ASKS:
                point = encode(domain, declared, body.point, body.context)
                for growth in self._all():
                    growth.ask(event, body, point)
                return
            case Effect.ADDS:
                self._add(event, body, encode(domain, declared, body.point, body.context))
            case Effect.ANSWERS | Effect.MEASURES:
                self._answer(event, body)
            case Effect.CORRECTS:
                for name, measured in measurements_in(body).items():
                    for growth in self._answered_by(name, body.query):
                        growth.revise(body.query, self.outcomes.sign(name), measured)
            case Effect.MOVES:
                asked: Any = self.whole.notes.events[body.query - 1].body
                point = encode_performed(domain, declared, body.point, asked.context)
                for growth in self._all():
                    growth.move(body.query, point, kept(body.point))
            case Effect.FAILS | Effect.ABANDONS:
                assert not self.whole.is_answered(body.query), "an answered query neither fails nor is abandoned"
                ended = State.FAILED if body.effect is Effect.FAILS else State.ABANDONED
                for growth in self._all():
                    growth.end(event, body.query, ended, body.reason)
            case Effect.RETRACTS | Effect.WITHDRAWS:
                self._retract(event, body)
        self._see(event, body.query, getattr(body, "context", None))

    def _all(self) -> list[Growth]:
        return [self.whole, *self.parts.values()]

    def _answered_by(self, name: str, query: int) -> list[Growth]:
        """Where the answer of an outcome stands: in its own rows, and in the whole once that is answered."""
        if name not in self.parts:
            return [self.whole]
        is_whole = name == self.outcomes.main and self.whole.is_answered(query)
        return [self.parts[name], *([self.whole] if is_whole else [])]

    def _add(self, event: Event, body: Added, point: Array) -> None:
        measured, outcomes = measurements_in(body), self.outcomes
        self.whole.add(event, body, point, self.outcomes.sign(), measured[outcomes.main])
        for name, growth in self.parts.items():
            growth.add(event, body, point, outcomes.sign(name), measured.get(name))

    def _answer(self, event: Event, body: Answered) -> None:
        measured, outcomes = measurements_in(body), self.outcomes
        for name, growth in self.parts.items():
            if name in measured:
                growth.answer(event, body.query, outcomes.sign(name), measured[name])
        if event.body.effect is Effect.ANSWERS:
            main = outcomes.main
            answer = measured[main] if main in measured else self.parts[main].measured(body.query, self.outcomes.sign())
            self.whole.answer(event, body.query, self.outcomes.sign(), answer)

    def _retract(self, event: Event, body: Retracted) -> None:
        query, answered = body.query, self.whole.is_answered(body.query)
        if body.outcome is None:
            for growth in self._all():
                if answered or not growth.is_answered(query):
                    growth.retract(event, query, body.reason)
            return
        if body.outcome in self.parts:
            self.parts[body.outcome].retract(event, query, body.reason)
        if not body.partly:
            self.whole.retract(event, query, body.reason)

    def _see(self, event: Event, query: int, context: Mapping[str, Any] | None) -> None:
        """Take in a context that was seen after the decision, if there is one."""
        declared = self.context
        if context is not None and declared is not None and declared.seen == "after":
            encoded = declared.space.encode(context)
            for growth in self._all():
                growth.see(event, query, encoded, kept(context))


def encode(domain: Domain, context: Context | None, point: Mapping[str, Any], seen: Mapping[str, Any] | None) -> Array:
    """The row of the belief's input: the context's columns, if it is seen before the decision, then the point's."""
    return _prefixed(domain.encode(point), context, seen)


def encode_performed(
    domain: Domain, context: Context | None, point: Mapping[str, Any], seen: Mapping[str, Any] | None
) -> Array:
    """The row of a point that was tried, which may lie between the values of the domain and beyond its ends."""
    return _prefixed(performed_units(domain, point, "encode_performed()"), context, seen)


def _prefixed(encoded: Array, context: Context | None, seen: Mapping[str, Any] | None) -> Array:
    if context is None or context.seen == "after" or seen is None:
        return encoded
    return np.concatenate([context.space.encode(seen), encoded])
