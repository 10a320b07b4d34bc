"""Asking, and all that is told of queries: answers, revisions, abandonments, and data that was never asked."""

from __future__ import annotations

import time
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Request

from belated.errors import SizeError
from belated.log import Balk
from belated.service.bodies import (
    AddedView,
    AnswerGiven,
    AnswersGiven,
    AskedView,
    AskGiven,
    DataGiven,
    Label,
    ReasonGiven,
    RevisionGiven,
    TakenView,
)
from belated.service.hints import retry_after
from belated.service.needs import Asking, Telling
from belated.service.service import service_of
from belated.study.shapes import of_query

router = APIRouter(prefix="/v1/studies/{study}", tags=["queries"])
# A database counts in 32 bits.
QueryId = Annotated[int, Path(ge=1, lt=2**31)]


@router.post("/asks", response_model=AskedView)
async def ask(
    request: Request,
    study: str,
    given: AskGiven,
    caller: Asking,
    idempotency_key: Annotated[Label | None, Header(description="The same as `key`.")] = None,
) -> Any:
    """What to try next.

    Where the policy would rather wait, there is no query but a balk: why, and in how many seconds to come back.
    """
    service = service_of(request)
    most = service.settings.limits.queries
    if given.count > most:
        raise SizeError(f"ask(count={given.count}): a request may ask for {most} queries; ask several times.")

    def work() -> dict[str, Any]:
        opened = service.study(study, caller)
        began = time.perf_counter()
        asked = opened.ask(given.count, context=given.context, key=given.key or idempotency_key, worker=given.worker)
        service.metrics.ask_seconds.labels(study).observe(time.perf_counter() - began)
        if isinstance(asked, Balk):
            service.metrics.balks.labels(study).inc()
            return {"queries": [], "balk": {"reason": asked.reason, "retry_after": retry_after(opened)}}
        service.metrics.asks.labels(study).inc(len(asked))
        return {"queries": [of_query(query) for query in asked], "balk": None}

    return await service.slowly(work)


@router.put("/queries/{query}/answer", response_model=TakenView)
async def answer(request: Request, study: str, query: QueryId, given: AnswerGiven, caller: Telling) -> Any:
    """The answer to a query, or its context, or both. Told again, the same changes nothing."""
    service = service_of(request)
    await service.quickly(lambda: service.study(study, caller).tell(query, given.value, context=given.context))
    service.metrics.tells.labels(study).inc()
    return {"taken": 1}


@router.post("/answers", response_model=TakenView)
async def answer_many(request: Request, study: str, given: AnswersGiven, caller: Telling) -> Any:
    """Many answers: all of them are taken, or, if one is refused, none."""
    service = service_of(request)
    check_batch(len(given.answers), service.settings.limits.answers)
    rows = [(entry.query, entry.value, entry.context) for entry in given.answers]
    await service.quickly(lambda: service.study(study, caller).tell_many(rows))
    service.metrics.tells.labels(study).inc(len(rows))
    return {"taken": len(rows)}


@router.post("/queries/{query}/revisions", response_model=TakenView)
async def revise(request: Request, study: str, query: QueryId, given: RevisionGiven, caller: Telling) -> Any:
    """A better value for a query that was answered; the first one stays in the log."""
    service = service_of(request)
    await service.quickly(lambda: service.study(study, caller).revise(query, given.value))
    return {"taken": 1}


@router.put("/queries/{query}/abandonment", response_model=TakenView)
async def abandon(request: Request, study: str, query: QueryId, given: ReasonGiven, caller: Telling) -> Any:
    """No answer will come: the query counts as if it had never been asked. Again: nothing happens."""
    service = service_of(request)
    await service.quickly(lambda: service.study(study, caller).abandon(query, given.reason))
    return {"taken": 1}


@router.post("/data", response_model=AddedView, status_code=201)
async def add(request: Request, study: str, given: DataGiven, caller: Telling) -> Any:
    """Data that was never asked: all of it is taken, or none."""
    service = service_of(request)
    check_batch(len(given.data), service.settings.limits.answers)
    rows = [(entry.point, entry.value, entry.context) for entry in given.data]
    added = await service.quickly(lambda: service.study(study, caller).add_many(rows))
    return {"queries": [of_query(query) for query in added]}


def check_batch(count: int, most: int) -> None:
    """Refuse more than a request may carry."""
    if count > most:
        raise SizeError(f"service: got {count} rows, and a request may carry {most}; send several requests.")
