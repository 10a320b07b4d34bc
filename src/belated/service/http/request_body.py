"""The body of a request as it comes in: no larger than the service takes, and no slower than anybody sends."""

from __future__ import annotations

import asyncio
import time
from http import HTTPStatus
from typing import final

from starlette.exceptions import HTTPException
from starlette.types import Message, Receive

from belated.errors import SizeError
from belated.service.http.refusals import Refused

# A body has this many seconds, and one more per this many bytes received: a poor telephone line sends more.
SECONDS, RATE = 20.0, 1_000
# So many times the limit of a body is read and thrown away: who is cut off while writing may not read the answer.
PATIENCE = 4


class TooSlow(HTTPException):
    """A body that does not come; the connection is closed, because it is unknown where the next request begins."""

    def __init__(self) -> None:
        detail = (
            f"the body came too slowly, in more than {SECONDS:g} s and a second for every {RATE} bytes; send it again"
        )
        super().__init__(HTTPStatus.REQUEST_TIMEOUT, detail, {"Connection": "close"})


@final
class Incoming:
    """What is received of one request; only the time that is spent waiting for its sender counts."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self.refusal = SizeError(f"service: the body has more than {limit} bytes; send several requests.")
        self.unread = False  # whether more of it comes than is taken
        self._receive, self._limit = receive, limit
        self._size, self._waited, self._whole = 0, 0.0, False

    async def __call__(self) -> Message:
        """The next part; once all of it is here, that the caller has left."""
        message = await self._next()
        if self._size > self._limit:
            self.unread = message.get("more_body", False)
            raise Refused(self.refusal)
        return message

    async def drain(self) -> None:
        """Read what is still being sent of a body that is too large, for a while."""
        most = self._size + PATIENCE * self._limit
        try:
            while not self._whole and self._size <= most:
                await self._next()
        except TooSlow:
            return

    async def _next(self) -> Message:
        if self._whole:
            return await self._receive()
        began = time.monotonic()
        try:
            async with asyncio.timeout(SECONDS + self._size / RATE - self._waited):
                message = await self._receive()
        except TimeoutError:
            raise TooSlow from None
        self._waited += time.monotonic() - began
        self._size += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        return message
