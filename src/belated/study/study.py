"""Study: ask what to try next, tell what came of it, whenever that is.

A study is its log, and the log is kept by a storage that other processes may be writing to as well. Every method reads
what the log says or appends to it; what was computed on the way is kept in a memory that may be dropped at any time
without changing a decision.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

from belated.beliefs import Memory
from belated.delays import Delays, learned
from belated.errors import (
    LARGEST_COUNT,
    BelatedError,
    ConflictError,
    CorruptError,
    ParameterError,
    SpaceError,
    require_count,
    within_memory,
)
from belated.evidence import Evidence
from belated.log import (
    Added,
    Answered,
    Balk,
    Body,
    Closed,
    ContextSeen,
    Event,
    GivenWindow,
    Goal,
    PolicyChanged,
    Query,
    Record,
    Reopened,
    SeedChanged,
    Settings,
    Values,
    settings_after,
    whole_log,
)
from belated.policies import Policy, Recipe, with_window
from belated.space import Array, Candidates, Context, Space
from belated.storage import Log, MemoryLog, Writer, check_name, connect
from belated.study import figures
from belated.study.answers import abandoned, revised, shown, standing_of, told
from belated.study.asking import Asking, Request
from belated.study.beginning import Declared, check_same, creation, declared
from belated.study.entrance import (
    as_answers,
    as_label,
    as_policy,
    as_rows,
    as_seed,
    as_text,
    encoded_context,
    finite,
    instant,
    kept_context,
    known_context,
    seen_context,
    several,
)
from belated.study.files import to_dataframe
from belated.study.foreign import NAMES, in_our_words, unknown_attribute
from belated.study.insight import Explanation, best_answer, expectation, explanation, recommendation
from belated.study.knowledge import Knowledge
from belated.study.results import Best, Notice, Recommendation, Reply, noticed
from belated.study.running import Objective, Ran, Retries, run, terms_of
from belated.study.saying import say
from belated.study.telling import Telling, Verdict, judged, tell_each
from belated.study.waiting import contexts_seen, waiting

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from pandas import DataFrame

Clock = Callable[[], float]
DEFAULT_POLICY = "auto"


class Study:
    """One optimisation, from its first question to its last answer."""

    # Beginning.

    def __init__(self, events: Iterable[Event], clock: Clock = time.time) -> None:
        """A study in memory that goes on from a log; `create`, `open` and `in_memory` are the usual ways to one."""
        _, log = whole_log("Study()", events)
        fixed = declared("Study()", log[0])
        kept = MemoryLog("", log)
        self._begin(kept, clock, fixed, Knowledge(kept, fixed.record().extend(log[1:])))

    @staticmethod
    @in_our_words
    def in_memory(
        space: Space | Candidates,
        *,
        policy: str | Recipe = DEFAULT_POLICY,
        goal: Goal = "maximize",
        seed: int | None = None,
        context: Context | None = None,
        clock: Clock = time.time,
        memory: Memory | None = None,
        notices: bool = True,
    ) -> Study:
        """A new study that lives as long as this process; `memory`, which keeps its models, changes no decision.

        Without `notices`, it does not look for what the user should know, as nobody is there in a simulation.
        """
        call = "Study.in_memory()"
        first = Event(1, instant(call, clock), creation(call, space, policy, goal, seed, context))
        fixed = Declared(space, context, goal, settings_after([first]))
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
        goal: Goal = "maximize",
        seed: int | None = None,
        context: Context | None = None,
        clock: Clock = time.time,
        or_open: bool = False,
        by: str | None = None,
    ) -> Study:
        """A new study in a storage, as sqlite:///lab.db; with `or_open`, the one of that name if it is there.

        `by` is who creates it, for the log to say; `signed` says it of what comes later.
        """
        call = f"Study.create({name!r})"
        storage = connect(url)
        check_name(call, name)
        as_label("create", "by", by)
        first = Event(1, instant(call, clock), creation(call, space, policy, goal, seed, context), by)
        try:
            log: Log = storage.create(name, [first])
        except ConflictError:
            if not or_open:
                raise
            log, wanted = storage.open(name), first
            first = _first(log)
            check_same(call, name, first.body, wanted.body)
        return Study._on(log, clock, Declared(space, context, goal, settings_after([first])))

    @staticmethod
    def open(url: str, name: str, *, clock: Clock = time.time) -> Study:
        """The study of that name in a storage."""
        call = f"Study.open({name!r})"
        log = connect(url).open(check_name(call, name))
        try:
            return Study._on(log, clock, declared(call, _first(log)))
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
        return Study._on(storage.create(name, whole.events), clock, whole._declared)

    @staticmethod
    def names(url: str) -> list[str]:
        """The names of the studies in a storage, in the order of their creation."""
        return connect(url).names()

    def _begin(self, log: Log, clock: Clock, declared: Declared, knowledge: Knowledge, by: str | None = None) -> None:
        self._log, self._clock, self._declared = log, clock, declared
        self._domain, self._context = declared.domain, declared.context
        self._knowledge, self._by = knowledge, by

    @classmethod
    def _of(cls, log: Log, clock: Clock, declared: Declared, knowledge: Knowledge, by: str | None = None) -> Study:
        """The study of a log of which this is known; unlike the constructor's, it may be kept anywhere."""
        study = cls.__new__(cls)
        study._begin(log, clock, declared, knowledge, by)
        return study

    @classmethod
    def _on(cls, log: Log, clock: Clock, declared: Declared) -> Study:
        """The study that a log keeps, of which its beginning is known."""
        return cls._of(log, clock, declared, Knowledge(log, declared.record()))

    def signed(self, by: str) -> Study:
        """The same study in the hands of somebody: what is written through it, the log says by whom."""
        as_label("signed", "by", by)
        return Study._of(self._log, self._clock, self._declared, self._knowledge, by)

    # Asking.

    @overload
    def ask(
        self, *, context: Mapping[str, Any] | None = None, key: str | None = None, worker: str | None = None
    ) -> Query | Balk: ...
    @overload
    def ask(
        self, count: int, *, context: Mapping[str, Any] | None = None, key: str | None = None, worker: str | None = None
    ) -> list[Query] | Balk: ...
    def ask(
        self,
        count: int | None = None,
        *,
        context: Mapping[str, Any] | None = None,
        key: str | None = None,
        worker: str | None = None,
    ) -> Query | Balk | list[Query]:
        """What to try next, or a falsy Balk with its reason; with `count`, up to so many queries at once.

        Asked again with the same `key`, it returns the same query. A `worker` that has a query under way gets it
        again: one that died takes up where it was. What the study notices with it is said as a BelatedWarning.
        """
        reply = self.ask_quietly(1 if count is None else count, context=context, key=key, worker=worker)
        say(reply.notices)
        outcome = reply.outcome
        return outcome if count is not None or isinstance(outcome, Balk) else outcome[0]

    def ask_quietly(
        self,
        count: int = 1,
        *,
        context: Mapping[str, Any] | None = None,
        key: str | None = None,
        worker: str | None = None,
    ) -> Reply:
        """What `ask` returns, and what it would warn of: for whoever asks on behalf of somebody else."""
        require_count("ask", "count", count)
        encoded = encoded_context("ask()", self._context, context)
        for name, label in (("key", key), ("worker", worker)):
            as_label("ask", name, label)
        request = Request(encoded, kept_context(self._context, context), key, worker, self._by)
        asking = Asking(self._domain, self._log, self._knowledge, self.now)
        with self._log.asking(), self._knowledge.deciding("ask()"):
            return asking.reply(request, count)

    # Telling.

    def tell(self, query: int | Query, value: float | None = None, *, context: Mapping[str, Any] | None = None) -> None:
        """The answer to a query, or the context that was seen after it was asked, or both, in any order.

        Told again, the same changes nothing. An answer without its context, where one is seen after the decision, is
        kept, and counts once the context is told.
        """
        for refusal in self.tell_each([Telling(query, value, context)]):
            if refusal is not None:
                raise refusal

    def tell_each(self, tellings: Sequence[Telling]) -> list[BelatedError | None]:
        """Tell of different queries at once, perhaps for several people; returns what `tell` would raise for each.

        Unlike `tell_many`, which takes all or none, it takes what it can: what is told has nothing in common but the
        moment.
        """
        signed = [telling if telling.by else replace(telling, by=self._by) for telling in tellings]
        return tell_each(self._log, self._context, signed, self.now)

    def preview(self, tellings: Sequence[Telling]) -> list[Verdict]:
        """What would come of telling each of these now: an event, None where the log has it, or what `tell` raises."""
        with self._log.reading() as reader:
            return judged(reader, self._context, tellings)

    def tell_many(self, answers: Mapping[int, float] | Iterable[tuple[Any, ...]]) -> None:
        """Many answers at once, as {query: value}, or as (query, value) or (query, value, context).

        All of them are taken, or, if one is refused, none.
        """
        given = as_answers(answers)
        seen = [seen_context("tell_many()", self._context, context) for _, _, context in given]
        with self._log.writing() as writer:
            known = standing_of("tell_many", writer, [query for query, _, _ in given])
            bodies: dict[int, Answered | ContextSeen] = {}
            for (number, standing), (_, value, _), context in zip(known, given, seen, strict=True):
                body = told("tell_many", number, standing, value, context)
                if body is not None and bodies.setdefault(number, body) != body:
                    raise ConflictError(
                        f"tell_many(query={number}): given {shown(bodies[number])} and {shown(body)} in one call; a "
                        f"query has one answer; keep one of them."
                    )
            self._append(writer, list(bodies.values()))

    def revise(self, query: int | Query, value: float) -> None:
        """A better value for a query that was answered; the first one stays in the log."""
        with self._log.writing() as writer:
            known = standing_of("revise", writer, [query])
            self._append(writer, [revised(number, standing, value) for number, standing in known])

    def abandon(self, query: int | Query, reason: str = "") -> None:
        """No answer will come: the query counts as if it had never been asked. Again: nothing happens."""
        with self._log.writing() as writer:
            known = standing_of("abandon", writer, [query])
            self._append(writer, [abandoned(number, standing, reason) for number, standing in known])

    def add(self, point: Mapping[str, Any], value: float, *, context: Mapping[str, Any] | None = None) -> Query:
        """Data that was never asked."""
        return self._add("add()", [(point, value, context)])[0]

    def add_many(self, rows: Iterable[tuple[Any, ...]]) -> list[Query]:
        """Data that were never asked, as (point, value) or (point, value, context): all of them are taken, or none."""
        return self._add("add_many()", as_rows(rows))

    def _add(self, call: str, rows: Sequence[tuple[Any, ...]]) -> list[Query]:
        read: list[tuple[Values, float, Values | None]] = []
        for point, value, context in rows:
            kept = Values(self._domain.read(point, call=call))
            read.append((kept, finite(call, value), known_context(call, self._context, context)))
        with self._log.writing() as writer:
            first = writer.last_query() + 1
            self._append(writer, [Added(query, *row) for query, row in enumerate(read, start=first)])
        return list(self._knowledge.record().queries[first - 1 : first - 1 + len(read)])

    # Running.

    @in_our_words
    def run(
        self,
        objective: Objective,
        queries: int | float | None = None,
        *,
        executor: Executor | str | None = None,
        workers: int | None = None,
        contexts: Iterable[Mapping[str, Any]] | None = None,
        timeout: float | None = None,
        retries: int | Retries = 0,
        tolerate: int | None = 0,
        worker: str | None = None,
        progress: bool | None = None,
    ) -> Ran:
        """Evaluate an objective at what is asked, as many queries at once as workers and pacing allow.

        A query whose evaluation raises, returns no finite number, takes longer than `timeout` or loses its worker is
        abandoned after its `retries`; with more than `tolerate` of them, the run ends with an ObjectiveError.
        """
        given = (objective, queries, executor, workers, contexts, timeout, retries, tolerate, worker, progress)
        return run(self, terms_of(*given))

    # Changing the study itself.

    def change(
        self, *, policy: str | Recipe | None = None, window: GivenWindow = None, seed: int | None = None
    ) -> None:
        """Let another policy decide from here on, with another window, or from another seed."""
        if policy is None and window is None and seed is None:
            raise ParameterError("change(): got nothing to change; give a policy, a window or a seed.")
        written = False
        while not written:
            # A check may draw thousands of contexts, and whoever tells does not wait for it.
            current = self.settings
            bodies: list[Body] = []
            if policy is not None or window is not None:
                bodies.append(self._other_policy(current, policy, window))
            if seed is not None:
                bodies.append(SeedChanged(as_seed("change()", seed)))
            with self._log.writing() as writer:
                # A window is one of the policy that stands: changed by somebody else meanwhile, it is looked at again.
                written = policy is not None or self._knowledge.settings(writer).policy == current.policy
                self._append(writer, bodies if written else [])

    def _other_policy(self, current: Settings, policy: str | Recipe | None, window: GivenWindow) -> PolicyChanged:
        """The event by which another policy decides, once it is known to suit the study."""
        chosen = self._knowledge.recipe(current) if policy is None else as_policy("change()", policy)
        chosen = chosen if window is None else with_window(chosen, window)
        with within_memory("change()"):
            chosen.check("change()", self._domain, self._context)
        return PolicyChanged(chosen.to_json())

    def close(self, reason: str = "") -> None:
        """Ask no further query; answers are still welcome. Again: nothing happens."""
        body = Closed(as_text("close()", reason))
        with self._log.writing() as writer:
            self._append(writer, [body] if self._knowledge.settings(writer).closed is None else [])

    def reopen(self, reason: str = "") -> None:
        """Ask again after a close. Again: nothing happens."""
        body = Reopened(as_text("reopen()", reason))
        with self._log.writing() as writer:
            self._append(writer, [] if self._knowledge.settings(writer).closed is None else [body])

    # Reading.

    @property
    def name(self) -> str:
        """What the study is called in its storage; empty in memory."""
        return self._log.name

    @property
    def space(self) -> Space | Candidates:
        """The set that is searched."""
        return self._domain

    @property
    def context(self) -> Context | None:
        """What else the answers depend on."""
        return self._context

    @property
    def goal(self) -> Goal:
        """Whether large or small values are good."""
        return self._declared.goal

    @property
    def recipe(self) -> Recipe:
        """The policy by its name and parameters."""
        return self._knowledge.recipe(self.settings)

    @property
    def policy(self) -> Policy:
        """The parts that decide now."""
        return self._knowledge.policy(self.settings, self.now)

    @property
    def settings(self) -> Settings:
        """The policy's recipe, the seed, and whether the study is closed, as they are now."""
        with self._log.reading() as reader:
            return self._knowledge.settings(reader)

    @property
    def seed(self) -> int:
        """What the randomness of decisions is drawn from now."""
        return self.settings.seed

    @property
    def closed(self) -> str | None:
        """Why the study is closed; None while it asks."""
        return self.settings.closed

    @property
    def events(self) -> tuple[Event, ...]:
        """The log: everything that ever happened, in order."""
        with self._log.reading() as reader:
            return tuple(reader.events())

    def since(self, number: int, most: int | None = None) -> tuple[Event, ...]:
        """The events after the one with that number, in order; with `most`, the first so many of them."""
        require_count("since", "number", number, least=0, most=LARGEST_COUNT)
        if most is not None:
            require_count("since", "most", most)
        with self._log.reading() as reader:
            return tuple(reader.events(after=number, most=most))

    def now(self) -> float:
        """The time by the study's clock, in seconds."""
        return instant("Study", self._clock)

    def record(self) -> Record:
        """All that the log says now of queries, counts and settings, with overdue queries marked."""
        record, now = self._knowledge.record(), self.now()
        return record.at(now, self._knowledge.recipe(record.settings).compose(Evidence.of(record), now).window)

    def evidence(self) -> Evidence:
        """The log in the form that beliefs, treatments and rules read: in inside units, for no person to read."""
        return Evidence.of(self._knowledge.record())

    def queries(self) -> Sequence[Query]:
        """Every query and every added point as it stands now, in the order of their identifiers."""
        return self.record().queries

    def to_dataframe(self) -> DataFrame:
        """One row for every query and every added point; needs pandas."""
        return to_dataframe(self.record())

    def pending(self) -> list[Query]:
        """The queries that wait for an answer, overdue ones included.

        The rest of the log is read only for a policy that learns from it how long to wait.
        """
        with self._log.reading() as reader:
            unanswered, current = reader.unanswered(), self._knowledge.settings(reader)
            contexts = contexts_seen(reader, unanswered, self._context)
        return waiting(unanswered, contexts, self._knowledge.policy(current, self.now).window, self.now())

    def delays(self) -> Delays:
        """How long answers take, from those that came and those that are waited for."""
        return learned(Evidence.of(self._knowledge.record()), self.now())

    def explain(self) -> Explanation:
        """What the study sees, what decides now, and why, in plain words."""
        record, now = self._knowledge.record(), self.now()
        recipe = self._knowledge.recipe(record.settings)
        recipe.require_affordable()
        policy = recipe.compose(Evidence.of(record), now)
        with self._knowledge.deciding("explain()"):
            return explanation(recipe, policy, record.at(now, policy.window), now, self._knowledge.memory)

    def notices(self) -> list[Notice]:
        """What the study has noticed and warned of, once each, in that order."""
        with self._log.reading() as reader:
            return noticed(reader.settings(after=1))

    def best(self) -> Best:
        """The best answer so far; of equals, the first."""
        return best_answer(self._knowledge.record())

    def recommend(self, *, context: Mapping[str, Any] | None = None) -> Recommendation:
        """The point with the highest posterior mean, and what the belief from all answers expects there."""
        encoded = encoded_context("recommend()", self._context, context)
        with self._knowledge.deciding("recommend()"):
            return recommendation(self._knowledge.answered_moment("recommend()", self.now(), encoded))

    def expect(
        self, points: Sequence[Mapping[str, Any]], *, context: Mapping[str, Any] | None = None
    ) -> tuple[Array, Array]:
        """The mean and the deviation of the belief from all answers at these points, without noise. (n,), (n,)"""
        encoded = encoded_context("expect()", self._context, context)
        rows = [self._domain.encode(point, call="expect()") for point in several("expect()", points)]
        with self._knowledge.deciding("expect()"):
            return expectation(self._knowledge.answered_moment("expect()", self.now(), encoded), rows)

    def plot(self, kind: str = "progress", **options: Any) -> Any:
        """A Plotly figure of the study: progress, timeline, waits, delays, belief, weights or pairs."""
        return figures.draw(self, kind, **options)

    def __repr__(self) -> str:
        record = self.record()
        recipe = self._knowledge.recipe(record.settings)
        name = f"{self.name!r}, " if self.name else ""
        counts = "".join(f", {what}={count}" for what, count in record.counts.to_json().items() if count)
        return f"Study({name}{self.goal}, policy={recipe.name!r}{counts})"

    def _repr_html_(self) -> str:
        from belated.study.insight import study_card

        return study_card(self)

    if not TYPE_CHECKING:  # else any name would do

        def __getattr__(self, name: str) -> Any:
            raise unknown_attribute("Study", name, NAMES)

    # Writing.

    def _append(self, writer: Writer, bodies: Sequence[Body | None]) -> None:
        """Write what is new, at the time it is now."""
        new = [body for body in bodies if body is not None]
        if new:
            writer.append(new, self.now(), self._by)


def _first(log: Log) -> Event:
    with log.reading() as reader:
        return reader.events(most=1)[0]
