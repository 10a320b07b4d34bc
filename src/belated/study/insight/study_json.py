"""A study and its space as plain values, the same for every command and every route of the service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from belated.space import Candidates, Space

if TYPE_CHECKING:
    from belated.study.any_study import AnyStudy


def space_json(space: Space | Candidates) -> dict[str, Any]:
    """A space in full; of a table, which may be large, its columns and the number of its rows."""
    if isinstance(space, Candidates):
        return {"kind": "candidates", "names": list(space.names), "rows": len(space)}
    return space.to_json()


def study_json(study: AnyStudy) -> dict[str, Any]:
    """What a study is made of."""
    return {
        "name": study.name,
        "goal": study.goal,
        "outcomes": study.outcomes.to_json(),
        "policy": study.recipe.to_json(),
        "seek": study.seek,
        "seed": study.seed,
        "space": space_json(study.space),
        "context": None if study.context is None else study.context.to_json(),
        "closed": study.closed,
        "archived": study.archived,
    }
