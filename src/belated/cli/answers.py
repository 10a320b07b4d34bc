"""`belated tell`, `revise`, `abandon` and `add`: what came of a query, or never will."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from belated.cli import given, words
from belated.cli.options import AsJson, ContextValues, QueryId, Reason, Storage, StudyName, queries_of
from belated.cli.output import print_json, say
from belated.cli.shapes import of_query
from belated.storage import DEFAULT_URL
from belated.study import Study

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
Point = Annotated[
    list[str], typer.Argument(metavar="NAME=VALUE...", help="The point: a value for each name.", show_default=False)
]
AddedValue = Annotated[str, typer.Option("--value", "-v", metavar="VALUE", help="What came of it, a number.")]


def tell(
    study: StudyName,
    query: MaybeQuery = None,
    value: MaybeValue = None,
    file: AnswerFile = None,
    storage: Storage = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Tell the answer to a query, or all answers of a file.

    If one answer of a file is refused, none is taken. Telling the same answer again changes nothing.

    Example: belated tell lab 3 -0.5
    """
    answers = _answers(query, value, file)
    opened = Study.open(storage, study)
    if file is None:
        opened.tell(*answers[0])
    else:
        opened.tell_many(answers)
    if as_json:
        print_json({"answers": [{"query": told, "value": answer} for told, answer in answers]})
    elif file is None:
        say(f"Query {query} is answered: {answers[0][1]}")
    else:
        say(f"{words.count(len(answers), 'query is', 'queries are')} answered")


def revise(
    study: StudyName, query: QueryId, value: Value, storage: Storage = DEFAULT_URL, as_json: AsJson = False
) -> None:
    """Replace an answer by a better one; the first stays in the log.

    Example: belated revise lab 3 -0.45
    """
    answer = given.answer(value)
    Study.open(storage, study).revise(query, answer)
    if as_json:
        print_json({"query": query, "value": answer})
    else:
        say(f"Query {query} is now answered: {answer}")


def abandon(
    study: StudyName, query: QueryId, reason: Reason = "", storage: Storage = DEFAULT_URL, as_json: AsJson = False
) -> None:
    """Stop waiting for a query: no answer to it will come.

    Example: belated abandon lab 4 --reason 'sample lost'
    """
    Study.open(storage, study).abandon(query, reason)
    if as_json:
        print_json({"query": query, "reason": reason})
    else:
        say(f"Query {query} is abandoned")


def add(
    study: StudyName,
    point: Point,
    value: AddedValue,
    context: ContextValues = None,
    storage: Storage = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Add a result that was never asked for.

    belated import adds a whole file of them.

    Example: belated add lab temperature=40 solvent=DMF --value 0.5
    """
    opened = Study.open(storage, study)
    seen = given.context(context, opened)
    query = opened.add(given.values(point, opened.space), given.answer(value), context=seen)
    if as_json:
        print_json(of_query(query))
    else:
        say(f"Added as query {query.id}: {words.point(query.point)}")


def _answers(query: int | None, value: str | None, file: Path | None) -> list[tuple[int, Any]]:
    """The answers that were given, in one of the two ways."""
    from belated.study.tables import read_answers

    if file is not None and query is None:
        return list(read_answers(file))
    if file is None and query is not None and value is not None:
        return [(query, given.answer(value))]
    raise typer.BadParameter("give either QUERY and VALUE, as in belated tell lab 3 0.83, or --file answers.csv.")
