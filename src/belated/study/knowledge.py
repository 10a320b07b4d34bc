"""What one process has read of a log, and what it has computed from it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import final

from belated.beliefs import Memory
from belated.errors import BelatedError, CorruptError, no_answer, no_whole_answer, within_memory
from belated.evidence import Evidence
from belated.log import Event, Record, Settings, settings_after
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
                self.memory = Memory(self.memory.lazy_from)
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
        if isinstance(recipe.composition, Policy) and self._record.outcomes.silence is None:
            return recipe.composition
        return recipe.compose(Evidence.of(self.record()), clock())

    def moment(self, now: float, context: Array) -> Moment:
        """This moment as the parts of the policy see it that decides now."""
        record = self.record()
        recipe, evidence = self.recipe(record.settings), Evidence.of(record)
        recipe.require_affordable()
        return recipe.compose(evidence, now).moment(evidence, now, evidence.seed, self.memory, context)

    def answered_moment(self, call: str, now: float, context: Array) -> Moment:
        """This moment, for a call that needs an answer to learn from."""
        if not self.record().n_answers:
            raise no_answer(call)
        moment = self.moment(now, context)
        if not moment.evidence.n_answered:
            raise no_whole_answer(call)
        return moment
