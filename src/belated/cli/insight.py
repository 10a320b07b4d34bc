"""`belated best`, `recommend`, `pending` and `explain`: what is known, what is waited for, and what decides."""

from __future__ import annotations

from collections.abc import Sequence

from belated.cli import typed, words
from belated.cli.options import AsJson, ContextValues, Storage, StudyName
from belated.cli.output import columns, facts, print_json, say
from belated.log import VALUE, Outcomes, Query
from belated.storage import DEFAULT_URL
from belated.study import Best, Expected, Study
from belated.study.insight import across_text


def best(study: StudyName, storage: Storage = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Show the best answer so far, noise and all.

    Example: belated best lab
    """
    opened = Study.open(storage, study)
    found = opened.best()
    if as_json:
        print_json(found.to_json())
        return
    query = opened.record().queries[found.query - 1]
    say(f"{_told(query, found)} by query {query.id}{words.in_context(query.context)}", "bold")
    facts(_tried(query), indent=2)


def recommend(
    study: StudyName, context: ContextValues = None, storage: Storage = DEFAULT_URL, as_json: AsJson = False
) -> None:
    """Show the point to use now.

    It is where the belief from all answers is surest of much, or the best answer's point; the best answer may owe its
    place to noise. Where contexts are seen after the decision, it is meant across them, as the policy looks at them.

    Example: belated recommend lab
    """
    opened = Study.open(storage, study)
    advice = opened.recommend(context=typed.context(context, opened))
    if as_json:
        print_json(advice.to_json())
        return
    across = across_text(opened.policy)
    of_outcome = f" of {opened.outcomes.main}" if opened.outcomes.named else ""
    expected = f"{words.value(advice.mean)} expected{of_outcome}, give or take {words.value(advice.deviation)}"
    say(f"{expected}, {across}" if across else expected, "bold")
    facts([(name, words.value(value)) for name, value in advice.point.items()], indent=2)
    if advice.others:
        say("and beside it")
        facts([(name, _expected(other)) for name, other in advice.others.items()], indent=2)
    if advice.chance is not None:
        say(f"with a chance of {advice.chance:.0%}, no point tried so far is better")


def pending(study: StudyName, storage: Storage = DEFAULT_URL, as_json: AsJson = False) -> None:
    """List the queries without an answer, overdue ones included.

    Example: belated pending lab
    """
    opened = Study.open(storage, study)
    queries = opened.pending()
    if as_json:
        print_json([query.to_json() for query in queries])
    elif not queries:
        say("Nothing is pending")
    else:
        _list(queries, opened.outcomes, opened.now())


def explain(study: StudyName, storage: Storage = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Say what the study sees, what decides now, and why.

    Example: belated explain lab
    """
    found = Study.open(storage, study).explain()
    if as_json:
        print_json(found.to_json())
        return
    say(f"{found.policy} decides", "bold")
    for title, said in (("What it sees", found.saw), ("What it does", found.chose)):
        say(f"\n{title}")
        facts(said.items(), indent=2)
    if found.why:
        say("\nWhy")
        facts((("·", reason) for reason in found.why), indent=2)


def _expected(expected: Expected) -> str:
    return f"{words.value(expected.mean)}, give or take {words.value(expected.deviation)}"


def _told(query: Query, best: Best) -> str:
    """The best answer with every digit, and beside it what else was told of the query."""
    answer = query.answer
    if set(query.answers) != {VALUE}:
        return query.answers_text()
    return str(best.value) if answer is None or answer.plain else answer.text()


def _tried(query: Query) -> list[tuple[str, str]]:
    """The point that was tried, with what was asked where that was another value."""
    asked = {name: f", and {words.value(query.point[name])} was asked" for name in query.changed}
    return [(name, f"{words.value(value)}{asked.get(name, '')}") for name, value in query.tried.items()]


def _list(queries: Sequence[Query], outcomes: Outcomes, now: float) -> None:
    table: dict[str, list[str]] = {
        "query": [str(query.id) for query in queries],
        "state": [query.state.value for query in queries],
        "waiting": [words.duration(now - query.asked_at) for query in queries],
        "worker": [query.worker or "" for query in queries],
        "context": [words.point(query.context) if query.context else "" for query in queries],
        "told": [query.answers_text() for query in queries],
        "waits for": [", ".join(outcomes.lacking(query.answers)) if query.answers else "" for query in queries],
        "tried": [words.point(query.changed) for query in queries],
        "point": [words.point(query.point) for query in queries],
    }
    table = {heading: cells for heading, cells in table.items() if any(cells)}
    columns(list(table), zip(*table.values(), strict=True), right=("query", "waiting"))
