"""The arguments and options that commands share, with the completions that a shell offers for them."""

from __future__ import annotations

from typing import Annotated

import typer

from belated import policies
from belated.errors import BelatedError
from belated.storage import DEFAULT_URL
from belated.study import Study


def studies_of(ctx: typer.Context, incomplete: str) -> list[str]:
    """The studies in the storage, for completion."""
    try:
        return [name for name in Study.names(_storage_of(ctx)) if name.startswith(incomplete)]
    except BelatedError:
        return []


def archived_of(ctx: typer.Context, incomplete: str) -> list[str]:
    """The studies in the archive, for completion."""
    try:
        return [name for name in Study.names(_storage_of(ctx), archived=True) if name.startswith(incomplete)]
    except BelatedError:
        return []


def queries_of(ctx: typer.Context, incomplete: str) -> list[str]:
    """The queries that wait for an answer, for completion."""
    try:
        study = Study.open(_storage_of(ctx), str(ctx.params.get("study")))
        return [str(query.id) for query in study.pending() if str(query.id).startswith(incomplete)]
    except BelatedError:
        return []


def policies_of(incomplete: str) -> list[str]:
    """The names of policies that begin with what was typed."""
    return [name for name in policies.names() if name.startswith(incomplete)]


def _storage_of(ctx: typer.Context) -> str:
    return str(ctx.params.get("storage") or DEFAULT_URL)


StudyName = Annotated[
    str, typer.Argument(metavar="STUDY", help="The name of the study.", show_default=False, autocompletion=studies_of)
]
ArchivedName = Annotated[
    str,
    typer.Argument(metavar="STUDY", help="The name of the study.", show_default=False, autocompletion=archived_of),
]
QueryId = Annotated[
    int,
    typer.Argument(metavar="QUERY", help="The number that ask gave it.", show_default=False, autocompletion=queries_of),
]
Queries = Annotated[
    list[int],
    typer.Argument(
        metavar="QUERY...", help="The numbers that ask gave them.", show_default=False, autocompletion=queries_of
    ),
]
STORAGE_VARIABLE = "BELATED_STORAGE"
Storage = Annotated[
    str, typer.Option("--storage", "-s", metavar="URL", envvar=STORAGE_VARIABLE, help="Where the studies are kept.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, with every digit.")]
ContextValues = Annotated[
    list[str] | None,
    typer.Option("--context", "-c", metavar="NAME=VALUE", help="What is seen before the decision; repeat it for each."),
]
PolicyName = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="How to decide what to ask: see belated policies.", autocompletion=policies_of),
]
PolicyParameters = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the policy, as window=20; repeat it for each."),
]
Reason = Annotated[str, typer.Option(metavar="TEXT", help="Why; it is kept in the log.")]
