"""Events as they happen, over a connection that stays open: server-sent events."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from belated.checks import LARGEST_COUNT
from belated.errors import RateError, StorageError
from belated.service.followers import Follower, Followers
from belated.service.http.needs import Guarded, MayRead
from belated.service.people import Caller
from belated.service.service import Service, service_of

router = APIRouter(prefix="/v1/studies/{study}", tags=["reading"], route_class=Guarded)
logger = logging.getLogger("belated.service")

# A browser whose stream has ended comes back after this many milliseconds.
COMES_BACK = 1000
# So many may follow at once in one process, and half as many by one token, so that there is room for others; in a
# process that may have few connections, no more than half of those.
MOST = 200
INSTEAD = "read GET /v1/studies/{study}/log instead"
EXAMPLE = 'id: 7\nevent: answered\ndata: {"version": 1, "number": 7, "at": 1767225600.0, "event": "answered", …}\n\n'


@router.get(
    "/events",
    response_class=StreamingResponse,
    responses={
        200: {
            "content": {"text/event-stream": {"schema": {"type": "string"}, "example": EXAMPLE}},
            "description": "Server-sent events: the number of the event, its kind, and its data as in the log.",
        }
    },
    summary="Events as they are written",
)
async def events(
    request: Request,
    study: str,
    caller: MayRead,
    after: Annotated[
        int | None,
        Query(ge=0, le=LARGEST_COUNT, description="Begin after this event; else with what is new."),
    ] = None,
    last_event_id: Annotated[str | None, Header(description="The same; browsers send it when they come back.")] = None,
) -> StreamingResponse:
    """The events of the log as they are written, by whomever; it goes on until the caller leaves.

    Where the study is deleted or gets another name, an event `gone` is the last.
    """
    service = service_of(request)
    opened = await service.quickly(lambda: service.studies.open(study))
    since = numbered(last_event_id) if last_event_id else after
    if since is None:
        since = await service.slowly(lambda: opened.record().n_events, caller)
    if request.scope["belated.method"] == "HEAD":
        return StreamingResponse(iter(()), media_type="text/event-stream")
    _take(service, caller)
    # Proxies that collect a response before they pass it on are told not to.
    headers = {"X-Accel-Buffering": "no"}
    followers: Followers = request.app.state.followers
    follower = followers.join(study, opened, caller, since)

    def leave() -> None:
        followers.leave(follower)
        _leave(service, caller)

    return Following(_stream(follower), leave, media_type="text/event-stream", headers=headers)


class Following(StreamingResponse):
    """A stream that has its place from before it begins until it is over, begun or not."""

    def __init__(self, content: AsyncIterator[str], leave: Callable[[], None], **options: Any) -> None:
        super().__init__(content, **options)
        self._leave = leave

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it until the caller leaves."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._leave()


def _take(service: Service, caller: Caller) -> None:
    """Take a place, or refuse."""
    most = max(min(MOST, service.room // 2), 1)
    share = max(most // 2, 1)
    if service.streams.total() >= most:
        raise RateError(f"service: {most} callers follow events already; {INSTEAD}.")
    if service.streams[caller.name] >= share:
        raise RateError(f"service: {share} callers with this token follow events already; {INSTEAD}.")
    service.streams[caller.name] += 1


def _leave(service: Service, caller: Caller) -> None:
    # What has come down to nothing is forgotten.
    service.streams -= Counter([caller.name])


async def _stream(follower: Follower) -> AsyncIterator[str]:
    """The stream; it ends with the service, with the token, and where the storage fails: who comes back goes on."""
    yield f"retry: {COMES_BACK}\n\n"
    try:
        async for text in follower.texts():
            yield text
    except StorageError as error:
        logger.error("%s", error)


def numbered(text: str) -> int | None:
    """The number of an event that a browser sends back; None where it is none that the service gave."""
    return int(text) if len(text) <= 10 and text.isascii() and text.isdigit() and int(text) <= LARGEST_COUNT else None
