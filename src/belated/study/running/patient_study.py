"""A study as a run uses it: calls are repeated while its storage is away."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar, final

from belated.errors import AnswerError, ConflictError, ContextError, NoAnswerError, PointError, RateError, StorageError
from belated.log import Balk, Goal, Outcomes, Query, Settings, State
from belated.space import Context
from belated.study.results import Best
from belated.study.running.evaluation import Evaluated

T = TypeVar("T")

# Seconds: how long a storage may be away, as a server that is started anew is, and the pauses between attempts.
STORAGE_PATIENCE, FIRST_PAUSE, LONGEST_PAUSE = 60.0, 0.1, 2.0
# What the study says of an answer that does not fit it.
UNFIT = (AnswerError, ContextError, PointError)


class Runnable(Protocol):
    """What a run needs of a study, local or remote."""

    @property
    def context(self) -> Context | None:
        """What else the answers depend on."""

    @property
    def goal(self) -> Goal:
        """Whether large or small values are good."""

    @property
    def outcomes(self) -> Outcomes:
        """What is measured of a query."""

    @property
    def settings(self) -> Settings:
        """Whether the study is closed or in the archive, among others."""

    def ask(self, *, context: Mapping[str, Any] | None = None, worker: str | None = None) -> Query | Balk:
        """What to try next, or a falsy balk."""

    def tell(
        self, query: int | Query, value: Any = None, *, sd: Any = None, context: Mapping[str, Any] | None = None
    ) -> None:
        """The answer to a query."""

    def fail(self, query: int | Query, reason: str = "") -> None:
        """It cannot be done at its point."""

    def abandon(self, query: int | Query, reason: str = "") -> None:
        """No answer will come."""

    def pending(self) -> list[Query]:
        """The queries that wait for an answer."""

    def best(self) -> Best:
        """The best answer so far."""


@final
class Desk:
    """A study whose calls are repeated while its storage is away, unless the user is in a hurry (`hurried`)."""

    def __init__(self, study: Runnable, hurried: Callable[[], bool]) -> None:
        self._study, self._hurried = study, hurried
        self._patient = False  # the storage was there before, and has not been given up

    def ask(self, worker: str, context: Mapping[str, Any] | None) -> Query | Balk:
        """The next query for a worker; asked again after trouble, it is the same."""
        return self._persistently(lambda: self._study.ask(context=context, worker=worker))

    def tell(self, query: int, outcome: Evaluated) -> ConflictError | None:
        """Tell an answer; what is returned says why it, or some of it, is not wanted any more."""
        try:
            self._persistently(lambda: self._study.tell(query, outcome.value, sd=outcome.sd, context=outcome.context))
        except ConflictError as error:
            self._tell_the_rest(query, outcome)
            return error
        return None

    def _tell_the_rest(self, query: int, outcome: Evaluated) -> None:
        """Tell the outcomes that nobody else has told: else the query would be waited for, and evaluated again."""
        if not isinstance(outcome.value, Mapping):
            return
        known = [pending.answers for pending in self._persistently(self._study.pending) if pending.id == query]
        if known:
            rest = {name: value for name, value in outcome.value.items() if name not in known[0]}
            errors = {name: sd for name, sd in (outcome.sd or {}).items() if name in rest} or None
            self._persistently(lambda: self._study.tell(query, rest, sd=errors, context=outcome.context))

    def give_up(self, query: int, reason: str, *, teaches: bool) -> None:
        """Fail a query if that `teaches` something of its point, else abandon it; unless it was answered meanwhile."""
        said = self._study.fail if teaches else self._study.abandon
        try:
            self._persistently(lambda: said(query, reason))
        except ConflictError:
            return

    def waited_for(self) -> frozenset[tuple[int, State]]:
        """What the study waits for now, this run's queries and others."""
        pending = self._persistently(self._study.pending)
        return frozenset((query.id, query.state) for query in pending)

    def silent(self) -> str | None:
        """Why the study asks nothing, if it is closed or in the archive."""
        settings = self._persistently(lambda: self._study.settings)
        for state, reason in (("closed", settings.closed), ("in the archive", settings.archived)):
            if reason is not None:
                return f"the study is {state} ({reason or 'no reason given'})"
        return None

    def best(self) -> float | None:
        """The best value so far."""
        try:
            return self._study.best().value
        except NoAnswerError:
            return None

    def _persistently(self, call: Callable[[], T]) -> T:
        """The result of a call that is made again while the storage is away."""
        deadline, pause = time.monotonic() + STORAGE_PATIENCE, FIRST_PAUSE
        while True:
            try:
                result = call()
            except (StorageError, RateError):
                if not self._patient or self._hurried() or time.monotonic() > deadline:
                    self._patient = False
                    raise
                time.sleep(pause)
                pause = min(2.0 * pause, LONGEST_PAUSE)
            else:
                self._patient = True
                return result
