"""`belated fail`, `abandon` and `retract`: queries without an answer, or whose answer does not count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from belated.cli.options import AsJson, Queries, Reason, Storage, StudyName
from belated.cli.output import print_json, say
from belated.show import counted
from belated.storage import DEFAULT_URL
from belated.study import Study

OutcomeName = Annotated[str | None, typer.Option(metavar="NAME", help="Only this outcome is taken back.")]


def fail(
    study: StudyName, queries: Queries, reason: Reason = "", storage: Storage = DEFAULT_URL, as_json: AsJson = False
) -> None:
    """Say that it cannot be done at a query's point, or at those of several: a crash, a mixture that precipitates.

    That teaches the study where not to ask. An answer that was only lost is for belated abandon.

    Example: belated fail lab 4 --reason precipitated
    """
    Study.open(storage, study).fail(queries, reason)
    _said(queries, reason, "failed", as_json)


def abandon(
    study: StudyName, queries: Queries, reason: Reason = "", storage: Storage = DEFAULT_URL, as_json: AsJson = False
) -> None:
    """Stop waiting for a query, or for several: no answer will come, which says nothing of the point.

    Example: belated abandon lab 4 --reason 'sample lost'
    """
    Study.open(storage, study).abandon(queries, reason)
    _said(queries, reason, "abandoned", as_json)


def retract(
    study: StudyName,
    queries: Queries,
    reason: Reason = "",
    outcome: OutcomeName = None,
    storage: Storage = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Take back what came of a query, or of several: an answer, a failure, or that it was abandoned.

    The log keeps what is taken back. The query is waited for no more, and may be told again.

    Example: belated retract lab 4 --reason contaminated
    """
    Study.open(storage, study).retract(queries, reason, outcome=outcome)
    _said(queries, reason, "taken back", as_json, "" if outcome is None else f"{outcome} of ")


def _said(queries: Sequence[int], reason: str, what: str, as_json: bool, of: str = "") -> None:
    if as_json:
        print_json({"queries": list(queries), "reason": reason})
    elif len(queries) == 1:
        say(f"{of}query {queries[0]} is {what}" if of else f"Query {queries[0]} is {what}")
    else:
        say(f"{of}{counted(len(queries), 'query is', 'queries are')} {what}")
