"""How an ask is decided and written, while other processes tell, ask and change the study."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from belated.errors import ConflictError, Way
from belated.evidence import Evidence
from belated.log import Asked, Balk, Event, Query, Record, Values
from belated.release import RELEASE
from belated.rules import Played, point_of
from belated.space import Array, Domain
from belated.storage import Log
from belated.study.insight.notices import Ask, notices_due
from belated.study.knowledge import Knowledge
from belated.study.results import Reply


@dataclass(frozen=True)
class Request:
    """An ask: its context, in columns and in the user's values, its key and worker, and who signs it."""

    columns: Array
    context: Values | None
    key: str | None
    worker: str | None
    by: str | None

    def earlier(self, record: Record) -> list[Query]:
        """The queries that an ask with this key has led to, or that this worker has under way."""
        if self.key is not None:
            queries = record.asked_with(self.key)
            for query in queries:
                if not self._alike(record, query):
                    raise ConflictError(
                        f"ask(key={self.key!r}): the key belongs to query {query.id}, asked in the context "
                        f"{query.context!r}; use another key for another context."
                    )
            return queries
        if self.worker is not None:
            return [query for query in record.under_way(self.worker) if self._alike(record, query)]
        return []

    def _alike(self, record: Record, query: Query) -> bool:
        """Whether a query was asked in this context; contexts seen after the decision do not count."""
        after = record.context is not None and record.context.seen == "after"
        return after or query.context == self.context


class NextQuery(NamedTuple):
    """The next query or a balk, and the texts of what the study noticed with it."""

    outcome: Query | Balk
    noticed: list[str]


@dataclass(frozen=True)
class Asking:
    """What answers requests: the study's domain and log, what is known of it, and the clock."""

    domain: Domain
    log: Log
    knowledge: Knowledge
    clock: Callable[[], float]

    def reply(self, request: Request, wanted: int) -> Reply:
        """Up to `wanted` queries or a balk, and what was noticed with them.

        What the request has led to is looked for before every decision, and again after one that came too late: a turn
        may be lost, and another process may have asked with the same key meanwhile.
        """
        queries: dict[int, Query] = {}
        noticed: list[str] = []
        while len(queries) < wanted:
            record = self.knowledge.record()
            new = [query for query in request.earlier(record) if query.id not in queries][: wanted - len(queries)]
            queries |= {query.id: query for query in new}
            if len(queries) == wanted:
                break
            decided = self._decide(request, record)
            if decided is None:
                continue
            if isinstance(decided.outcome, Balk):
                return Reply(list(queries.values()) or decided.outcome, noticed)
            queries[decided.outcome.id] = decided.outcome
            noticed += decided.noticed
        return Reply(list(queries.values()), noticed)

    def _decide(self, request: Request, record: Record) -> NextQuery | None:
        """The next query, written before it is returned, or a balk.

        None if another process has asked or changed the study meanwhile, which the decision must take into account.
        """
        settings, knowledge = record.settings, self.knowledge
        if settings.closed is not None:
            reason = settings.closed or "no reason given"
            way = Way("reopen", (), "reopen() it to go on asking")
            raise ConflictError(f"ask(): the study is closed ({reason}); ", way, ".")
        if settings.archived is not None:
            reason = settings.archived or "no reason given"
            way = Way("unarchive", (), "unarchive() it to go on asking")
            raise ConflictError(f"ask(): the study is in the archive ({reason}); ", way, ".")
        now = self.clock()
        recipe, evidence = knowledge.recipe(settings), Evidence.of(record)
        recipe.require_affordable()
        policy = recipe.compose(evidence, now)
        recipe.check_study("ask()", self.domain, record.context, policy)
        decision = policy.decide(evidence, now, settings.seed, knowledge.memory, request.columns)
        if isinstance(decision.outcome, Balk):
            return NextQuery(decision.outcome, [])
        choice = decision.outcome
        moment = Ask(decision, evidence, now, settings.noticed, recipe.learns_window)
        noticed = notices_due(moment) if knowledge.watchful else []
        point = Values(self.domain.decode(point_of(choice)))
        with self.log.writing() as writer:
            since = writer.events(after=record.n_events)
            if not all(_harmless(event) for event in since):
                return None
            query = writer.last_query() + 1
            after = record.n_events if since else None
            arm = choice.arm if isinstance(choice, Played) else None
            asked = Asked(query, point, request.context, after, request.key, request.worker, arm, RELEASE)
            writer.append([asked, *noticed], now, request.by)
        return NextQuery(knowledge.record().queries[query - 1], [entry.text for entry in noticed])


def _harmless(event: Event) -> bool:
    """Whether it may come between a decision and its writing: the decision does not know of it, and its event says so.

    All that is said of queries may, save that there is another one to wait for.
    """
    effect = event.body.effect
    return effect is not None and effect.waits <= 0
