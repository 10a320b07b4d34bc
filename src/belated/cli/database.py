"""`belated db`: the tables of a database, which change from release to release."""

from __future__ import annotations

import typer

from belated.cli.commands import Command, Group
from belated.cli.options import AsJson, Storage
from belated.cli.output import print_json, say
from belated.storage import DEFAULT_URL
from belated.storage import revision as revision_of
from belated.storage import upgrade as upgrade_tables

db = typer.Typer(cls=Group, help="Look after the tables of the database.", no_args_is_help=True)


@db.command(cls=Command)
def upgrade(storage: Storage = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Bring the tables to the form that this release needs.

    Nothing in them is lost.

    Example: belated db upgrade --storage sqlite:///lab.db
    """
    before, after = upgrade_tables(storage)
    if as_json:
        print_json({"before": before, "after": after})
    elif before == after:
        say(f"The tables are at revision {after} already")
    else:
        say(f"The tables are at revision {after} now; before, {f'at {before}' if before else 'there were none'}")


@db.command(cls=Command)
def status(storage: Storage = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Show the revision of the tables.

    Example: belated db status
    """
    found = revision_of(storage)
    if as_json:
        print_json({"revision": found})
    else:
        say("There are no tables yet" if found is None else f"The tables are at revision {found}")
