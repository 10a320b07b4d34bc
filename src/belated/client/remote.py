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
from typing import Any, final

import numpy as np

from belated.client.connection import HttpConnection
from belated.client.keeping import delete, names, rename
from belated.client.log_copy import LogCopy
from belated.client.sent_statements import corrected, may_be_sent_again, said, say, told
from belated.client.served_study import ServedStudy
from belated.client.shapes import best_of, notice_of, query_of, recommendation_of, sendable, sendable_answer
from belated.delays import Delays
from belated.errors import StorageError
from belated.evidence import Evidence
from belated.log import (
    Balk,
    Event,
    GivenSilence,
    GivenWindow,
    Goal,
    Outcome,
    Outcomes,
    Query,
    QueryStanding,
    Record,
    Seek,
    Settings,
)
from belated.policies import Policy, Recipe, from_json, with_window
from belated.space import Array, Candidates, Context, Space
from belated.storage import check_name
from belated.study import DEFAULT_POLICY, Best, Notice, Recommendation, figures
from belated.study.any_study import AnyStudy
from belated.study.arguments import (
    Datum,
    added_measurements,
    as_policy,
    as_seed,
    as_seek,
    as_silence,
    as_text,
    check_change,
    known_context,
    known_outcome,
    several,
    told_apart,
)
from belated.study.creation import creation
from belated.study.insight import Explanation
from belated.study.other_libraries import in_our_words
from belated.study.results import Reply
from belated.study.statements import Correction, Statement, Telling, as_tellings
from belated.study.taking import Verdict


