"""One JSON shape for each thing, whichever command prints it and whichever route of the service sends it.

Times are seconds since 1970, as in the log; numbers have every digit; what is not there is null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from belated.log import Answer, Query
from belated.space import Candidates, Space
from belated.study.results import Best, Notice, Recommendation

if TYPE_CHECKING:
    from belated.study.study import Study


def of_query(query: Query) -> dict[str, Any]:
    """A query or added point, as far as the log knows it."""
    return {
        "id": query.id,
        "number": query.number,
        "state": query.state.value,
        "point": dict(query.point),
        "context": None if query.context is None else dict(query.context),
        "asked_at": query.asked_at,
        "answer": None if query.answer is None else of_answer(query.answer),
        "reason": query.reason,
        "worker": query.worker,
        "key": query.key,
        "arm": query.arm,
    }


def of_answer(answer: Answer) -> dict[str, Any]:
    """An answer: what counts now, when the first one came, after how many queries, and what was revised."""
    return {"value": answer.value, "at": answer.at, "delay": answer.delay, "earlier": list(answer.earlier)}


def of_best(best: Best) -> dict[str, Any]:
    """The best answer."""
    return {"query": best.query, "value": best.value, "point": dict(best.point)}


def of_recommendation(advice: Recommendation) -> dict[str, Any]:
    """The point to use now, and what is expected there."""
    return {
        "point": dict(advice.point),
        "mean": advice.mean,
        "deviation": advice.deviation,
        "jitter": advice.jitter,
    }


def of_notice(notice: Notice) -> dict[str, Any]:
    """Something that the study noticed, when, and the number of its event."""
    return {"kind": notice.kind, "text": notice.text, "at": notice.at, "event": notice.event}


def of_space(space: Space | Candidates) -> dict[str, Any]:
    """A space in full; of a table, which may be large, its columns and the number of its rows."""
    if isinstance(space, Candidates):
        return {"kind": "candidates", "names": list(space.names), "rows": len(space)}
    return space.to_json()


def of_study(study: Study) -> dict[str, Any]:
    """What a study is made of."""
    return {
        "name": study.name,
        "goal": study.goal,
        "policy": study.recipe.to_json(),
        "seed": study.seed,
        "space": of_space(study.space),
        "context": None if study.context is None else study.context.to_json(),
        "closed": study.closed,
    }
