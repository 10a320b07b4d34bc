"""How answers are told, one or many, perhaps by several people: in one transaction, each taken or refused alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from belated.errors import BelatedError, ConflictError, ParameterError
from belated.log import Body, Query
from belated.storage import Log, Reader, Writer
from belated.study.answers import Told, standing_among, standing_of, standings_of, telling
from belated.study.arguments import as_measured, performed_point, seen_context
from belated.study.creation import Declaration


@dataclass(frozen=True)
class Telling:
    """What is told of a query, as `Study.tell` takes it, and by whom."""

    query: int | Query
    value: Any
    context: Mapping[str, Any] | None = None
    by: str | None = None
    sd: Any = None
    point: Mapping[str, Any] | None = None


def read(call: str, declared: Declaration, given: Telling) -> Told:
    """What is told to a call, by its name, as the log keeps it."""
    seen = seen_context(f"{call}()", declared.context, given.context)
    query = given.query.id if isinstance(given.query, Query) else given.query
    measured = as_measured(f"{call}(query={query!r})", declared.outcomes, given.value, given.sd)
    return Told(measured, seen, performed_point(f"{call}()", declared.domain, given.point))


# The events that are written of a query, none where the log has it already, or why it is refused.
Verdict = tuple[Body, ...] | BelatedError


def judged(reader: Reader, declared: Declaration, tellings: Sequence[Telling]) -> list[Verdict]:
    """What would come of each telling now."""
    known = standings_of(reader, [given.query for given in tellings])
    found: list[Verdict] = []
    for given in tellings:
        try:
            told = read("tell", declared, given)
            number, standing = standing_among("tell", reader, known, given.query)
            found.append(telling("tell", number, standing, declared.outcomes, told))
        except BelatedError as error:
            found.append(error)
    return found


def tell_each(
    log: Log, declared: Declaration, tellings: Sequence[Telling], clock: Callable[[], float]
) -> list[BelatedError | None]:
    """Tell of different queries at once; returns, for each, what it is refused for, or None."""
    signed: dict[str | None, list[Body]] = {}
    with log.writing() as writer:
        verdicts = judged(writer, declared, tellings)
        new: list[int] = []
        for given, verdict in zip(tellings, verdicts, strict=True):
            if verdict and not isinstance(verdict, BelatedError):
                signed.setdefault(given.by, []).extend(verdict)
                new.append(given.query.id if isinstance(given.query, Query) else int(given.query))
        assert len(set(new)) == len(new), "a query is told once in a transaction"
        now = clock() if new else 0.0
        for by, bodies in signed.items():
            writer.append(bodies, now, by)
    return [verdict if isinstance(verdict, BelatedError) else None for verdict in verdicts]


def bodies_of(writer: Writer, declared: Declaration, tellings: Sequence[Telling]) -> list[Body]:
    """The events by which all of these are told; or an error for one."""
    all_told = [read("tell_many", declared, given) for given in tellings]
    known = standing_of("tell_many", writer, [given.query for given in tellings])
    first: dict[int, tuple[Told, tuple[Body, ...]]] = {}
    for (number, standing), told in zip(known, all_told, strict=True):
        bodies = telling("tell_many", number, standing, declared.outcomes, told)
        before, events = first.setdefault(number, (told, bodies)) if bodies else (told, bodies)
        if events != bodies:
            raise ConflictError(
                f"tell_many(query={number}): given {before.text()} and {told.text()} in one call; a query has one "
                f"answer; keep one of them."
            )
    return [body for _, bodies in first.values() for body in bodies]


def as_answers(answers: object) -> list[Telling]:
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
