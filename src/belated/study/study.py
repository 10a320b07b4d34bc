"""Study: ask what to try next, tell what came of it, whenever that is.

A study is its log. Every method reads what the log says or appends to it; what was computed on the way is kept in a
memory that may be dropped at any time without changing a decision.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from belated.beliefs import Memory
from belated.errors import (
    ConflictError,
    ContextError,
    NoAnswerError,
    ParameterError,
    UnknownQueryError,
    as_number,
    require_count,
)
from belated.log import (
    Abandoned,
    Added,
    Answered,
    Asked,
    Balk,
    Body,
    Closed,
    Created,
    Event,
    Goal,
    History,
    PolicyChanged,
    Query,
    Revised,
    State,
    Values,
    whole_log,
)
from belated.policies import Policy, from_json
from belated.space import Array, Candidates, Context, Space, domain_from_json
from belated.study.entrance import as_pairs, as_policy, as_seed, as_text, check_context, finite
from belated.study.recommendation import recommended

Clock = Callable[[], float]
DEFAULT_POLICY = "gp-bucb"


@dataclass(frozen=True)
class Best:
    """The best answer so far."""

    point: dict[str, Any]
    value: float
    query: int


@dataclass(frozen=True)
class Recommendation:
    """The point that the belief would use now, with what it expects there.

    `jitter` is what had to be added to the noise before a nearly singular covariance could be factorised; 0 almost
    always, and a reason to doubt the deviation where it is not.
    """

    point: dict[str, Any]
    mean: float
    deviation: float
    jitter: float = 0.0


class Study:
    """One optimisation, from its first question to its last answer."""

    def __init__(self, events: Iterable[Event], clock: Clock = time.time) -> None:
        """A study that goes on from a log; `Study.in_memory` begins a new one."""
        created, log = whole_log("Study()", events)
        domain = domain_from_json(created.space)
        context = None if created.context is None else Context.from_json(created.context)
        check_context("Study()", context, domain)
        self._begin(created, domain, context, clock)
        self._take(log)

    @staticmethod
    def in_memory(
        space: Space | Candidates,
        *,
        policy: str | Policy = DEFAULT_POLICY,
        goal: Goal = "maximize",
        seed: int | None = None,
        context: Context | None = None,
        clock: Clock = time.time,
    ) -> Study:
        """A new study that lives as long as this process."""
        call = "Study.in_memory()"
        if not isinstance(space, Space | Candidates):
            raise ParameterError(f"{call}: got {space!r} as the space; give a bl.Space or bl.Candidates.")
        if not isinstance(goal, str) or goal not in ("maximize", "minimize"):
            raise ParameterError(f"{call}: got goal {goal!r}; a study does 'maximize' or 'minimize'.")
        if not callable(clock):
            raise ParameterError(
                f"{call}: got {clock!r} as the clock; give a function that returns seconds, as time.time."
            )
        check_context(call, context, space)
        chosen = as_policy(call, policy)
        chosen.check(call, space, context)
        recipe = chosen.recipe
        assert recipe is not None
        described = None if context is None else context.to_json()
        created = Created(space.to_json(), described, goal, recipe.to_json(), as_seed(call, seed))
        study = object.__new__(Study)
        study._begin(created, space, context, clock)
        study._append(created)
        return study

    def _begin(self, created: Created, domain: Space | Candidates, context: Context | None, clock: Clock) -> None:
        self._domain, self._context = domain, context
        self._seed, self._clock = created.seed, clock
        self._events: list[Event] = []
        self._history: History = History.empty(domain, context, 1.0 if created.goal == "maximize" else -1.0)
        self._memory = Memory()
        self._lock = threading.RLock()

    # Asking.

    @overload
    def ask(self, *, context: Mapping[str, Any] | None = None) -> Query | Balk: ...
    @overload
    def ask(self, count: int, *, context: Mapping[str, Any] | None = None) -> list[Query] | Balk: ...
    def ask(self, count: int | None = None, *, context: Mapping[str, Any] | None = None) -> Query | Balk | list[Query]:
        """What to try next, or a falsy Balk with its reason; with `count`, up to so many queries at once."""
        encoded = self._encoded_context("ask()", context)
        if count is None:
            return self._ask(context, encoded)
        require_count("ask", "count", count)
        queries: list[Query] = []
        while len(queries) < count:
            query = self._ask(context, encoded)
            if isinstance(query, Balk):
                return queries or query
            queries.append(query)
        return queries

    def _ask(self, context: Mapping[str, Any] | None, encoded: Array) -> Query | Balk:
        with self._lock:
            history = self._history
            if history.closed is not None:
                raise ConflictError(f"ask(): the study is closed ({history.closed}); begin a new one to go on asking.")
            now = self._now()
            decision = self.policy.decide(history, now, self._seed, self._memory, encoded)
            if isinstance(decision, Balk):
                return decision
            self._append(Asked(len(history) + 1, Values(self._domain.decode(decision)), self._kept(context)), at=now)
            return self._history.records[-1]

    # Telling.

    def tell(self, query: int | Query, value: float) -> None:
        """The answer to a query; the same answer again changes nothing."""
        with self._lock:
            body = self._answer("tell", query, value)
            if body is not None:
                self._append(body)

    def tell_many(self, answers: Mapping[int, float] | Iterable[tuple[int | Query, float]]) -> None:
        """Many answers at once: all of them are taken, or, if one is refused, none."""
        with self._lock:
            bodies: dict[int, Answered] = {}
            for query, value in as_pairs(answers):
                body = self._answer("tell_many", query, value)
                if body is None:
                    continue
                if bodies.setdefault(body.query, body).value != body.value:
                    raise ConflictError(
                        f"tell_many(query={body.query}): given {bodies[body.query].value!r} and {body.value!r} in one "
                        f"call; a query has one answer; keep one of them."
                    )
            self._append(*bodies.values())

    def revise(self, query: int | Query, value: float) -> None:
        """A better value for a query that was answered; the first one stays in the log."""
        with self._lock:
            record = self._record("revise", query)
            number = finite("revise", record.id, value)
            if record.answer is None:
                way_out = "add() its result" if record.state is State.ABANDONED else "use tell() for a first answer"
                raise ConflictError(
                    f"revise(query={record.id}): the query is {record.state.value} and has no answer to replace; "
                    f"{way_out}."
                )
            if record.answer.value != number:
                self._append(Revised(record.id, number))

    def abandon(self, query: int | Query, reason: str = "") -> None:
        """No answer will come: the query counts as if it had never been asked. Again: nothing happens."""
        with self._lock:
            record = self._record("abandon", query)
            if record.answer is not None:
                raise ConflictError(
                    f"abandon(query={record.id}): already answered with {record.answer.value!r}; only a query without "
                    f"an answer can be abandoned; use revise() to correct it."
                )
            if record.state is not State.ABANDONED:
                self._append(Abandoned(record.id, as_text(f"abandon(query={record.id})", reason)))

    def add(self, point: Mapping[str, Any], value: float, *, context: Mapping[str, Any] | None = None) -> Query:
        """Data that was never asked."""
        with self._lock:
            kept = Values(self._domain.read(point, call="add()"))
            self._encoded_context("add()", context)
            number = finite("add", None, value)
            self._append(Added(len(self._history) + 1, kept, number, self._kept(context)))
            return self._history.records[-1]

    # Changing the study itself.

    def change_policy(self, policy: str | Policy) -> None:
        """Let another policy decide from here on."""
        chosen = as_policy("change_policy()", policy)
        chosen.check("change_policy()", self._domain, self._context)
        assert chosen.recipe is not None
        with self._lock:
            self._append(PolicyChanged(chosen.recipe.to_json()))

    def close(self, reason: str = "") -> None:
        """Ask no further query; answers are still welcome."""
        with self._lock:
            if self._history.closed is None:
                self._append(Closed(as_text("close()", reason)))

    # Reading.

    @property
    def policy(self) -> Policy:
        """The policy that decides now."""
        recipe = self._history.policy
        assert recipe is not None, "a log begins with its creation"
        return self._memory.recall("policy", repr(recipe), lambda: from_json(recipe))

    @property
    def space(self) -> Space | Candidates:
        """The set that is searched."""
        return self._domain

    @property
    def goal(self) -> Goal:
        """Whether large or small values are good."""
        return "maximize" if self._history.sign > 0 else "minimize"

    @property
    def events(self) -> tuple[Event, ...]:
        """The log: everything that ever happened, in order."""
        return tuple(self._events)

    def history(self) -> History:
        """What the log adds up to now, with overdue queries marked."""
        return self._history.at(self._now(), self.policy.window)

    def pending(self) -> list[Query]:
        """The queries that wait for an answer, overdue ones included."""
        return [query for query in self.history().queries if query.state in (State.PENDING, State.OVERDUE)]

    def best(self) -> Best:
        """The best answer so far; of equals, the first."""
        history = self._history
        if not history.n_answered:
            raise NoAnswerError("best(): no query has an answer yet; tell() or add() one first.")
        row = int(np.nanargmax(np.where(history.answered_mask, history.values, np.nan)))
        record = history.records[row]
        assert record.answer is not None
        return Best(dict(record.point), record.answer.value, record.id)

    def recommend(self, *, context: Mapping[str, Any] | None = None) -> Recommendation:
        """The point with the highest posterior mean, and what the belief from all answers expects there."""
        encoded = self._encoded_context("recommend()", context)
        with self._lock:
            if not self._history.n_answered:
                raise NoAnswerError("recommend(): no query has an answer yet; tell() or add() one first.")
            situation = self.policy.situation(self._history, self._now(), self._seed, self._memory, encoded)
            point = recommended(situation)
            mean, deviation = situation.known.moments(np.concatenate([encoded, point])[None])
            value = self._history.inward(float(mean[0]))
            return Recommendation(self._domain.decode(point), value, float(deviation[0]), situation.known.jitter)

    def __repr__(self) -> str:
        history = self._history
        name = self.policy.recipe.name if self.policy.recipe else "composed"
        return (
            f"Study({self.goal}, policy={name!r}, asked={history.n_asked}, answered={history.n_answered}, "
            f"pending={int(history.pending_mask.sum())})"
        )

    def _now(self) -> float:
        now = as_number(self._clock())
        if now is None:
            raise ParameterError(
                "Study.in_memory(clock=…): the clock returned no finite number; it must return seconds."
            )
        return now

    # The one place that writes.

    def _append(self, *bodies: Body, at: float | None = None) -> None:
        now = self._now() if at is None else at
        first = len(self._events) + 1
        self._take([Event(first + place, now, body) for place, body in enumerate(bodies)])

    def _take(self, events: list[Event]) -> None:
        self._history = self._history.extend(events)
        self._events.extend(events)

    def _answer(self, call: str, query: int | Query, value: float) -> Answered | None:
        """The event of an answer, or None when the log has it already."""
        record = self._record(call, query)
        number = finite(call, record.id, value)
        if record.state is State.ABANDONED:
            raise ConflictError(
                f"{call}(query={record.id}): the query was abandoned ({record.reason or 'no reason given'}) and takes "
                f"no answer; use add() to bring in its result."
            )
        if record.answer is None:
            return Answered(record.id, number)
        if record.answer.value != number:
            raise ConflictError(
                f"{call}(query={record.id}): already answered with {record.answer.value!r}, and now given {number!r}; "
                f"use revise() to replace the answer."
            )
        return None

    def _record(self, call: str, query: int | Query) -> Query:
        identifier = query.id if isinstance(query, Query) else query
        known = len(self._history)
        if isinstance(identifier, bool) or not isinstance(identifier, int | np.integer) or not 1 <= identifier <= known:
            there = f"queries 1 to {known}" if known else "no queries yet"
            raise UnknownQueryError(
                f"{call}(query={identifier!r}): the study has {there}; use an id that ask() returned."
            )
        return self._history.records[int(identifier) - 1]

    def _kept(self, context: Mapping[str, Any] | None) -> Values | None:
        """The context in plain values, as the log keeps it."""
        return None if context is None or self._context is None else Values(self._context.read(context))

    def _encoded_context(self, call: str, context: Mapping[str, Any] | None) -> Array:
        if self._context is None:
            if context is not None:
                raise ContextError(f"{call}: got a context, but the study declares none; leave it out.")
            return np.empty(0)
        if context is None:
            raise ContextError(
                f"{call}: got no context, but the study's context is seen before the decision; "
                f"give context={{{', '.join(map(repr, self._context.space.names))}: …}}."
            )
        return self._context.encode(context, call=f"{call} context")
