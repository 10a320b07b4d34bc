"""The commands, put together."""

from __future__ import annotations

from typing import Annotated

import typer

import belated
from belated.cli.demo import demo
from belated.cli.lists import policies, problems
from belated.cli.output import out

app = typer.Typer(
    name="belated",
    help="Bayesian optimization for answers that come late: ask what to try next, tell the outcome when it arrives.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        out().print(f"belated {belated.__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Bayesian optimization for answers that come late: ask what to try next, tell the outcome when it arrives."""


for command in (demo, policies, problems):
    app.command()(command)
