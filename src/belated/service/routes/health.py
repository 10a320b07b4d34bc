"""Whether the service is alive, whether it can work, and its numbers."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

import belated
from belated.service.needs import Reading
from belated.service.service import service_of

router = APIRouter(tags=["operation"])


@router.get("/health/live")
async def live() -> dict[str, Any]:
    """Whether the process answers."""
    return {"status": "alive", "version": belated.__version__}


@router.get("/health/ready")
async def ready(request: Request) -> dict[str, Any]:
    """Whether the storage can be read; 503 where it cannot."""
    service = service_of(request)
    await service.quickly(service.studies.ready)
    return {"status": "ready"}


@router.get("/metrics", response_class=Response)
async def metrics(request: Request, caller: Reading) -> Response:
    """Numbers for Prometheus."""
    return Response(service_of(request).metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")
