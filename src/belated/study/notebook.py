"""How studies and what they return show themselves in a notebook: HTML without scripts, in the notebook's colours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from belated.contexts import KernelDensity, Known, Law, Observed
from belated.log.notebook import heading, table, written
from belated.policies import Policy, Recipe
from belated.rules import DensityBall, Expectation, MeanDiscrepancyBall, MinimaxDiscrepancy, WithinDeviation

if TYPE_CHECKING:
    from belated.log import Query, Record
    from belated.study.results import Best, Recommendation
    from belated.study.study import Study


def study_html(study: Study) -> str:
    """A study: what it is, how many queries stand where, and the best answer; no model runs for it."""
    record = study.record()
    rows: list[tuple[str, Any]] = [
        ("goal", study.goal),
        ("policy", policy_text(study.recipe)),
        ("space", repr(study.space)),
        *([("context", repr(study.context))] if study.context else []),
        ("seed", study.seed),
        *record.counts.words().items(),
        *([("without their context", len(waiting))] if (waiting := unplaced(record)) else []),
    ]
    if record.n_answers:
        best = study.best()
        rows.append(("best answer", f"{written(best.value)} (query {best.query})"))
    rows += [("worth knowing", notice.text) for notice in study.notices()]
    closed = "" if study.closed is None else f"closed: {study.closed}" if study.closed else "closed"
    return heading(f"Study {study.name}".strip(), closed) + table(rows)


def best_html(best: Best) -> str:
    """The best answer: its value and its point."""
    return heading("Best answer", f"{written(best.value)}, query {best.query}") + table(best.point.items())


def recommendation_html(recommendation: Recommendation) -> str:
    """The point to use now, with what is expected there."""
    expected = f"expected {written(recommendation.mean)} ± {written(recommendation.deviation, 3)} (one deviation)"
    return heading("Recommendation", expected) + table(recommendation.point.items())


def unplaced(record: Record) -> list[Query]:
    """The queries with an answer and without their context, where that is seen after the decision."""
    if record.context is None or record.context.seen == "before":
        return []
    return [query for query in record.queries if query.answer and query.context is None]


def believes(study: Study, record: Record) -> bool:
    """Whether there is an answer that the policy's belief knows where to put."""
    return record.n_answers > (len(unplaced(record)) if study.policy.aim else 0)


def policy_text(recipe: Recipe) -> str:
    """A policy as one would write it, with what was given: gp-bucb(window=Window(seconds=600))."""
    return f"{recipe.name}{_arguments(recipe.parameters)}"


def across_text(policy: Policy) -> str:
    """Over which contexts a policy's expectation is meant; empty where it is meant in one, or in none."""
    match policy.aim:
        case None:
            return ""
        case Expectation(law=law):
            return f"on average over {_contexts_of(law)}"
        case DensityBall(law=law):
            return f"under the worst law near that of {_contexts_of(law)}"
        case MeanDiscrepancyBall() | MinimaxDiscrepancy():
            return "under the worst law near that of the contexts seen"
        case WithinDeviation():
            return "in the worst context within a deviation of the mean of those seen"
    return "across contexts"


def _contexts_of(law: Law) -> str:
    match law:
        case KernelDensity():
            return "contexts like those seen"
        case Observed():
            return "the contexts seen"
        case Known():
            return "the contexts given"
    return "the contexts to come"


def _arguments(parameters: Mapping[str, Any]) -> str:
    given = [f"{name}={_argument(value)}" for name, value in parameters.items()]
    return f"({', '.join(given)})" if given else ""


def _argument(value: Any) -> str:
    if isinstance(value, Mapping):
        # Of a part, all fields are kept, and those that say nothing are None.
        said = {name: field for name, field in value.items() if name != "part" and field is not None}
        return f"{value.get('part')}{_arguments(said) or '()'}"
    return written(value) if isinstance(value, float) else repr(value)
