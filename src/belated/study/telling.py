"""How answers are told, one or many of several people: in one transaction, each taken or refused alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from belated.errors import BelatedError
from belated.log import Body, Query
from belated.space import Context
from belated.storage import Log
from belated.study.answers import standing_among, standings_of, told
from belated.study.entrance import seen_context


@dataclass(frozen=True)
class Telling:
    """What somebody tells of a query, as `Study.tell` takes it, and who does."""

    query: int | Query
    value: float | None
    context: Mapping[str, Any] | None = None
    by: str | None = None


def tell_each(
    log: Log, declared: Context | None, tellings: Sequence[Telling], clock: Callable[[], float]
) -> list[BelatedError | None]:
    """Tell of different queries at once; returns, for each, what it is refused for, or None."""
    refusals: list[BelatedError | None] = []
    taken: set[int] = set()
    signed: dict[str | None, list[Body]] = {}
    with log.writing() as writer:
        known = standings_of(writer, [telling.query for telling in tellings])
        for telling in tellings:
            try:
                seen = seen_context("tell()", declared, telling.context)
                number, standing = standing_among("tell", writer, known, telling.query)
                body = told("tell", number, standing, telling.value, seen)
            except BelatedError as error:
                refusals.append(error)
                continue
            refusals.append(None)
            if body is not None:
                assert number not in taken, "a query is told once in a transaction"
                taken.add(number)
                signed.setdefault(telling.by, []).append(body)
        now = clock() if signed else 0.0
        for by, bodies in signed.items():
            writer.append(bodies, now, by)
    return refusals
