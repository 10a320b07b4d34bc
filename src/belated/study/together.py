"""Answers that came at the same time, from several people: written in one transaction, each taken or refused alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from belated.errors import BelatedError
from belated.log import Body, standings
from belated.study.answers import LARGEST, told, unknown_query
from belated.study.entrance import seen_context
from belated.study.study import Study


@dataclass(frozen=True)
class Telling:
    """What somebody tells of a query, as `Study.tell` takes it."""

    query: int
    value: float | None
    context: Mapping[str, Any] | None
    by: str | None


def tell_each(study: Study, answers: Sequence[Telling]) -> list[BelatedError | None]:
    """Tell answers to different queries at once; returns, for each, what `Study.tell` would have raised.

    Unlike `Study.tell_many`, which takes all or none, it takes what it can: these answers have nothing to do with one
    another but the moment.
    """
    assert len({answer.query for answer in answers}) == len(answers), "a query is told once in a transaction"
    outcomes: list[BelatedError | None] = [None] * len(answers)
    with study._log.writing() as writer:
        known = standings(writer.about({answer.query for answer in answers if 1 <= answer.query <= LARGEST}))
        signed: dict[str | None, list[Body]] = {}
        for place, answer in enumerate(answers):
            try:
                seen = seen_context("tell()", study.context, answer.context)
                if answer.query not in known:
                    raise unknown_query("tell", answer.query, writer.last_query())
                body = told("tell", answer.query, known[answer.query], answer.value, seen)
            except BelatedError as error:
                outcomes[place] = error
                continue
            if body is not None:
                signed.setdefault(answer.by, []).append(body)
        now = study.now()
        for by, bodies in signed.items():
            writer.append(bodies, now, by)
    return outcomes
