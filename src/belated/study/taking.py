"""How what is said of queries is judged as the log stands, and taken: in one transaction, all of it or each alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from belated.errors import BelatedError, ConflictError
from belated.log import Added, Body, QueryStanding, Values, fields_of
from belated.storage import Log, Reader, Writer
from belated.study.answers import (
    Told,
    abandonment,
    failure,
    is_identifier,
    number_of,
    retraction,
    revision,
    standing_among,
    standings_of,
    telling,
)
from belated.study.arguments import Datum, added_measurements, as_measured, known_context, performed_point, seen_context
from belated.study.creation import Declaration
from belated.study.statements import Correction, Ending, Statement, Telling

# The events that are written of a query, none where the log has it already, or why it is refused.
Verdict = tuple[Body, ...] | BelatedError


@dataclass(frozen=True)
class Taking:
    """What takes statements and data: the study's log and what that declares, the clock, and who signs."""

    log: Log
    declared: Declaration
    clock: Callable[[], float]
    by: str | None

    def take(self, statements: Sequence[Statement]) -> None:
        """Take all of these, one after the other, or, if one is refused, none."""
        with self.log.writing() as writer:
            self._write(writer, judged(writer, self.declared, statements))

    def take_many(self, tellings: Sequence[Telling]) -> None:
        """Take all that is told, or, if one is refused or two contradict each other, nothing."""
        with self.log.writing() as writer:
            refuse_two_stories(writer, self.declared, tellings)
            self._write(writer, judged(writer, self.declared, tellings, "tell_many"))

    def take_each(self, tellings: Sequence[Telling]) -> list[BelatedError | None]:
        """Take what is told of different queries; returns, for each, what it is refused for, or None."""
        signed: dict[str | None, list[Body]] = {}
        with self.log.writing() as writer:
            verdicts = judged(writer, self.declared, tellings)
            new: list[int] = []
            for given, verdict in zip(tellings, verdicts, strict=True):
                if verdict and not isinstance(verdict, BelatedError):
                    signed.setdefault(given.by or self.by, []).extend(verdict)
                    new.append(number_of(given.query))
            assert len(set(new)) == len(new), "a query is told once in a transaction"
            now = self.clock() if new else 0.0
            for by, bodies in signed.items():
                writer.append(bodies, now, by)
        return [verdict if isinstance(verdict, BelatedError) else None for verdict in verdicts]

    def add(self, call: str, rows: Sequence[Datum]) -> range:
        """Take data that was never asked, all or none; returns the identifiers that it gets."""
        read: list[tuple[Values, dict[str, Any], Values | None]] = []
        for point, value, context, sd in rows:
            kept = Values(self.declared.domain.read(point, call=call))
            measured = added_measurements(call, self.declared.outcomes, value, sd)
            read.append((kept, fields_of(measured), known_context(call, self.declared.context, context)))
        with self.log.writing() as writer:
            first = writer.last_query() + 1
            queries = range(first, first + len(read))
            writer.append(
                [
                    Added(query, point, context=context, **fields)
                    for query, (point, fields, context) in zip(queries, read, strict=True)
                ],
                self.clock(),
                self.by,
            )
        return queries

    def _write(self, writer: Writer, verdicts: Sequence[Verdict]) -> None:
        """Write the events of all, or raise a refusal: the first of what could never be taken, before any conflict."""
        refusals = [verdict for verdict in verdicts if isinstance(verdict, BelatedError)]
        if refusals:
            raise next((each for each in refusals if not isinstance(each, ConflictError)), refusals[0])
        bodies = [body for verdict in verdicts if not isinstance(verdict, BelatedError) for body in verdict]
        if bodies:
            writer.append(bodies, self.clock(), self.by)


def judged(reader: Reader, declared: Declaration, statements: Sequence[Statement], call: str = "tell") -> list[Verdict]:
    """What would come of each statement now, after those before it; `call` is the one that tells.

    An argument that is none is refused as such, before it is looked up how the query stands.
    """
    known = standings_of(reader, [statement.query for statement in statements])
    said: dict[int, tuple[Body, ...]] = {}
    found: list[Verdict] = []
    for statement in statements:
        try:
            name, meaning = _read(call, declared, statement)
            number, standing = standing_among(name, reader, known, statement.query)
            before = said.get(number, ())
            bodies = meaning(number, reduce(QueryStanding.after, before, standing))
            said[number] = (*before, *bodies)
            found.append(bodies)
        except BelatedError as error:
            found.append(error)
    return found


def read_telling(call: str, declared: Declaration, given: Telling) -> Told:
    """What is told to a call, by its name, as the log keeps it."""
    seen = seen_context(f"{call}()", declared.context, given.context)
    measured = as_measured(f"{call}(query={number_of(given.query)!r})", declared.outcomes, given.value, given.sd)
    return Told(measured, seen, performed_point(f"{call}()", declared.domain, given.point))


def _read(
    call: str, declared: Declaration, statement: Statement
) -> tuple[str, Callable[[int, QueryStanding], tuple[Body, ...]]]:
    """The call that says this, and the events by which it is said of a query, given how that stands."""
    outcomes = declared.outcomes
    match statement:
        case Telling():
            told = read_telling(call, declared, statement)
            return call, lambda number, standing: telling(call, number, standing, outcomes, told)
        case Correction(query=query, value=value, sd=sd, point=point):
            performed = performed_point("revise()", declared.domain, point)
            measured = as_measured(f"revise(query={number_of(query)!r})", outcomes, value, sd)
            return "revise", lambda number, standing: revision(number, standing, measured, performed)
        case Ending(way="fail", reason=reason):
            return "fail", lambda number, standing: failure(number, standing, reason)
        case Ending(way="abandon", reason=reason):
            return "abandon", lambda number, standing: abandonment(number, standing, reason)
        case Ending(reason=reason, outcome=outcome):
            return "retract", lambda number, standing: retraction(number, standing, outcomes, reason, outcome)


def refuse_two_stories(reader: Reader, declared: Declaration, tellings: Sequence[Telling]) -> None:
    """Refuse what is told of one query in two ways, unless the log has one of them."""
    first: dict[int, Telling] = {}
    for given in tellings:
        number = number_of(given.query)
        before = first.setdefault(number, given) if is_identifier(number) else given
        if before is given:
            continue
        told, again = (read_telling("tell_many", declared, each) for each in (before, given))
        if told != again and all(_is_news(reader, declared, each) for each in (before, given)):
            raise ConflictError(
                f"tell_many(query={number}): given {told.text()} and {again.text()} in one call; a query has one "
                f"answer; keep one of them."
            )


def _is_news(reader: Reader, declared: Declaration, given: Telling) -> bool:
    """Whether this alone would be taken, and the log does not have it."""
    [verdict] = judged(reader, declared, [given])
    return not isinstance(verdict, BelatedError) and len(verdict) > 0
