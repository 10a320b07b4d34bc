"""What one process has read of a log, and what it has computed from it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import final

from belated.beliefs import Memory
from belated.errors import BelatedError, CorruptError, no_answer, no_whole_answer, within_memory
from belated.evidence import Evidence
from belated.log import Event, Record, Settings, settings_after
from belated.pending import Ignore
from belated.policies import Policy, Recipe, from_json
from belated.rules import Moment
from belated.space import Array
from belated.storage import Log, Reader
from belated.study.forks import running_model


@final
class Knowledge:
    """A record that catches up with its log, and the memory of its models; lost, it is only computed again."""

    def __init__(self, log: Log, record: Record, memory: Memory | None = None, watchful: bool = True) -> None:
        self.memory = memory or Memory()
        self._of_outcomes: dict[str, Memory] = {}  # of those that do not decide
        self.watchful = watchful  # whether asks look for what the user should know
        self._deciding = threading.RLock()  # held while the memory is used
        self._log = log
        self._record = record
        self._settings = record.n_events, record.settings  # as they were after that event
        self._catching_up = threading.Lock()
        self._recipes: dict[str, Recipe] = {}

    @contextmanager
    def deciding(self, call: str) -> Iterator[None]:
        """Use the memory alone, for a call that is named where the machine has too little for it."""
        with self._deciding, running_model(), within_memory(call):
            try:
                yield
            except MemoryError:
                # What it holds may be what is missing, and it was left in the middle of something.
                self.memory, self._of_outcomes = Memory(self.memory.lazy_from), {}
                raise

    def record(self) -> Record:
        """The record with all that any process has written by now."""
        with self._catching_up:
            with self._log.reading() as reader:
                since = reader.events(after=self._record.n_events)
            if since:
                self._record = self._extended(since)
            return self._record

    def record_at(self, clock: Callable[[], float]) -> Record:
        """The same, with the queries marked that are overdue by now."""
        record, now = self.record(), clock()
        return record.at(now, self.recipe(record.settings).compose(Evidence.of(record), now).window)

    def settings(self, reader: Reader) -> Settings:
        """How the study is set, as a reader sees it; what was read before is not read again."""
        number, known = self._settings
        since = reader.settings(after=number)
        if since:
            known = settings_after(since, known)
            self._settings = since[-1].number, known
        return known

    def _extended(self, since: list[Event]) -> Record:
        try:
            return self._record.extend(since)
        except (BelatedError, ArithmeticError, AssertionError, LookupError, TypeError, ValueError) as error:
            raise CorruptError(
                f"{self._log.name!r}: the events after number {self._record.n_events} contradict each other "
                f"({type(error).__name__}: {error}); restore the study from a copy or an export."
            ) from error

    def recipe(self, settings: Settings) -> Recipe:
        """The policy that the settings describe."""
        assert settings.policy is not None, "a log begins with its creation"
        described = repr(settings.policy)
        known = self._recipes.get(described) or from_json(settings.policy)
        self._recipes = {described: known}
        return known

    def policy(self, settings: Settings, clock: Callable[[], float]) -> Policy:
        """What decides now; only for a policy that adapts is the log read."""
        recipe = self.recipe(settings)
        if isinstance(recipe.composition, Policy) and settings.outcomes.silence is None:
            return recipe.composition
        return recipe.compose(Evidence.of(self.record()), clock())

    def moment(self, now: float, context: Array) -> Moment:
        """This moment as the parts of the policy see it that decides now."""
        record = self.record()
        recipe, evidence = self.recipe(record.settings), Evidence.of(record)
        recipe.require_affordable()
        return recipe.compose(evidence, now).moment(evidence, now, evidence.seed, self.memory, context)

    def answered_moment(self, call: str, now: float, context: Array, outcome: str | None = None) -> Moment:
        """This moment, for a call that needs an answer to learn from, of what decides or of a named outcome."""
        record = self.record()
        apart = outcome if outcome is not None and record.rows_of(outcome) is not record.rows else None
        if not Evidence.of(record, apart).n_answered:
            raise no_answer(call)
        moment = self.moment(now, context) if apart is None else self._moment_of(apart, now, context)
        if not moment.evidence.n_answered:
            raise no_whole_answer(call)
        return moment

    def moments_beside(self, now: float, context: Array) -> dict[str, Moment]:
        """This moment as each outcome sees it that does not decide, where there are answers to learn from."""
        record = self.record()
        others = [name for name in record.outcomes if name != record.outcomes.main]
        told = [name for name in others if Evidence.of(record, name).n_answered]
        moments = {name: self._moment_of(name, now, context) for name in told}
        # Where contexts are seen after the decision, an answer counts once its own has come.
        return {name: moment for name, moment in moments.items() if moment.evidence.n_answered}

    def _moment_of(self, outcome: str, now: float, context: Array) -> Moment:
        """This moment as one outcome sees it: the policy believes in it as in the one that decides."""
        record = self.record()
        recipe, evidence = self.recipe(record.settings), Evidence.of(record, outcome)
        recipe.require_affordable()
        # What a treatment makes of lost queries is bad news of the objective, not of what was measured beside it.
        policy = replace(recipe.compose(evidence, now), treatment=Ignore())
        memory = self._of_outcomes.setdefault(outcome, Memory(self.memory.lazy_from))
        return policy.moment(evidence, now, evidence.seed, memory, context)
