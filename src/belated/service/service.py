"""What all requests share: the studies, the door, the rates, and the threads in which studies do their work."""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from anyio import CapacityLimiter, to_thread
from fastapi import Request

from belated.errors import AccessError, StorageError
from belated.service.answer_queue import AnswerQueue
from belated.service.metrics import Metrics
from belated.service.open_files import room
from belated.service.people import Caller, Door, Rates, token_of_session
from belated.service.settings import ServiceSettings
from belated.service.studies import Studies
from belated.service.threads import MOST_WAITING, SharedThreads
from belated.storage import tokens_of
from belated.study import Study

Result = TypeVar("Result")

# Asks run a model and wait for one another; answers never wait for them, nor readers for who waits to write.
QUICK, WRITING, SLOW = 32, 32, 8
# One token has at most this many of the slow ones, so that there are some for others.
SHARE = 4
# Large bodies are parsed in this many threads, by one token in one of them; they wait for no model.
PARSING, PARSING_SHARE = 2, 1
# The figures that show the log and no belief.
WITHOUT_MODEL = ("progress", "timeline", "waits", "delays")
# What was ready is so for this many seconds.
READY = 1.0


class Service:
    """One process of the service."""

    def __init__(self, settings: ServiceSettings) -> None:
        self.settings = settings
        self.studies = Studies(settings.storage)
        self.door = Door(tokens_of(settings.storage), settings.open)
        self.rates = Rates(settings.limits.rate, settings.limits.burst)
        self.metrics = Metrics()
        self.ending = asyncio.Event()
        self.room = room(QUICK + WRITING + SLOW)  # for connections
        self.streams: Counter[str | None] = Counter()  # of each token
        self._refreshing = asyncio.Lock()
        self._ready_at = -math.inf
        self._quick, self._writing = map(CapacityLimiter, (QUICK, WRITING))
        # One caller with many waiting requests gets at most half of the connections.
        most_waiting = max(min(MOST_WAITING, self.room // 2), 1)
        self._slow = SharedThreads(SLOW, SHARE, most_waiting)
        self.answers = AnswerQueue(self.studies, self.writing)
        self._parsing = SharedThreads(PARSING, PARSING_SHARE, most_waiting)

    async def quickly(self, work: Callable[[], Result]) -> Result:
        """Do what takes milliseconds, in a thread."""
        return await self._within(self._quick, work)

    async def writing(self, work: Callable[[], Result]) -> Result:
        """Do in a thread what takes milliseconds once no other process writes."""
        return await self._within(self._writing, work)

    async def slowly(self, work: Callable[[], Result], caller: Caller) -> Result:
        """Do what may take seconds, in one of few threads that callers share."""
        with self._storage_watched():
            return await self._slow.run(work, caller.name)

    async def parsing(self, work: Callable[[], Result], caller: Caller) -> Result:
        """Parse a large body in a thread, so that other callers are served meanwhile."""
        return await self._parsing.run(work, caller.name)

    async def deciding(self, work: Callable[[], Result], caller: Caller, study: str) -> Result:
        """Do what takes the model of a study, one at a time: others of that study wait outside the threads."""
        with self._storage_watched():
            return await self._slow.run(work, caller.name, study)

    async def drawing(self, work: Callable[[], Result], caller: Caller, study: str, kind: str) -> Result:
        """Draw a figure; those of the log alone do not wait for the study's model."""
        if kind in WITHOUT_MODEL:
            return await self.slowly(work, caller)
        return await self.deciding(work, caller, study)

    async def _within(self, limiter: CapacityLimiter, work: Callable[[], Result]) -> Result:
        with self._storage_watched():
            return await to_thread.run_sync(work, limiter=limiter)

    @contextmanager
    def _storage_watched(self) -> Iterator[None]:
        """Open all studies anew after trouble with the storage."""
        try:
            yield
        except StorageError:
            self.studies.forget()
            raise

    async def enter(self, request: Request, token: str | None) -> Caller:
        """Who is calling; their number of calls is limited, and so is that of callers without a token."""
        await self.refresh()
        try:
            caller = self.door.caller(token)
        except AccessError:
            self.rates.take(f"host {request.client.host if request.client else ''}")
            if token is None:
                raise
            # It may have been made a moment ago.
            await self.quickly(self.door.refresh)
            caller = self.door.caller(token)
        self.rates.take("anybody" if caller.name is None else f"token {caller.name}")
        return caller

    async def session(self, request: Request) -> str | None:
        """The token that the browser keeps; where none was ever made, it is one of another service on this machine."""
        await self.refresh()
        return None if self.door.wide_open else token_of_session(request)

    async def refresh(self) -> None:
        """Let the door know of tokens made and revoked; of many callers at once, one asks the database."""
        if self.door.stale:
            async with self._refreshing:
                if self.door.stale:
                    await self.quickly(self.door.refresh)

    async def admits(self, caller: Caller) -> bool:
        """Whether a caller who was let in a while ago may stay."""
        await self.refresh()
        return self.door.admits(caller)

    async def ready(self) -> None:
        """Raise a StorageError where the storage cannot be read; it is asked at most once a second."""
        now = time.monotonic()
        if not now - self._ready_at < READY:
            await self.quickly(self.studies.ready)
            self._ready_at = now

    def study(self, name: str, caller: Caller) -> Study:
        """A study in the hands of the caller."""
        study = self.studies.open(name)
        return study if caller.name is None else study.signed(caller.name)


def service_of(request: Request) -> Service:
    """The service that a request came to."""
    service: Service = request.app.state.service
    return service
