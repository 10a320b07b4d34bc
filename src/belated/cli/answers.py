"""`belated tell`, `revise` and `add`: what came of a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from belated.cli import typed, ways_out, words
from belated.cli.options import AsJson, QueryId, Storage, StudyName, queries_of
from belated.cli.output import columns, print_json, say
from belated.errors import TableError
from belated.show import counted
from belated.storage import DEFAULT_URL
from belated.study import Study

if TYPE_CHECKING:
    from belated.study import FilledRow
    from belated.study.files import AnswerRow

Value = Annotated[str, typer.Argument(metavar="VALUE", help="The answer, a number.", show_default=False)]
MaybeQuery = Annotated[
    int | None,
    typer.Argument(metavar="QUERY", help="The query, by its id.", show_default=False, autocompletion=queries_of),
]
MaybeValue = Annotated[str | None, typer.Argument(metavar="VALUE", help="The answer, a number.", show_default=False)]
AnswerFile = Annotated[
    Path | None,
    typer.Option("--file", "-f", metavar="FILE", help="Many answers: a table, .csv or .xlsx, as ask -o wrote it."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would come of each row, and take nothing.")]
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
    dry_run: DryRun = False,
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
    if dry_run and file is None:
        raise typer.BadParameter("--dry-run looks at a file; name one by --file.")
    opened = Study.open(storage, study)
    if file is not None:
        _tell_sheet(opened, file, dry_run, storage, as_json)
    else:
        assert query is not None, "one of the two was given"
        _tell_one(opened, query, value, context, storage, as_json)


def _tell_one(
    study: Study, query: int, value: str | None, context: Sequence[str] | None, storage: str, as_json: bool
) -> None:
    from belated.study.files import AnswerRow

    seen = typed.context(context, study)
    if seen is not None and study.context is not None and study.context.seen == "after":
        seen = study.context.read(seen, call=f"tell(query={query}) context")
    told = AnswerRow(query, None if value is None else typed.answer(value), seen)
    lacking = _lacks_context(study, told)
    study.tell(told.query, told.value, context=told.context)
    if as_json:
        print_json({"answers": [told._asdict()]})
        return
    say(_taken(told))
    if lacking:
        say(f"It counts once its context is told: {words.context_command(study, told.query, storage)}")


def _tell_sheet(study: Study, file: Path, dry_run: bool, storage: str, as_json: bool) -> None:
    """Take all answers of a file, or none; or say what would come of each row."""
    from belated.study import filled_rows, refuse_faulty

    call = f"tell({str(file)!r})"
    rows = filled_rows(call, file, study)
    if dry_run:
        _preview(rows, {"study": study.name, "storage": storage}, as_json)
        return
    refuse_faulty(call, rows)
    told = [row.told for row in rows if row.told is not None]
    if not told:
        raise TableError(f"{call}: none of {len(rows)} rows has an answer; fill in those that are known.")
    study.tell_many(told)
    if as_json:
        print_json({"answers": [entry._asdict() for entry in told]})
    else:
        say(_counted(study, rows))


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


def _counted(study: Study, rows: Sequence[FilledRow]) -> str:
    """How much was told by a file."""
    told = [(row.told, row.new) for row in rows if row.told is not None]
    answered = {entry.query for entry, _ in told if entry.value is not None}
    if study.context is not None and study.context.seen == "after":
        contexts = sum(entry.context is not None for entry, _ in told)
        answers = counted(len(answered), "answer")
        return f"{answers} and {counted(contexts, 'context')} are taken"
    new = {entry.query for entry, is_new in told if is_new}
    before = f", {counted(len(answered - new), 'was', 'were')} before" if answered - new else ""
    return f"{counted(len(new), 'query is', 'queries are')} answered{before}"


def _preview(rows: Sequence[FilledRow], given: Mapping[str, str], as_json: bool) -> None:
    """What would come of each row, for a command with these arguments."""
    found = [(row.where, row.written, _outlook(row, given)) for row in rows]
    if as_json:
        keys = ("row", "query", "value", "outlook")
        print_json({"rows": [dict(zip(keys, (where, *written, text), strict=True)) for where, written, text in found]})
    else:
        columns(["row", "query", "answer", ""], [(where, *written, text) for where, written, text in found])
        say("Nothing is taken yet; without --dry-run it is")


def _outlook(row: FilledRow, given: Mapping[str, str]) -> str:
    if row.problem is not None:
        return f"refused: {row.problem.worded(lambda way: ways_out.worded(way, given))}"
    if row.told is None:
        return "no answer yet: passed over"
    return "will be taken" if row.new else "known already: nothing changes"
