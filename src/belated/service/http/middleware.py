"""What surrounds every request: a number, a limit to its size, a line in the log, and headers that browsers heed."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Iterator
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from belated.service.http.refusals import of_error, of_failure
from belated.service.http.request_body import Incoming
from belated.service.metrics import Metrics

logger = logging.getLogger("belated.service.requests")

# Plotly sets styles from its scripts; nothing else is needed from anywhere.
CONTENT = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = [
    (b"content-security-policy", CONTENT.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
# A response is handed on in parts of this many bytes: for a client that does not take it, the service holds no more.
PART = 65_536
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")


class Surrounding:
    """One middleware, so that a request passes through one frame rather than four."""

    def __init__(self, app: ASGIApp, limit: int, metrics: Metrics) -> None:
        self._app, self._limit, self._metrics = app, limit, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        number = secrets.token_hex(8)
        # To the routes, HEAD is a GET; the server leaves out the body.
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        inner = {**scope, "method": method, "belated.request": number, "belated.method": scope["method"]}
        incoming = Incoming(receive, self._limit)
        began, status = time.perf_counter(), 0

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                if incoming.unread:
                    await incoming.drain()
                status = message["status"]
                given = message.setdefault("headers", [])
                present = {name.lower() for name, _ in given}
                given.extend(header for header in HEADERS if header[0] not in present)
                given.append((b"x-request-id", number.encode()))
                if b"cache-control" not in present:
                    given.append((b"cache-control", b"no-store"))
            for part in _parts(message):
                await send(part)

        try:
            if _declared(scope) > self._limit:
                incoming.unread = True
                await of_error(incoming.refusal, number)(inner, receive, send_with_headers)
            else:
                await self._app(inner, incoming, send_with_headers)
        except Exception as error:
            response = of_failure(error, number)
            if status:
                raise
            await response(inner, receive, send_with_headers)
        finally:
            self._note(inner, number, status, time.perf_counter() - began)

    def _note(self, scope: Scope, number: str, status: int, seconds: float) -> None:
        route: Any = scope.get("route")
        path = getattr(route, "path", "unknown")
        # What a caller can make up is no label.
        known = route is not None and scope["belated.method"] in METHODS
        method = scope["belated.method"] if known else "any"
        self._metrics.requests.labels(method, path, str(status)).inc()
        self._metrics.request_seconds.labels(method, path).observe(seconds)
        caller = scope.get("state", {}).get("caller")
        logger.info(
            "request",
            extra={
                "belated": {
                    "request": number,
                    "method": scope["belated.method"],
                    "path": scope["path"],
                    "status": status,
                    "milliseconds": round(1000.0 * seconds, 2),
                    "caller": caller,
                }
            },
        )


def _parts(message: Message) -> Iterator[Message]:
    """The message, a large body in parts: the server waits between them until the last one is taken."""
    body = message.get("body", b"")
    last = 0
    for last in range(PART, len(body), PART):
        yield {**message, "body": body[last - PART : last], "more_body": True}
    yield {**message, "body": body[last:]} if last else message


def _declared(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value[:20]) if value.isdigit() else 0
    return 0
