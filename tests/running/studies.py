"""Studies to run, and how they stand afterwards."""

from __future__ import annotations

from typing import Any

from belated.log import Answered
from belated.policies import Recipe
from belated.space import Context, Float, Space
from belated.study import Study
from tests.logbook import number_in

LINE = Space(heat=Float(0.0, 10.0))
BEFORE = Context(hour=Float(0.0, 24.0), seen="before")
AFTER = Context(demand=Float(0.0, 1.0), seen="after")


def begun(policy: str | Recipe = "random", **options: Any) -> Study:
    """A new study in memory."""
    return Study.in_memory(LINE, policy=policy, seed=3, **options)


def squared(point: dict[str, Any]) -> float:
    """An objective."""
    return float((point["heat"] - 3.0) ** 2)


def states(study: Study) -> list[str]:
    """How each query stands."""
    return [query.state.value for query in study.queries()]


def reasons(study: Study) -> list[str | None]:
    """Why each query failed or was abandoned, if it was."""
    return [query.reason for query in study.queries()]


def told(study: Study) -> list[float]:
    """The answers, in the order in which they were told."""
    return [number_in(event.body) for event in study.events if isinstance(event.body, Answered)]