@final
class RemoteStudy(AnyStudy):
    """One optimisation that a service looks after."""

    # Beginning.

    def __init__(self, connection: HttpConnection, name: str) -> None:
        """A study of a service; `open` and `create` are the usual ways to one."""
        self._place = ServedStudy(connection, name)
        self._copy = LogCopy(connection, name)

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
        or_open: bool = False,
        token: str | None = None,
    ) -> RemoteStudy:
        """A new study of the service at an address; with `or_open`, the one of that name if it is there.

        Without a `token`, the one in the environment variable BELATED_TOKEN is taken.
        """
        call = f"RemoteStudy.create({name!r})"
        connection = HttpConnection(url, token)
        check_name(call, name)
        created = creation(call, space, policy, goal, seed, context, outcomes, silence, seek)
        body = {
            "name": name,
            "space": created.space,
            "context": created.context,
            "goal": created.goal,
            "outcomes": created.outcomes,
            "policy": created.policy,
            "seed": None if seed is None else created.seed,
            "seek": created.seek,
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
        study = RemoteStudy(HttpConnection(url, token), name)
        study._place.look()
        return study

    @staticmethod
    def copy(url: str, name: str, new: str, *, token: str | None = None) -> RemoteStudy:
        """A copy of a study under another name, event for event, which goes its own way from there."""
        call = f"RemoteStudy.copy({name!r})"
        connection, body = HttpConnection(url, token), {"name": check_name(call, new)}
        connection.send("POST", "studies", check_name(call, name), "copies", body=body, repeatable=False)
        return RemoteStudy(connection, new)

    names = staticmethod(names)
    rename = staticmethod(rename)
    delete = staticmethod(delete)

    # Asking.

    def _ask(self, count: int, context: Mapping[str, Any] | None, key: str | None, worker: str | None) -> Reply:
        """The next queries or a balk, and what was noticed with them.

        Without key and worker, the ask gets a key of its own, so that it can be sent again if the response was lost.
        """
        given = self._place.asked_in("ask()", context)
        own = f"remote-{secrets.token_hex(16)}" if key is None and worker is None else key
        body = {"count": count, "context": given, "key": own, "worker": worker}
        try:
            asked = self._place.send("POST", "asks", body=body, repeatable=True)
        except StorageError as trouble:
            if own is None or own == key:
                raise
            raise StorageError(f"{trouble} If a query was asked all the same, ask(key={own!r}) gives it.") from None
        noticed = list(asked.get("notices", ()))
        if asked["balk"] is not None:
            return Reply(Balk(asked["balk"]["reason"]), noticed)
        return Reply([query_of(query) for query in asked["queries"]], noticed)

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
        number, body = told(self._place, "tell", Telling(query, value, context, None, sd, point))
        self._place.send("PUT", "queries", number, "answer", body=body, repeatable=True)

    def tell_many(self, answers: Mapping[int, Any] | Iterable[tuple[Any, ...] | Telling]) -> None:
        given = [told(self._place, "tell_many", each) for each in as_tellings(answers)]
        rows = [{"query": number, **body} for number, body in given]
        if rows:
            self._place.send("POST", "answers", body={"answers": rows}, repeatable=True)

    def revise(
        self, query: int | Query, value: Any = None, *, sd: Any = None, point: Mapping[str, Any] | None = None
    ) -> None:
        number, body = corrected(self._place, Correction(query, value, sd, point))
        self._place.send("POST", "queries", number, "revisions", body=body, repeatable=False)

    def fail(self, query: int | Query | Iterable[int | Query], reason: str = "") -> None:
        say(self._place, "fail", "failure", query, reason)

    def abandon(self, query: int | Query | Iterable[int | Query], reason: str = "") -> None:
        say(self._place, "abandon", "abandonment", query, reason)

    def retract(
        self, query: int | Query | Iterable[int | Query], reason: str = "", *, outcome: str | None = None
    ) -> None:
        say(self._place, "retract", "retraction", query, reason, outcome)

    def take(self, statements: Sequence[Statement]) -> None:
        rows = [said(self._place, statement) for statement in statements]
        if rows:
            harmless = all(map(may_be_sent_again, statements))
            self._place.send("POST", "statements", body={"statements": rows}, repeatable=harmless)

    def preview(self, statements: Sequence[Statement]) -> list[Verdict]:
        """What would come of each of these, after those before it; it is judged here."""
        return self._copy.study().preview(statements)

    def standings(self, queries: Iterable[int]) -> Mapping[int, QueryStanding]:
        return self._copy.study().standings(queries)

    def _add(self, call: str, rows: Sequence[Datum]) -> list[Query]:
        known = self._place.known()
        data: list[dict[str, Any]] = []
        for point, value, context, sd in rows:
            kept, seen = sendable(point), sendable(context)
            if known is not None:
                kept = dict(known.domain.read(point, call=call))
                seen = known_context(call, known.context, context)
                added_measurements(call, known.outcomes, value, sd)
            answer, errors = told_apart(value, sd)
            error = {} if errors is None else {"sd": sendable_answer(call, errors)}
            data.append({"point": kept, "value": sendable_answer(call, answer), "context": seen, **error})
        added = self._place.send("POST", "data", body={"data": data}, repeatable=False)
        return [query_of(query) for query in added["queries"]]

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
        check_change(policy, window, seed, silence, seek)
        body: dict[str, Any] = {}
        if policy is not None or window is not None:
            chosen = self.recipe if policy is None else as_policy("change()", policy)
            chosen = chosen if window is None else with_window(chosen, window)
            body["policy"] = chosen.to_json()
        if seed is not None:
            body["seed"] = as_seed("change()", seed)
        if silence is not None:
            meant = as_silence("change()", silence)
            body["silence"] = "nothing" if meant is None else meant
        if seek is not None:
            body["seek"] = as_seek("change()", seek)
        self._place.send("PATCH", body=body, repeatable=False)

    def close(self, reason: str = "") -> None:
        self._place.send("PUT", "closure", body={"reason": as_text("close()", reason)}, repeatable=True)

    def reopen(self, reason: str = "") -> None:
        why = {"reason": as_text("reopen()", reason)}
        self._place.send("DELETE", "closure", parameters=why, repeatable=True)

    def archive(self, reason: str = "") -> None:
        self._place.send("PUT", "archive", body={"reason": as_text("archive()", reason)}, repeatable=True)

    def unarchive(self, reason: str = "") -> None:
        why = {"reason": as_text("unarchive()", reason)}
        self._place.send("DELETE", "archive", parameters=why, repeatable=True)

    # Reading.

    @property
    def name(self) -> str:
        return self._place.name

    @property
    def space(self) -> Space | Candidates:
        return self._place.fixed().domain

    @property
    def context(self) -> Context | None:
        return self._place.fixed().context

    @property
    def outcomes(self) -> Outcomes:
        return Outcomes.from_json(self._place.standing()["outcomes"])

    @property
    def recipe(self) -> Recipe:
        return from_json(self._place.standing()["policy"])

    @property
    def policy(self) -> Policy:
        settings = self.settings
        recipe = from_json(settings.policy or {})
        if isinstance(recipe.composition, Policy) and settings.outcomes.silence is None:
            return recipe.composition
        return recipe.compose(Evidence.of(self._copy.record()), self.now())

    @property
    def settings(self) -> Settings:
        found = self._place.standing()
        noticed = {notice["kind"]: notice["at"] for notice in found.get("notices", ())}
        began_at, archived = self._place.first().at, found["archived"]
        outcomes = Outcomes.from_json(found["outcomes"])
        return Settings(
            found["policy"],
            found["seed"],
            found["closed"],
            began_at,
            noticed,
            archived=archived,
            outcomes=outcomes,
            seek=found["seek"],
        )

    @property
    def seed(self) -> int:
        return int(self._place.standing()["seed"])

    @property
    def seek(self) -> Seek:
        return self.settings.seek

    @property
    def closed(self) -> str | None:
        reason: str | None = self._place.standing()["closed"]
        return reason

    @property
    def archived(self) -> str | None:
        reason: str | None = self._place.standing()["archived"]
        return reason

    @property
    def events(self) -> tuple[Event, ...]:
        return self._copy.events()

    def _since(self, number: int, most: int | None) -> tuple[Event, ...]:
        return self._copy.events(after=number)[:most]

    def now(self) -> float:
        """The time by the clock of this machine, in seconds."""
        return time.time()

    def record(self) -> Record:
        record = self._copy.record()
        assert record.settings.policy is not None, "a log begins with its creation"
        now = self.now()
        return record.at(now, from_json(record.settings.policy).compose(Evidence.of(record), now).window)

    def evidence(self) -> Evidence:
        return Evidence.of(self._copy.record())

    def pending(self) -> list[Query]:
        """The queries that wait for an answer, overdue ones included; does not read the rest of the log."""
        return [query_of(query) for query in self._place.get("pending")["queries"]]

    def delays(self, outcome: str | None = None) -> Delays:
        """How long answers take, or one outcome, from those that came and are waited for; it is computed here."""
        return self._copy.study().delays(outcome)

    def explain(self) -> Explanation:
        """What the study sees, what decides now, and why, in plain words; it is computed here."""
        return self._copy.study().explain()

    def notices(self) -> list[Notice]:
        return [notice_of(notice) for notice in self._place.standing().get("notices", ())]

    def best(self) -> Best:
        return best_of(self._place.get("best"))

    def recommend(self, *, context: Mapping[str, Any] | None = None) -> Recommendation:
        given = self._place.asked_in("recommend()", context)
        return recommendation_of(
            self._place.get("recommendation", context=None if given is None else json.dumps(given))
        )

    def expect(
        self,
        points: Sequence[Mapping[str, Any]],
        *,
        outcome: str | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> tuple[Array, Array]:
        given = self._place.asked_in("expect()", context)
        known = self._place.known()
        if known is not None:
            known_outcome("expect()", known.outcomes, outcome)
        rows = [
            sendable(point) if known is None else dict(known.domain.read(point, call="expect()"))
            for point in several("expect()", points)
        ]
        if not rows:
            return np.empty(0), np.empty(0)
        body = {"points": rows, "context": given, **({} if outcome is None else {"outcome": outcome})}
        found = self._place.send("POST", "expectations", body=body, repeatable=True)
        return np.array(found["mean"]), np.array(found["deviation"])

    def plot(self, kind: str = "progress", **options: Any) -> Any:
        return figures.draw(self._copy.study(), kind, **options)

    def __repr__(self) -> str:
        found = self._place.standing()
        counts = "".join(f", {what}={count}" for what, count in found["counts"].items() if count)
        policy = found["policy"]["name"]
        return f"RemoteStudy({self.name!r} at {self._place.url}, {found['goal']}, policy={policy!r}{counts})"
