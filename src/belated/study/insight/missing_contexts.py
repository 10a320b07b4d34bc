"""Answers whose context is still to be told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from belated.log import Query, Record

if TYPE_CHECKING:
    from belated.study.study import Study


def unplaced(record: Record) -> list[Query]:
    """The queries with an answer but without a context, if contexts are seen after the decision."""
    if record.context is None or record.context.seen == "before":
        return []
    return [query for query in record.queries if query.answer and query.context is None]


def believes(study: Study, record: Record) -> bool:
    """Whether there is an answer that the policy's belief can use."""
    return record.n_answers > (len(unplaced(record)) if study.policy.across else 0)
