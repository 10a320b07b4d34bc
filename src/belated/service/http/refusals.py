"""One body for every error, whatever raised it: {"error": {"kind", "message", "details"?}, "request"}."""

from __future__ import annotations

import json
import logging
import math
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from belated.errors import AccessError, BelatedError, RateError, StorageError, out_of_memory
from belated.service.http.ways_out import worded
from belated.service.people import HEADER, TooOften

logger = logging.getLogger("belated.service")
DESCRIPTION = "/docs"
MOST_DETAILS = 20
# Messages say what they got, and that may be as long as a body.
LONGEST = 1_000


class Refused(HTTPException):
    """An error of ours while a body is read: FastAPI lets an HTTPException pass, and takes all else for bad JSON."""

    def __init__(self, error: BelatedError) -> None:
        super().__init__(error.status, str(error))
        self.error = error


class Json(Response):
    """JSON in ASCII, in which any text survives."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The text, without spaces."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()


def kind_of(error: type[BelatedError]) -> str:
    """UnknownStudyError is unknown-study, and so is whatever is derived from it."""
    known = next(kind for kind in error.__mro__ if kind.__module__ == BelatedError.__module__)
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", known.__name__.removesuffix("Error")).lower()


def refusal(
    status: int,
    kind: str,
    message: str,
    request: str,
    details: list[dict[str, str]] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Json:
    """The response to what is refused or has failed."""
    error: dict[str, Any] = {"kind": kind, "message": shortened(message)}
    if details:
        error["details"] = details
    return Json({"error": error, "request": request}, status, headers=dict(headers or {}))


def of_error(error: BelatedError, request: str, by_person: bool = False) -> Json:
    """The response to an error of ours; where the storage is, and what ails it, is for the log alone.

    Programs get the words of the library, and a person at the dashboard those that are on its buttons.
    """
    headers = {"WWW-Authenticate": "Bearer"} if isinstance(error, AccessError) else {}
    if isinstance(error, RateError | StorageError):
        wait = error.wait if isinstance(error, TooOften) else 1.0
        headers["Retry-After"] = str(max(1, math.ceil(wait)))
    message = public_message(error) or (error.worded(worded) if by_person else str(error))
    return refusal(error.status, kind_of(type(error)), message, request, headers=headers)


def public_message(error: BelatedError) -> str | None:
    """What callers are told of an error of the storage; None of others, which may say what they say."""
    if isinstance(error, StorageError):
        return (
            "service: the storage cannot be reached or written; what was not acknowledged may not be written; send the "
            "request again: the same answer twice, or an ask with the same key, changes nothing."
        )
    if error.status == HTTPStatus.INTERNAL_SERVER_ERROR:
        return "service: the storage cannot be used as it is; the log of the service says why."
    return None


def of_failure(error: Exception, request: str) -> Json:
    """The response to an unexpected error."""
    logger.exception("unforeseen", exc_info=error, extra={"belated": {"request": request}})
    message = "service: something went wrong inside; nothing was acknowledged; the log of the service says more."
    return refusal(500, "internal", message, request)


def install(app: FastAPI, nowhere: Callable[[Request, int], Awaitable[Response]]) -> None:
    """Give every error of the app this body; a browser that asks for a page that is not there is shown `nowhere`."""

    @app.exception_handler(BelatedError)
    async def ours(request: Request, error: BelatedError) -> Json:
        if error.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            logger.error("%s", error, extra={"belated": {"request": number_of(request)}})
        return of_error(error, number_of(request), by_person=HEADER in request.headers)

    @app.exception_handler(MemoryError)
    async def short_of_memory(request: Request, error: MemoryError) -> Json:
        return await ours(request, out_of_memory("service", error))

    @app.exception_handler(RequestValidationError)
    async def misshapen(request: Request, error: RequestValidationError) -> Json:
        found = [_detail(entry) for entry in error.errors()[:MOST_DETAILS]]
        first = f"{found[0]['where']}: {found[0]['what']}" if found else "it cannot be read"
        message = f"service: the request is not as the description has it ({first}); see {DESCRIPTION} for its form."
        return refusal(HTTPStatus.UNPROCESSABLE_ENTITY, "request", message, number_of(request), found)

    @app.exception_handler(HTTPException)
    async def unrouted(request: Request, error: HTTPException) -> Response:
        if isinstance(error, Refused):
            return of_error(error.error, number_of(request))
        if error.status_code == HTTPStatus.REQUEST_TIMEOUT:
            message = f"service: {error.detail}."
            return refusal(error.status_code, "request", message, number_of(request), headers=error.headers)
        kinds = {404: "unknown-route", 405: "method"}
        message = f"service: {request.method} {request.url.path}: {error.detail}; see {DESCRIPTION} for the routes."
        headers = dict(error.headers or {})
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            headers = {"Allow": ", ".join(sorted(_allowed(request)))}
        if _by_person(request):
            response = await nowhere(request, error.status_code)
            response.headers.update(headers)
            return response
        kind = kinds.get(error.status_code, "request")
        return refusal(error.status_code, kind, message, number_of(request), headers=headers)


def routes_of(routes: Any) -> Iterator[Any]:
    """All routes, those of included routers too, which newer releases of FastAPI keep as they are."""
    for route in routes:
        included = getattr(route, "original_router", None)
        yield from [route] if included is None else routes_of(included.routes)


def number_of(request: Request) -> str:
    """The number by which the logs know this request."""
    return str(request.scope.get("belated.request", ""))


def _by_person(request: Request) -> bool:
    """Whether a browser wants a page: what it fetches for one, and what is under /v1, is for programs."""
    return (
        request.method == "GET"
        and "text/html" in request.headers.get("accept", "")
        and not request.url.path.startswith("/v1/")
    )


def shortened(text: str) -> str:
    """The text, or its beginning."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _allowed(request: Request) -> set[str]:
    """The methods that the path has."""
    methods: set[str] = set()
    for route in routes_of(request.app.routes):
        if getattr(route, "methods", None) and route.matches(request.scope)[0] is not Match.NONE:
            methods |= route.methods
    return methods | {"HEAD"} if "GET" in methods else methods


def _detail(entry: Mapping[str, Any]) -> dict[str, str]:
    reason = entry.get("ctx", {}).get("error") if entry.get("type") == "json_invalid" else None
    what = f"{entry['msg']}: {reason}" if reason else entry["msg"]
    return {"where": shortened(".".join(map(str, entry["loc"]))), "what": shortened(what)}
