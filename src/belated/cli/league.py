"""`belated league`: every policy, and peers from other libraries, over one suite of cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from belated.cli.experiments import interruptible_bars
from belated.cli.options import AsJson
from belated.cli.output import columns, print_json, say
from belated.errors import ParameterError
from belated.experiments import RunsDone
from belated.experiments.league import (
    CASES,
    Case,
    Entrant,
    FailedRun,
    LeaguePlace,
    Programme,
    archive,
    chosen,
    comparable_runs,
    entrants,
    played,
    programme,
    quick,
    standings,
)
from belated.report.league import Season, page
from belated.report.style import graph_objects
from belated.show import counted
from belated.simulate.laws import text

OUTPUT, RUNS = Path("league"), "runs"
QUICK_SEEDS = 2
ENDINGS = ("html", "svg", "png")
HEADINGS = ("entrant", "mean rank", "95 %", "cumulative", "simple", "runs", "seconds")


def _keys(incomplete: str) -> list[str]:
    return [case.key for case in CASES if case.key.startswith(incomplete)]


def _names(incomplete: str) -> list[str]:
    return [entrant.name for entrant in entrants() if entrant.name.startswith(incomplete)]


Cases = Annotated[
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


def league(
    case: Cases = None,
    only: Only = None,
    again: Again = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Seeds of every entrant, instead of its own.")] = None,
    quick_look: Annotated[bool, typer.Option("--quick", help="Few rounds and seeds, for a first look.")] = False,
    page_only: Annotated[bool, typer.Option("--page-only", help="Play nothing: show what is kept.")] = False,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where everything is kept.")
    ] = OUTPUT,
    image: Annotated[str, typer.Option(metavar="html,svg,png", help="How the figures are written.")] = "html",
    workers: Annotated[int | None, typer.Option(min=0, help="Processes; one for each processor if not given.")] = None,
    as_json: AsJson = False,
) -> None:
    """Play every policy and its peers in a suite of cases, and rank them.

    What is finished is kept: run it again to go on after an interruption.

    Example: belated league --only gp-bucb --only gp-ucb --quick
    """
    graph_objects()
    endings = _endings(image)
    anew = [entrant.name for entrant in entrants(again) if entrant.name in again] if again else []
    players = entrants([*only, *anew] if only else None)
    keys = {one.key for one in chosen(case)}
    suite = tuple(map(quick, CASES)) if quick_look else CASES
    cases = tuple(one for one in suite if one.key in keys)
    number = seeds or (QUICK_SEEDS if quick_look else None)
    plan = programme(cases, players, number)
    folder = output / RUNS
    failures: tuple[FailedRun, ...] = ()
    if not page_only:
        for name, one in product(anew, cases):
            archive(folder).forget(one.key, entrant=name)
        failures = _played(plan, folder, workers)
    kept = {one.key: archive(folder).read(one.key).runs for one in suite}
    # The page shows all runs that are kept, whatever was played now.
    whole = programme(suite, entrants(), number) if case or only else plan
    season = Season.of(suite, whole, comparable_runs(whole, kept))
    written = page(season, output, endings)
    found = standings(comparable_runs(plan, kept))
    if as_json:
        print_json({**_as_json(cases, players, found, plan, failures), **_season_as_json(season), "page": str(written)})
        return
    _show(found, plan, failures)
    say(f"\nWritten to {written}")


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


def _played(plan: Programme, folder: Path, workers: int | None) -> tuple[FailedRun, ...]:
    """Play the runs that are left, with one progress bar."""
    with interruptible_bars() as bars:
        task = bars.add_task("league", total=len(plan.fixtures), note="")

        def watch(now: RunsDone) -> None:
            kept = f"{now.found} kept" if now.found else ""
            note = ", ".join(part for part in (kept, now.label) if part)
            bars.update(task, completed=now.done, note=Text(note).markup)

        return played(plan, folder, workers, watch)


def _show(found: Sequence[LeaguePlace], plan: Programme, failures: Sequence[FailedRun]) -> None:
    rows = [
        (
            one.entrant,
            f"{one.share:.3f}",
            f"{one.low:.2f}–{one.high:.2f}",
            f"{one.cumulative:.3f}",
            f"{one.simple:.3f}",
            f"{one.runs} ({one.cases})",
            f"{one.seconds:.1f}",
        )
        for one in found
    ]
    columns(HEADINGS, rows, right=HEADINGS[1:])
    say("\nRanks from 0, always first, to 1, always last; regrets relative to random's, in the median case.")
    say("Runs, and in how many cases.")
    if any(one.place is None for one in found):
        say("The last ones have no place: they played fewer than half of the cases.")
    absent = Counter(one.entrant for one in plan.absences)
    if absent:
        listed = ", ".join(f"{name} of {count}" for name, count in absent.items())
        say(f"Left out of cases that they cannot play (--json says why): {listed}.")
    for reason in dict.fromkeys(fixture.lacking for fixture in plan.fixtures if fixture.lacking):
        say(f"Not played here: {reason}")
    for (name, reason), count in Counter((one.entrant, one.reason) for one in failures).items():
        say(f"{name} failed in {counted(count, 'run')}: {reason}", "bold")


def _as_json(
    cases: Sequence[Case],
    players: Sequence[Entrant],
    found: Sequence[LeaguePlace],
    plan: Programme,
    failures: Sequence[FailedRun],
) -> dict[str, Any]:
    return {
        "cases": [_case_as_json(one) for one in cases],
        "entrants": [{"entrant": one.name, "peer": one.peer} for one in players],
        "runs": len(plan.fixtures),
        "standings": [asdict(one) for one in found],
        "absences": [asdict(one) for one in plan.absences],
        "failures": [asdict(one) for one in failures],
    }


def _case_as_json(case: Case) -> dict[str, Any]:
    defined = {"problem": case.problem, "delay": text(case.delay), "rounds": case.rounds, "noise": case.noise}
    return {"case": case.key, "group": case.group, **defined}


def _season_as_json(season: Season) -> dict[str, Any]:
    """How much of the whole league has been played, and which of its goals are met."""
    there = sum(one.runs for one in season.found)
    goals: dict[str, Any] | None = None
    if season.goals is not None:
        duels = [{**asdict(duel), "ratio": duel.ratio, "met": duel.met} for duel in season.goals.duels]
        goals = {**asdict(season.goals), "duels": duels}
    return {"whole": {"runs": len(season.plan.fixtures), "kept": there}, "goals": goals}
