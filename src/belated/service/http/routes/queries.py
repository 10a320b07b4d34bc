"""Asking, and all that is told of queries: answers, failures, corrections, and data that was never asked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Header, Request

from belated.errors import ParameterError
from belated.service.acts import asked, check_batch, check_count, taken
from belated.service.http.needs import Guarded, MayAsk, MayTell
from belated.service.http.refusals import Json
from belated.service.http.requests import (
    AnswerGiven,
    AnswersGiven,
    AskGiven,
    CorrectedGiven,
    DataGiven,
    EndedGiven,
    Label,
    QueriesGiven,
    QueryId,
    ReasonGiven,
    RetractionGiven,
    RetractionsGiven,
    RevisionGiven,
    StatementsGiven,
    ToldGiven,
    WithdrawnGiven,
)
from belated.service.http.responses import AddedView, AskedView, TakenView
from belated.service.people import Caller
from belated.service.service import service_of
from belated.study import Correction, Ending, Statement, Telling, endings

router = APIRouter(prefix="/v1/studies/{study}", tags=["queries"], route_class=Guarded)


@router.post("/asks", response_model=AskedView, summary="What to try next")
async def ask(
    request: Request,
    study: str,
    given: AskGiven,
    caller: MayAsk,
    idempotency_key: Annotated[Label | None, Header(description="The same as `key`.")] = None,
) -> Json:
    """One query, or many.

    Where the policy would rather wait, there is no query but a balk: why, and in how many seconds to come back.
    """
    service = service_of(request)
    check_count(given.count, service.settings.limits.queries)
    header = None if idempotency_key is None else in_utf_8(idempotency_key)
    if given.key is not None and header not in (None, given.key):
        raise ParameterError(
            f"ask(key={given.key!r}): the header has the key {header!r}; an ask has one key; leave out either."
        )

    key = given.key or header
    found = await service.deciding(lambda: asked(service, caller, study, given, key), caller, study)
    wait = {} if found["balk"] is None else {"Retry-After": str(math.ceil(found["balk"]["retry_after"]))}
    return Json(found, headers=wait)


@router.put("/queries/{query}/answer", response_model=TakenView, summary="The answer to a query")
async def answer(request: Request, study: str, query: QueryId, given: AnswerGiven, caller: MayTell) -> Json:
    """Its value, or the context that was seen, or both. Told again, the same changes nothing."""
    service = service_of(request)
    told = Telling(query, given.value, given.context, caller.name, given.sd, given.point)
    await service.answers.tell(study, told)
    service.metrics.tells.labels(study).inc()
    return Json({"taken": 1})


@router.post("/answers", response_model=TakenView, summary="Many answers")
async def answer_many(request: Request, study: str, given: AnswersGiven, caller: MayTell) -> Json:
    """All of them are taken, or, if one is refused, none. One without a value and a context is passed over."""
    service = service_of(request)
    check_batch(len(given.answers), service.settings.limits.answers)
    rows = [
        Telling(entry.query, entry.value, entry.context, None, entry.sd, entry.point)
        for entry in given.answers
        if entry.value is not None or entry.context is not None or entry.point is not None
    ]
    await service.writing(lambda: service.study(study, caller).tell_many(rows))
    service.metrics.tells.labels(study).inc(len(rows))
    return Json({"taken": len(rows)})


@router.post("/queries/{query}/revisions", response_model=TakenView, summary="A better value")
async def revise(request: Request, study: str, query: QueryId, given: RevisionGiven, caller: MayTell) -> Json:
    """For a query that was answered; the first value stays in the log."""
    return await _taken(request, study, caller, [Correction(query, given.value, given.sd, given.point)])


@router.put("/queries/{query}/failure", response_model=TakenView, summary="It cannot be done")
async def fail(request: Request, study: str, query: QueryId, given: ReasonGiven, caller: MayTell) -> Json:
    """There is no answer because of the point: that teaches where not to ask. Again: nothing happens."""
    return await _taken(request, study, caller, endings(query, "fail", given.reason))


@router.post("/failures", response_model=TakenView, summary="Several cannot be done")
async def fail_many(request: Request, study: str, given: QueriesGiven, caller: MayTell) -> Json:
    """All of them are taken, or, if one is refused, none."""
    return await _taken(request, study, caller, endings(given.queries, "fail", given.reason))


@router.put("/queries/{query}/abandonment", response_model=TakenView, summary="No answer will come")
async def abandon(request: Request, study: str, query: QueryId, given: ReasonGiven, caller: MayTell) -> Json:
    """The query counts as if it had never been asked. Again: nothing happens."""
    return await _taken(request, study, caller, endings(query, "abandon", given.reason))


@router.post("/abandonments", response_model=TakenView, summary="No answer of several will come")
async def abandon_many(request: Request, study: str, given: QueriesGiven, caller: MayTell) -> Json:
    """All of them are taken, or, if one is refused, none."""
    return await _taken(request, study, caller, endings(given.queries, "abandon", given.reason))


@router.put("/queries/{query}/retraction", response_model=TakenView, summary="Take back what came of a query")
async def retract(request: Request, study: str, query: QueryId, given: RetractionGiven, caller: MayTell) -> Json:
    """An outcome, or all answers, a failure, or that it was abandoned; the log keeps what was taken back."""
    return await _taken(request, study, caller, endings(query, "retract", given.reason, given.outcome))


@router.post("/retractions", response_model=TakenView, summary="Take back what came of several")
async def retract_many(request: Request, study: str, given: RetractionsGiven, caller: MayTell) -> Json:
    """All of them are taken back, or, if one is refused, none."""
    return await _taken(request, study, caller, endings(given.queries, "retract", given.reason, given.outcome))


@router.post("/statements", response_model=TakenView, summary="All that a sheet says")
async def take(request: Request, study: str, given: StatementsGiven, caller: MayTell) -> Json:
    """Answers, better values, failures and the like, one after the other; all of them, or, if one is refused, none."""
    statements = [statement_of(each) for each in given.statements]
    reply = await _taken(request, study, caller, statements)
    n_told = sum(isinstance(each, Telling) for each in statements)
    service_of(request).metrics.tells.labels(study).inc(n_told)
    return reply


@router.post("/data", response_model=AddedView, status_code=201, summary="Data that was never asked")
async def add(request: Request, study: str, given: DataGiven, caller: MayTell) -> Json:
    """All of it is taken, or, if a row is refused, none."""
    service = service_of(request)
    check_batch(len(given.data), service.settings.limits.answers)
    rows = [(entry.point, entry.value, entry.context, entry.sd) for entry in given.data]
    added = await service.slowly(lambda: service.study(study, caller).add_many(rows), caller)
    return Json({"queries": [query.to_json() for query in added]}, 201)


def statement_of(given: ToldGiven | CorrectedGiven | EndedGiven | WithdrawnGiven) -> Statement:
    """What one of the statements of a request says."""
    match given:
        case ToldGiven():
            return Telling(given.query, given.value, given.context, None, given.sd, given.point)
        case CorrectedGiven():
            return Correction(given.query, given.value, given.sd, given.point)
        case EndedGiven():
            return Ending(given.query, given.say, given.reason)
        case WithdrawnGiven():
            return Ending(given.query, given.say, given.reason, given.outcome)


async def _taken(request: Request, study: str, caller: Caller, statements: Sequence[Statement]) -> Json:
    """How many were taken, once all of them are."""
    return Json(await taken(service_of(request), caller, study, statements))


def in_utf_8(header: str) -> str:
    """A header as programs mean it; the standard's Latin-1, by which it was read, where it is no UTF-8."""
    try:
        return header.encode("latin-1").decode()
    except UnicodeError:
        return header
