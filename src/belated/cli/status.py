"""`belated status`: all studies of a storage, or one of them at a glance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from belated.cli import words
from belated.cli.chart import labelled
from belated.cli.description import portray
from belated.cli.options import AsJson, Storage, studies_of
from belated.cli.output import columns, facts, out, print_json, say, say_aside
from belated.errors import BelatedError, StorageError
from belated.log import meaning
from belated.storage import DEFAULT_URL
from belated.study import Study
from belated.study.insight import Delay, Summary, summary

WIDEST, HEIGHT = 72, 6
MOST_LISTED = 5

MaybeStudy = Annotated[
    str | None,
    typer.Argument(
        metavar="STUDY",
        help="The study; all of them if none is named.",
        show_default=False,
        autocompletion=studies_of,
    ),
]


Archived = Annotated[bool, typer.Option("--archived", help="List the studies in the archive instead.")]


def status(
    study: MaybeStudy = None, archived: Archived = False, storage: Storage = DEFAULT_URL, as_json: AsJson = False
) -> None:
    """Show how a study goes, or list the studies of the storage.

    Example: belated status lab
    """
    if archived and study is not None:
        raise typer.BadParameter("--archived lists the archive; leave out it or the study.")
    names = Study.names(storage, archived=archived) if study is None else [study]
    found, unreadable = [], {}
    for name in names:
        try:
            found.append(summary(Study.open(storage, name)))
        except StorageError:
            raise
        except BelatedError as error:
            # A study whose policy only another program knows must not hide the others.
            if study is not None:
                raise
            unreadable[name] = str(error)
    if as_json:
        data = [entry.to_json() for entry in found]
        unread = [{"name": name, "unreadable": reason} for name, reason in unreadable.items()]
        print_json([*data, *unread] if study is None else data[0])
    elif study is not None:
        _show(found[0])
    elif found:
        _list(found)
    elif not unreadable:
        say(_nothing(archived, storage))
    if not as_json:
        for name, reason in unreadable.items():
            say_aside(f"{name} cannot be shown: {reason}", "yellow")


def _nothing(archived: bool, storage: str) -> str:
    """What is said where there is nothing to list."""
    if archived:
        return "The archive is empty. belated archive STUDY puts a study there."
    if Study.names(storage, archived=True):
        return "All studies are in the archive. belated status --archived lists them."
    return "No studies yet. Begin one with belated create; belated create --help shows how."


def _list(found: list[Summary]) -> None:
    headings = ("study", "asked", "answered", "pending", "overdue", "best", "policy")
    rows = [
        (
            entry.study.name,
            *(str(getattr(entry.counts, name)) for name in headings[1:5]),
            "" if entry.best is None else words.value(entry.best.value),
            str(entry.study.recipe) + ("" if entry.study.closed is None else ", closed"),
        )
        for entry in found
    ]
    columns(headings, rows, right=headings[1:6])


def _show(found: Summary) -> None:
    portray(found.study)
    say("")
    facts(_facts(found, found.study.now()))
    for notice in found.notices:
        say(f"\nWorth knowing, {words.duration(found.study.now() - notice.at)} ago: {notice.text}", "yellow")
    if found.progress:
        console = out()
        say("\nThe best answer so far, answer by answer")
        lines = labelled(found.progress, min(console.width, WIDEST), HEIGHT, console.options.ascii_only)
        say("\n".join(lines))


def _facts(found: Summary, now: float) -> Iterator[tuple[str, str]]:
    counts = found.counts
    if found.study.closed is not None:
        yield "closed", found.study.closed or "no reason given"
    if found.study.archived is not None:
        yield "archived", found.study.archived or "no reason given"
    yield "asked", str(counts.asked)
    yield "answered", str(counts.answered)
    if found.without_context:
        yield "no context", f"{len(found.without_context)} of them: {_without_context(found)}"
    yield "pending", str(counts.pending)
    if found.partly_answered:
        yield "partly", f"{len(found.partly_answered)} of them: {_partly(found)}"
    if found.overdue:
        counted = meaning(found.study.outcomes.silence)
        yield "overdue", f"{counts.overdue} of them{counted}: {_overdue(found, now)}"
    if found.failed:
        yield "failed", _failed(found)
    for name in ("abandoned", "retracted"):
        if counts.to_json()[name]:
            yield name, str(counts.to_json()[name])
    if counts.added:
        yield "added", str(counts.added)
    if found.delay is not None:
        yield "delay", _delay(found.delay)
    if found.best is not None:
        yield "best", f"{words.value(found.best.value)} by query {found.best.query}: {words.point(found.best.point)}"


def _partly(found: Summary) -> str:
    outcomes = found.study.outcomes
    return _some(
        [
            f"query {query.id} (waits for {', '.join(outcomes.lacking(query.answers))})"
            for query in found.partly_answered
        ]
    )


def _failed(found: Summary) -> str:
    latest = [f"query {query.id}{f' ({query.reason})' if query.reason else ''}" for query in reversed(found.failed)]
    return f"{len(found.failed)}: {_some(latest)}"


def _overdue(found: Summary, now: float) -> str:
    return _some([f"query {query.id} ({words.duration(now - query.asked_at)})" for query in found.overdue])


def _without_context(found: Summary) -> str:
    listed = _some([f"query {query.id}" for query in found.without_context])
    return f"{listed}; not counted until it is told" if found.study.policy.across else listed


def _some(each: list[str]) -> str:
    """The first of these, and how many more there are."""
    more = len(each) - MOST_LISTED
    return ", ".join(each[:MOST_LISTED]) + (f" and {more} more" if more > 0 else "")


def _delay(delay: Delay) -> str:
    return (
        f"median {words.duration(delay.median_seconds)}, longest {words.duration(delay.longest_seconds)}; "
        f"in queries, median {delay.median_queries:g}, longest {delay.longest_queries}"
    )
