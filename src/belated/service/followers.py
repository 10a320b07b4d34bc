"""Whoever follows the events of studies: the log of each study is looked at once for all who follow it.

A follower reads the log up to its end, and is told from then on what the others are told too. One that takes events too
slowly is told nothing for a while, and reads the log again when it has time.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import NamedTuple, final

from belated.errors import StorageError, UnknownStudyError
from belated.service.people import Caller
from belated.service.service import Service
from belated.study import Study

logger = logging.getLogger("belated.service")

# Other processes write to the same log, so it is read again after this many seconds.
PAUSE = 0.5
# A line now and then keeps proxies from closing the connection.
SILENCE = 15.0
# Events that are read at once, of a log that may have a million; and kept for a reader who takes them slowly.
AT_ONCE = 1000


class StreamedEvent(NamedTuple):
    """An event as a stream has it, and its number."""

    number: int
    text: str


@final
class Followers:
    """All followers in one process, by study."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._tails: dict[str, Tail] = {}

    def join(self, name: str, study: Study, caller: Caller, since: int) -> Follower:
        """Somebody who follows the study of that name from that event on, until they leave."""
        tail = self._tails.get(name)
        if tail is None or tail.study is not study:
            tail = self._tails[name] = Tail(self._service, name, study)
        follower = Follower(tail, caller, since)
        tail.join(follower)
        return follower

    def leave(self, follower: Follower) -> None:
        """They follow no more."""
        tail = follower.tail
        if tail.leave(follower) and self._tails.get(tail.name) is tail:
            del self._tails[tail.name]


@final
class Tail:
    """The end of a study's log, looked at as long as anybody follows it."""

    def __init__(self, service: Service, name: str, study: Study) -> None:
        self._service, self.name, self.study = service, name, study
        self._followers: set[Follower] = set()
        self._number: int | None = None  # of the last event that all were told
        self._watching: asyncio.Task[None] | None = None

    def join(self, follower: Follower) -> None:
        """Tell a follower what comes from now on."""
        self._followers.add(follower)
        self._watching = self._watching or asyncio.create_task(self._watch())

    def leave(self, follower: Follower) -> bool:
        """Tell a follower no more; returns whether none is left."""
        self._followers.discard(follower)
        return not self._followers

    def reached(self, number: int) -> None:
        """Somebody has come to the end of the log, or waits for a number that it does not have yet."""
        self._number = number if self._number is None else min(number, self._number)

    async def after(self, number: int) -> list[StreamedEvent]:
        """The next events of the log."""
        return await self._service.quickly(lambda: self._events(number))

    def _events(self, number: int) -> list[StreamedEvent]:
        events = self.study.since(number, AT_ONCE)
        bodies = [event.to_json() for event in events]
        return [
            StreamedEvent(event.number, f"id: {event.number}\nevent: {body['event']}\ndata: {json.dumps(body)}\n\n")
            for event, body in zip(events, bodies, strict=True)
        ]

    def _news(self, number: int) -> list[StreamedEvent]:
        """The next events of the log; an UnknownStudyError once no study, or another one, has the name."""
        if self.study.name != self.name:
            raise UnknownStudyError(f"service: the study {self.name!r} has another name now.")
        return self._events(number)

    async def _watch(self) -> None:
        """Look at the log now and then; where the storage fails, all are let go, and come back by themselves."""
        try:
            while self._followers:
                # What was written before the end is still sent.
                ending = self._service.ending.is_set()
                await self._service.refresh()
                new = [] if self._number is None else await self._service.quickly(partial(self._news, self._number))
                self._number = new[-1].number if new else self._number
                self._tell(new, ending)
                if ending:
                    return
                if len(new) < AT_ONCE:
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(self._service.ending.wait(), PAUSE)
        except UnknownStudyError:
            for follower in self._followers:
                follower.end(self.farewell)
        except Exception as error:
            unforeseen = None if isinstance(error, StorageError) else error
            logger.error("%s", error, exc_info=unforeseen, extra={"belated": {"study": self.name}})
            for follower in self._followers:
                follower.end()
        finally:
            self._watching = None

    @property
    def farewell(self) -> str:
        """The last that is sent where the study was deleted or has another name."""
        return f"event: gone\ndata: {json.dumps({'study': self.name})}\n\n"

    def _tell(self, new: Sequence[StreamedEvent], ending: bool) -> None:
        callers = {follower.caller for follower in self._followers}
        admitted = {caller for caller in callers if self._service.door.admits(caller)}
        for follower in self._followers:
            if follower.caller not in admitted:
                follower.end()
            elif new or ending:
                follower.tell(new, ending)


@final
class Follower:
    """Somebody who follows a study, and what they have not been sent yet."""

    def __init__(self, tail: Tail, caller: Caller, since: int) -> None:
        self.tail, self.caller = tail, caller
        self._since = since
        self._waiting: list[StreamedEvent] = []
        self._behind = True  # the log has more than is waiting
        self._last = self._over = False
        self._farewell = ""
        self._news = asyncio.Event()

    def tell(self, events: Sequence[StreamedEvent], last: bool = False) -> None:
        """There are more events, and these may be the last; of many that are not taken, the log keeps what follows."""
        self._behind = self._behind or len(self._waiting) > AT_ONCE
        self._waiting = [] if self._behind else [*self._waiting, *events]
        self._last = last
        self._news.set()

    def end(self, farewell: str = "") -> None:
        """Send them nothing more but a farewell."""
        self._over, self._farewell = True, farewell
        self._news.set()

    async def texts(self) -> AsyncIterator[str]:
        """What they are sent, until the service ends, their token is revoked, or the study is gone."""
        try:
            async for text in self._events():
                yield text
        except UnknownStudyError:
            self._farewell = self.tail.farewell
        if self._farewell:
            yield self._farewell

    async def _events(self) -> AsyncIterator[str]:
        while not self._over:
            last = self._last
            self._news.clear()
            for event in await self._next():
                if self._over:
                    return
                if event.number > self._since:
                    self._since = event.number
                    yield event.text
            if last:
                return
            if not self._behind:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._news.wait(), SILENCE)
                if not self._news.is_set():
                    yield ": still here\n\n"

    async def _next(self) -> list[StreamedEvent]:
        """What was told meanwhile, or what the log has next."""
        waiting, behind = self._waiting, self._behind
        # What is told while the log is read is kept.
        self._waiting, self._behind = [], False
        if not behind:
            return waiting
        found = await self.tail.after(self._since)
        self._behind = self._behind or len(found) == AT_ONCE
        if not self._behind:
            self.tail.reached(found[-1].number if found else self._since)
        return found
