"""The commands of `belated`. Each is imported when it is called, so that none waits for what only others need."""

from __future__ import annotations

from collections import UserDict
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.main import get_command

import belated
from belated.cli.commands import Command, Group, WithNumbers
from belated.cli.output import say

# The commands by the panels of the help, each with the module that has it.
PANELS: dict[str, dict[str, str]] = {
    "Work on a study": {
        "create": "create",
        "ask": "ask",
        "tell": "answers",
        "revise": "answers",
        "fail": "endings",
        "abandon": "endings",
        "retract": "endings",
        "add": "answers",
    },
    "Look at it": {
        "status": "status",
        "best": "insight",
        "recommend": "insight",
        "pending": "insight",
        "delays": "delays",
        "explain": "insight",
        "plot": "figures",
        "report": "figures",
    },
    "Change it": {
        "change": "changes",
        "close": "changes",
        "reopen": "changes",
        "archive": "changes",
        "unarchive": "changes",
    },
    "Move and check it": {
        "rename": "keeping",
        "copy": "keeping",
        "delete": "keeping",
        "export": "export_import",
        "import": "export_import",
        "replay": "replay",
        "db": "database",
    },
    "Share it": {"serve": "serve", "mcp": "mcp", "token": "token"},
    "Find out more": {"policies": "lists", "problems": "lists", "demo": "demo"},
    "Experiment": {"simulate": "simulate", "reproduce": "reproduce", "league": "league"},
}
# Commands whose values may be negative.
WITH_NUMBERS = ("tell", "revise")

app = typer.Typer(
    name="belated",
    cls=Group,
    help="Bayesian optimization for answers that come late: ask what to try next, tell the outcome when it arrives.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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


class _Commands(UserDict[str, Any]):
    """The commands by name; each is made when it is first looked up."""

    def __getitem__(self, name: str) -> Any:
        panel, module = super().__getitem__(name)
        return _made(name, panel, module)


@cache
def _made(name: str, panel: str, module: str) -> Any:
    # `import` is a keyword of Python.
    found = getattr(import_module(f"belated.cli.{module}"), "import_study" if name == "import" else name)
    alone = typer.Typer(callback=main)  # with a callback it has parts, of which this is one
    if isinstance(found, typer.Typer):
        alone.add_typer(found, name=name, rich_help_panel=panel)
    else:
        kind = WithNumbers if name in WITH_NUMBERS else Command
        alone.command(name, cls=kind, rich_help_panel=panel)(found)
    group: Any = get_command(alone)
    return group.commands[name]


command_line: Any = get_command(app)
command_line.commands = _Commands(
    {name: (panel, module) for panel, modules in PANELS.items() for name, module in modules.items()}
)
