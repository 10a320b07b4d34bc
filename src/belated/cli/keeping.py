"""`belated rename`, `copy` and `delete`: what is done with a study by its name."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from belated.cli import words
from belated.cli.options import AsJson, Storage, StudyName
from belated.cli.output import confirmed, print_json, say, say_aside
from belated.errors import BelatedError, ParameterError, StorageError, UnknownStudyError
from belated.show import counted
from belated.storage import DEFAULT_URL
from belated.study import Study
from belated.study.insight import study_json

NewName = Annotated[str, typer.Argument(metavar="NEW", help="Its new name.", show_default=False)]
CopyName = Annotated[str, typer.Argument(metavar="NEW", help="The name of the copy.", show_default=False)]
To = Annotated[
    str | None,
    typer.Option("--to", metavar="URL", help="Another storage, in which the copy is made.", show_default=False),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask whether it is meant.")]
UNDONE = 1  # the exit code of a question that was answered by no


def rename(study: StudyName, new: NewName, storage: Storage = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Call a study otherwise.

    Programs that have it open go on, and tokens of the service for it alone open it still.

    Example: belated rename lab lab-2026
    """
    Study.rename(storage, study, new)
    if as_json:
        print_json(study_json(Study.open(storage, new)))
    else:
        say(f"{study} is called {new} now")


def copy(
    study: StudyName, new: CopyName, to: To = None, storage: Storage = DEFAULT_URL, as_json: AsJson = False
) -> None:
    """Copy a study, event for event; the copy then goes its own way.

    Example: belated copy lab lab --to postgresql+psycopg://ada@server/team
    """
    made = Study.copy(storage, study, new, to=to)
    if as_json:
        print_json(study_json(made))
        return
    put_away = ", and in the archive as that is" if made.archived is not None else ""
    say(f"{new} is a copy of {study}, with {counted(len(made.events), 'event')}{put_away}")


def delete(study: StudyName, yes: Yes = False, storage: Storage = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Delete a study with its log, for good.

    It asks first. Tokens of the service for this study alone open nothing from then on. belated archive puts a study
    out of sight instead.

    Example: belated delete lab --yes
    """
    if not (yes or confirmed(_question(storage, study))):
        say_aside("nothing was deleted")
        raise typer.Exit(UNDONE)
    Study.delete(storage, study)
    if as_json:
        print_json({"deleted": study})
    else:
        say(f"{study} is deleted")


def _question(storage: str, study: str) -> str:
    try:
        held = f"with {counted(len(Study.open(storage, study).events), 'event')}"
    except (ParameterError, StorageError, UnknownStudyError):
        raise
    except BelatedError:
        # One that is damaged can be deleted all the same.
        held = "which cannot be read"
    export = f"belated export {shlex.quote(study)} FILE{words.storage_option(storage)}"
    return f"Delete {study}, {held}, for good? ({export} would keep its log)"
