"""`belated tell`, `revise` and `add`: what came of a query."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from belated.cli import typed, words
from belated.cli.options import AsJson, Storage, StudyName, queries_of
from belated.cli.output import print_json, say
from belated.storage import DEFAULT_URL
from belated.study import Study

if TYPE_CHECKING:
    from belated.study.files import AnswerRow

MaybeQuery = Annotated[
    str | None,
    typer.Argument(
        metavar="QUERY", help="The query, by its id; or a file of many.", show_default=False, autocompletion=queries_of
    ),
]
Values = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="VALUE...",
        help="The answer, a number; repeats, several; or NAME=VALUE for each outcome.",
        show_default=False,
    ),
]
StandardError = Annotated[
    list[str] | None,
    typer.Option("--sd", metavar="NUMBER", help="The standard error of the answer, or NAME=NUMBER of an outcome."),
]
Performed = Annotated[
    list[str] | None,
    typer.Option("--point", metavar="NAME=VALUE", help="What was done otherwise than asked; repeat it for each."),
]
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
WAYS_TO_REVISE = "give QUERY with VALUE or --point, as in belated revise lab 3 0.83; or --file answers.csv alone."
AddedValues = Annotated[
    list[str],
    typer.Option(
        "--value",
        "-v",
        metavar="VALUE",
        help="What came of it, a number, or NAME=VALUE of an outcome; repeat it for repeats, and for each outcome.",
    ),
]


def tell(
    study: StudyName,
    query: MaybeQuery = None,
    values: Values = None,
    sd: StandardError = None,
    at: Performed = None,
    context: SeenContext = None,
    file: AnswerFile = None,
    dry_run: DryRun = False,
    storage: Storage = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Tell what came of a query, its context if one is seen after the decision, or all that a file says.

    A context may come with the answer, before it or after it. If one row of a file is refused, none is taken.
    Telling the same again changes nothing.

    Example: belated tell lab 3 -0.5
    """
    number, sheet = _one_or_sheet(query, file, bool(values or at or context), WAYS_TO_TELL)
    _check_alone(sheet, dry_run, values or sd or at or context)
    opened = Study.open(storage, study)
    if sheet is not None:
        from belated.cli.sheets import take_sheet

        take_sheet(opened, sheet, "tell", dry_run, storage, as_json)
    else:
        _tell_one(opened, _told(opened, number, values, sd, at, context), storage, as_json)


