"""What may be said of a query, given how it stands: the event that says it, None if the log has it, or a refusal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from belated.errors import AnswerError, ConflictError, UnknownQueryError, Way
from belated.log import Abandoned, Answered, ContextSeen, Query, QueryStanding, Revised, State, Values, standings
from belated.storage import Reader
from belated.study.arguments import as_text, finite

# What the integer column of a database holds.
LARGEST = 2**31 - 1


def standing_of(call: str, reader: Reader, queries: Sequence[int | Query]) -> list[tuple[int, QueryStanding]]:
    """The identifier and the standing of each of these queries, looked up together."""
    known = standings_of(reader, queries)
    return [standing_among(call, reader, known, query) for query in queries]


def standings_of(reader: Reader, queries: Sequence[int | Query]) -> dict[int, QueryStanding]:
    """The standings of those of these queries that exist."""
    given = (query.id if isinstance(query, Query) else query for query in queries)
    return standings(reader.about({int(query) for query in given if _may_be_identifier(query)}))


def standing_among(
    call: str, reader: Reader, known: Mapping[int, QueryStanding], query: int | Query
) -> tuple[int, QueryStanding]:
    """The identifier and the standing of a query, among those that were looked up."""
    given = query.id if isinstance(query, Query) else query
    if not _may_be_identifier(given) or given not in known:
        raise unknown_query(call, given, reader.last_query())
    standing = known[given]
    if isinstance(query, Query) and query.point != standing.point:
        raise ConflictError(
            f"{call}(query={given}): got a query of another study, at {dict(query.point)!r}; here that id is of "
            f"{dict(standing.point)!r}; take it to the study that asked it."
        )
    return int(given), standing


def _may_be_identifier(query: object) -> bool:
    whole = isinstance(query, int | np.integer) and not isinstance(query, bool)
    return whole and 1 <= int(query) <= LARGEST  # type: ignore[call-overload]


def unknown_query(call: str, query: object, known: int) -> UnknownQueryError:
    """The error for a query that was never asked."""
    there = f"queries 1 to {known}" if known else "no queries yet"
    way = Way("ask", (), "use an id that ask() returned")
    return UnknownQueryError(f"{call}(query={query!r}): the study has {there}; ", way, ".")


def telling_event(
    call: str, query: int, standing: QueryStanding, value: float | None, context: Values | None
) -> Answered | ContextSeen | None:
    """The event of a first answer, a first context, or both; None if the log has them already."""
    if value is None and context is None:
        raise AnswerError(
            f"{call}(query={query}): got None as the answer; an answer is a number; abandon() a query that has none, "
            f"or give the context that was seen."
        )
    new_context = first_context(call, query, standing, context)
    answer = None if value is None else first_answer(call, query, standing, value)
    if answer is not None:
        return replace(answer, context=new_context)
    return None if new_context is None else ContextSeen(query, new_context)


def first_context(call: str, query: int, standing: QueryStanding, context: Values | None) -> Values | None:
    """A context that the log does not have yet."""
    if context is None or standing.context == context:
        return None
    if standing.context is not None:
        raise ConflictError(
            f"{call}(query={query}): its context was seen as {dict(standing.context)!r}, and now is given as "
            f"{dict(context)!r}; a query has one context; leave it out."
        )
    return context


def first_answer(call: str, query: int, standing: QueryStanding, value: float) -> Answered | None:
    """A first answer; the same one again changes nothing."""
    number = finite(f"{call}(query={query})", value)
    if standing.state is State.ABANDONED:
        raise ConflictError(
            f"{call}(query={query}): the query was abandoned ({standing.reason or 'no reason given'}) and takes no "
            f"answer; ",
            Way("add", (standing.point, number), "use add() to bring in its result"),
            ".",
        )
    if standing.value is not None and standing.value != number:
        raise ConflictError(
            f"{call}(query={query}): already answered with {standing.value!r}, and now given {number!r}; ",
            Way("revise", (query, number), "use revise() to replace the answer"),
            ".",
        )
    return Answered(query, number) if standing.value is None else None


def revision(query: int, standing: QueryStanding, value: float) -> Revised | None:
    """The event of another value in place of the answer; None if it is the same value."""
    number = finite(f"revise(query={query})", value)
    if standing.value is None:
        way = (
            Way("add", (standing.point, number), "add() its result")
            if standing.state is State.ABANDONED
            else Way("tell", (query, number), "use tell() for a first answer")
        )
        raise ConflictError(
            f"revise(query={query}): the query is {standing.state.value} and has no answer to replace; ", way, "."
        )
    return Revised(query, number) if standing.value != number else None


def abandonment(query: int, standing: QueryStanding, reason: str) -> Abandoned | None:
    """The event that ends the wait with a reason; None if it has ended so already."""
    text = as_text(f"abandon(query={query})", reason)
    if standing.value is not None:
        raise ConflictError(
            f"abandon(query={query}): already answered with {standing.value!r}; only a query without an answer can be "
            f"abandoned; ",
            Way("revise", (query,), "use revise() to correct it"),
            ".",
        )
    return Abandoned(query, text) if standing.state is not State.ABANDONED else None


def answer_text(body: Answered | ContextSeen) -> str:
    """What was told of a query, as text for an error."""
    if isinstance(body, ContextSeen):
        return repr(dict(body.context))
    return repr(body.value) if body.context is None else f"{body.value!r} in {dict(body.context)!r}"
