"""`belated ask`: what to try next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from belated.cli import typed, words
from belated.cli.options import AsJson, ContextValues, Storage, StudyName
from belated.cli.output import columns_if_they_fit, facts, print_json, say, say_aside
from belated.log import Balk, Query, State
from belated.show import counted
from belated.storage import DEFAULT_URL
from belated.study import Study
from belated.study.files import check_batch_file, write_batch

# A balk is no error, yet a script wants to know that the policy would rather wait.
BALKED = 3

Count = Annotated[int | None, typer.Option("--count", "-n", min=1, help="Ask for up to this many queries at once.")]
AskKey = Annotated[
    str | None, typer.Option(metavar="TEXT", help="Asked again with the same key, it is the same query.")
]
WorkerName = Annotated[
    str | None, typer.Option(metavar="NAME", help="Who will answer; a worker that died gets its own query again.")
]
SheetFile = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write a sheet to fill in, .csv or .xlsx, and tell by --file."),
]


def ask(
    study: StudyName,
    count: Count = None,
    context: ContextValues = None,
    key: AskKey = None,
    worker: WorkerName = None,
    output: SheetFile = None,
    storage: Storage = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Ask what to try next.

    If the policy would rather wait, it says why, and the exit code is 3.

    Example: belated ask lab --worker bench-2
    """
    opened = Study.open(storage, study)
    if output is not None:
        check_batch_file("ask()", output)
    seen = typed.context(context, opened)
    reply = opened.ask_quietly(count or 1, context=seen, key=key, worker=worker)
    asked = reply.outcome
    balk = asked.reason if isinstance(asked, Balk) else None
    if output is not None and balk is None:
        write_batch(output, list(asked), opened.space, opened.context, opened.outcomes)
    if as_json:
        print_json({"queries": [query.to_json() for query in asked], "balk": balk})
    elif balk is not None:
        say(f"Nothing for now: {balk}")
    elif output is not None:
        say(f"{counted(len(asked), 'query is', 'queries are')} written to {output}")
        say(f"When answers are filled in: {words.tell_sheet_command(opened, output, storage)}")
    else:
        _show(opened, list(asked), storage)
    for text in reply.notices:
        say_aside(f"Worth knowing: {text}", "yellow")
    if balk is not None:
        raise typer.Exit(BALKED)


def _show(study: Study, queries: Sequence[Query], storage: str) -> None:
    waiting = [query for query in queries if query.state in (State.PENDING, State.OVERDUE)]
    if len(queries) == 1 or not _as_table(queries, all_wait=len(waiting) == len(queries)):
        for query in queries:
            # A query asked again with its key may have ended.
            say(f"Query {query.id}{'' if query in waiting else f', {query.state.value}'}", "bold")
            facts([(name, words.value(value)) for name, value in query.point.items()], indent=2)
            if told := query.answers_text():
                say(f"  told so far: {told}" if query in waiting else f"  told: {told}")
    if waiting:
        say(f"When the answer is there: {words.tell_command(study, waiting[0].id, storage)}")


def _as_table(queries: Sequence[Query], all_wait: bool) -> bool:
    """Show one query per row if the screen is wide enough; returns whether it was."""
    first = queries[0].point
    numbers = [name for name, value in first.items() if isinstance(value, float | int) and not isinstance(value, bool)]
    headings = ["query", *([] if all_wait else ["state"]), *first]
    rows = [
        [
            str(query.id),
            *([] if all_wait else [query.state.value]),
            *(words.value(each) for each in query.point.values()),
        ]
        for query in queries
    ]
    return columns_if_they_fit(headings, rows, right=["query", *numbers])
