"""What all requests share: the studies, the door, the rates, and the threads in which studies do their work."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread
from fastapi import Request

from belated.errors import StorageError
from belated.service.access import Caller, Door
from belated.service.metrics import Metrics
from belated.service.rates import Rates
from belated.service.settings import Settings
from belated.service.studies import Studies
from belated.storage import tokens_of
from belated.study import Study

Result = TypeVar("Result")

# Asks run a model and wait for one another; answers never wait for them.
QUICK, SLOW = 32, 8


class Service:
    """One process of the service."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.studies = Studies(settings.storage)
        self.door = Door(tokens_of(settings.storage), settings.open)
        self.rates = Rates(settings.limits.rate, settings.limits.burst)
        self.metrics = Metrics()
        self.ending = asyncio.Event()
        self._quick, self._slow = CapacityLimiter(QUICK), CapacityLimiter(SLOW)

    async def quickly(self, work: Callable[[], Result]) -> Result:
        """Do what takes milliseconds, in a thread."""
        return await self._within(self._quick, work)

    async def slowly(self, work: Callable[[], Result]) -> Result:
        """Do what may take a model, in one of few threads."""
        return await self._within(self._slow, work)

    async def _within(self, limiter: CapacityLimiter, work: Callable[[], Result]) -> Result:
        try:
            return await to_thread.run_sync(work, limiter=limiter)
        except StorageError:
            self.studies.forget()
            raise

    async def enter(self, request: Request, token: str | None) -> Caller:
        """Who is calling; their number of calls is limited, and so is that of callers without a token."""
        if self.door.stale:
            await self.quickly(self.door.refresh)
        try:
            caller = self.door.caller(token)
        except Exception:
            self.rates.take(f"host {request.client.host if request.client else ''}")
            raise
        self.rates.take(caller.name or "anybody")
        return caller

    def study(self, name: str, caller: Caller) -> Study:
        """A study in the hands of the caller."""
        study = self.studies.open(name)
        return study if caller.name is None else study.signed(caller.name)


def service_of(request: Request) -> Service:
    """The service that a request came to."""
    service: Service = request.app.state.service
    return service


Route = Callable[..., Awaitable[Any]]
