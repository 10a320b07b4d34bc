"""What may be said of a query, given how it stands: the events that say it, none if the log has it, or a refusal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from belated.errors import AnswerError, ConflictError, ParameterError, UnknownQueryError, Way
from belated.log import (
    VALUE,
    Abandoned,
    Answered,
    Body,
    ContextSeen,
    Failed,
    Measurement,
    Outcomes,
    Performed,
    Query,
    QueryStanding,
    Retracted,
    Revised,
    State,
    Values,
    fields_of,
    measured_text,
    standings,
)
from belated.storage import Reader
from belated.study.arguments import as_text

# What the integer column of a database holds.
LARGEST = 2**31 - 1


def number_of(query: int | Query) -> int:
    """The identifier by which a query is given, whatever was given for one."""
    return query.id if isinstance(query, Query) else query


def standings_of(reader: Reader, queries: Iterable[int | Query]) -> dict[int, QueryStanding]:
    """The standings of those of these queries that exist."""
    return standings(reader.about({int(given) for given in map(number_of, queries) if is_identifier(given)}))


def standing_among(
    call: str, reader: Reader, known: Mapping[int, QueryStanding], query: int | Query
) -> tuple[int, QueryStanding]:
    """The identifier and the standing of a query, among those that were looked up."""
    given = number_of(query)
    if not is_identifier(given) or given not in known:
        raise unknown_query(call, given, reader.last_query())
    standing = known[given]
    if isinstance(query, Query) and query.point != standing.point:
        raise ConflictError(
            f"{call}(query={given}): got a query of another study, at {dict(query.point)!r}; here that id is of "
            f"{dict(standing.point)!r}; take it to the study that asked it."
        )
    return int(given), standing


def is_identifier(query: object) -> bool:
    """Whether a query may have this identifier."""
    whole = isinstance(query, int | np.integer) and not isinstance(query, bool)
    return whole and 1 <= int(query) <= LARGEST  # type: ignore[call-overload]


def unknown_query(call: str, query: object, known: int) -> UnknownQueryError:
    """The error for a query that was never asked."""
    there = f"queries 1 to {known}" if known else "no queries yet"
    way = Way("ask", (), "use an id that ask() returned")
    return UnknownQueryError(f"{call}(query={query!r}): the study has {there}; ", way, ".")


@dataclass(frozen=True)
class Told:
    """What is told of a query: measurements by outcome, the context seen after it, the point that was really tried."""

    measured: Mapping[str, Measurement]
    context: Values | None = None
    performed: Values | None = None

    def text(self) -> str:
        """What was told, as text for an error."""
        parts = [measured_text(self.measured)] if self.measured else []
        parts += [f"at {dict(self.performed)!r}"] if self.performed is not None else []
        parts += [f"in {dict(self.context)!r}"] if self.context is not None else []
        return " ".join(parts)


def telling(call: str, query: int, standing: QueryStanding, outcomes: Outcomes, told: Told) -> tuple[Body, ...]:
    """The events of what is told for the first time; none if the log has it all."""
    if told == Told({}):
        raise AnswerError(
            f"{call}(query={query}): got None as the answer; an answer is a number; ",
            Way("no-answer", (query,), "fail() or abandon() a query that has none, or give the context that was seen"),
            ".",
        )
    context = first_context(call, query, standing, told.context)
    moved = first_performed(call, query, standing, told.performed)
    new = first_answers(call, query, standing, told.measured)
    bodies: list[Body] = [] if moved is None else [moved]
    if new:
        partly = standing.is_partial(new, outcomes) or None
        bodies.append(Answered(query, context=context, partly=partly, **fields_of(new)))
    elif context is not None:
        bodies.append(ContextSeen(query, context))
    return tuple(bodies)


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


def first_performed(call: str, query: int, standing: QueryStanding, point: Values | None) -> Performed | None:
    """The event of another point that was tried; None if it is the one that was asked, or known."""
    if point is None or point == (standing.point if standing.performed is None else standing.performed):
        return None
    if standing.performed is not None:
        raise ConflictError(
            f"{call}(query={query}): told to have been tried at {dict(standing.performed)!r}, and now at "
            f"{dict(point)!r}; ",
            Way("revise-point", (query, point), "use revise() to correct the point"),
            ".",
        )
    return Performed(query, point)


def first_answers(
    call: str, query: int, standing: QueryStanding, measured: Mapping[str, Measurement]
) -> dict[str, Measurement]:
    """The outcomes that the log does not have yet; the same ones again change nothing."""
    if measured and standing.state in (State.ABANDONED, State.FAILED):
        raise ConflictError(
            f"{call}(query={query}): the query {_ended(standing)} and takes no answer; ",
            Way("retract", (query,), "retract() that first"),
            ".",
        )
    for name, answer in measured.items():
        there = standing.answers.get(name)
        if there is not None and not answer.agrees_with(there):
            of_outcome = "" if name == VALUE else f", outcome {name!r}"
            again = answer.value if name == VALUE else f"{name}={answer.value!r}"
            raise ConflictError(
                f"{call}(query={query}{of_outcome}): already answered with {there}, and now given {answer}; ",
                Way("revise", (query, again), "use revise() to replace the answer"),
                ".",
            )
    return {name: answer for name, answer in measured.items() if name not in standing.answers}


def revision(
    query: int, standing: QueryStanding, measured: Mapping[str, Measurement], performed: Values | None
) -> tuple[Body, ...]:
    """The events of other values in place of answers, and of another point; none if they are the same."""
    for name in measured:
        if name not in standing.answers:
            raise _nothing_to_revise(query, standing, name, measured[name])
    if not measured and performed is None:
        raise AnswerError(
            f"revise(query={query}): got None as the answer; an answer is a number; ",
            Way("retract-answer", (query,), "retract() one that says nothing"),
            ".",
        )
    at = standing.point if standing.performed is None else standing.performed
    bodies: list[Body] = [] if performed in (None, at) else [Performed(query, performed or {})]
    new = {name: answer for name, answer in measured.items() if answer != standing.answers[name]}
    return (*bodies, Revised(query, **fields_of(new))) if new else tuple(bodies)


def _nothing_to_revise(query: int, standing: QueryStanding, name: str, answer: Measurement) -> ConflictError:
    has = "has no answer to replace" if name == VALUE else f"has no {name!r} to replace"
    way = (
        Way("retract", (query,), "retract() that first")
        if standing.state in (State.ABANDONED, State.FAILED)
        else Way("tell", (query, answer.value), "use tell() for a first answer")
    )
    return ConflictError(f"revise(query={query}): the query is {standing.state.value} and {has}; ", way, ".")


def failure(query: int, standing: QueryStanding, reason: str) -> tuple[Body, ...]:
    """The event that it cannot be done there; none if the log has it."""
    text = as_text(f"fail(query={query})", reason)
    _refuse_another_end("fail", query, standing, State.ABANDONED)
    return (Failed(query, text),) if standing.state is not State.FAILED else ()


def abandonment(query: int, standing: QueryStanding, reason: str) -> tuple[Body, ...]:
    """The event that ends the wait with a reason; none if it has ended so already."""
    text = as_text(f"abandon(query={query})", reason)
    _refuse_another_end("abandon", query, standing, State.FAILED)
    return (Abandoned(query, text),) if standing.state is not State.ABANDONED else ()


def retraction(
    query: int, standing: QueryStanding, outcomes: Outcomes, reason: str, outcome: str | None
) -> tuple[Body, ...]:
    """The event that takes back an outcome or all that came of a query; none if that is so already."""
    text = as_text(f"retract(query={query})", reason)
    if outcome is not None and outcome not in outcomes:
        raise ParameterError(
            f"retract(query={query}, outcome={outcome!r}): the study has the outcomes {', '.join(outcomes)}; give one."
        )
    gone = standing.state is State.RETRACTED
    if outcome is None and standing.state is State.PENDING:
        raise ConflictError(
            f"retract(query={query}): nothing has come of the query yet; ",
            Way("abandon", (query,), "abandon() it if nothing will"),
            ".",
        )
    if outcome is not None and outcome not in standing.answers and not gone:
        raise ConflictError(
            f"retract(query={query}, outcome={outcome!r}): the query has no such answer; leave the outcome out, or "
            f"give one that was told."
        )
    if gone and (outcome is None or outcome not in standing.answers):
        return ()
    return (Retracted(query, text, outcome, standing.is_withdrawal(outcome, outcomes) or None),)


def _refuse_another_end(call: str, query: int, standing: QueryStanding, other: State) -> None:
    """Refuse a failure or an abandonment of a query that is answered, or whose wait has ended in the other way."""
    if standing.state is State.ANSWERED:
        raise ConflictError(
            f"{call}(query={query}): already answered with {measured_text(standing.answers)}; only a query without an "
            f"answer can {'fail' if call == 'fail' else 'be abandoned'}; ",
            Way("retract", (query,), "retract() the answer first"),
            ".",
        )
    if standing.state is other:
        way = Way("retract", (query,), "retract() that first")
        raise ConflictError(f"{call}(query={query}): the query {_ended(standing)}; ", way, ".")


def _ended(standing: QueryStanding) -> str:
    what = "failed" if standing.state is State.FAILED else "was abandoned"
    return f"{what} ({standing.reason or 'no reason given'})"
