"""`belated league`: policies, peers and anybody's optimizer, over one suite of cases."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from belated.cli.experiments import interruptible_bars
from belated.cli.options import AsJson
from belated.cli.output import columns, print_json, say
from belated.errors import ParameterError, unknown_name
from belated.experiments.league import (
    HALVES,
    RANDOM,
    Case,
    Entrant,
    FailedRun,
    Half,
    Joined,
    LeagueProgress,
    Programme,
    archive,
    entrants,
    join,
    kept_of,
    played,
    programme,
    visitor,
)
from belated.experiments.league.cases import cases, chosen
from belated.experiments.league.comparison import pairs, standings
from belated.experiments.league.release import opened, planned
from belated.experiments.league.season import Season, seasons, seasons_of
from belated.report.league import page
from belated.show import counted
from belated.simulate.laws import text

OUTPUT, RUNS = Path("league"), "runs"
# Rounds and seeds of a first look.
QUICK, QUICK_SEEDS = 20, 2
ALL = "all"
HEADINGS = ("entrant", "runs", "seconds an ask")
FOUND = ("entrant", "mean rank", "95 %", "regret", "cases")
ENDINGS = ("html", "svg", "png")
MINUTE, HOUR = 60, 3600


def _keys(incomplete: str) -> list[str]:
    return [case.key for case in cases("open") if case.key.startswith(incomplete)]


def _names(incomplete: str) -> list[str]:
    return [entrant.name for entrant in entrants() if entrant.name.startswith(incomplete)]


Keys = Annotated[
    list[str] | None,
    typer.Option("--case", metavar="CASE", help="Only this case; may be given again.", autocompletion=_keys),
]
Only = Annotated[
    list[str] | None,
    typer.Option(
        "--only", metavar="NAME", help="Only this entrant, and random; again for more.", autocompletion=_names
    ),
]
Again = Annotated[
    list[str] | None,
    typer.Option("--again", metavar="NAME", help="Play this entrant anew; again for more.", autocompletion=_names),
]
Visitors = Annotated[
    list[str] | None,
    typer.Option("--entrant", metavar="FILE:CLASS", help="Your optimizer, as mine.py:Mine; again for more."),
]
Release = Annotated[
    str | None,
    typer.Option(metavar="WHY", help="Play sealed cases, for the release that this names; they are refused without."),
]


def league(
    halves: Annotated[
        str, typer.Option("--cases", metavar="open,sealed,all", help="Which half of the cases.")
    ] = "open",
    case: Keys = None,
    only: Only = None,
    entrant: Visitors = None,
    results: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="Add the runs that somebody else played.")
    ] = None,
    again: Again = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Seeds of every entrant, instead of its own.")] = None,
    quick_look: Annotated[bool, typer.Option("--quick", help="Few rounds and seeds, for a first look.")] = False,
    page_only: Annotated[bool, typer.Option("--page-only", help="Play nothing: show what is kept.")] = False,
    release: Release = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where everything is kept.")
    ] = OUTPUT,
    page_folder: Annotated[
        Path | None, typer.Option("--page", metavar="FOLDER", help="Where the page is written, if elsewhere.")
    ] = None,
    image: Annotated[str, typer.Option(metavar="html,svg,png", help="How the figures are written.")] = "svg",
    workers: Annotated[int | None, typer.Option(min=0, help="Processes; one for each processor if not given.")] = None,
    as_json: AsJson = False,
) -> None:
    """Play policies, peers or your own optimizer in a suite of cases, with answers that come late.

    What is finished is kept: run it again to go on after an interruption.

    Example: belated league --entrant mine.py:Mine --quick
    """
    folder, number = output / RUNS, seeds or (QUICK_SEEDS if quick_look else None)
    endings = _endings(image)
    visitors = [visitor(where) for where in entrant or ()]
    players = _players(only, again, visitors)
    suite = _suite(halves, case, quick_look)
    joined = [one for path in results or () for one in join(path, folder, cases())]
    # Who is named plays what is named; of all, the bounds on computing leave some out of the sealed half.
    plan = programme(suite, players, number) if only or entrant else planned(suite, players, folder, number)
    failures: tuple[FailedRun, ...] = ()
    if not page_only:
        opened(suite, release, folder)
        for name in again or ():
            for one in suite:
                archive(folder / one.half).forget(name, by=name, of=one.digest)
        failures = _played(plan, folder, workers)
    found = seasons_of(plan, suite, folder)
    whole = seasons(folder, _suite(ALL, case, quick_look), number) if page_only else ()
    written = page(whole, page_folder or output, endings) if page_only else None
    if as_json:
        print_json({**_as_json(suite, players, plan, folder, failures, joined), **_results_as_json(found, written)})
        return
    if not page_only or only or entrant or joined:
        _show(plan, folder, failures, joined)
    _show_standings(found)
    say(f"\nWritten to {written}" if written else "\n--page-only writes a page with figures from all that is kept.")


def _suite(halves: str, keys: Sequence[str] | None, quick_look: bool) -> tuple[Case, ...]:
    """The cases of a half or both, or those that are named, whichever half they are of."""
    if halves not in (*HALVES, ALL):
        raise unknown_name("league", "half of the cases", halves, (*HALVES, ALL))
    found = chosen(keys) if keys else tuple(one for half in _halves(halves) for one in cases(half))
    # A case with other rounds is another one: what is kept of a first look counts for nothing else.
    return tuple(replace(one, rounds=min(one.rounds, QUICK)) for one in found) if quick_look else found


def _halves(halves: str) -> tuple[Half, ...]:
    return tuple(half for half in HALVES if halves in (half, ALL))


def _players(
    only: Sequence[str] | None, again: Sequence[str] | None, visitors: Sequence[Entrant]
) -> tuple[Entrant, ...]:
    """The entrants that are named, or all: of visitors alone those that are given and `random`."""
    if not only and visitors:
        return (*entrants(again or ()), *visitors)
    return (*entrants([*only, *(again or ())] if only else None), *visitors)


def _played(plan: Programme, folder: Path, workers: int | None) -> tuple[FailedRun, ...]:
    """Play the runs that are left, with one progress bar that says how long they may take."""
    with interruptible_bars() as bars:
        task = bars.add_task("league", total=len(plan.fixtures), note="")

        def watch(now: LeagueProgress) -> None:
            kept = f"{now.found} kept" if now.found else ""
            left = "" if now.left_seconds is None or now.done == now.total else f"{lasting(now.left_seconds)} left"
            note = ", ".join(part for part in (kept, left, now.last) if part)
            bars.update(task, completed=now.done, total=now.total, note=Text(note).markup)

        return played(plan, folder, workers, watch)


def lasting(seconds: float) -> str:
    """A time to wait, roughly: "40 s", "12 min", "3 h 20 min"."""
    if seconds < MINUTE:
        return f"{seconds:.0f} s"
    if seconds < HOUR:
        return f"{seconds / MINUTE:.0f} min"
    return f"{seconds // HOUR:.0f} h {seconds % HOUR / MINUTE:.0f} min"


def _show(plan: Programme, folder: Path, failures: Sequence[FailedRun], joined: Sequence[Joined]) -> None:
    planned = Counter(fixture.entrant.name for fixture in plan.fixtures)
    kept = [run for runs in kept_of(plan, folder).values() for run in runs]
    rows = []
    for name, number in planned.items():
        own = [run for run in kept if run.entrant == name]
        asks = sum(run.asked for run in own)
        seconds = f"{sum(run.seconds * run.asked for run in own) / asks:.2g}" if asks else "–"
        rows.append((name, f"{len(own)} of {number}", seconds))
    columns(HEADINGS, rows, right=HEADINGS[1:])
    for one in joined:
        say(f"{one.entrant}: {counted(one.added, 'run')} added, {one.known} were there already.")
    absent = Counter(one.entrant for one in plan.absences)
    if absent:
        listed = ", ".join(f"{name} of {count}" for name, count in absent.items())
        say(f"Left out of cases that they cannot play (--json says why): {listed}.")
    for reason in dict.fromkeys(fixture.lacking for fixture in plan.fixtures if fixture.lacking):
        say(f"Not played here: {reason}")
    for (name, reason), count in Counter((one.entrant, one.reason) for one in failures).items():
        say(f"{name} failed in {counted(count, 'run')}: {reason}", "bold")


def _endings(image: str) -> list[str]:
    """The formats of the figures; an unknown one is refused before anything is played."""
    found = [ending.strip() for ending in image.split(",")]
    for ending in found:
        if ending not in ENDINGS:
            raise ParameterError(
                f"league(image={image!r}): got {ending!r}; figures are written as {', '.join(ENDINGS)}; name some of "
                f"them, with commas."
            )
    return found


def _show_standings(found: Sequence[Season]) -> None:
    """Who found the best points in each half, of those that have played all of theirs."""
    for season in found:
        of_random = pairs(season.tables, RANDOM, "found")
        rows = [
            (
                one.entrant,
                f"{one.share:.3f}",
                "–" if math.isnan(one.low) else f"{one.low:.2f}–{one.high:.2f}",
                f"{1 / of_random[one.entrant].ratio.value:.2f}" if one.entrant in of_random else "1",
                str(one.cases),
            )
            for one in standings(season.tables, "found")
        ]
        say(f"\nWhat was found in the {season.half} half, by those that have played all of theirs:")
        columns(FOUND, rows, right=FOUND[1:])
    if found:
        say("\nMean ranks: 0 is always first, 1 always last. Regrets: relative to random's, in the geometric mean.")


def _results_as_json(found: Sequence[Season], written: Path | None) -> dict[str, Any]:
    """Who found the best points in each half, and where the page is."""
    listed = {one.half: [_finite(asdict(each)) for each in standings(one.tables, "found")] for one in found}
    return {"standings": listed, "page": None if written is None else str(written)}


def _finite(values: dict[str, Any]) -> dict[str, Any]:
    """The values with None for an interval that one case alone does not have."""
    return {name: None if isinstance(value, float) and math.isnan(value) else value for name, value in values.items()}


def _as_json(
    suite: Sequence[Case],
    players: Sequence[Entrant],
    plan: Programme,
    folder: Path,
    failures: Sequence[FailedRun],
    joined: Sequence[Joined],
) -> dict[str, Any]:
    return {
        "cases": [_case_as_json(one) for one in suite],
        "entrants": [{"entrant": one.name, "kind": one.kind} for one in players],
        "runs": {"planned": len(plan.fixtures), "kept": sum(map(len, kept_of(plan, folder).values()))},
        "absences": [asdict(one) for one in plan.absences],
        "failures": [asdict(one) for one in failures],
        "joined": [asdict(one) for one in joined],
    }


def _case_as_json(case: Case) -> dict[str, Any]:
    described = {"problem": case.problem, "delay": text(case.delay), "rounds": case.rounds, "noise": case.noise}
    return {"case": case.key, "digest": case.digest, "family": case.family, "half": case.half, **described}
