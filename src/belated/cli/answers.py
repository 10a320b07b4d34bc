"""`belated tell`, `revise` and `add`: what came of a query."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from belated.cli import typed, words
from belated.cli.options import AsJson, QueryId, Storage, StudyName, queries_of
from belated.cli.output import print_json, say
from belated.errors import BelatedError, StorageError
from belated.show import counted
from belated.storage import DEFAULT_URL
from belated.study import Study

if TYPE_CHECKING:
    from belated.study.files import AnswerRow

Value = Annotated[str, typer.Argument(metavar="VALUE", help="The answer, a number.", show_default=False)]
MaybeQuery = Annotated[
    int | None,
    typer.Argument(metavar="QUERY", help="The query, by its id.", show_default=False, autocompletion=queries_of),
]
MaybeValue = Annotated[str | None, typer.Argument(metavar="VALUE", help="The answer, a number.", show_default=False)]
AnswerFile = Annotated[
    Path | None,
    typer.Option("--file", "-f", metavar="FILE", help="Many answers: a CSV file with the columns query and value."),
]
SeenContext = Annotated[
    list[str] | None,
    typer.Option("--context", "-c", metavar="NAME=VALUE", help="What was seen after the decision; repeat it for each."),
]
FoundContext = Annotated[
    list[str] | None,
    typer.Option("--context", "-c", metavar="NAME=VALUE", help="The context it was found in; repeat it for each."),
]
PointGiven = Annotated[
    list[str], typer.Argument(metavar="NAME=VALUE...", help="The point: a value for each name.", show_default=False)
]
WAYS_TO_TELL = (
    "give QUERY and VALUE, as in belated tell lab 3 0.83; or, where contexts are seen after the decision, QUERY with "
    "--context, with or without VALUE; or --file answers.csv alone."
)
AddedValue = Annotated[str, typer.Option("--value", "-v", metavar="VALUE", help="What came of it, a number.")]


def tell(
    study: StudyName,
    query: MaybeQuery = None,
    value: MaybeValue = None,
    context: SeenContext = None,
    file: AnswerFile = None,
    storage: Storage = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Tell the answer to a query, its context if one is seen after the decision, or all answers of a file.

    A context may come with the answer, before it or after it. If one answer of a file is refused, none is taken.
    Telling the same again changes nothing.

    Example: belated tell lab 3 -0.5
    """
    if (query is None) == (file is None) or (file is None and value is None and not context):
        raise typer.BadParameter(WAYS_TO_TELL)
    if file is not None and context:
        raise typer.BadParameter("--context goes with one QUERY; in a file, contexts have columns of their own.")
    opened = Study.open(storage, study)
    told = _told(opened, query, value, context, file)
    lacking = file is None and _lacks_context(opened, told[0])
    waiting = _waiting(opened) if file is not None and not as_json else None
    if file is not None:
        opened.tell_many(told)
    else:
        opened.tell(told[0].query, told[0].value, context=told[0].context)
    if as_json:
        print_json({"answers": [entry._asdict() for entry in told]})
    elif file is not None:
        say(_counted(opened, told, waiting))
    else:
        say(_taken(told[0]))
        if lacking:
            say(f"It counts once its context is told: {words.context_command(opened, told[0].query, storage)}")


def revise(
    study: StudyName, query: QueryId, value: Value, storage: Storage = DEFAULT_URL, as_json: AsJson = False
) -> None:
    """Replace an answer by a better one; the first stays in the log.

    Example: belated revise lab 3 -0.45
    """
    answer = typed.answer(value)
    Study.open(storage, study).revise(query, answer)
    if as_json:
        print_json({"query": query, "value": answer})
    else:
        say(f"Query {query} is now answered: {answer}")


def add(
    study: StudyName,
    point: PointGiven,
    value: AddedValue,
    context: FoundContext = None,
    storage: Storage = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Add a result that was never asked for.

    belated import adds a whole file of them.

    Example: belated add lab temperature=40 solvent=DMF --value 0.5
    """
    opened = Study.open(storage, study)
    seen = typed.context(context, opened)
    query = opened.add(typed.values(point, opened.space), typed.answer(value), context=seen)
    if as_json:
        print_json(query.to_json())
    else:
        say(f"Added as query {query.id}: {words.point(query.point)}{words.in_context(query.context)}")


def _told(
    study: Study, query: int | None, value: str | None, context: Sequence[str] | None, file: Path | None
) -> Sequence[AnswerRow]:
    """The answers that were typed, or those of a file; contexts are as the log keeps them."""
    from belated.study.files import AnswerRow, read_answers

    if file is not None:
        return read_answers(file, study.context)
    assert query is not None, "one of the two was given"
    seen = typed.context(context, study)
    if seen is not None and study.context is not None and study.context.seen == "after":
        seen = study.context.read(seen, call=f"tell(query={query}) context")
    return [AnswerRow(query, None if value is None else typed.answer(value), seen)]


def _lacks_context(study: Study, told: AnswerRow) -> bool:
    """Whether an answer lacks the context without which the policy cannot use it."""
    declared = study.context
    if told.context is not None or declared is None or declared.seen == "before" or study.policy.across is None:
        return False
    return any(query.id == told.query and query.context is None for query in study.pending())


def _taken(told: AnswerRow) -> str:
    """What is said once one query is told."""
    if told.value is None:
        return f"The context of query {told.query} is known: {words.point(told.context or {})}"
    return f"Query {told.query} is answered: {told.value}{words.in_context(told.context)}"


def _waiting(study: Study) -> set[int] | None:
    """The queries that wait for an answer; None if this program does not know the policy: tells need none."""
    try:
        return {query.id for query in study.pending()}
    except StorageError:
        raise
    except BelatedError:
        return None


def _counted(study: Study, told: Sequence[AnswerRow], waiting: set[int] | None) -> str:
    """What is said once a file is told, given the queries that were waiting before."""
    answered = {entry.query for entry in told if entry.value is not None}
    answers = counted(len(answered), "answer")
    if study.context is not None and study.context.seen == "after":
        contexts = sum(entry.context is not None for entry in told)
        return f"{answers} and {counted(contexts, 'context')} are taken"
    if waiting is None:
        return f"{answers} {'is' if len(answered) == 1 else 'are'} taken"
    known = len(answered - waiting)
    before = f", {counted(known, 'was', 'were')} before" if known else ""
    return f"{counted(len(answered & waiting), 'query is', 'queries are')} answered{before}"
