"""What one process has read of a log, and computed from it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import final

from belated.beliefs import Memory
from belated.errors import BelatedError, CorruptError, no_answer, no_whole_answer, within_memory
from belated.log import Event, History, Settings, settings_after
from belated.policies import Policy, from_json
from belated.rules import Situation
from belated.space import Array
from belated.storage import Log, Reader
from belated.study.forks import running_model


@final
class Knowledge:
    """A history that catches up with its log, and the memory of its models; lost, it is only computed again."""

    def __init__(self, log: Log, history: History) -> None:
        self.memory = Memory()
        self.watchful = True  # whether asks look for what the user should know
        self._deciding = threading.RLock()  # held by whoever uses the memory
        self._log = log
        self._history = history
        self._settings = history.n_events, history.settings  # as they were after that event
        self._catching_up = threading.Lock()
        self._policies: dict[str, Policy] = {}

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

    def history(self) -> History:
        """The history with all that has been written by now, by whomever."""
        with self._catching_up:
            with self._log.reading() as reader:
                since = reader.events(after=self._history.n_events)
            if since:
                self._history = self._extended(since)
            return self._history

    def settings(self, reader: Reader) -> Settings:
        """How the study is set, as a reader sees it; what was read before is not read again."""
        number, known = self._settings
        since = reader.settings(after=number)
        if since:
            known = settings_after(since, known)
            self._settings = since[-1].number, known
        return known

    def _extended(self, since: list[Event]) -> History:
        try:
            return self._history.extend(since)
        except (BelatedError, ArithmeticError, AssertionError, LookupError, TypeError, ValueError) as error:
            raise CorruptError(
                f"{self._log.name!r}: the events after number {self._history.n_events} contradict each other "
                f"({type(error).__name__}: {error}); restore the study from a copy or an export."
            ) from error

    def policy(self, settings: Settings) -> Policy:
        """The policy that the settings describe."""
        assert settings.policy is not None, "a log begins with its creation"
        recipe = repr(settings.policy)
        known = self._policies.get(recipe) or from_json(settings.policy)
        self._policies = {recipe: known}
        return known

    def policy_at(self, settings: Settings, clock: Callable[[], float]) -> Policy:
        """The policy that decides now; only for one that adapts is the log read."""
        declared = self.policy(settings)
        return declared.at(self.history(), clock()) if declared.adapts else declared

    def situation(self, call: str, now: float, context: Array) -> Situation:
        """This moment as the policy's parts see it; there must be an answer to learn from."""
        history = self.history()
        if not history.n_answered:
            raise no_answer(call)
        policy = self.policy(history.settings)
        situation = policy.situation(history, now, history.settings.seed, self.memory, context)
        if not situation.answers:
            raise no_whole_answer(call)
        return situation
