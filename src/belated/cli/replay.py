"""`belated replay`: whether a log still leads to the same queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from belated.cli.options import AsJson, Storage, studies_of
from belated.cli.output import aside, facts, print_json, say
from belated.log import Asked, Balk, Event
from belated.show import counted
from belated.storage import DEFAULT_URL
from belated.study import Difference, Study, differences
from belated.study.files import read_lines

# A difference is no error of the log: another machine may round otherwise, another release decide otherwise.
DIFFERS = 4

StudyOrLog = Annotated[
    str,
    typer.Argument(
        metavar="STUDY|FILE.jsonl",
        help="A study, or a log that export wrote.",
        show_default=False,
        autocompletion=studies_of,
    ),
]
Forgetful = Annotated[
    bool, typer.Option("--forgetful", help="Begin every ask with an empty memory, as a new process would; slower.")
]


def replay(
    study: StudyOrLog, forgetful: Forgetful = False, storage: Storage = DEFAULT_URL, as_json: AsJson = False
) -> None:
    """Ask all queries again: do they come out the same?

    The first that does not is shown, and the exit code is 4.

    Example: belated replay lab
    """
    events = _events(study, storage)
    asks = sum(isinstance(event.body, Asked) for event in events)
    difference = _first_difference(events, asks, forgetful)
    if as_json:
        print_json({"asks": asks, "difference": None if difference is None else _as_json(difference)})
    elif difference is None:
        say(f"{counted(asks, 'query comes', 'queries come')} out the same")
    else:
        _show(difference)
    if difference is not None:
        raise typer.Exit(DIFFERS)


def _events(source: str, storage: str) -> Sequence[Event]:
    if source.endswith(".jsonl"):
        return read_lines(source)
    return Study.open(storage, source).events


def _first_difference(events: Sequence[Event], asks: int, forgetful: bool) -> Difference | None:
    """The first ask that comes out differently, with a progress bar on stderr."""
    bar = (TextColumn("replaying"), BarColumn(bar_width=28), MofNCompleteColumn(), TimeElapsedColumn())
    console = aside()
    with Progress(*bar, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("replay", total=asks)
        return next(differences(events, forgetful, lambda query: progress.advance(task)), None)


def _as_json(difference: Difference) -> dict[str, Any]:
    now, balk = (None, difference.now.reason) if isinstance(difference.now, Balk) else (dict(difference.now), None)
    return {
        "query": difference.query,
        "asked": dict(difference.asked),
        "now": now,
        "balk": balk,
        "release": difference.release,
    }


def _show(difference: Difference) -> None:
    say(f"Query {difference.query} comes out otherwise", "bold")
    if isinstance(difference.now, Balk):
        now = f"nothing: {difference.now.reason}"
    else:
        now = ", ".join(f"{name} {value}" for name, value in difference.now.items())
    asked = ", ".join(f"{name} {value}" for name, value in difference.asked.items())
    facts([("then", asked), ("now", now)], indent=2)
    say(f"{difference.reason}.")
