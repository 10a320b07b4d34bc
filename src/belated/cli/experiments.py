"""How commands run experiments, with a progress bar for each arm, and show them as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars
from rich.text import Text

import belated
from belated.cli.main import INTERRUPTED
from belated.cli.output import aside, columns, say
from belated.experiments import Arm, Experiment, Results, RunsDone, check, conduct
from belated.experiments.statistics import comparisons, estimate
from belated.report import PageTable
from belated.report.experiments import comparison_table, final_table


def conducted(experiments: Sequence[Experiment], folder: Path, workers: int | None) -> list[Results]:
    """The results of experiments, with a progress bar for each arm; all are checked before the first begins."""
    for experiment in experiments:
        for arm in experiment.arms:
            check(arm, experiment.seeds[0])
    with interruptible_bars() as bars:
        return [_conducted(experiment, folder, workers, bars) for experiment in experiments]


@contextmanager
def interruptible_bars() -> Iterator[Bars]:
    """Progress bars that count runs; Ctrl-C ends the command and says how to go on."""
    shown = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=28),
        MofNCompleteColumn(),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
    )
    with Bars(*shown, console=aside()) as bars:
        try:
            yield bars
        except KeyboardInterrupt:
            bars.console.print("Interrupted. What is finished is kept: run the same command again to go on.")
            raise typer.Exit(INTERRUPTED) from None


def show(results: Results, measure: str) -> None:
    """Print the results of the arms, and how they compare."""
    say(f"\n{results.experiment.name}", "bold")
    _print(final_table(results, measure))
    if len(results.arms) > 1 and len(results.experiment.seeds) > 1:
        say("")
        _print(comparison_table(results, measure))


def as_json(results: Results, measure: str) -> dict[str, Any]:
    """The results of an experiment, with every digit."""
    experiment = results.experiment
    return {
        "name": experiment.name,
        "seeds": [int(seed) for seed in experiment.seeds],
        "arms": [{**_defined(arm), **_final(results, arm.label, measure)} for arm in experiment.arms],
        "comparisons": [asdict(found) for found in comparisons(results.final(measure)) if found.n > 1],
    }


def _conducted(experiment: Experiment, folder: Path, workers: int | None, bars: Bars) -> Results:
    tasks: dict[str, TaskID] = {}

    def watch(now: RunsDone) -> None:
        if now.label not in tasks:
            description = Text(f"{experiment.name}: {now.label}").markup
            tasks[now.label] = bars.add_task(description, total=now.total, note=_note(now))
        bars.update(tasks[now.label], completed=now.done)

    return conduct(experiment, folder, workers, watch)


def _note(now: RunsDone) -> str:
    """How many runs were kept from before, and how many of those are damaged."""
    found = f"{now.found} kept" if now.found else ""
    damaged = f"{now.damaged} damaged, run again" if now.damaged else ""
    return ", ".join(note for note in (found, damaged) if note)


def _defined(arm: Arm) -> dict[str, Any]:
    """Everything that an arm's results depend on, defaults included."""
    return {
        "label": arm.label,
        "belated": belated.__version__,
        "parameters": {},
        "initial": 0,
        "every": 1.0,
        **{name: value for name, value in arm.definition.items() if value is not None},
    }


def _final(results: Results, label: str, measure: str) -> dict[str, Any]:
    runs = results[label]
    found = estimate(runs.measure(measure)[:, -1])
    return {
        "mean": _number(found.mean),
        "standard_error": _number(found.error),
        "n": int(found.n),
        "seconds": float(runs.seconds.sum()),
    }


def _number(value: Any) -> float | None:
    """A number for JSON; None for NaN, which JSON does not have."""
    return None if value != value else float(value)


def _print(table: PageTable) -> None:
    columns(table.header, table.rows, right=table.header[1:])
