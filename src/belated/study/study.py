"""Study: ask what to try next, tell what came of it, whenever that is.

A study is its log, and the log is kept by a storage that other processes may be writing to as well. Every method reads
what the log says or appends to it; what was computed on the way is kept in a memory that may be dropped at any time
without changing a decision.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, final

from belated.beliefs import Memory
from belated.delays import Delays, delays_at
from belated.errors import (
    BelatedError,
    ConflictError,
    CorruptError,
    ParameterError,
    SpaceError,
    UnknownStudyError,
    within_memory,
)
from belated.evidence import Evidence
from belated.log import (
    Added,
    Archived,
    Body,
    Closed,
    Event,
    GivenWindow,
    Goal,
    Outcome,
    Outcomes,
    PolicyChanged,
    Query,
    QueryStanding,
    Record,
    Reopened,
    SeedChanged,
    Settings,
    Unarchived,
    Values,
    fields_of,
    outcomes_of,
    settings_after,
    whole_log,
)
from belated.policies import Policy, Recipe, with_window
from belated.space import Array, Candidates, Context, Space
from belated.storage import Log, MemoryLog, Writer, check_name, connect
from belated.study import figures
from belated.study.answers import abandonment, failure, retraction, revision, standing_of, standings_of
from belated.study.any_study import AnyStudy
from belated.study.arguments import (
    Datum,
    added_measurements,
    as_label,
    as_measured,
    as_policy,
    as_queries,
    as_seed,
    as_text,
    encoded_context,
    instant,
    kept_context,
    known_context,
    known_outcome,
    performed_point,
    several,
)
from belated.study.asking import Asking, Request
from belated.study.creation import Declaration, check_same, creation, declaration
from belated.study.insight import Explanation, best_answer, expectation, explanation, recommendation
from belated.study.keeping import copied, delete, names, rename
from belated.study.knowledge import Knowledge
from belated.study.other_libraries import in_our_words
from belated.study.results import Best, Notice, Recommendation, Reply, notices_in
from belated.study.statements import Statement, bodies_of_all, outlooks
from belated.study.telling import Telling, Verdict, as_answers, bodies_of, tell_each
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
        created = creation(call, space, policy, goal, seed, context, outcomes, silence)
        first = Event(1, instant(call, clock), created)
        fixed = Declaration(space, context, outcomes_of(created), settings_after([first]))
        log = MemoryLog("", [first])
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
        seed: int | None = None,
        context: Context | None = None,
        clock: Clock = time.time,
        or_open: bool = False,
        by: str | None = None,
    ) -> Study:
        """A new study in a storage, as sqlite:///lab.db; with `or_open`, the one of that name if it is there.

        It has one outcome, with a `goal` ("maximize" if none is given), or several `outcomes` by name. With `silence`,
        no answer within the window means that value.
        `by` names who creates it, for the log; `signed` does so for later events.
        """
        call = f"Study.create({name!r})"
        storage = connect(url)
        check_name(call, name)
        as_label("create", "by", by)
        created = creation(call, space, policy, goal, seed, context, outcomes, silence)
        first = Event(1, instant(call, clock), created, by)
        try:
            log: Log = storage.create(name, [first])
        except ConflictError:
            if not or_open:
                raise
            log, wanted = storage.open(name), first
            first = _first(log)
            check_same(call, name, first.body, wanted.body)
        return Study._on(log, clock, Declaration(space, context, outcomes_of(created), settings_after([first])))

    @staticmethod
    def open(url: str, name: str, *, clock: Clock = time.time) -> Study:
        """The study of that name in a storage."""
        call = f"Study.open({name!r})"
        log = connect(url).open(check_name(call, name))
        try:
            return Study._on(log, clock, declaration(call, _first(log)))
        except SpaceError as error:
            raise CorruptError(f"{call}: its first event cannot be read ({error}); restore it from a copy.") from error

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
        log = copied(url, name, new, to)
        return Study._on(log, clock, declaration(f"Study.copy({name!r})", _first(log)))

    names = staticmethod(names)
    rename = staticmethod(rename)
    delete = staticmethod(delete)

    def _begin(self, log: Log, clock: Clock, fixed: Declaration, knowledge: Knowledge, by: str | None = None) -> None:
        self._log, self._clock, self._fixed = log, clock, fixed
        self._domain, self._context = fixed.domain, fixed.context
        self._knowledge, self._by = knowledge, by

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
        encoded = encoded_context("ask()", self._context, context)
        request = Request(encoded, kept_context(self._context, context), key, worker, self._by)
        asking = Asking(self._domain, self._log, self._knowledge, self.now)
        with self._log.asking(), self._knowledge.deciding("ask()"):
            return asking.reply(request, count)

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
        for refusal in self.tell_each([Telling(query, value, context, None, sd, point)]):
            if refusal is not None:
                raise refusal

    def tell_each(self, tellings: Sequence[Telling]) -> list[BelatedError | None]:
        """Tell of different queries at once, perhaps for several people; returns what `tell` would raise for each.

        Unlike `tell_many`, which takes all or none, it takes what it can: what is told has nothing in common but the
        moment.
        """
        signed = [telling if telling.by else replace(telling, by=self._by) for telling in tellings]
        return tell_each(self._log, self._fixed, signed, self.now)

    def standings(self, queries: Iterable[int]) -> Mapping[int, QueryStanding]:
        """What the log says of those of these queries that exist, from their own events alone."""
        with self._log.reading() as reader:
            return standings_of(reader, list(queries))

    def preview(self, statements: Sequence[Statement]) -> list[Verdict]:
        """What would come of each of these now: events, none where the log has it, or why it is refused."""
        with self._log.reading() as reader:
            return outlooks(reader, self._fixed, statements)

    def take(self, statements: Sequence[Statement]) -> None:
        """Take all of these, each about another query or another part of what is known, or, if one is refused, none."""
        with self._log.writing() as writer:
            self._append(writer, bodies_of_all(writer, self._fixed, statements))

    def tell_many(self, answers: Mapping[int, Any] | Iterable[tuple[Any, ...] | Telling]) -> None:
        tellings = as_answers(answers)
        with self._log.writing() as writer:
            self._append(writer, bodies_of(writer, self._fixed, tellings))

    def revise(
        self, query: int | Query, value: Any = None, *, sd: Any = None, point: Mapping[str, Any] | None = None
    ) -> None:
        performed = performed_point("revise()", self._domain, point)
        with self._log.writing() as writer:
            for number, standing in standing_of("revise", writer, [query]):
                measured = as_measured(f"revise(query={number})", self._fixed.outcomes, value, sd)
                self._append(writer, revision(number, standing, measured, performed))

    def fail(self, query: int | Query | Iterable[int | Query], reason: str = "") -> None:
        with self._log.writing() as writer:
            known = standing_of("fail", writer, as_queries("fail()", query))
            self._append(writer, [failure(number, standing, reason) for number, standing in dict(known).items()])

    def abandon(self, query: int | Query | Iterable[int | Query], reason: str = "") -> None:
        with self._log.writing() as writer:
            known = standing_of("abandon", writer, as_queries("abandon()", query))
            self._append(writer, [abandonment(number, standing, reason) for number, standing in dict(known).items()])

    def retract(
        self, query: int | Query | Iterable[int | Query], reason: str = "", *, outcome: str | None = None
    ) -> None:
        outcomes = self._fixed.outcomes
        with self._log.writing() as writer:
            known = dict(standing_of("retract", writer, as_queries("retract()", query)))
            self._append(
                writer,
                [retraction(number, standing, outcomes, reason, outcome) for number, standing in known.items()],
            )

    def _add(self, call: str, rows: Sequence[Datum]) -> list[Query]:
        read: list[tuple[Values, dict[str, Any], Values | None]] = []
        for point, value, context, sd in rows:
            kept = Values(self._domain.read(point, call=call))
            measured = added_measurements(call, self._fixed.outcomes, value, sd)
            read.append((kept, fields_of(measured), known_context(call, self._context, context)))
        with self._log.writing() as writer:
            first = writer.last_query() + 1
            added = [
                Added(query, point, context=context, **fields)
                for query, (point, fields, context) in enumerate(read, start=first)
            ]
            self._append(writer, added)
        return list(self._knowledge.record().queries[first - 1 : first - 1 + len(read)])

    # Changing the study itself.

    def change(
        self, *, policy: str | Recipe | None = None, window: GivenWindow = None, seed: int | None = None
    ) -> None:
        if policy is None and window is None and seed is None:
            raise ParameterError("change(): got nothing to change; give a policy, a window or a seed.")
        written = False
        while not written:
            # A check may draw thousands of contexts, and tells must not wait for it.
            current = self.settings
            bodies: list[Body] = []
            if policy is not None or window is not None:
                bodies.append(self._other_policy(current, policy, window))
            if seed is not None:
                bodies.append(SeedChanged(as_seed("change()", seed)))
            with self._log.writing() as writer:
                # The window belongs to the policy: if another process has changed that meanwhile, check again.
                written = policy is not None or self._knowledge.settings(writer).policy == current.policy
                self._append(writer, bodies if written else [])

    def _other_policy(self, current: Settings, policy: str | Recipe | None, window: GivenWindow) -> PolicyChanged:
        """The event by which another policy decides, once it is known to suit the study."""
        chosen = self._knowledge.recipe(current) if policy is None else as_policy("change()", policy)
        chosen = chosen if window is None else with_window(chosen, window)
        with within_memory("change()"):
            chosen.check("change()", self._domain, self._context)
        chosen.check_outcomes("change()", self._fixed.outcomes)
        return PolicyChanged(chosen.to_json())

    def close(self, reason: str = "") -> None:
        self._turn(Closed(as_text("close()", reason)), lambda known: known.closed is None)

    def reopen(self, reason: str = "") -> None:
        self._turn(Reopened(as_text("reopen()", reason)), lambda known: known.closed is not None)

    def archive(self, reason: str = "") -> None:
        self._turn(Archived(as_text("archive()", reason)), lambda known: known.archived is None)

    def unarchive(self, reason: str = "") -> None:
        self._turn(Unarchived(as_text("unarchive()", reason)), lambda known: known.archived is not None)

    def _turn(self, body: Body, turns: Callable[[Settings], bool]) -> None:
        """Write an event about the study if it changes how the study is set."""
        with self._log.writing() as writer:
            self._append(writer, [body] if turns(self._knowledge.settings(writer)) else [])

    # Reading.

    @property
    def name(self) -> str:
        return self._log.name

    @property
    def space(self) -> Space | Candidates:
        return self._domain

    @property
    def context(self) -> Context | None:
        return self._context

    @property
    def outcomes(self) -> Outcomes:
        return self._fixed.outcomes

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
        return instant("Study", self._clock)

    def record(self) -> Record:
        record, now = self._knowledge.record(), self.now()
        return record.at(now, self._knowledge.recipe(record.settings).compose(Evidence.of(record), now).window)

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
        silent = self._fixed.outcomes.silence is not None
        return best_answer(self.record() if silent else self._knowledge.record())

    def recommend(self, *, context: Mapping[str, Any] | None = None) -> Recommendation:
        encoded = encoded_context("recommend()", self._context, context)
        with self._knowledge.deciding("recommend()"):
            return recommendation(self._knowledge.answered_moment("recommend()", self.now(), encoded))

    def expect(
        self, points: Sequence[Mapping[str, Any]], *, context: Mapping[str, Any] | None = None
    ) -> tuple[Array, Array]:
        encoded = encoded_context("expect()", self._context, context)
        rows = [self._domain.encode(point, call="expect()") for point in several("expect()", points)]
        with self._knowledge.deciding("expect()"):
            return expectation(self._knowledge.answered_moment("expect()", self.now(), encoded), rows)

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

    def _append(self, writer: Writer, bodies: Sequence[Body | None]) -> None:
        """Write what is new, at the time it is now."""
        new = [body for body in bodies if body is not None]
        if new:
            writer.append(new, self.now(), self._by)


def _first(log: Log) -> Event:
    with log.reading() as reader:
        return reader.events(most=1)[0]
