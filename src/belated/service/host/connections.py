"""The connections of one process: who holds one without sending or taking anything gives it up to others.

The HTTP server closes what is idle after a response, and nothing else. Here the head of a request must be complete
within some seconds, what is sent must be taken, and before a process has no file left, connections that have sent no
request for longest are closed. Who waits for the service, or follows events, is never closed for others.
"""

from __future__ import annotations

import asyncio
import logging
import math
from heapq import nsmallest
from typing import Any, final

from uvicorn.protocols.http.auto import AutoHTTPProtocol

logger = logging.getLogger("belated.service")

# A head fits into a packet or two. Seconds, from the beginning of the connection, or from the head's first byte.
HEAD = 20.0
# A client must take this many waiting bytes within this many seconds, which is slower than any modem.
TAKEN, PAUSE = 20_000, 60.0
# Where there are many connections, a share of them is closed at a time: finding them takes a look at each.
PART = 100
# Messages that an attack would repeat all the time are logged once in this many seconds.
SILENCE = 60.0


@final
class Connections:
    """Those that are open in a process; as a uvicorn.Config takes its protocol, `connection` makes one."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: set[TimedConnection] = set()
        self._said_at = -math.inf

    def connection(self, **given: Any) -> TimedConnection:
        """A new one, by whichever HTTP implementation uvicorn uses."""
        return TimedConnection(AutoHTTPProtocol(**given), self)

    def let_in(self, newcomer: TimedConnection) -> None:
        """Take in a connection, and let others go if there is no room for it."""
        self._open.add(newcomer)
        if len(self._open) > self._most:
            chosen = nsmallest(max(1, self._most // PART), self._idlest(), key=lambda connection: connection.asked_at)
            for connection in chosen:
                connection.close()
            self._say(len(chosen))

    def _idlest(self) -> list[TimedConnection]:
        """Those in no request, or those that send or take one slowly: neither may drive the other out."""
        waiting = [connection for connection in self._open if not connection.owed]
        slow = [connection for connection in waiting if connection.responding]
        idle = [connection for connection in waiting if not connection.responding]
        return idle if len(idle) > len(slow) else slow

    def let_go(self, connection: TimedConnection) -> None:
        """Count a connection no longer."""
        self._open.discard(connection)

    def _say(self, closed: int) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._said_at > SILENCE:
            self._said_at = now
            extra = {"belated": {"closed": closed, "room": self._most}}
            logger.warning("idle connections are closed to let others in", extra=extra)


@final
class TimedConnection(asyncio.Protocol):
    """One of them: what comes is passed on to the HTTP implementation, and timed."""

    def __init__(self, http: Any, others: Connections) -> None:
        self._http, self._others = http, others
        self._loop = asyncio.get_running_loop()
        self.asked_at = self._loop.time()  # or, before it has asked, when it came
        self._head: asyncio.TimerHandle | None = None
        self._stuck: asyncio.TimerHandle | None = None

    @property
    def owed(self) -> bool:
        """Whether it is the service's turn: a whole request has come, and all of the response so far is taken."""
        return self.responding and not self._http.cycle.more_body and self._stuck is None

    @property
    def responding(self) -> bool:
        """Whether a head has come, and not all of the response has gone."""
        cycle = self._http.cycle
        return cycle is not None and not cycle.response_complete

    def close(self) -> None:
        """End it at once, whatever is still to be sent."""
        self._others.let_go(self)
        self._transport.abort()

    # What a transport calls.

    def connection_made(self, transport: Any) -> None:
        """Somebody has come; the transports of some event loops have asyncio's methods and not its classes."""
        self._transport = transport
        self._http.connection_made(transport)
        self._head = self._loop.call_later(HEAD, self.close)
        self._others.let_in(self)

    def data_received(self, data: bytes) -> None:
        """A part of a request has come, or several."""
        before = self._http.cycle
        # What follows a response is the next head, or the rest of a body that nobody has read.
        if self._head is None and not self.responding:
            self._head = self._loop.call_later(HEAD, self.close)
        self._http.data_received(data)
        if self._http.cycle is not before:
            self.asked_at = self._loop.time()
            self._head_is_here()

    def eof_received(self) -> bool | None:
        """They send no more."""
        ended: bool | None = self._http.eof_received()
        return ended

    def connection_lost(self, exc: Exception | None) -> None:
        """It is over."""
        self._head_is_here()
        self._is_taken()
        self._others.let_go(self)
        self._http.connection_lost(exc)

    def pause_writing(self) -> None:
        """They take less than is sent."""
        self._watch()
        self._http.pause_writing()

    def resume_writing(self) -> None:
        """They have taken most of it."""
        self._is_taken()
        self._http.resume_writing()

    def _watch(self) -> None:
        left = self._transport.get_write_buffer_size()
        self._stuck = self._loop.call_later(PAUSE, self._look, left)

    def _look(self, before: int) -> None:
        """Close it if too little was taken since then."""
        if self._transport.get_write_buffer_size() > before - TAKEN:
            self.close()
        else:
            self._watch()

    def _head_is_here(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _is_taken(self) -> None:
        if self._stuck is not None:
            self._stuck.cancel()
            self._stuck = None
