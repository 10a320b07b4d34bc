"""What is said of queries, as requests carry it; what a study here would refuse is refused before it is sent."""

from __future__ import annotations

from typing import Any

from belated.client.served_study import ServedStudy
from belated.client.shapes import sendable, sendable_answer
from belated.study.arguments import as_queries, as_text, told_apart
from belated.study.statements import Correction, Ending, Statement, Telling

JsonBody = dict[str, Any]


def told(place: ServedStudy, call: str, given: Telling) -> tuple[int, JsonBody]:
    """The number of a query, and what is told of it."""
    seen = place.seen_after(f"{call}()", given.context)
    number = place.identifier(call, given.query)
    where = f"{call}(query={number})"
    place.check_measured(where, given.value, given.sd)
    value, sd = told_apart(given.value, given.sd)
    body = {"value": sendable_answer(where, value), "context": seen}
    body |= {} if sd is None else {"sd": sendable_answer(where, sd)}
    return number, body | ({} if given.point is None else {"point": sendable(given.point)})


def corrected(place: ServedStudy, given: Correction) -> tuple[int, JsonBody]:
    """The number of a query, and what is to count of it."""
    number = place.identifier("revise", given.query)
    where = f"revise(query={number})"
    place.check_measured(where, given.value, given.sd)
    value, sd = told_apart(given.value, given.sd)
    errors, point = sendable_answer(where, sd), sendable(given.point)
    return number, {"value": sendable_answer(where, value), "sd": errors, "point": point}


def said(place: ServedStudy, statement: Statement) -> JsonBody:
    """A statement among others."""
    match statement:
        case Telling():
            number, body = told(place, "tell", statement)
            return {"say": "tell", "query": number, **body}
        case Correction():
            number, body = corrected(place, statement)
            return {"say": "revise", "query": number, **body}
        case Ending(query=query, way=way, reason=reason, outcome=outcome):
            number = place.identifier(way, query)
            body = {"say": way, "query": number, "reason": as_text(f"{way}(query={number})", reason)}
            return body | ({"outcome": outcome} if way == "retract" else {})


def say(place: ServedStudy, way: str, what: str, queries: Any, reason: str, outcome: str | None = None) -> None:
    """Send the same end of one query or of several, which are taken all or none."""
    numbers = list(dict.fromkeys(place.identifier(way, each) for each in as_queries(queries)))
    body: JsonBody = {"reason": as_text(f"{way}(query={', '.join(map(str, numbers))})", reason)}
    body |= {} if outcome is None else {"outcome": outcome}
    if len(numbers) == 1:
        place.send("PUT", "queries", numbers[0], what, body=body, repeatable=True)
    elif numbers:
        place.send("POST", f"{what}s", body={"queries": numbers, **body}, repeatable=True)


def may_be_sent_again(statement: Statement) -> bool:
    """Whether a statement that was taken changes nothing when it comes again, whatever was said meanwhile."""
    return isinstance(statement, Telling) or (isinstance(statement, Ending) and statement.way != "retract")
