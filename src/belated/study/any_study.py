"""AnyStudy: what can be done with a study, whether this process keeps it or a service does."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from belated.checks import LARGEST_COUNT, require_count
from belated.delays import Delays
from belated.evidence import Evidence
from belated.log import (
    Balk,
    Event,
    GivenSilence,
    GivenWindow,
    Goal,
    Outcomes,
    Query,
    QueryStanding,
    Record,
    Seek,
    Settings,
)
from belated.policies import Policy, Recipe
from belated.space import Array, Candidates, Context, Space
from belated.study.arguments import Datum, as_label, as_rows
from belated.study.files import to_dataframe
from belated.study.insight import Explanation, study_card
from belated.study.other_libraries import NAMES, in_our_words, unknown_attribute
from belated.study.results import Best, Notice, Recommendation, Reply
from belated.study.running import Objective, OnFailure, Ran, Retries, run, terms_of
from belated.study.statements import Statement, Telling
from belated.study.taking import Verdict
from belated.study.warn import warn

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from pandas import DataFrame


class AnyStudy(ABC):
    """One optimisation, from its first question to its last answer, wherever its log is kept."""

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
        """What to try next, or a falsy Balk with its reason; with `count`, up to that many queries at once.

        Asked again with the same `key`, it returns the same query. A `worker` that has a query under way gets it
        again, so a worker that died continues where it was. What the study notices is raised as a BelatedWarning.
        """
        reply = self.ask_quietly(1 if count is None else count, context=context, key=key, worker=worker)
        warn(reply.notices)
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
        """What `ask` returns, with the texts of the warnings that it would raise: for asking on behalf of others."""
        require_count("ask", "count", count)
        for name, label in (("key", key), ("worker", worker)):
            as_label("ask", name, label)
        return self._ask(int(count), context, key, worker)

    @abstractmethod
    def _ask(self, count: int, context: Mapping[str, Any] | None, key: str | None, worker: str | None) -> Reply:
        """The next queries or a balk, and what was noticed with them."""

    # Telling.

    @abstractmethod
    def tell(
        self,
        query: int | Query,
        value: Any = None,
        *,
        sd: Any = None,
        point: Mapping[str, Any] | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> None:
        """Tell the answer to a query, or the context that was seen after it was asked, or both, in any order.

        An answer is a number, perhaps with its standard error `sd`; a list of repeated measurements; or a dict of
        outcomes by name, of which others may follow. A `point` is what was really tried, if that was another one.
        Telling the same again changes nothing. An answer without its context, where one is seen after the decision, is
        kept, and counts once the context is told.

        Another answer than the one that is there is a ConflictError, which `revise` gets past; an UnknownQueryError,
        AnswerError, PointError or ContextError says what was wrong with the rest.
        """

    @abstractmethod
    def tell_many(self, answers: Mapping[int, Any] | Iterable[tuple[Any, ...] | Telling]) -> None:
        """Tell many answers at once, as {query: value}, as (query, value) or (query, value, context), or as Telling.

        All of them are taken, or, if one is refused, none.
        """

    @abstractmethod
    def revise(
        self, query: int | Query, value: Any = None, *, sd: Any = None, point: Mapping[str, Any] | None = None
    ) -> None:
        """Tell a better value for a query that was answered, or a better point; the first one stays in the log.

        A query without an answer is a ConflictError; an UnknownQueryError, AnswerError or PointError says what else
        was wrong.
        """

    @abstractmethod
    def fail(self, query: int | Query | Iterable[int | Query], reason: str = "") -> None:
        """Say that it cannot be done at the point of a query, or of several: that teaches where not to ask.

        Again: nothing happens. A query that was answered is a ConflictError, one that was not asked an
        UnknownQueryError.
        """

    @abstractmethod
    def abandon(self, query: int | Query | Iterable[int | Query], reason: str = "") -> None:
        """Say that no answer will come, of a query or of several: they count as if they had never been asked.

        It says nothing of their points, unlike `fail`. Again: nothing happens. A query that was answered is a
        ConflictError, one that was not asked an UnknownQueryError.
        """

    @abstractmethod
    def retract(
        self, query: int | Query | Iterable[int | Query], reason: str = "", *, outcome: str | None = None
    ) -> None:
        """Take back what came of a query, or of several: an outcome or all answers, a failure, that it was abandoned.

        The log keeps what was taken back. The query is waited for no more, and may be told again.
        Where nothing has come yet, it is a ConflictError; where it was not asked, an UnknownQueryError.
        """

    @abstractmethod
    def take(self, statements: Sequence[Statement]) -> None:
        """Take what is said of queries, as a sheet says it, one after the other; all, or, if one is refused, none."""

    @abstractmethod
    def preview(self, statements: Sequence[Statement]) -> list[Verdict]:
        """What would come of each of these, after those before it: events, none that the log has, or its refusal."""

    @abstractmethod
    def standings(self, queries: Iterable[int]) -> Mapping[int, QueryStanding]:
        """What the log says of those of these queries that exist, from their own events alone."""

    def add(
        self, point: Mapping[str, Any], value: Any, *, sd: Any = None, context: Mapping[str, Any] | None = None
    ) -> Query:
        """Add data that was never asked; its value is what `tell` takes.

        An AnswerError, PointError or ContextError says what is wrong with it.
        """
        return self._add("add()", [Datum(point, value, context, sd)])[0]

    def add_many(self, rows: Iterable[tuple[Any, ...]]) -> list[Query]:
        """Add data that was never asked, as (point, value), (point, value, context) or (point, value, context, sd).

        All rows are taken, or none.
        """
        given = as_rows(rows)
        return self._add("add_many()", given) if given else []

    @abstractmethod
    def _add(self, call: str, rows: Sequence[Datum]) -> list[Query]:
        """Add rows of data for a call."""

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
        tolerate: int | float | None = None,
        on_failure: OnFailure = "fail",
        worker: str | None = None,
        progress: bool | None = None,
    ) -> Ran:
        """Evaluate an objective here at what is asked, as many queries at once as workers and pacing allow.

        It returns a number, a list of repeats, a bl.Measurement or a dict of outcomes. A query fails after its
        `retries` if its evaluation raises, returns no finite number, takes longer than `timeout` or loses its worker
        again; with `on_failure="abandon"` it is abandoned instead, as it is after a bl.Lost. The run ends with an
        ObjectiveError if more than `tolerate` fail or, without a limit, if ten fail and nothing has succeeded.
        """
        given = (objective, queries, executor, workers, contexts, timeout, retries, tolerate, on_failure, worker)
        return run(self, terms_of(*given, progress))

    # Changing the study itself.

    @abstractmethod
    def change(
        self,
        *,
        policy: str | Recipe | None = None,
        window: GivenWindow = None,
        seed: int | None = None,
        silence: GivenSilence = None,
        seek: Seek | None = None,
    ) -> None:
        """Let another policy decide, with another window, seed or silence, or seek something else, from here on.

        With `silence`, no answer of the objective within the window means that value, for the whole log; with
        "nothing" it says nothing any more.
        """

    @abstractmethod
    def close(self, reason: str = "") -> None:
        """Ask no further query; answers are still welcome. Again: nothing happens."""

    @abstractmethod
    def reopen(self, reason: str = "") -> None:
        """Ask again after a close. Again: nothing happens."""

    @abstractmethod
    def archive(self, reason: str = "") -> None:
        """Put the study out of sight: lists leave it out, and it asks nothing. Again: nothing happens."""

    @abstractmethod
    def unarchive(self, reason: str = "") -> None:
        """Bring the study back from the archive. Again: nothing happens."""

    # Reading.

    @property
    @abstractmethod
    def name(self) -> str:
        """What the study is called where it is kept; empty in memory."""

    @property
    @abstractmethod
    def space(self) -> Space | Candidates:
        """The set that is searched."""

    @property
    @abstractmethod
    def context(self) -> Context | None:
        """What else the answers depend on."""

    @property
    @abstractmethod
    def outcomes(self) -> Outcomes:
        """What is measured of a query, by name, and what each is for."""

    @property
    def goal(self) -> Goal:
        """Whether large or small values are good, of the main objective."""
        return self.outcomes.goal

    @property
    @abstractmethod
    def recipe(self) -> Recipe:
        """The policy by its name and parameters."""

    @property
    @abstractmethod
    def policy(self) -> Policy:
        """The parts that decide now."""

    @property
    @abstractmethod
    def settings(self) -> Settings:
        """The policy's recipe, the seed, and whether the study is closed or in the archive, as they are now."""

    @property
    @abstractmethod
    def seed(self) -> int:
        """What the randomness of decisions is drawn from now."""

    @property
    @abstractmethod
    def seek(self) -> Seek:
        """What counts now: the "best" point in the end, or the "total" of all answers."""

    @property
    @abstractmethod
    def closed(self) -> str | None:
        """Why the study is closed; None while it asks."""

    @property
    @abstractmethod
    def archived(self) -> str | None:
        """Why the study is in the archive; None while it is in sight."""

    @property
    @abstractmethod
    def events(self) -> tuple[Event, ...]:
        """The log: everything that ever happened, in order."""

    def since(self, number: int, most: int | None = None) -> tuple[Event, ...]:
        """The events after the one with that number, in order; with `most`, no more than that many of them."""
        require_count("since", "number", number, least=0, most=LARGEST_COUNT)
        if most is not None:
            require_count("since", "most", most)
        return self._since(int(number), most)

    @abstractmethod
    def _since(self, number: int, most: int | None) -> tuple[Event, ...]:
        """The events after one, once both numbers are known to be counts."""

    @abstractmethod
    def now(self) -> float:
        """The time by the clock of the study, or of this machine if a service keeps the study, in seconds."""

    @abstractmethod
    def record(self) -> Record:
        """All that the log says now of queries, counts and settings, with overdue queries marked."""

    @abstractmethod
    def evidence(self) -> Evidence:
        """The log in the form that beliefs, treatments and rules read: in inside units, for no person to read."""

    def queries(self) -> Sequence[Query]:
        """Every query and every added point as it stands now, in the order of their identifiers."""
        return self.record().queries

    def to_dataframe(self) -> DataFrame:
        """One row for every query and every added point; needs pandas."""
        return to_dataframe(self.record())

    @abstractmethod
    def pending(self) -> list[Query]:
        """The queries that wait for an answer, overdue ones included."""

    @abstractmethod
    def delays(self, outcome: str | None = None) -> Delays:
        """How long answers take, or one outcome, from those that came and those that are waited for."""

    @abstractmethod
    def explain(self) -> Explanation:
        """What the study sees, what decides now, and why, in plain words."""

    @abstractmethod
    def notices(self) -> list[Notice]:
        """What the study has noticed and warned of, once each, in that order."""

    @abstractmethod
    def best(self) -> Best:
        """The best answer so far; the first of several equal ones."""

    @abstractmethod
    def recommend(self, *, context: Mapping[str, Any] | None = None) -> Recommendation:
        """The point with the best lower bound by all answers, or that of the best answer where no more is expected.

        With what is expected there, and the chance that no point tried is better. The objective alone chooses it; what
        is expected of other outcomes there is said beside.
        """

    @abstractmethod
    def expect(
        self,
        points: Sequence[Mapping[str, Any]],
        *,
        outcome: str | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> tuple[Array, Array]:
        """The mean and the deviation of the belief from all answers at these points, without noise. (n,), (n,)

        They are of the objective, or of the `outcome` of that name.
        """

    @abstractmethod
    def plot(self, kind: str = "progress", **options: Any) -> Any:
        """A Plotly figure of the study: progress, timeline, waits, delays, belief, weights or pairs."""

    def _repr_html_(self) -> str:
        return study_card(self)

    if not TYPE_CHECKING:  # else any name would do

        def __getattr__(self, name: str) -> Any:
            raise unknown_attribute(type(self).__name__, name, NAMES)
