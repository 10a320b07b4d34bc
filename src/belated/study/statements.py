"""What may be said of queries by one sheet: answers, corrections, failures, losses; all are taken, or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from belated.errors import BelatedError
from belated.log import Body, QueryStanding
from belated.storage import Reader, Writer
from belated.study.answers import abandonment, failure, retraction, revision, standing_among, standings_of, telling
from belated.study.arguments import as_measured, performed_point
from belated.study.creation import Declaration
from belated.study.telling import Telling, Verdict, read


@dataclass(frozen=True)
class Correction:
    """What counts in the place of answers to a query, or of the point that was tried, as `Study.revise` takes it."""

    query: int
    value: Any = None
    sd: Any = None
    point: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Ending:
    """That a query failed or was lost, or that what came of it is taken back, and why."""

    query: int
    way: Literal["fail", "abandon", "retract"]
    reason: str = ""


Statement = Telling | Correction | Ending


def outlooks(reader: Reader, declared: Declaration, statements: Sequence[Statement]) -> list[Verdict]:
    """What would come of each statement now."""
    known = standings_of(reader, [statement.query for statement in statements])
    found: list[Verdict] = []
    for statement in statements:
        try:
            number, standing = standing_among(_call(statement), reader, known, statement.query)
            found.append(_bodies(declared, number, standing, statement))
        except BelatedError as error:
            found.append(error)
    return found


def bodies_of_all(writer: Writer, declared: Declaration, statements: Sequence[Statement]) -> list[Body]:
    """The events by which all of these are said; or the first refusal."""
    bodies: list[Body] = []
    for found in outlooks(writer, declared, statements):
        if isinstance(found, BelatedError):
            raise found
        bodies += found
    return bodies


def _call(statement: Statement) -> str:
    match statement:
        case Telling():
            return "tell"
        case Correction():
            return "revise"
        case Ending(way=way):
            return way


def _bodies(declared: Declaration, number: int, standing: QueryStanding, statement: Statement) -> tuple[Body, ...]:
    match statement:
        case Telling():
            told = read("tell", declared, statement)
            return telling("tell", number, standing, declared.outcomes, told)
        case Correction(value=value, sd=sd, point=point):
            measured = as_measured(f"revise(query={number})", declared.outcomes, value, sd)
            return revision(number, standing, measured, performed_point("revise()", declared.domain, point))
        case Ending(way="fail", reason=reason):
            ended: Body | None = failure(number, standing, reason)
        case Ending(way="abandon", reason=reason):
            ended = abandonment(number, standing, reason)
        case Ending(reason=reason):
            ended = retraction(number, standing, declared.outcomes, reason, None)
    return () if ended is None else (ended,)
