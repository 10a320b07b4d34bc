"""One body for every error, whatever raised it: {"error": {"kind", "message", "details"?}, "request"}."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from belated.errors import AccessError, BelatedError, RateError, StorageError

logger = logging.getLogger("belated.service")
MOST_DETAILS = 20


class Json(Response):
    """JSON in ASCII, in which any text survives, even half of a surrogate pair."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The text, without spaces."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()


def kind_of(error: type[BelatedError]) -> str:
    """UnknownStudyError is unknown-study."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", error.__name__.removesuffix("Error")).lower()


def refusal(
    status: int,
    kind: str,
    message: str,
    request: str,
    details: list[dict[str, str]] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Json:
    """The response to what is refused or has failed."""
    error: dict[str, Any] = {"kind": kind, "message": message}
    if details:
        error["details"] = details
    return Json({"error": error, "request": request}, status, headers=dict(headers or {}))


def of_error(error: BelatedError, request: str) -> Json:
    """The response to an error of ours."""
    headers = {"WWW-Authenticate": "Bearer"} if isinstance(error, AccessError) else {}
    if isinstance(error, RateError | StorageError):
        headers["Retry-After"] = "1"
    return refusal(error.status, kind_of(type(error)), str(error), request, headers=headers)


def install(app: FastAPI) -> None:
    """Let every error of the app have this body."""

    @app.exception_handler(BelatedError)
    async def ours(request: Request, error: BelatedError) -> Json:
        if error.status >= 500:
            logger.error("%s", error)
        return of_error(error, number_of(request))

    @app.exception_handler(RequestValidationError)
    async def misshapen(request: Request, error: RequestValidationError) -> Json:
        found = [
            {"where": ".".join(map(str, entry["loc"])), "what": entry["msg"]} for entry in error.errors()[:MOST_DETAILS]
        ]
        first = f"{found[0]['where']}: {found[0]['what']}" if found else "it cannot be read"
        message = f"service: the request is not as the description has it ({first}); see /docs for its form."
        return refusal(HTTPStatus.UNPROCESSABLE_ENTITY, "request", message, number_of(request), found)

    @app.exception_handler(HTTPException)
    async def unrouted(request: Request, error: HTTPException) -> Json:
        kinds = {404: "unknown-route", 405: "method"}
        message = f"service: {request.method} {request.url.path}: {error.detail}; see /docs for the routes."
        kind = kinds.get(error.status_code, "request")
        return refusal(error.status_code, kind, message, number_of(request), headers=error.headers)

    @app.exception_handler(Exception)
    async def unforeseen(request: Request, error: Exception) -> Json:
        logger.exception("unforeseen", exc_info=error)
        message = "service: something went wrong inside; nothing was acknowledged; the log of the service says more."
        return refusal(500, "internal", message, number_of(request))


def number_of(request: Request) -> str:
    """The number by which the logs know this request."""
    return str(request.scope.get("belated.request", ""))
