"""`belated reproduce`: runs the experiments of a paper again, and writes a page that compares both."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import Progress as Bars
from rich.progress import TaskID
from rich.text import Text

from belated.cli.experiments import interruptible_bars
from belated.cli.options import AsJson
from belated.cli.output import columns, print_json, say
from belated.errors import unknown_name
from belated.experiments import RunsDone, n_processes, papers
from belated.experiments.papers import Computed, Figure, Paper, PaperPanel, Reproduction, Tabulation
from belated.report.papers import draw_figure, page, record, verdict_table
from belated.report.style import graph_objects
from belated.show import duration

OUTPUT, RUNS = Path("reproduction"), "runs"
# A quick look divides the paper's trials by this, and takes at least two.
QUICK = 40


def _keys(incomplete: str) -> list[tuple[str, str]]:
    return [(key, papers.paper(key).title) for key in papers.names() if key.startswith(incomplete)]


PaperKey = Annotated[str, typer.Argument(metavar="PAPER", help="As desautels2014.", autocompletion=_keys)]
FigureKeys = Annotated[
    list[str] | None, typer.Argument(metavar="FIGURE", help="Some of its figures; all, if not given.")
]


def reproduce(
    paper: PaperKey,
    figure: FigureKeys = None,
    quick: Annotated[bool, typer.Option("--quick", help="A few trials of each, for a first look.")] = False,
    trials: Annotated[int | None, typer.Option(min=1, help="Trials of each curve, instead of the paper's.")] = None,
    data: Annotated[
        Path | None, typer.Option(envvar="BELATED_DATA", help="The folder with the tables that are not ours to ship.")
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where everything is kept.")
    ] = OUTPUT,
    image: Annotated[str, typer.Option(metavar="html,svg,png", help="How the figures are written.")] = "html",
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; one for each processor if not given.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run the experiments of a paper again, and write a page with what it reports and what came out.

    What is finished is kept: run it again to go on after an interruption.

    Example: belated reproduce vakili2023 2 --quick
    """
    graph_objects()
    if data is not None:
        # The processes that run the experiments inherit it.
        os.environ["BELATED_DATA"] = str(data.resolve())
    chosen = papers.paper(paper)
    number = trials or (max(2, chosen.trials // QUICK) if quick else None)
    figures = _figures(chosen, figure)
    done = _reproduced(chosen, figures, output / RUNS / paper, number, workers)
    files = [draw_figure(reproduction, output, image.split(",")) for reproduction in done]
    written = page(chosen, done, files, output)
    record(chosen, done, output)
    if as_json:
        shown = [_as_json(one) for one in done]
        print_json({"paper": paper, "trials": number or chosen.trials, "page": str(written), "figures": shown})
        return
    for reproduction in done:
        _show(reproduction)
    say(f"\nWritten to {written}")


def _figures(paper: Paper, keys: list[str] | None) -> list[Figure | Tabulation]:
    found = {figure.key: figure for figure in paper.figures}
    for key in keys or ():
        if key not in found:
            raise unknown_name("reproduce", f"figure of {paper.key}", key, found)
    return [figure for figure in paper.figures if not keys or figure.key in keys]


def _reproduced(
    paper: Paper, figures: list[Figure | Tabulation], folder: Path, trials: int | None, workers: int | None
) -> list[Reproduction | Computed]:
    """Run the figures again, with a progress bar for each panel and one for all, and compute the tables again."""
    with interruptible_bars() as bars:
        return papers.reproduce(
            paper, figures, folder, trials, workers, _Watch(bars, n_processes("reproduce", workers))
        )


class _Watch:
    """A progress bar for each panel, which counts the runs of all its arms, and one for all, which says how long."""

    def __init__(self, bars: Bars, workers: int) -> None:
        self._bars, self._workers = bars, max(workers, 1)
        self._all = bars.add_task("all", total=None, note="")
        self._tasks: dict[str, TaskID] = {}
        self._arms: dict[tuple[str, str], RunsDone] = {}

    def __call__(self, figure: Figure, panel: PaperPanel, now: RunsDone) -> None:
        """Move the bar of a panel, and that of all."""
        key = f"{figure.key}{panel.key}"
        if key not in self._tasks:
            title = Text(f"{figure.name.lower()}, {panel.title}").markup
            self._tasks[key] = self._bars.add_task(title, total=None, note="")
        self._arms[key, now.label] = now
        self._move(self._tasks[key], [arm for (of, _), arm in self._arms.items() if of == key])
        self._move(self._all, list(self._arms.values()), note=self._left())

    def _move(self, task: TaskID, arms: list[RunsDone], note: str = "") -> None:
        done, total = sum(arm.done for arm in arms), sum(arm.total for arm in arms)
        self._bars.update(task, completed=done, total=total, note=note)

    def _left(self) -> str:
        """How long the rest will take, as far as the runs so far can tell."""
        known = [arm.seconds for arm in self._arms.values() if arm.seconds is not None]
        left = [arm for arm in self._arms.values() if arm.done < arm.total]
        if not left or not known:
            return ""
        usual = sum(known) / len(known)
        seconds = sum((arm.total - arm.done) * (usual if arm.seconds is None else arm.seconds) for arm in left)
        return f"about {duration(seconds / self._workers)} left"


def _show(reproduction: Reproduction | Computed) -> None:
    if isinstance(reproduction, Computed):
        say(f"\n{reproduction.table.name}: {reproduction.table.title}", "bold")
        columns(reproduction.table.header, reproduction.rows, right=reproduction.table.header)
        return
    say(f"\n{reproduction.figure.name}: {reproduction.figure.title}", "bold")
    for outcome in reproduction.outcomes:
        say(outcome.panel.title)
        if outcome.results is None:
            say(f"  not run: {outcome.missing}")
        elif outcome.verdicts:
            table = verdict_table(outcome.verdicts)
            columns(table.header, table.rows, right=table.header[3:])


def _as_json(reproduction: Reproduction | Computed) -> dict[str, Any]:
    if isinstance(reproduction, Computed):
        rows = [dict(zip(reproduction.table.header, row, strict=True)) for row in reproduction.rows]
        return {"figure": reproduction.table.key, "rows": rows}
    return {
        "figure": reproduction.figure.key,
        "panels": [
            {
                "panel": outcome.panel.title,
                "missing": outcome.missing or None,
                "verdicts": [
                    {**asdict(found), "words": found.claim.words, "outcome": found.outcome}
                    for found in outcome.verdicts
                ],
            }
            for outcome in reproduction.outcomes
        ],
    }
