"""Single answers that wait at the same time for the same study are written together.

A transaction costs more than an answer: its journeys to the database, and the disk. Whoever comes while one is under
way shares the next; nobody waits for others to come. Each answer is taken or refused as if it had come alone, and is
acknowledged when it is durable.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import final

from belated.errors import BelatedError
from belated.log import Query
from belated.service.studies import Studies
from belated.study import Telling

MOST = 500
Outcomes = list[BelatedError | None]


@dataclass(frozen=True)
class QueuedAnswer:
    """An answer, and who waits for its acknowledgement."""

    told: Telling
    acknowledged: asyncio.Future[None]


@final
class AnswerQueue:
    """The answers that wait, by study; they are written in a thread."""

    def __init__(self, studies: Studies, thread: Callable[[Callable[[], Outcomes]], Awaitable[Outcomes]]) -> None:
        self._studies, self._thread = studies, thread
        self._waiting: dict[str, deque[QueuedAnswer]] = {}
        self._writing: dict[str, asyncio.Task[None]] = {}

    async def tell(self, study: str, told: Telling) -> None:
        """Tell an answer; returns when it is durable, and raises what `Study.tell` would."""
        acknowledged: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(study, deque()).append(QueuedAnswer(told, acknowledged))
        if study not in self._writing:
            self._writing[study] = asyncio.create_task(self._write(study))
        await acknowledged

    async def _write(self, study: str) -> None:
        """Write what waits, a transaction at a time, until nothing does."""
        waiting = self._waiting[study]
        while waiting:
            group = _next(waiting)
            outcomes = await self._written(study, [entry.told for entry in group])
            for entry, outcome in zip(group, outcomes, strict=True):
                if entry.acknowledged.done():
                    continue
                if outcome is None:
                    entry.acknowledged.set_result(None)
                else:
                    entry.acknowledged.set_exception(outcome)
        del self._waiting[study], self._writing[study]

    async def _written(self, study: str, told: list[Telling]) -> Sequence[Exception | None]:
        """What became of each; where all failed together, each with an error of its own."""
        try:
            return await self._thread(lambda: self._studies.open(study).tell_each(told))
        except BelatedError as error:
            return [_copied(error) for _ in told]
        except Exception as error:
            return [error for _ in told]


def _next(waiting: deque[QueuedAnswer]) -> list[QueuedAnswer]:
    """The answers of the next transaction, in the order they came: one to a query, as each must see the one before."""
    group: dict[int | Query, QueuedAnswer] = {}
    later: list[QueuedAnswer] = []
    while waiting and len(group) < MOST:
        entry = waiting.popleft()
        if group.setdefault(entry.told.query, entry) is not entry:
            later.append(entry)
    waiting.extendleft(reversed(later))
    return list(group.values())


def _copied(error: BelatedError) -> BelatedError:
    """The same error once more: one that is raised in several places would gather their traces."""
    make: Callable[..., BelatedError] = type(error)
    return make(*error.args)
