"""`belated delays`: how long answers take, whether some never come, and what it depends on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import numpy as np
import typer

from belated.cli import words
from belated.cli.chart import labelled
from belated.cli.options import AsJson, Storage, StudyName
from belated.cli.output import facts, out, print_json, say
from belated.delays import Delays, NeverFraction
from belated.show import counted
from belated.storage import DEFAULT_URL
from belated.study import Study

WIDEST, HEIGHT = 72, 6
# The chart has a value for each number of queries.
MOST_COUNTED = 100_000


OfOutcome = Annotated[
    str | None, typer.Option(metavar="NAME", help="Of this outcome alone; of the objective if you name none.")
]


def delays(
    study: StudyName, outcome: OfOutcome = None, storage: Storage = DEFAULT_URL, as_json: AsJson = False
) -> None:
    """Show how long answers take.

    Queries that still wait count too: their delays are at least as long as they have waited.

    Example: belated delays lab
    """
    found = Study.open(storage, study).delays(outcome)
    if as_json:
        print_json(found.to_json())
        return
    facts(_facts(found))
    longest = int(found.queries.times[-1]) if found.queries.times.size else 0
    if 0 < longest <= MOST_COUNTED:
        console = out()
        say("\nThe share of queries answered within 1, 2, … further queries")
        shares = 1.0 - found.queries.survived(np.arange(1.0, longest + 1.0))
        say("\n".join(labelled(shares.tolist(), min(console.width, WIDEST), HEIGHT, console.options.ascii_only)))


def _facts(found: Delays) -> Iterator[tuple[str, str]]:
    yield "asked", str(found.n_asked)
    yield "answered", str(found.n_answered)
    yield "waiting", _waiting(found)
    if found.n_abandoned:
        yield "ended", f"{found.n_abandoned} without an answer, each counted as a wait until then"
    if found.n_answered:
        yield "half", _within(found, 0.5)
        yield "90 %", _within(found, 0.9)
        yield "longest", _length(float(found.queries.times[-1]), float(found.seconds.times[-1]))
        yield "times", "are by the clock: nights and weekends count"
        if found.silence is None:
            yield "never", _never(found.never)
        elif found.never.estimate is not None:
            yield "silent", f"{found.unanswered}: about {found.never.estimate:.0%}"
        yield "depends", _depends(found)


def _waiting(found: Delays) -> str:
    if not found.n_waiting:
        return "0"
    oldest = found.waiting[0]
    text = f"{found.n_waiting}, the first of them query {oldest.query}, for {_length(oldest.queries, oldest.seconds)}"
    if oldest.still is None:
        return text
    if oldest.still == 1.0:
        return f"{text}; no sign that it will not be answered"  # of which few answers are no proof
    return f"{text}; still answered with a chance of {oldest.still:.0%}"


def _within(found: Delays, share: float) -> str:
    queries, seconds = found.queries.quantile(share), found.seconds.quantile(share)
    if queries is None and seconds is None:
        return "not so many are answered, as far as the log can tell"
    return f"are answered within {_length(queries, seconds)}"


def _length(queries: float | None, seconds: float | None) -> str:
    known = [
        *([counted(int(queries), "query", "queries")] if queries is not None else []),
        *([words.duration(seconds)] if seconds is not None else []),
    ]
    return ", ".join(known)


def _never(never: NeverFraction) -> str:
    if never.estimate is None:
        return f"not known yet whether some are never answered; at most {never.high:.0%}"
    if never.estimate == 0.0:
        return f"no sign that some are never answered; at most {never.high:.0%}"
    return f"about {never.estimate:.0%} are never answered ({never.low:.0%} to {never.high:.0%})"


def _depends(found: Delays) -> str:
    tested = found.depends()
    if not tested:
        return "too few answers to tell what the delay depends on"
    told = [str(entry) for entry in tested if entry.found]
    return "; ".join(told) or f"no sign that the delay depends on {_listed([entry.what for entry in tested])}"


def _listed(names: list[str]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
