"""Study: ask what to try next, tell what came of it, whenever that is.

A study is its log, and the log is kept by a storage that other processes may be writing to as well. Every method reads
what the log says or appends to it; what was computed on the way is kept in a memory that may be dropped at any time
without changing a decision.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, final

from belated.beliefs import Memory
from belated.delays import Delays, delays_at
from belated.errors import (
    BelatedError,
    UnknownStudyError,
)
from belated.evidence import Evidence
from belated.log import (
    Archived,
    Closed,
    Event,
    GivenSilence,
    GivenWindow,
    Goal,
    Outcome,
    Outcomes,
    Query,
    QueryStanding,
    Record,
    Reopened,
    Seek,
    Settings,
    Unarchived,
    whole_log,
)
from belated.policies import Policy, Recipe
from belated.space import Array, Candidates, Context, Space
from belated.storage import Log, MemoryLog, check_name, connect
from belated.study import figures
from belated.study.answers import standings_of
from belated.study.any_study import AnyStudy
from belated.study.arguments import (
    Datum,
    as_label,
    as_text,
    encoded_context,
    instant,
    kept_context,
    known_outcome,
    several,
)
from belated.study.asking import Asking, Request
from belated.study.changing import Changing
from belated.study.creation import Declaration, begun, creation, declaration, declared_by, opened
from belated.study.insight import Explanation, best_answer, expectation, explanation, recommendation
from belated.study.keeping import copied, delete, names, rename
from belated.study.knowledge import Knowledge
from belated.study.other_libraries import in_our_words
from belated.study.results import Best, Notice, Recommendation, Reply, notices_in
from belated.study.statements import Correction, Statement, Telling, as_tellings, endings
from belated.study.taking import Taking, Verdict, judged
from belated.study.waiting import standings_among, waiting

Clock = Callable[[], float]
DEFAULT_POLICY = "auto"


@final
class Study(AnyStudy):
    """One optimisation, from its first question to its last answer."""

    # Beginning.

    def __init__(self, events: Iterable[Event], clock: Clock = time.time) -> None:
        """A study in memory that goes on from a log; `create`, `open` and `in_memory` are the usual ways to one."""
        _, log = whole_log("Study()", events)
        fixed, kept = declaration("Study()", log[0]), MemoryLog("", log)
        self._begin(kept, clock, fixed, Knowledge(kept, fixed.record().extend(log[1:])))

    @staticmethod
    @in_our_words
    def in_memory(
        space: Space | Candidates,
        *,
        policy: str | Recipe = DEFAULT_POLICY,
        goal: Goal | None = None,
        outcomes: Mapping[str, Outcome] | None = None,
        silence: float | None = None,
        seek: Seek = "best",
        seed: int | None = None,
        context: Context | None = None,
        clock: Clock = time.time,
        memory: Memory | None = None,
        notices: bool = True,
    ) -> Study:
        """A new study that lives as long as this process; `memory`, which keeps its models, changes no decision.

        Without `notices`, it does not look for what the user should know, since a simulation has no user.
        """
        call = "Study.in_memory()"
        created = creation(call, space, policy, goal, seed, context, outcomes, silence, seek)
        first = Event(1, instant(call, clock), created)
        log, fixed = MemoryLog("", [first]), declared_by(first, space, context)
        return Study._of(log, clock, fixed, Knowledge(log, fixed.record(), memory, watchful=notices))

    @staticmethod
    @in_our_words
    def create(
        url: str,
        name: str,
        space: Space | Candidates,
        *,
        policy: str | Recipe = DEFAULT_POLICY,
        goal: Goal | None = None,
        outcomes: Mapping[str, Outcome] | None = None,
        silence: float | None = None,
        seek: Seek = "best",
        seed: int | None = None,
        context: Context | None = None,
        clock: Clock = time.time,
        or_open: bool = False,
        by: str | None = None,
    ) -> Study:
        """A new study in a storage, as sqlite:///lab.db; with `or_open`, the one of that name if it is there.

        It has one outcome, with a `goal` ("maximize" if none is given), or several `outcomes` by name. With `silence`,
        no answer within the window means that value. It seeks the "best" point in the end, or the best "total" of all
        answers, where each one counts.
        `by` names who creates it, for the log; `signed` does so for later events.
        """
        call = f"Study.create({name!r})"
        as_label("create", "by", by)
        created = creation(call, space, policy, goal, seed, context, outcomes, silence, seek)
        log, first = begun(call, url, name, Event(1, instant(call, clock), created, by), or_open)
        return Study._on(log, clock, declared_by(first, space, context))

    @staticmethod
    def open(url: str, name: str, *, clock: Clock = time.time) -> Study:
        """The study of that name in a storage."""
        log, fixed = opened(f"Study.open({name!r})", url, name)
        return Study._on(log, clock, fixed)

    @staticmethod
    def restore(url: str, name: str, events: Iterable[Event], *, clock: Clock = time.time) -> Study:
        """A study in a storage from the whole log of another, kept event by event."""
        call = f"Study.restore({name!r})"
        storage = connect(url)
        check_name(call, name)
        # A log that no study can be made of is refused before anything is written.
        whole = Study(events, clock)
        return Study._on(storage.create(name, whole.events), clock, whole._fixed)

    @staticmethod
    def copy(url: str, name: str, new: str, *, to: str | None = None, clock: Clock = time.time) -> Study:
        """A copy of a study under another name, event for event, which goes its own way from there.

        With `to`, it is made in another storage, where it may have the same name.
        """
        log, fixed = copied(f"Study.copy({name!r})", url, name, new, to)
        return Study._on(log, clock, fixed)

    names = staticmethod(names)
    rename = staticmethod(rename)
    delete = staticmethod(delete)

    def _begin(self, log: Log, clock: Clock, fixed: Declaration, knowledge: Knowledge, by: str | None = None) -> None:
        self._log, self._clock, self._fixed, self._knowledge, self._by = log, clock, fixed, knowledge, by
        self._now = partial(instant, "Study", clock)
        self._asking = Asking(fixed.domain, log, knowledge, self._now)
        self._taking = Taking(log, fixed, self._now, by)
        self._changing = Changing(log, fixed, knowledge, self._now, by)

    @classmethod
    def _of(cls, log: Log, clock: Clock, fixed: Declaration, knowledge: Knowledge, by: str | None = None) -> Study:
        """The study of a log of which this is known; unlike the constructor's, it may be kept anywhere."""
        study = cls.__new__(cls)
        study._begin(log, clock, fixed, knowledge, by)
        return study

    @classmethod
    def _on(cls, log: Log, clock: Clock, fixed: Declaration) -> Study:
        """The study that a log keeps, of which its beginning is known."""
        return cls._of(log, clock, fixed, Knowledge(log, fixed.record()))

    def signed(self, by: str) -> Study:
        """The same study for one person or program, named with every event that is written through it."""
        as_label("signed", "by", by)
        return Study._of(self._log, self._clock, self._fixed, self._knowledge, by)

    # Asking.

    def _ask(self, count: int, context: Mapping[str, Any] | None, key: str | None, worker: str | None) -> Reply:
        encoded = encoded_context("ask()", self.context, context)
        request = Request(encoded, kept_context(self.context, context), key, worker, self._by)
        with self._log.asking(), self._knowledge.deciding("ask()"):
            return self._asking.reply(request, count)

    # Telling.

    def tell(
        self,
        query: int | Query,
        value: Any = None,
        *,
        sd: Any = None,
        point: Mapping[str, Any] | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> None:
        self.take([Telling(query, value, context, None, sd, point)])

    def tell_each(self, tellings: Sequence[Telling]) -> list[BelatedError | None]:
        """Tell of different queries at once, perhaps for several people; returns what `tell` would raise for each.

        Unlike `tell_many`, which takes all or none, it takes what it can: what is told has nothing in common but the
        moment.
        """
        return self._taking.take_each(tellings)

    def tell_many(self, answers: Mapping[int, Any] | Iterable[tuple[Any, ...] | Telling]) -> None:
        self._taking.take_many(as_tellings(answers))

    def revise(
        self, query: int | Query, value: Any = None, *, sd: Any = None, point: Mapping[str, Any] | None = None
    ) -> None:
        self.take([Correction(query, value, sd, point)])

    def fail(self, query: int | Query | Iterable[int | Query], reason: str = "") -> None:
        self.take(endings(query, "fail", reason))

    def abandon(self, query: int | Query | Iterable[int | Query], reason: str = "") -> None:
        self.take(endings(query, "abandon", reason))

    def retract(
        self, query: int | Query | Iterable[int | Query], reason: str = "", *, outcome: str | None = None
    ) -> None:
        self.take(endings(query, "retract", reason, outcome))

    def take(self, statements: Sequence[Statement]) -> None:
        self._taking.take(statements)

    def preview(self, statements: Sequence[Statement]) -> list[Verdict]:
        with self._log.reading() as reader:
            return judged(reader, self._fixed, statements)

    def standings(self, queries: Iterable[int]) -> Mapping[int, QueryStanding]:
        with self._log.reading() as reader:
            return standings_of(reader, queries)

    def _add(self, call: str, rows: Sequence[Datum]) -> list[Query]:
        added = self._taking.add(call, rows)
        return list(self._knowledge.record().queries[added.start - 1 : added.stop - 1])

    # Changing the study itself.

    def change(
        self,
        *,
        policy: str | Recipe | None = None,
        window: GivenWindow = None,
        seed: int | None = None,
        silence: GivenSilence = None,
        seek: Seek | None = None,
    ) -> None:
        self._changing.change(policy, window, seed, silence, seek)

    def close(self, reason: str = "") -> None:
        self._changing.turn(Closed(as_text("close()", reason)))

    def reopen(self, reason: str = "") -> None:
        self._changing.turn(Reopened(as_text("reopen()", reason)))

    def archive(self, reason: str = "") -> None:
        self._changing.turn(Archived(as_text("archive()", reason)))

    def unarchive(self, reason: str = "") -> None:
        self._changing.turn(Unarchived(as_text("unarchive()", reason)))

    # Reading.

    @property
    def name(self) -> str:
        return self._log.name

    @property
    def space(self) -> Space | Candidates:
        return self._fixed.domain

    @property
    def context(self) -> Context | None:
        return self._fixed.context

    @property
    def outcomes(self) -> Outcomes:
        return self.settings.outcomes

    @property
    def recipe(self) -> Recipe:
        return self._knowledge.recipe(self.settings)

    @property
    def policy(self) -> Policy:
        return self._knowledge.policy(self.settings, self.now)

    @property
    def settings(self) -> Settings:
        with self._log.reading() as reader:
            return self._knowledge.settings(reader)

    @property
    def seed(self) -> int:
        return self.settings.seed

    @property
    def seek(self) -> Seek:
        return self.settings.seek

    @property
    def closed(self) -> str | None:
        return self.settings.closed

    @property
    def archived(self) -> str | None:
        return self.settings.archived

    @property
    def events(self) -> tuple[Event, ...]:
        return self._since(0, None)

    def _since(self, number: int, most: int | None) -> tuple[Event, ...]:
        with self._log.reading() as reader:
            return tuple(reader.events(after=number, most=most))

    def now(self) -> float:
        return self._now()

    def record(self) -> Record:
        return self._knowledge.record_at(self.now)

    def evidence(self) -> Evidence:
        return Evidence.of(self._knowledge.record())

    def pending(self) -> list[Query]:
        if self._fixed.outcomes.named:
            # When each outcome came is known only from the log as a whole.
            return self.record().pending()
        with self._log.reading() as reader:
            unanswered, current = reader.unanswered(), self._knowledge.settings(reader)
            said = standings_among(reader, unanswered)
        return waiting(unanswered, said, self._knowledge.policy(current, self.now).window, self.now())

    def delays(self, outcome: str | None = None) -> Delays:
        record = self._knowledge.record()
        return delays_at(Evidence.of(record, known_outcome("delays()", record.outcomes, outcome)), self.now())

    def explain(self) -> Explanation:
        record, now = self._knowledge.record(), self.now()
        recipe = self._knowledge.recipe(record.settings)
        recipe.require_affordable()
        policy = recipe.compose(Evidence.of(record), now)
        with self._knowledge.deciding("explain()"):
            return explanation(recipe, policy, record.at(now, policy.window), now, self._knowledge.memory)

    def notices(self) -> list[Notice]:
        with self._log.reading() as reader:
            return notices_in(reader.settings(after=1))

    def best(self) -> Best:
        silent = self.outcomes.silence is not None
        return best_answer(self.record() if silent else self._knowledge.record())

    def recommend(self, *, context: Mapping[str, Any] | None = None) -> Recommendation:
        encoded = encoded_context("recommend()", self.context, context)
        with self._knowledge.deciding("recommend()"):
            now = self.now()
            moment = self._knowledge.answered_moment("recommend()", now, encoded)
            return recommendation(moment, self._knowledge.moments_beside(now, encoded))

    def expect(
        self,
        points: Sequence[Mapping[str, Any]],
        *,
        outcome: str | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> tuple[Array, Array]:
        known_outcome("expect()", self._fixed.outcomes, outcome)
        call = "expect()" if outcome is None else f"expect(outcome={outcome!r})"
        encoded = encoded_context("expect()", self.context, context)
        rows = [self.space.encode(point, call="expect()") for point in several("expect()", points)]
        with self._knowledge.deciding("expect()"):
            return expectation(self._knowledge.answered_moment(call, self.now(), encoded, outcome), rows)

    def plot(self, kind: str = "progress", **options: Any) -> Any:
        return figures.draw(self, kind, **options)

    def __repr__(self) -> str:
        try:
            record = self.record()
        except UnknownStudyError:
            # A debugger shows it, which is no moment for errors.
            return "Study(deleted)"
        recipe = self._knowledge.recipe(record.settings)
        name = f"{self.name!r}, " if self.name else ""
        counts = "".join(f", {what}={count}" for what, count in record.counts.to_json().items() if count)
        return f"Study({name}{self.goal}, policy={recipe.name!r}{counts})"