def revise(
    study: StudyName,
    query: MaybeQuery = None,
    values: Values = None,
    sd: StandardError = None,
    at: Performed = None,
    file: AnswerFile = None,
    dry_run: DryRun = False,
    storage: Storage = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Replace an answer by a better one, or the point that was tried; the first stays in the log.

    Of a file, all that is not as it is known replaces that, and what is new is told.

    Example: belated revise lab 3 -0.45
    """
    number, sheet = _one_or_sheet(query, file, bool(values or at), WAYS_TO_REVISE)
    _check_alone(sheet, dry_run, values or sd or at)
    opened = Study.open(storage, study)
    if sheet is not None:
        from belated.cli.sheets import take_sheet

        take_sheet(opened, sheet, "revise", dry_run, storage, as_json)
        return
    told = _told(opened, number, values, sd, at, None)
    opened.revise(told.query, told.value, sd=told.sd, point=told.point)
    if as_json:
        said = told.to_json()
        print_json({name: said[name] for name in ("query", "value", "sd", "point") if name in said})
    elif told.value is None:
        say(f"Query {number} was tried at {words.point(told.point or {})}")
    else:
        say(f"Query {number} is now answered: {_answer(told)}{_at(told)}")


def _one_or_sheet(query: str | None, file: Path | None, said: bool, ways: str) -> tuple[int, Path | None]:
    """The query that was named, or the file."""
    from belated.cli.sheets import is_sheet

    if query is not None and file is None and is_sheet(query) and not said:
        return 0, Path(query)
    if (query is None) == (file is None) or (file is None and not said):
        raise typer.BadParameter(ways)
    if file is not None:
        return 0, file
    try:
        return int(query or ""), None
    except ValueError:
        raise typer.BadParameter(f"{query!r} is not a valid integer; {ways}") from None


def _check_alone(sheet: Path | None, dry_run: bool, others: Sequence[str] | None) -> None:
    if sheet is not None and others:
        raise typer.BadParameter("a file goes alone; in it, contexts, errors and parameters have columns of their own.")
    if dry_run and sheet is None:
        raise typer.BadParameter("--dry-run looks at a file; name one by --file.")


def _told(
    study: Study,
    query: int,
    values: Sequence[str] | None,
    sd: Sequence[str] | None,
    at: Sequence[str] | None,
    context: Sequence[str] | None,
) -> AnswerRow:
    """What was typed of one query, with its context as the log keeps it, and the whole point that was tried."""
    from belated.study.files import AnswerRow

    seen = typed.context(context, study)
    if seen is not None and study.context is not None and study.context.seen == "after":
        seen = study.context.read(seen, call=f"tell(query={query}) context")
    _check_names(study, values or ())
    standing = study.standings([query]).get(query)
    point = None
    if at:
        tried = {} if standing is None else standing.performed or standing.point
        point = {**tried, **typed.values(at, study.space)}
    return AnswerRow(query, typed.measured(values), seen, typed.measured(sd), point)


def _check_names(study: Study, values: Sequence[str]) -> None:
    """Say where what was typed among the outcomes belongs, if that is elsewhere."""
    entries = () if study.context is None else study.context.space.names
    for name in (text.rpartition("=")[0].strip() for text in values):
        for option, names in (("--context", entries), ("--point", study.space.names)):
            if name in names and name not in study.outcomes:
                raise typer.BadParameter(f"{name!r} is no outcome; give it by {option} {name}=….")


def _tell_one(study: Study, told: AnswerRow, storage: str, as_json: bool) -> None:
    lacking = _lacks_context(study, told)
    study.tell(told.query, told.value, sd=told.sd, point=told.point, context=told.context)
    if as_json:
        print_json({"answers": [told.to_json()]})
        return
    say(_taken(study, told))
    if lacking:
        say(f"It counts once its context is told: {words.context_command(study, told.query, storage)}")


def add(
    study: StudyName,
    point: PointGiven,
    value: AddedValues,
    sd: StandardError = None,
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
    query = opened.add(typed.values(point, opened.space), typed.measured(value), sd=typed.measured(sd), context=seen)
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


def _taken(study: Study, told: AnswerRow) -> str:
    """What was told of one query."""
    if told.value is None and told.context is None:
        return f"Query {told.query} was tried at {words.point(told.point or {})}"
    if told.value is None:
        return f"The context of query {told.query} is known: {words.point(told.context or {})}"
    standing = study.standings([told.query])[told.query]
    missing = [name for name in study.outcomes.required if name not in standing.answers]
    how, rest = ("partly answered", f"; it waits for {', '.join(missing)}") if missing else ("answered", "")
    return f"Query {told.query} is {how}: {_answer(told)}{_at(told)}{words.in_context(told.context)}{rest}"


def _answer(told: AnswerRow) -> str:
    """The answer in words: a number, repeats, or each outcome with its own."""
    if isinstance(told.value, dict):
        errors = told.sd if isinstance(told.sd, dict) else {}
        return ", ".join(f"{name} {_measurement(value, errors.get(name))}" for name, value in told.value.items())
    return _measurement(told.value, told.sd)


def _measurement(value: Any, sd: Any) -> str:
    numbers = value if isinstance(value, list) else [value]
    return " ".join(map(str, numbers)) + ("" if sd is None else f" ± {sd}")


def _at(told: AnswerRow) -> str:
    return f", tried at {words.point(told.point)}" if told.point else ""
