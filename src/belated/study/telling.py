"""How answers are told, one or many of several people: in one transaction, each taken or refused alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from belated.errors import BelatedError
from belated.log import Answered, ContextSeen, Query
from belated.space import Context
from belated.storage import Log, Reader
from belated.study.answers import standing_among, standings_of, told
from belated.study.entrance import seen_context


@dataclass(frozen=True)
class Telling:
    """What somebody tells of a query, as `Study.tell` takes it, and who does."""

    query: int | Query
    value: float | None
    context: Mapping[str, Any] | None = None
    by: str | None = None


# The event that a telling writes, None where the log has it already, or why it is refused.
Verdict = Answered | ContextSeen | BelatedError | None


def judged(reader: Reader, declared: Context | None, tellings: Sequence[Telling]) -> list[Verdict]:
    """What would come of each telling now."""
    known = standings_of(reader, [telling.query for telling in tellings])
    found: list[Verdict] = []
    for telling in tellings:
        try:
            seen = seen_context("tell()", declared, telling.context)
            number, standing = standing_among("tell", reader, known, telling.query)
            found.append(told("tell", number, standing, telling.value, seen))
        except BelatedError as error:
            found.append(error)
    return found


def tell_each(
    log: Log, declared: Context | None, tellings: Sequence[Telling], clock: Callable[[], float]
) -> list[BelatedError | None]:
    """Tell of different queries at once; returns, for each, what it is refused for, or None."""
    signed: dict[str | None, list[Answered | ContextSeen]] = {}
    with log.writing() as writer:
        verdicts = judged(writer, declared, tellings)
        for telling, verdict in zip(tellings, verdicts, strict=True):
            if isinstance(verdict, Answered | ContextSeen):
                signed.setdefault(telling.by, []).append(verdict)
        new = [body.query for bodies in signed.values() for body in bodies]
        assert len(set(new)) == len(new), "a query is told once in a transaction"
        now = clock() if new else 0.0
        for by, bodies in signed.items():
            writer.append(bodies, now, by)
    return [verdict if isinstance(verdict, BelatedError) else None for verdict in verdicts]
