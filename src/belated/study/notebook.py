"""How studies and what they return show themselves in a notebook: HTML without scripts, in the notebook's colours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from belated.log import State
from belated.log.notebook import heading, table, written
from belated.policies import Policy

if TYPE_CHECKING:
    from belated.log import History
    from belated.study.results import Best, Recommendation
    from belated.study.study import Study


def study_html(study: Study) -> str:
    """A study: what it is, how many queries stand where, and the best answer; no model runs for it."""
    history = study.history()
    rows: list[tuple[str, Any]] = [
        ("goal", study.goal),
        ("policy", policy_text(study.policy)),
        ("space", repr(study.space)),
        *([("context", repr(study.context))] if study.context else []),
        ("seed", study.seed),
        *((name, count) for name, count in counts(history).items() if count),
    ]
    if history.n_answered:
        best = study.best()
        rows.append(("best answer", f"{written(best.value)} (query {best.query})"))
    closed = "" if study.closed is None else f"closed: {study.closed}" if study.closed else "closed"
    return heading(f"Study {study.name}".strip(), closed) + table(rows)


def best_html(best: Best) -> str:
    """The best answer: its value and its point."""
    return heading("Best answer", f"{written(best.value)}, query {best.query}") + table(best.point.items())


def recommendation_html(recommendation: Recommendation) -> str:
    """The point to use now, with what is expected there."""
    expected = f"expected {written(recommendation.mean)} ± {written(recommendation.deviation, 3)} (one deviation)"
    return heading("Recommendation", expected) + table(recommendation.point.items())


def counts(history: History) -> dict[str, int]:
    """How many queries stand where, and how much was added."""
    asked = [query for query in history.queries if query.number]
    order = (State.ANSWERED, State.PENDING, State.OVERDUE, State.ABANDONED)
    states = {state.value: sum(query.state is state for query in asked) for state in order}
    return {"asked": len(asked), **states, "added": len(history.queries) - len(asked)}


def policy_text(policy: Policy) -> str:
    """A policy as one would write it: gp-bucb(window=Window(seconds=600))."""
    recipe = policy.recipe
    return "composed" if recipe is None else f"{recipe.name}{_arguments(recipe.parameters)}"


def _arguments(parameters: Mapping[str, Any]) -> str:
    given = [f"{name}={_argument(value)}" for name, value in parameters.items() if value is not None]
    return f"({', '.join(given)})" if given else ""


def _argument(value: Any) -> str:
    if isinstance(value, Mapping):
        return (
            f"{value.get('part')}{_arguments({name: part for name, part in value.items() if name != 'part'}) or '()'}"
        )
    return written(value) if isinstance(value, float) else repr(value)
