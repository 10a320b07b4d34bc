"""Reading a study: its queries, its log, its best answer, and what its belief expects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from starlette.responses import Response, StreamingResponse

from belated.errors import ContextError, UnknownQueryError
from belated.log import Event
from belated.service.acts import check_batch, page_of
from belated.service.http.needs import Guarded, MayRead
from belated.service.http.refusals import Json
from belated.service.http.requests import PointsGiven, QueryId
from belated.service.http.responses import (
    BestView,
    DelaysView,
    EventsView,
    ExpectationView,
    ExplanationView,
    FigureView,
    QueriesView,
    QueryView,
    RecommendationView,
)
from belated.service.http.strict_json import read_json
from belated.service.service import service_of

router = APIRouter(prefix="/v1/studies/{study}", tags=["reading"], route_class=Guarded)

# This many lines of an export are sent at once.
LINES = 500
After = Annotated[int, Query(ge=0, lt=2**31, description="The last one that you have.")]
Limit = Annotated[int, Query(ge=1, description="How many at most.")]
OfOutcome = Annotated[str | None, Query(description="Of which outcome; of the main objective if it is left out.")]
ContextAsked = Annotated[
    str | None, Query(description="The context, as a JSON object in a text.", examples=['{"hour": 13.5}'])
]


@router.get("/best", response_model=BestView, summary="The best answer so far")
async def best(request: Request, study: str, caller: MayRead) -> Json:
    """Of equals, the first."""
    service = service_of(request)
    return Json(await service.slowly(lambda: service.study(study, caller).best().to_json(), caller))


@router.get("/recommendation", response_model=RecommendationView, summary="The point to use now")
async def recommend(request: Request, study: str, caller: MayRead, context: ContextAsked = None) -> Json:
    """The one with the best expectation, and what the belief from all answers expects there."""
    service = service_of(request)
    given = _context(context)
    found = await service.deciding(lambda: service.study(study, caller).recommend(context=given), caller, study)
    return Json(found.to_json())


@router.post("/expectations", response_model=ExpectationView, summary="What the belief expects")
async def expect(request: Request, study: str, given: PointsGiven, caller: MayRead) -> Json:
    """The mean and the deviation at some points, without noise."""
    service = service_of(request)
    check_batch(len(given.points), service.settings.limits.answers)

    def work() -> dict[str, list[float]]:
        opened = service.study(study, caller)
        mean, deviation = opened.expect(given.points, outcome=given.outcome, context=given.context)
        return {"mean": mean.tolist(), "deviation": deviation.tolist()}

    return Json(await service.deciding(work, caller, study))


@router.get("/pending", response_model=QueriesView, summary="What is waited for")
async def pending(request: Request, study: str, caller: MayRead) -> Json:
    """Overdue ones included."""
    service = service_of(request)
    found = await service.quickly(lambda: service.study(study, caller).pending())
    return Json({"queries": [query.to_json() for query in found], "next": None})


@router.get("/delays", response_model=DelaysView, summary="How long answers take")
async def delays(request: Request, study: str, caller: MayRead, outcome: OfOutcome = None) -> Json:
    """From the answers that came and those that are waited for."""
    service = service_of(request)
    return Json(await service.slowly(lambda: service.study(study, caller).delays(outcome).to_json(), caller))


@router.get("/explanation", response_model=ExplanationView, summary="What decides, and why")
async def explanation(request: Request, study: str, caller: MayRead) -> Json:
    """What the study sees, what its policy does about it, and why, in words."""
    service = service_of(request)
    found = await service.deciding(lambda: service.study(study, caller).explain().to_json(), caller, study)
    return Json(found)


@router.get("/queries", response_model=QueriesView, summary="Queries and added data, a page at a time")
async def queries(
    request: Request,
    study: str,
    caller: MayRead,
    after: After = 0,
    limit: Limit = 100,
    state: Literal["pending", "overdue", "answered", "abandoned", "failed", "retracted"] | None = None,
) -> Json:
    """In the order of their numbers; of a state, if one is given."""
    service = service_of(request)
    most = min(limit, service.settings.limits.page)

    def work() -> dict[str, Any]:
        found, following = page_of(service.study(study, caller), after, most, state)
        return {"queries": [query.to_json() for query in found], "next": following}

    return Json(await service.slowly(work, caller))


@router.get("/queries/{query}", response_model=QueryView, summary="One query")
async def show_query(request: Request, study: str, query: QueryId, caller: MayRead) -> Json:
    """Or added data, by its number."""
    service = service_of(request)

    def work() -> dict[str, Any]:
        known = service.study(study, caller).queries()
        if query > len(known):
            raise UnknownQueryError(f"service(query={query}): the study has {len(known)} queries; give one of them.")
        return known[query - 1].to_json()

    return Json(await service.slowly(work, caller))


@router.get("/log", response_model=EventsView, summary="Who did what, when")
async def log(request: Request, study: str, caller: MayRead, after: After = 0, limit: Limit = 100) -> Json:
    """The events of the log, a page at a time."""
    service = service_of(request)
    most = min(limit, service.settings.limits.page)

    def work() -> dict[str, Any]:
        events = service.study(study, caller).since(after, most + 1)
        shown = [event.to_json() for event in events[:most]]
        return {"events": shown, "next": shown[-1]["number"] if len(events) > most else None}

    return Json(await service.slowly(work, caller))


@router.get("/figures/{kind}", response_model=FigureView, summary="A figure for plotly")
async def figure(request: Request, study: str, kind: str, caller: MayRead) -> Json:
    """As plotly.js takes it; of any kind that `Study.plot` knows, as progress, timeline, delays or belief."""
    service = service_of(request)

    def work() -> dict[str, Any]:
        drawn: dict[str, Any] = json.loads(service.study(study, caller).plot(kind).to_json())
        return drawn

    return Json(await service.drawing(work, caller, study, kind))


@router.get(
    "/export",
    response_class=Response,
    responses={
        200: {
            "content": {"application/x-ndjson": {"schema": {"type": "string"}}},
            "description": "One event a line, as `belated import` reads it.",
        }
    },
    summary="The whole log",
)
async def export(request: Request, study: str, caller: MayRead) -> Response:
    """One event a line; a study that is restored from it goes on as this one would."""
    service = service_of(request)
    events = await service.slowly(lambda: service.study(study, caller).events, caller)
    # A name may have letters that a header cannot hold.
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(study, safe='')}.jsonl"}
    return StreamingResponse(_lines(events), media_type="application/x-ndjson", headers=headers)


def _lines(events: tuple[Event, ...]) -> Iterator[str]:
    """Some hundred lines at a time."""
    for start in range(0, len(events), LINES):
        part = events[start : start + LINES]
        yield "".join(json.dumps(event.to_json(), allow_nan=False) + "\n" for event in part)


def _context(text: str | None) -> dict[str, Any] | None:
    """A context in the query string; it is JSON, so that numbers and texts are told apart."""
    if text is None:
        return None
    try:
        given = read_json(text.encode())
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise ContextError(f'recommend(context={text!r}): a context is a JSON object, as {{"hour": 13.5}}; give one.')
    return given
