"""What may be said of queries: answers, corrections, failures, losses; alone, or many at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from belated.errors import ParameterError
from belated.log import Query
from belated.study.arguments import as_queries


@dataclass(frozen=True)
class Telling:
    """What is told of a query, as `Study.tell` takes it, and by whom."""

    query: int | Query
    value: Any
    context: Mapping[str, Any] | None = None
    by: str | None = None
    sd: Any = None
    point: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Correction:
    """What counts in the place of answers to a query, or of the point that was tried, as `Study.revise` takes it."""

    query: int | Query
    value: Any = None
    sd: Any = None
    point: Mapping[str, Any] | None = None


Ended = Literal["fail", "abandon", "retract"]


@dataclass(frozen=True)
class Ending:
    """That a query failed or was lost, or that an outcome or all that came of it is taken back, and why."""

    query: int | Query
    way: Ended
    reason: str = ""
    outcome: str | None = None


Statement = Telling | Correction | Ending


def endings(queries: object, way: Ended, reason: str, outcome: str | None = None) -> list[Ending]:
    """The same end of one query or of several."""
    return [Ending(query, way, reason, outcome) for query in as_queries(queries)]


def as_tellings(answers: object) -> list[Telling]:
    """What is told, from a mapping or from tuples of two or three."""
    try:
        given: list[Any] = list(answers.items() if isinstance(answers, Mapping) else answers)  # type: ignore[call-overload]
    except TypeError:
        given = [answers]
    for row in given:
        if not isinstance(row, Telling) and (not isinstance(row, tuple | list) or len(row) not in (2, 3)):
            raise ParameterError(
                f"tell_many(): got {row!r}; give a mapping of ids to answers, or tuples of (query, value) or (query, "
                f"value, context)."
            )
    return [row if isinstance(row, Telling) else Telling(*row) for row in given]
