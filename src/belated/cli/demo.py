"""`belated demo`: one laboratory whose answers come late or never, end to end, with a report."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from belated.cli.demo_report import report
from belated.cli.demo_study import KeptDemo, keep
from belated.cli.laboratory import EVERY_DAY, LOSS, MEAN_DELAY, PATIENCE, PROBLEM, Glimpse, compare
from belated.cli.output import aside, out, print_json, say
from belated.report.style import graph_objects
from belated.simulate import Run, problems

SEED, DAYS, OUTPUT = 0, 80, Path("demo/report.html")


@dataclass(frozen=True)
class StrategyResult:
    """The run of one way of working, with the figures that are shown of it."""

    label: str
    run: Run

    @property
    def answers(self) -> int:
        """How many answers arrived."""
        return self.run.study.record().n_answers

    @property
    def lost(self) -> int:
        """How many experiments never get their answer."""
        return sum(math.isinf(outcome.delay) for outcome in self.run.outcomes)

    @property
    def best(self) -> float | None:
        """The true value of the best experiment that was answered."""
        optimum, sign = self.run.problem.optimum, self.run.problem.sign
        return float(optimum - sign * self.run.simple_regret[-1]) if self.answers else None

    def short_after(self, day: int) -> float:
        """By how much the best experiment answered by a day falls short of the optimum."""
        return float(self.run.simple_regret[day - 1])


def demo(
    rounds: Annotated[int, typer.Option(min=1, help="Days to simulate, one chance to ask on each.")] = DAYS,
    seed: Annotated[int, typer.Option(min=0, help="Another seed is another laboratory's luck.")] = SEED,
    output: Annotated[Path, typer.Option(help="Where to write the report, one HTML file.")] = OUTPUT,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Watch a laboratory whose answers come late, with a report.

    Three ways of working meet the same noise, delays and losses: asking every day with Belated, waiting for each
    answer before the next experiment, and asking at random.

    Example: belated demo --rounds 40 --seed 1
    """
    graph_objects()
    if not as_json:
        _introduce(rounds, seed)
    began = time.perf_counter()
    runs = _compared(rounds, seed)
    seconds = time.perf_counter() - began
    results = [StrategyResult(label, run) for label, run in runs.items()]
    path = report(output, runs)
    kept = keep(output.parent, runs[EVERY_DAY])
    if as_json:
        print_json(_as_json(results, rounds, seed, seconds, path, kept))
    else:
        _print(results, rounds, seed, seconds, path)
        _offer(kept)


def milestones(rounds: int) -> list[int]:
    """The days whose regret is shown: a quarter of the time, half of it, and the end."""
    return sorted({max(1, rounds // 4), max(1, rounds // 2), rounds})


def _introduce(rounds: int, seed: int) -> None:
    console = out()
    console.print("\n[bold]A laboratory with late answers[/bold]", soft_wrap=True)
    console.print(
        "A reaction has four knobs: temperature, catalyst loading, solvent and steps. Each day\n"
        f"one experiment can start. Its yield comes back {MEAN_DELAY} days later on average (Poisson), and\n"
        f"{LOSS:.0%} of the samples are lost: after {PATIENCE} days nobody waits for them any more. Here are\n"
        f"{rounds} simulated days (seed {seed}), and three ways to spend them:\n",
        soft_wrap=True,
    )


def _compared(rounds: int, seed: int) -> dict[str, Run]:
    """The runs of all ways of working, with a progress bar for each."""
    columns = (
        TextColumn("{task.description}", style="bold"),
        BarColumn(bar_width=28),
        TextColumn("day {task.completed:.0f}/{task.total:.0f}"),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=aside()) as progress:
        bars: dict[str, Any] = {}

        def show(glimpse: Glimpse) -> None:
            if glimpse.label not in bars:
                bars[glimpse.label] = progress.add_task(glimpse.label, total=rounds, note="")
            best = "no answer yet" if glimpse.best is None else f"best answer {glimpse.best:.1f} %"
            note = f"{best}, {glimpse.pending} under way"
            progress.update(bars[glimpse.label], completed=glimpse.day, note=note)

        return compare(rounds, seed, show)


def _print(results: list[StrategyResult], rounds: int, seed: int, seconds: float, path: Path) -> None:
    days = milestones(rounds)
    optimum = problems.build(PROBLEM).optimum
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("", no_wrap=True)
    for heading in ("tried", "answers", "lost", "best yield", *(f"day {day}" for day in days)):
        table.add_column(heading, justify="right", no_wrap=True)
    for result in results:
        best = "none" if result.best is None else f"{result.best:.1f} %"
        short = (f"{result.short_after(day):.1f}" for day in days)
        counts = (str(len(result.run.outcomes)), str(result.answers), str(result.lost))
        table.add_row(f"[bold]{result.label}[/bold]", *counts, best, *short)
    console = out()
    console.print()
    console.print(table)
    console.print(
        f"\nBest yield: the true one, without noise, of the best experiment answered in time. At\n"
        f"most {optimum:.1f} % is possible. Day …: by how many points the best so far fell short of\n"
        f"that. One run each, with the same luck; --seed {seed + 1} brings other luck.",
        soft_wrap=True,
    )
    console.print(f"\nSimulated in {seconds:.1f} s. Report: [bold]{path}[/bold]", soft_wrap=True)


def _offer(kept: KeptDemo) -> None:
    """Say how to go on with the study of the demonstration."""
    say(f"\nThe study of the first way, {kept.study}, is kept. To see it in a browser, to ask and to tell:")
    say(f"  {kept.command}", "bold")


def _as_json(
    results: list[StrategyResult], rounds: int, seed: int, seconds: float, path: Path, kept: KeptDemo
) -> Mapping[str, Any]:
    return {
        "problem": PROBLEM,
        "optimum": problems.build(PROBLEM).optimum,
        "rounds": rounds,
        "seed": seed,
        "seconds": round(seconds, 3),
        "report": str(path),
        "storage": kept.storage,
        "study": kept.study,
        "results": [
            {
                "strategy": result.label,
                "policy": result.run.policy,
                "asked": len(result.run.outcomes),
                "balked": result.run.n_balks,
                "answered": result.answers,
                "lost": result.lost,
                "best": result.best,
                "simple_regret": {str(day): result.short_after(day) for day in milestones(rounds)},
                "cumulative_regret": float(result.run.cumulative_regret[-1]),
            }
            for result in results
        ],
    }
