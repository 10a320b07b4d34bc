"""Reading a study: its queries, its log, its best answer, and what its belief expects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response, StreamingResponse

from belated.errors import ContextError, UnknownQueryError
from belated.log import Event
from belated.service.bodies import (
    BestView,
    EventsView,
    ExpectationView,
    PointsGiven,
    QueriesView,
    QueryView,
    RecommendationView,
)
from belated.service.needs import Reading
from belated.service.routes.queries import QueryId, check_batch
from belated.service.service import service_of
from belated.study.shapes import of_best, of_query, of_recommendation

router = APIRouter(prefix="/v1/studies/{study}", tags=["reading"])

After = Annotated[int, Query(ge=0, lt=2**31, description="The last one that you have.")]
Limit = Annotated[int, Query(ge=1, description="How many at most.")]
Context = Annotated[
    str | None, Query(description="The context, as a JSON object in a text.", examples=['{"hour": 13.5}'])
]


@router.get("/best", response_model=BestView)
async def best(request: Request, study: str, caller: Reading) -> Any:
    """The best answer so far; of equals, the first."""
    service = service_of(request)
    return await service.slowly(lambda: of_best(service.study(study, caller).best()))


@router.get("/recommendation", response_model=RecommendationView)
async def recommend(request: Request, study: str, caller: Reading, context: Context = None) -> Any:
    """The point with the best expectation, and what the belief from all answers expects there."""
    service = service_of(request)
    given = _context(context)
    return await service.slowly(lambda: of_recommendation(service.study(study, caller).recommend(context=given)))


@router.post("/expectations", response_model=ExpectationView)
async def expect(request: Request, study: str, given: PointsGiven, caller: Reading) -> Any:
    """The mean and the deviation of the belief at some points, without noise."""
    service = service_of(request)
    check_batch(len(given.points), service.settings.limits.answers)

    def work() -> dict[str, list[float]]:
        mean, deviation = service.study(study, caller).expect(given.points, context=given.context)
        return {"mean": mean.tolist(), "deviation": deviation.tolist()}

    return await service.slowly(work)


@router.get("/pending", response_model=QueriesView)
async def pending(request: Request, study: str, caller: Reading) -> Any:
    """The queries that wait for an answer, overdue ones included."""
    service = service_of(request)
    found = await service.quickly(lambda: service.study(study, caller).pending())
    service.metrics.pending.labels(study).set(len(found))
    service.metrics.overdue.labels(study).set(sum(query.state == "overdue" for query in found))
    return {"queries": [of_query(query) for query in found], "next": None}


@router.get("/queries", response_model=QueriesView)
async def history(
    request: Request,
    study: str,
    caller: Reading,
    after: After = 0,
    limit: Limit = 100,
    state: Literal["pending", "overdue", "answered", "abandoned"] | None = None,
) -> Any:
    """Queries and added data in the order of their numbers, a page at a time."""
    service = service_of(request)
    most = min(limit, service.settings.limits.page)

    def work() -> dict[str, Any]:
        records = service.study(study, caller).history().records
        found: list[Any] = []
        for place in range(after, len(records)):
            if len(found) == most:
                return {"queries": found, "next": found[-1]["id"]}
            query = records[place]
            if state in (None, query.state.value):
                found.append(of_query(query))
        return {"queries": found, "next": None}

    return await service.slowly(work)


@router.get("/queries/{query}", response_model=QueryView)
async def show_query(request: Request, study: str, query: QueryId, caller: Reading) -> Any:
    """One query."""
    service = service_of(request)

    def work() -> dict[str, Any]:
        records = service.study(study, caller).history().records
        if query > len(records):
            raise UnknownQueryError(f"service(query={query}): the study has {len(records)} queries; give one of them.")
        return of_query(records[query - 1])

    return await service.slowly(work)


@router.get("/log", response_model=EventsView)
async def log(request: Request, study: str, caller: Reading, after: After = 0, limit: Limit = 100) -> Any:
    """Who did what, when: the events of the log, a page at a time."""
    service = service_of(request)
    most = min(limit, service.settings.limits.page)

    def work() -> dict[str, Any]:
        events = service.study(study, caller).since(after)
        shown = [event.to_json() for event in events[:most]]
        return {"events": shown, "next": shown[-1]["number"] if len(events) > most else None}

    return await service.slowly(work)


@router.get("/export", response_class=Response, responses={200: {"content": {"application/x-ndjson": {}}}})
async def export(request: Request, study: str, caller: Reading) -> Response:
    """The whole log, one event a line, as `belated import` reads it."""
    service = service_of(request)
    events = await service.slowly(lambda: service.study(study, caller).events)
    headers = {"Content-Disposition": f'attachment; filename="{study}.jsonl"'}
    return StreamingResponse(_lines(events), media_type="application/x-ndjson", headers=headers)


def _lines(events: tuple[Event, ...]) -> Iterator[str]:
    for event in events:
        yield json.dumps(event.to_json(), allow_nan=False) + "\n"


def _context(text: str | None) -> dict[str, Any] | None:
    """A context in the query string; it is JSON, so that numbers and texts are told apart."""
    if text is None:
        return None
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise ContextError(f'recommend(context={text!r}): a context is a JSON object, as {{"hour": 13.5}}.')
    return given
