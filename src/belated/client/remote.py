"""RemoteStudy: a study that a service keeps, in the hands of a program elsewhere.

It has the methods of `Study`, takes the same values, returns the same types and raises the same errors, so that a
program moves from one to the other by changing the line that opens the study. What the service decides is decided
there; events that were read once are kept, and figures are drawn here.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast, overload

import numpy as np

from belated.client.connection import Connection
from belated.client.copy import LogCopy
from belated.client.place import Place
from belated.client.shapes import best_of, notice_of, query_of, recommendation_of, sendable
from belated.delays import Delays
from belated.errors import LARGEST_COUNT, ParameterError, StorageError, require_count
from belated.evidence import Evidence
from belated.log import Balk, Event, GivenWindow, Goal, Query, Record, Settings
from belated.policies import Policy, Recipe, from_json, with_window
from belated.space import Array, Candidates, Context, Space
from belated.storage import check_name
from belated.study import DEFAULT_POLICY, Best, Notice, Recommendation, figures
from belated.study.beginning import creation
from belated.study.entrance import (
    as_answers,
    as_label,
    as_policy,
    as_rows,
    as_seed,
    as_text,
    finite,
    known_context,
    several,
)
from belated.study.files import to_dataframe
from belated.study.foreign import NAMES, in_our_words, unknown_attribute
from belated.study.insight import Explanation
from belated.study.running import Objective, Ran, Retries, run, terms_of
from belated.study.saying import say

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from pandas import DataFrame


class RemoteStudy:
    """One optimisation that a service looks after."""

    # Beginning.

    def __init__(self, connection: Connection, name: str) -> None:
        """A study of a service; `open` and `create` are the usual ways to one."""
        self._place = Place(connection, name)
        self._copy = LogCopy(connection, name)

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
        or_open: bool = False,
        token: str | None = None,
    ) -> RemoteStudy:
        """A new study of the service at an address; with `or_open`, the one of that name if it is there.

        Without a `token`, the one in the environment variable BELATED_TOKEN is taken.
        """
        call = f"RemoteStudy.create({name!r})"
        connection = Connection(url, token)
        check_name(call, name)
        created = creation(call, space, policy, goal, seed, context)
        body = {
            "name": name,
            "space": created.space,
            "context": created.context,
            "goal": created.goal,
            "policy": created.policy,
            "seed": None if seed is None else created.seed,
            "or_open": bool(or_open),
        }
        connection.send("POST", "studies", body=body, repeatable=bool(or_open))
        return RemoteStudy(connection, name)

    @staticmethod
    def open(url: str, name: str, *, token: str | None = None) -> RemoteStudy:
        """The study of that name that the service at an address looks after.

        Without a `token`, the one in the environment variable BELATED_TOKEN is taken. One that does not allow to read
        opens the study unseen: what else it does not allow is refused when it is tried.
        """
        check_name(f"RemoteStudy.open({name!r})", name)
        study = RemoteStudy(Connection(url, token), name)
        study._place.look()
        return study

    @staticmethod
    def names(url: str, *, token: str | None = None) -> list[str]:
        """The names of the studies that the token opens, in the order of their creation."""
        return [study["name"] for study in Connection(url, token).get("studies")["studies"]]

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
        again: one that died takes up where it was. Without either, the ask gets a key of its own, so that it can be
        sent again when the response was lost. What the study notices with it is said as a BelatedWarning.
        """
        given = self._place.asked_in("ask()", context)
        for name, label in (("key", key), ("worker", worker)):
            as_label("ask", name, label)
        if count is not None:
            require_count("ask", "count", count)
        own = f"remote-{secrets.token_hex(16)}" if key is None and worker is None else key
        body = {"count": 1 if count is None else int(count), "context": given, "key": own, "worker": worker}
        try:
            asked = self._place.send("POST", "asks", body=body, repeatable=True)
        except StorageError as trouble:
            if own is None or own == key:
                raise
            raise StorageError(f"{trouble} If a query was asked all the same, ask(key={own!r}) gives it.") from None
        say(asked.get("notices", ()))
        if asked["balk"] is not None:
            return Balk(asked["balk"]["reason"])
        queries = [query_of(query) for query in asked["queries"]]
        return queries[0] if count is None else queries

    # Telling.

    def tell(self, query: int | Query, value: float | None = None, *, context: Mapping[str, Any] | None = None) -> None:
        """The answer to a query, or the context that was seen after it was asked, or both, in any order.

        Told again, the same changes nothing. An answer without its context, where one is seen after the decision, is
        kept, and counts once the context is told.
        """
        given = self._place.seen_after("tell()", context)
        number = self._place.identifier("tell", query)
        body = {"value": _value("tell", number, value), "context": given}
        self._place.send("PUT", "queries", number, "answer", body=body, repeatable=True)

    def tell_many(self, answers: Mapping[int, float] | Iterable[tuple[Any, ...]]) -> None:
        """Many answers at once, as {query: value}, or as (query, value) or (query, value, context).

        All of them are taken, or, if one is refused, none.
        """
        rows: list[dict[str, Any]] = []
        for query, value, context in as_answers(answers):
            seen = self._place.seen_after("tell_many()", context)
            number = self._place.identifier("tell_many", query)
            rows.append({"query": number, "value": _value("tell_many", number, value), "context": seen})
        if rows:
            self._place.send("POST", "answers", body={"answers": rows}, repeatable=True)

    def revise(self, query: int | Query, value: float) -> None:
        """A better value for a query that was answered; the first one stays in the log."""
        number = self._place.identifier("revise", query)
        body = {"value": finite(f"revise(query={number})", value)}
        self._place.send("POST", "queries", number, "revisions", body=body, repeatable=False)

    def abandon(self, query: int | Query, reason: str = "") -> None:
        """No answer will come: the query counts as if it had never been asked. Again: nothing happens."""
        number = self._place.identifier("abandon", query)
        body = {"reason": as_text(f"abandon(query={number})", reason)}
        self._place.send("PUT", "queries", number, "abandonment", body=body, repeatable=True)

    def add(self, point: Mapping[str, Any], value: float, *, context: Mapping[str, Any] | None = None) -> Query:
        """Data that was never asked."""
        return self._add("add()", [(point, value, context)])[0]

    def add_many(self, rows: Iterable[tuple[Any, ...]]) -> list[Query]:
        """Data that were never asked, as (point, value) or (point, value, context): all of them are taken, or none."""
        given = as_rows(rows)
        return self._add("add_many()", given) if given else []

    def _add(self, call: str, rows: Sequence[tuple[Any, ...]]) -> list[Query]:
        known = self._place.known()
        data: list[dict[str, Any]] = []
        for point, value, context in rows:
            kept, seen = sendable(point), sendable(context)
            if known is not None:
                kept = dict(known.domain.read(point, call=call))
                seen = known_context(call, known.context, context)
            data.append({"point": kept, "value": finite(call, value), "context": seen})
        added = self._place.send("POST", "data", body={"data": data}, repeatable=False)
        return [query_of(query) for query in added["queries"]]

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
        """Evaluate an objective here at what is asked, as many queries at once as workers and pacing allow.

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
        body: dict[str, Any] = {}
        if policy is not None or window is not None:
            chosen = self.recipe if policy is None else as_policy("change()", policy)
            chosen = chosen if window is None else with_window(chosen, window)
            body["policy"] = chosen.to_json()
        if seed is not None:
            body["seed"] = as_seed("change()", seed)
        self._place.send("PATCH", body=body, repeatable=False)

    def close(self, reason: str = "") -> None:
        """Ask no further query; answers are still welcome. Again: nothing happens."""
        self._place.send("PUT", "closure", body={"reason": as_text("close()", reason)}, repeatable=True)

    def reopen(self, reason: str = "") -> None:
        """Ask again after a close. Again: nothing happens."""
        why = {"reason": as_text("reopen()", reason)}
        self._place.send("DELETE", "closure", parameters=why, repeatable=True)

    # Reading.

    @property
    def name(self) -> str:
        """What the study is called in its service."""
        return self._place.name

    @property
    def space(self) -> Space | Candidates:
        """The set that is searched."""
        return self._place.fixed().domain

    @property
    def context(self) -> Context | None:
        """What else the answers depend on."""
        return self._place.fixed().context

    @property
    def goal(self) -> Goal:
        """Whether large or small values are good."""
        return self._place.fixed().goal

    @property
    def recipe(self) -> Recipe:
        """The policy by its name and parameters."""
        return from_json(self._place.standing()["policy"])

    @property
    def policy(self) -> Policy:
        """The parts that decide now."""
        recipe = self.recipe
        if isinstance(recipe.composition, Policy):
            return recipe.composition
        return recipe.compose(Evidence.of(self._copy.record()), self.now())

    @property
    def settings(self) -> Settings:
        """The policy's recipe, the seed, and whether the study is closed, as they are now."""
        found = self._place.standing()
        noticed = {notice["kind"]: notice["at"] for notice in found.get("notices", ())}
        return Settings(found["policy"], found["seed"], found["closed"], self._place.first().at, noticed)

    @property
    def seed(self) -> int:
        """What the randomness of decisions is drawn from now."""
        return int(self._place.standing()["seed"])

    @property
    def closed(self) -> str | None:
        """Why the study is closed; None while it asks."""
        reason: str | None = self._place.standing()["closed"]
        return reason

    @property
    def events(self) -> tuple[Event, ...]:
        """The log: everything that ever happened, in order."""
        return self._copy.events()

    def since(self, number: int, most: int | None = None) -> tuple[Event, ...]:
        """The events after the one with that number, in order; with `most`, the first so many of them."""
        require_count("since", "number", number, least=0, most=LARGEST_COUNT)
        if most is not None:
            require_count("since", "most", most)
        return self._copy.events(after=int(number))[:most]

    def now(self) -> float:
        """The time by the clock of this machine, in seconds."""
        return time.time()

    def record(self) -> Record:
        """All that the log says now of queries, counts and settings, with overdue queries marked."""
        record = self._copy.record()
        assert record.settings.policy is not None, "a log begins with its creation"
        now = self.now()
        return record.at(now, from_json(record.settings.policy).compose(Evidence.of(record), now).window)

    def queries(self) -> Sequence[Query]:
        """Every query and every added point as it stands now, in the order of their identifiers."""
        return self.record().queries

    def to_dataframe(self) -> DataFrame:
        """One row for every query and every added point; needs pandas."""
        return to_dataframe(self.record())

    def pending(self) -> list[Query]:
        """The queries that wait for an answer, overdue ones included; does not read the rest of the log."""
        return [query_of(query) for query in self._place.get("pending")["queries"]]

    def delays(self) -> Delays:
        """How long answers take, from those that came and those that are waited for; it is computed here."""
        return self._copy.study().delays()

    def explain(self) -> Explanation:
        """What the study sees, what decides now, and why, in plain words; it is computed here."""
        return self._copy.study().explain()

    def notices(self) -> list[Notice]:
        """What the study has noticed and warned of, once each, in that order."""
        return [notice_of(notice) for notice in self._place.standing().get("notices", ())]

    def best(self) -> Best:
        """The best answer so far; of equals, the first."""
        return best_of(self._place.get("best"))

    def recommend(self, *, context: Mapping[str, Any] | None = None) -> Recommendation:
        """The point with the highest posterior mean, and what the belief from all answers expects there."""
        given = self._place.asked_in("recommend()", context)
        return recommendation_of(
            self._place.get("recommendation", context=None if given is None else json.dumps(given))
        )

    def expect(
        self, points: Sequence[Mapping[str, Any]], *, context: Mapping[str, Any] | None = None
    ) -> tuple[Array, Array]:
        """The mean and the deviation of the belief from all answers at these points, without noise. (n,), (n,)"""
        given = self._place.asked_in("expect()", context)
        known = self._place.known()
        rows = [
            sendable(point) if known is None else dict(known.domain.read(point, call="expect()"))
            for point in several("expect()", points)
        ]
        if not rows:
            return np.empty(0), np.empty(0)
        found = self._place.send("POST", "expectations", body={"points": rows, "context": given}, repeatable=True)
        return np.array(found["mean"]), np.array(found["deviation"])

    def plot(self, kind: str = "progress", **options: Any) -> Any:
        """A Plotly figure of the study: progress, timeline, waits, belief, weights or pairs; it is drawn here."""
        return figures.draw(self._copy.study(), kind, **options)

    def __repr__(self) -> str:
        found = self._place.standing()
        counts = "".join(f", {what}={count}" for what, count in found["counts"].items() if count)
        policy = found["policy"]["name"]
        return f"RemoteStudy({self.name!r} at {self._place.url}, {found['goal']}, policy={policy!r}{counts})"

    def _repr_html_(self) -> str:
        from belated.study.insight import study_card

        return study_card(cast(Any, self))

    if not TYPE_CHECKING:  # else any name would do

        def __getattr__(self, name: str) -> Any:
            raise unknown_attribute("RemoteStudy", name, NAMES)


def _value(call: str, query: int, value: float | None) -> float | None:
    return None if value is None else finite(f"{call}(query={query})", value)
