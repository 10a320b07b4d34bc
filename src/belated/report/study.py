"""The report of a study on one page: what it is, how it stands, and all its figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from belated.log import Outcomes, Record, State, outcome_text
from belated.report.axes import Axis, answers_named, axes_of, axis_of
from belated.report.belief import latest_context, listed
from belated.report.page import PageTable, Section, write_report
from belated.show import instant, written
from belated.space import Candidates, Context
from belated.study import Best, Expected, Recommendation, Study
from belated.study.figures import draw
from belated.study.insight import across_text, believes, best_or_none, has_ensemble, unplaced

# The belief from more answers takes longer to compute than anybody waits for a page.
MOST_BELIEVED = 10_000
# An ensemble is fitted anew for every point of its weights' history.
MOST_WEIGHED = 500
MOST_OPTIONS = 8
MOST_FAILED = 20
DIGITS = 4
NO_ANSWER = "No query has an answer yet."
NO_SINGLE_BEST = "There are several objectives, and no single answer is the best of them."
NO_CONTEXT = "No query has both its answer and its context yet."

FIGURES = {
    "progress": ("Progress", "The best answer so far, and every answer when it came."),
    "timeline": (
        "From ask to answer",
        "Each line is one query, from its ask to its answer; one without an answer reaches to the present.",
    ),
    "waits": ("Waiting times", "How long answers took, and how long the other queries have waited so far."),
    "delays": (
        "The delay",
        "What share of queries is answered within how long, as far as those that came and those that still wait can "
        "tell. Marks are queries without an answer, at the time that they have waited.",
    ),
    "belief": (
        "The belief along each parameter",
        "What is expected, with two deviations to each side, when one parameter changes. Answers were asked at other "
        "values of the other parameters too, and in other contexts where there are any, so they need not lie in the "
        "band. Ticks at the bottom are queries whose answers are still to come.",
    ),
    "weights": (
        "The weights of the ensemble",
        "How much each member of the ensemble counted as queries were asked: members that explain the answers gain.",
    ),
    "pairs": (
        "Pairs of parameters",
        "Where queries were asked, two parameters at a time: the brighter, the better; open marks wait for answers.",
    ),
}


def study_report(path: str | Path, study: Study) -> Path:
    """Write the report of a study as one HTML page that opens without a network, and return where it is."""
    record = study.record()
    sections = [_definition(study, record), _standing(record), *_failures(record), _outcome(study, record)]
    sections += [_figure(study, record, kind) for kind in FIGURES if kind != "weights" or has_ensemble(study)]
    lead = f"As it stood at {instant(study.now())}."
    return write_report(path, study.name or "A study in memory", sections, lead)


def _definition(study: Study, record: Record) -> Section:
    text = [
        f"{_purpose(study.outcomes)}. The policy {study.recipe} decides what to ask, with seed {study.seed}. "
        f"The study began at {instant(record.began_at)}."
    ]
    if isinstance(study.space, Candidates):
        text.append(f"A point is one of {len(study.space):,} candidates.")
    if study.closed is not None:
        text.append(f"The study is closed{f': {study.closed}' if study.closed else ''}. Answers are still welcome.")
    if study.archived is not None:
        text.append(f"The study is in the archive{f': {study.archived}' if study.archived else ''}.")
    axes = axes_of(study.space, study.space.names)
    context = study.context.space if study.context else None
    seen = [] if context is None else [axis_of(name, context[name]) for name in context.names]
    rows = [(axis.name, *_range(axis)) for axis in axes]
    rows += [(f"{axis.name} (context)", *_range(axis)) for axis in seen]
    text += [_of_context(study.context)] if study.context else []
    return Section("The study", text, table=PageTable(("parameter", "kind", "values"), rows))


def _purpose(outcomes: Outcomes) -> str:
    """What is good: large answers, small ones, or what each outcome is for."""
    if outcomes.named:
        return "The outcomes: " + "; ".join(f"{name}, {outcome_text(outcome)}" for name, outcome in outcomes.items())
    said = "Large answers are good" if outcomes.goal == "maximize" else "Small answers are good"
    return said if outcomes.silence is None else f"{said}; none within the window means {written(outcomes.silence)}"


def _of_context(context: Context) -> str:
    clipped = " Numbers outside their bounds are moved to the nearer one." if context.outside == "clip" else ""
    return f"The context is seen {context.seen} the decision.{clipped}"


def _range(axis: Axis) -> tuple[str, str]:
    """The kind of a parameter, and its values."""
    if axis.options:
        shown = ", ".join(written(option) for option in axis.options[:MOST_OPTIONS])
        more = len(axis.options) - MOST_OPTIONS
        return "choice", f"{shown} and {more} more" if more > 0 else shown
    kind = "whole number" if axis.whole else "number"
    return f"{kind}, logarithmic" if axis.log else kind, f"{axis.low:g} to {axis.high:g}"


def _standing(record: Record) -> Section:
    silence = record.outcomes.silence
    counted = "" if silence is None else f" Until these come, no answer counts as {_short(silence)}."
    overdue = f"Overdue queries have waited longer than the policy's window; their answers are still welcome.{counted}"
    facts = list(record.counts.words(silence).items())
    facts += [("partly answered", f"{len(partly):,}")] if (partly := record.partly_answered()) else []
    facts += [("without their context", f"{len(waiting):,}")] if (waiting := unplaced(record)) else []
    return Section("How it stands", [overdue] if record.counts.overdue else [], facts)


def _failures(record: Record) -> list[Section]:
    """The queries that failed, the latest first, each with its reason; nothing if none did."""
    failed = record.ended(State.FAILED)
    shown = failed[: -MOST_FAILED - 1 : -1]
    rows = [(str(query.id), query.reason or "no reason given", listed(query.tried)) for query in shown]
    more = [] if len(failed) == len(shown) else [f"The latest {len(shown)} of {len(failed):,}."]
    return [Section("What failed", more, table=PageTable(("query", "why", "point"), rows))] if failed else []


def _outcome(study: Study, record: Record) -> Section:
    """The best answer beside the recommended point."""
    title = "Best answer and recommendation"
    if not record.n_answers:
        return Section(title, [NO_ANSWER])
    best = best_or_none(record)
    if best is None:
        several = len(study.outcomes.objectives) > 1
        return Section(title, [NO_SINGLE_BEST if several else "No answer meets all constraints yet."])
    across = across_text(study.policy)
    text = [
        f"The best answer is flattered by noise{', and by its context' if across else ''}; the recommended point "
        f"{f'has the best expectation now, {across}' if across else 'promises most by all answers, with caution'}."
    ]
    found = None
    if believes(study, record) and record.n_answers <= MOST_BELIEVED:
        context = latest_context(record)
        found = study.recommend(context=context)
        text += [f"It is recommended in the latest context, {listed(context)}."] if context else []
    columns = "", f"best answer (query {best.query})", *([] if found is None else ["recommended"])
    return Section(title, text, table=PageTable(columns, _compared(study, record, best, found)))


def _compared(study: Study, record: Record, best: Best, found: Recommendation | None) -> list[tuple[str, ...]]:
    """The best answer beside the recommendation: the points, what was measured, and what is expected."""
    main, called = study.outcomes.main, answers_named(study)
    beside = {name: answer.value for name, answer in record.queries[best.query - 1].answers.items() if name != main}
    advised = {} if found is None else found.point
    rows = [(name, _short(value), *([_short(advised[name])] if found else [])) for name, value in best.point.items()]
    rows += [(name, _short(value), *([""] if found else [])) for name, value in {called: best.value, **beside}.items()]
    if found is not None:
        expected = {called: Expected(found.mean, found.deviation), **found.others}
        of = {name: f"{name}, " if study.outcomes.named else "" for name in expected}
        rows += [
            (f"{of[name]}expected, ± one deviation", "", f"{_short(each.mean)} ± {_short(each.deviation)}")
            for name, each in expected.items()
        ]
        rows += [] if found.chance is None else [("chance that none tried is better", "", f"{found.chance:.0%}")]
    return rows


def _figure(study: Study, record: Record, kind: str) -> Section:
    title, text = FIGURES[kind]
    reason = lacking(study, record, kind)
    return Section(title, [reason]) if reason else Section(title, [text], figures=[draw(study, kind)])


def lacking(study: Study, record: Record, kind: str) -> str:
    """Why a figure cannot be drawn; empty where it can."""
    if kind in ("progress", "belief", "weights") and not record.n_answers:
        return NO_ANSWER
    if kind in ("timeline", "waits", "delays") and not record.counts.asked:
        return "Nothing has been asked yet."
    if kind == "pairs" and study.space.dimension == 1:
        return "There is one parameter, and so no pair."
    if kind == "pairs" and not len(record):
        return "Nothing has been asked yet."
    if kind in ("belief", "weights") and not believes(study, record):
        return NO_CONTEXT
    if kind == "belief" and record.n_answers > MOST_BELIEVED:
        return f"Left out: a belief from more than {MOST_BELIEVED:,} answers takes long; study.plot('belief') draws it."
    if kind == "weights" and record.n_answers > MOST_WEIGHED:
        return f"Left out: weights from more than {MOST_WEIGHED:,} answers take long; study.plot('weights') draws them."
    return ""


def _short(value: Any) -> str:
    return written(value, DIGITS)
