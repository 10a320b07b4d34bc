"""How answers are told, one or many, perhaps by several people: in one transaction, each taken or refused alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from belated.errors import BelatedError, ConflictError
from belated.log import Answered, ContextSeen, Query, Values
from belated.space import Context
from belated.storage import Log, Reader, Writer
from belated.study.answers import answer_text, standing_among, standing_of, standings_of, telling_event
from belated.study.arguments import seen_context


@dataclass(frozen=True)
class Telling:
    """What is told of a query, as `Study.tell` takes it, and by whom."""

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
            found.append(telling_event("tell", number, standing, telling.value, seen))
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


def answer_bodies(
    writer: Writer, answers: Sequence[tuple[Any, Any, Any]], seen: Sequence[Values | None]
) -> list[Answered | ContextSeen]:
    """The events by which all of these answers are told, with their contexts as they are kept; or an error for one."""
    known = standing_of("tell_many", writer, [query for query, _, _ in answers])
    bodies: dict[int, Answered | ContextSeen] = {}
    for (number, standing), (_, value, _), context in zip(known, answers, seen, strict=True):
        body = telling_event("tell_many", number, standing, value, context)
        if body is not None and bodies.setdefault(number, body) != body:
            raise ConflictError(
                f"tell_many(query={number}): given {answer_text(bodies[number])} and {answer_text(body)} in one call; "
                f"a query has one answer; keep one of them."
            )
    return list(bodies.values())
