"""`belated plot` and `report`: one figure of a study, and a page with all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from belated.cli import typed
from belated.cli.options import AsJson, Storage, StudyName, studies_of
from belated.cli.output import columns, print_json, say
from belated.report import save, study_report
from belated.storage import DEFAULT_URL
from belated.study import Study
from belated.study.figures import describe, kinds


def _kinds(incomplete: str) -> list[tuple[str, str]]:
    return [(kind, describe(kind)) for kind in kinds() if kind.startswith(incomplete)]


StudyToPlot = Annotated[
    str | None,
    typer.Argument(metavar="STUDY", help="The name of the study.", show_default=False, autocompletion=studies_of),
]
MaybeKind = Annotated[
    str | None,
    typer.Argument(
        metavar="KIND",
        help="What to show: progress, timeline, waits, delays, belief, weights or pairs; they are listed without.",
        show_default=False,
        autocompletion=_kinds,
    ),
]
Options = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="An option of the figure; repeat it for each.")
]
FigureFile = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="A .html, .png or .svg file; STUDY-KIND.html if not given."),
]
ReportFile = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="A .html file; STUDY.html if not given.")
]


def plot(
    study: StudyToPlot = None,
    kind: MaybeKind = None,
    output: FigureFile = None,
    options: Options = None,
    storage: Storage = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Draw a study into a file, or list the kinds of figures that there are.

    Example: belated plot lab progress -o progress.html
    """
    if study is None or kind is None:
        _list_kinds(as_json)
        return
    opened = Study.open(storage, study)
    path = output or Path(f"{opened.name}-{kind}.html")
    save(opened.plot(kind, **typed.settings(options or ())), path, f"{opened.name}: {kind}")
    _tell_where(path, as_json)


def report(
    study: StudyName, output: ReportFile = None, storage: Storage = DEFAULT_URL, as_json: AsJson = False
) -> None:
    """Write all figures of a study on one page.

    The page opens without a network.

    Example: belated report lab -o lab.html
    """
    opened = Study.open(storage, study)
    path = output or Path(f"{opened.name}.html")
    study_report(path, opened)
    _tell_where(path, as_json)


def _list_kinds(as_json: bool) -> None:
    if as_json:
        print_json([{"name": kind, "description": describe(kind)} for kind in kinds()])
    else:
        columns(("kind", "what it shows"), [(kind, describe(kind)) for kind in kinds()])


def _tell_where(path: Path, as_json: bool) -> None:
    if as_json:
        print_json({"file": str(path)})
    else:
        say(f"Written to {path}")
