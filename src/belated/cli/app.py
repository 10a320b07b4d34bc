"""The commands, put together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer
from typer.core import TyperCommand
from typer.main import get_command

import belated
from belated.cli.answers import abandon, add, revise, tell
from belated.cli.ask import ask
from belated.cli.changes import change, close, reopen
from belated.cli.create import create
from belated.cli.database import db
from belated.cli.delays import delays
from belated.cli.demo import demo
from belated.cli.figures import plot, report
from belated.cli.league import league
from belated.cli.lists import policies, problems
from belated.cli.moving import export, import_study
from belated.cli.options import WithNumbers
from belated.cli.output import say
from belated.cli.reading import best, explain, pending, recommend
from belated.cli.replay import replay
from belated.cli.reproduce import reproduce
from belated.cli.serve import serve
from belated.cli.simulate import simulate
from belated.cli.status import status
from belated.cli.token import token

app = typer.Typer(
    name="belated",
    help="Bayesian optimization for answers that come late: ask what to try next, tell the outcome when it arrives.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

GROUPS: dict[str, tuple[Callable[..., None], ...]] = {
    "Work on a study": (create, ask, tell, revise, abandon, add),
    "Look at it": (status, best, recommend, pending, delays, explain, plot, report),
    "Change it": (change, close, reopen),
    "Move and check it": (export, import_study, replay),
    "Share it": (serve,),
    "Find out more": (policies, problems, demo),
    "Experiment": (simulate, reproduce, league),
}


def _version(wanted: bool) -> None:
    if wanted:
        say(f"belated {belated.__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Bayesian optimization for answers that come late: ask what to try next, tell the outcome when it arrives."""


for group, commands in GROUPS.items():
    for command in commands:
        kind = WithNumbers if command in (tell, revise) else TyperCommand
        app.command(command.__name__.removesuffix("_study"), cls=kind, rich_help_panel=group)(command)
app.add_typer(token, name="token", rich_help_panel="Share it")
app.add_typer(db, name="db", rich_help_panel="Move and check it")

# Typer would put it together again for every call.
command_line = get_command(app)
