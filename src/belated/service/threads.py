"""The threads for slow work, shared fairly among tokens and studies.

Work waits outside the threads. One study has at most one thread for what its lock would make wait anyway, and one
token at most its share of them. A thread that is free goes to the tokens in turn, and to the studies of each in turn.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from typing import TypeVar, final

from anyio import CapacityLimiter, to_thread

from belated.service.people import TooOften

Result = TypeVar("Result")
Waiting = deque[asyncio.Future[None]]

# Far more than anybody who waits for answers sends; each entry holds a connection.
MOST_WAITING = 1_000
# Seconds after which who was refused may try again.
PAUSE = 5.0


@final
class SharedThreads:
    """So many threads, of which one token has at most its share."""

    def __init__(self, count: int, share: int, most_waiting: int = MOST_WAITING) -> None:
        self._limiter, self._free, self._share, self._most = CapacityLimiter(count), count, share, most_waiting
        self._waiting: OrderedDict[str | None, OrderedDict[str | None, Waiting]] = OrderedDict()
        self._running: Counter[str | None] = Counter()  # threads of each token
        self._busy: set[str] = set()  # studies that have their thread

    async def run(self, work: Callable[[], Result], token: str | None, study: str | None = None) -> Result:
        """Do the work in a thread when its turn has come; without a study, it waits for no lock of one."""
        await self._turn(token, study)
        try:
            return await to_thread.run_sync(work, limiter=self._limiter)
        finally:
            self._leave(token, study)

    async def _turn(self, token: str | None, study: str | None) -> None:
        studies = self._waiting.setdefault(token, OrderedDict())
        waiting = sum(map(len, studies.values()))
        if waiting >= self._most:
            raise TooOften(
                f"service: {waiting} requests of this token wait for a model already, and {self._most} may; wait for "
                f"their answers, or try again later.",
                PAUSE,
            )
        admitted = asyncio.get_running_loop().create_future()
        studies.setdefault(study, deque()).append(admitted)
        self._admit()
        try:
            await admitted
        except asyncio.CancelledError:
            # Who left after being admitted, and before hearing of it, gives the thread back.
            if admitted.done() and not admitted.cancelled():
                self._leave(token, study)
            raise

    def _leave(self, token: str | None, study: str | None) -> None:
        self._free += 1
        self._running -= Counter([token])
        self._busy.discard(study or "")
        self._admit()

    def _admit(self) -> None:
        """Give the free threads to those whose turn it is."""
        while self._free and (found := self._next()) is not None:
            token, study, admitted = found
            if admitted.done():  # it was cancelled while it waited
                continue
            self._free -= 1
            self._running[token] += 1
            self._busy |= set() if study is None else {study}
            admitted.set_result(None)

    def _next(self) -> tuple[str | None, str | None, asyncio.Future[None]] | None:
        """The first that may go on, by tokens and then by their studies; both go to the end of their rows."""
        for token, studies in self._waiting.items():
            if self._running[token] >= self._share:
                continue
            for study, waiting in studies.items():
                if study in self._busy:
                    continue
                admitted = waiting.popleft()
                studies.move_to_end(study)
                self._waiting.move_to_end(token)
                if not waiting:
                    del studies[study]
                if not studies:
                    del self._waiting[token]
                return token, study, admitted
        return None
