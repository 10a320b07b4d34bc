"""Events as they happen, over a connection that stays open: server-sent events."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from starlette.responses import StreamingResponse

from belated.service.needs import Reading
from belated.service.service import Service, service_of
from belated.study import Study

router = APIRouter(prefix="/v1/studies/{study}", tags=["reading"])

# Other processes write to the same log, so it is looked at, every so many seconds.
PAUSE = 0.5
# A line now and then keeps proxies from closing the connection.
SILENCE = 15.0


@router.get("/events", response_class=StreamingResponse, responses={200: {"content": {"text/event-stream": {}}}})
async def events(
    request: Request,
    study: str,
    caller: Reading,
    after: Annotated[int | None, Query(ge=0, lt=2**31, description="Begin with what came since this event.")] = None,
    last_event_id: Annotated[str | None, Header(description="The same; browsers send it when they come back.")] = None,
) -> StreamingResponse:
    """The events of the log as they are written, by whomever; it goes on until the caller leaves."""
    service = service_of(request)
    opened = await service.quickly(lambda: service.study(study, caller))
    since = int(last_event_id) if last_event_id and last_event_id.isdecimal() else after
    if since is None:
        since = await service.quickly(lambda: opened.history().n_events)
    return StreamingResponse(_stream(service, opened, since), media_type="text/event-stream")


async def _stream(service: Service, study: Study, since: int) -> AsyncIterator[str]:
    silent = 0.0
    yield f"retry: {int(2000 * PAUSE)}\n\n"
    while not service.ending.is_set():
        new = await service.quickly(partial(study.since, since))
        for event in new:
            data = event.to_json()
            yield f"id: {event.number}\nevent: {data['event']}\ndata: {json.dumps(data)}\n\n"
            since = event.number
        silent = 0.0 if new else silent + PAUSE
        if silent >= SILENCE:
            silent = 0.0
            yield ": still here\n\n"
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(service.ending.wait(), PAUSE)
