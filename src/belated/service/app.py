"""The service as an ASGI application."""

from __future__ import annotations

from functools import cache
from typing import Any

from fastapi import APIRouter, FastAPI

import belated
from belated.service.dashboard import nowhere
from belated.service.dashboard import router as dashboard
from belated.service.followers import Followers
from belated.service.http import refusals
from belated.service.http.middleware import Surrounding
from belated.service.http.responses import RefusalView
from belated.service.http.routes import health, live, queries, reading, studies
from belated.service.service import Service
from belated.service.settings import ServiceSettings

ABOUT = """
Bayesian optimization for answers that come late: ask what to try next, tell the outcome when it arrives.

A study has a space, a goal and a policy. `POST /v1/studies/{study}/asks` gives queries, each with a number and a point;
`PUT /v1/studies/{study}/queries/{query}/answer` takes the answer, from any system, at any time, in any order. The same
answer twice, or an ask with the same key, changes nothing, so that whatever failed can be tried again.
"""
REFUSALS: dict[int | str, dict[str, Any]] = {
    401: {"model": RefusalView, "description": "No token, or one that opens nothing."},
    403: {"model": RefusalView, "description": "The token does not allow this."},
    404: {"model": RefusalView, "description": "There is no such study, query or name."},
    408: {"model": RefusalView, "description": "The body came too slowly."},
    409: {"model": RefusalView, "description": "The log says otherwise."},
    413: {"model": RefusalView, "description": "More at once than the service takes."},
    422: {"model": RefusalView, "description": "The request is not as it should be."},
    429: {"model": RefusalView, "description": "More often than the service answers."},
    500: {"model": RefusalView, "description": "Something went wrong inside, or the storage is damaged."},
    501: {"model": RefusalView, "description": "The service lacks a package that this needs."},
    503: {"model": RefusalView, "description": "The storage cannot be reached."},
}
# Of routes that no study, no name and no body leads to.
FEW: dict[int | str, dict[str, Any]] = {status: REFUSALS[status] for status in (401, 403, 429, 500, 503)}


def create_app(settings: ServiceSettings) -> FastAPI:
    """The application that serves a storage."""
    service = Service(settings)
    app = FastAPI(
        title="Belated",
        version=belated.__version__,
        description=ABOUT,
        docs_url=None,
        redoc_url=None,
        openapi_url="/v1/openapi.json",
        redirect_slashes=False,
    )
    app.state.service = service
    app.state.followers = Followers(service)
    refusals.install(app, nowhere)
    app.router.routes.extend(all_routes().routes)
    if settings.agents:
        from belated.service.agents import open_to_agents  # the package mcp is for them alone

        open_to_agents(app, service)
    app.add_middleware(Surrounding, limit=settings.limits.body, metrics=service.metrics)
    return app


@cache
def all_routes() -> APIRouter:
    """The routes of every application of this process: what FastAPI works out of them at the first request is kept."""
    routes = APIRouter()
    for part in (studies, queries, reading, live):
        routes.include_router(part.router, responses=REFUSALS)
    routes.include_router(health.router, responses=FEW)
    routes.include_router(dashboard)
    return routes
