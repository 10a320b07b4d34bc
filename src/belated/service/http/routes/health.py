"""Whether the service is alive, whether it can work, and its numbers."""

from __future__ import annotations

import logging

from fastapi import APIRouter, Request
from starlette.responses import Response

import belated
from belated.errors import BelatedError, StorageError
from belated.log import State
from belated.service.http.needs import Guarded, MayRead
from belated.service.http.refusals import Json
from belated.service.http.responses import AliveView, ReadyView
from belated.service.service import Service, service_of

router = APIRouter(tags=["operation"], route_class=Guarded)
logger = logging.getLogger("belated.service")


@router.get("/health/live", response_model=AliveView, summary="Whether the process answers")
async def live() -> Json:
    """Needs no token and no storage."""
    return Json({"status": "alive", "version": belated.__version__})


@router.get("/health/ready", response_model=ReadyView, summary="Whether the storage can be read")
async def ready(request: Request) -> Json:
    """Needs no token; 503 where the storage cannot be read."""
    await service_of(request).ready()
    return Json({"status": "ready"})


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}, "description": "The numbers."}},
    summary="Numbers for Prometheus",
)
async def metrics(request: Request, caller: MayRead) -> Response:
    """What the service did since it began, and how many queries of each study wait; not for a token of one study."""
    service = service_of(request)
    text = await service.slowly(lambda: service.metrics.text(waiting(service)), caller)
    return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")


def waiting(service: Service) -> dict[str, tuple[int, int]]:
    """The pending queries of every study, and the overdue ones; a study that cannot be read is left out."""
    counts: dict[str, tuple[int, int]] = {}
    for name in service.studies.names():
        try:
            pending = service.studies.glance(name).pending()
        except StorageError:
            raise
        except BelatedError as error:
            logger.warning("a study cannot be read: %s", error, extra={"belated": {"study": name}})
        else:
            counts[name] = len(pending), sum(query.state is State.OVERDUE for query in pending)
    return counts
