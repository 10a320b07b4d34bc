"""The page of the clients: figures of the best loss against time and evaluations, and tables, from the runs kept."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from belated.errors import MissingPackageError
from belated.experiments.statistics import LEVEL, Estimate
from belated.report import PageTable, save
from belated.report.experiments import Look, markdown
from belated.report.style import COLOURS, GREY, Figure, graph_objects, literal, noted, styled
from belated.space import Float, Int
from benchmarks.clients_kept import Run
from benchmarks.clients_summary import Curve, Line, Spread, by_tool, over_evaluations, over_seconds, table
from benchmarks.clients_tasks import FOLDS, TASKS, Task
from benchmarks.clients_tools import FIRST_ANSWERS, INITIAL, RAW_SAMPLES, RESTARTS, TOOLS, WORKERS

HEIGHT, SHADE = 430, 0.10
BLUE, ORANGE, GREEN, PINK, _, RED = COLOURS
LOOKS = {
    "belated": Look(BLUE),
    "belated-optuna": Look(BLUE, "dash"),
    "optuna-gp": Look(ORANGE),
    "optuna-tpe": Look(GREEN),
    "botorch": Look(PINK),
    "random": Look(GREY, "dot"),
}
# What stays free above the curves, as a share of their range.
HEADROOM = 0.06
# A logarithmic axis is for losses that differ by this factor at least.
LEAST_FACTOR = 3.0
MOST_DIGITS = 4


def write_page(runs: Sequence[Run], folder: Path, stem: str = "clients") -> Path:
    """Draw the figures of what is there and write the page; where no image can be drawn, the page has tables alone."""
    parts = [introduction(runs)]
    for name, task in TASKS.items():
        found = by_tool(runs, name, list(TOOLS))
        if found:
            parts += [f"## {task.title}\n", about(found, task), *drawing(found, task, folder, f"{stem}-{name}")]
            lines = table(found, INITIAL, WORKERS)
            parts += [markdown(loss_table(lines, task)), markdown(time_table(lines))]
    parts += [machine(runs)]
    path = folder / f"{stem}.md"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(parts))
    return path


# Words.


def introduction(runs: Sequence[Run]) -> str:
    """What was done."""
    evaluations = " or ".join(map(str, sorted({len(run.losses) for run in runs})))
    return f"""# Real clients

The same tuning tasks by Belated and by its peers, in earnest: {WORKERS} workers, each a process of its own, evaluate
models of scikit-learn on data that come with it, by {FOLDS}-fold cross-validation, {evaluations} evaluations a run.
Nothing is simulated: an evaluation takes the time that the model takes, which varies about tenfold with its parameters,
and answers come in any order. `make bench ARGS=clients` runs it again.

- **Belated** is `study.run` with the default policy, `auto`. **Belated in Optuna** is the same policy as a
  `BelatedSampler`.
- **Optuna's** GPSampler and TPESampler (`constant_liar=True`) have their default settings.
- **BoTorch's** qLogEI has the pending points as `X_pending` and a SingleTaskGP with its default priors, {RESTARTS}
  restarts and {RAW_SAMPLES} raw samples; whole numbers are rounded.
- All but Belated itself are asked and told in a loop that tells every answer that is there before it asks again.
- The first {INITIAL} queries of a seed are the same for all, Belated's design; from the next one on, each tool decides
  with its model (`n_startup_trials={FIRST_ANSWERS}` in Optuna, as so many answers are there by then).
- Within a seed a point has the same loss whoever asks: the seed splits the data into folds, and is the model's own.
- Time is wall-clock time: evaluations, thought and waiting. Imports, the start of the workers and a rehearsal of a few
  evaluations that cost nothing come before. The tool and each worker have one thread; one run follows the other.

Lines are medians over seeds of the lowest loss so far; areas reach from quartile to quartile. A line over time ends
when half of its runs are over.

In the tables, differences are paired: of each tool's final loss less that of Belated with the same seed, the mean, the
interval that has the true mean 95 times in 100, and p, how likely chance alone sets them so far apart (by the sign-flip
test, corrected for the number of tools by Holm's method). Thought is the mean time of an ask after the first {INITIAL};
workers are idle while they wait for a point.
"""


def about(found: Mapping[str, Sequence[Run]], task: Task) -> str:
    """What was tuned, how many seeds there are, and how long evaluations took."""
    counts = {len(runs) for runs in found.values()}
    seeds = (
        counted(counts.pop(), "seed")
        if len(counts) == 1
        else "Seeds: " + ", ".join(f"{TOOLS[tool].title} {len(runs)}" for tool, runs in found.items())
    )
    took = np.array([second for runs in found.values() for run in runs for second in run.processor])
    low, middle, high = np.quantile(took, (0.01, 0.5, 0.99))
    return (
        f"Tuned: {', '.join(ranged(name, task.space[name]) for name in task.space)}.\n\n"
        f"{seeds}. An evaluation took {middle:.2g} s of processor time in the median, and {low:.2g} to {high:.2g} s in "
        f"98 of 100.\n"
    )


def ranged(name: str, parameter: object) -> str:
    """A parameter and its range."""
    assert isinstance(parameter, Float | Int), "Optuna and BoTorch are given numbers alone here"
    scale = ", logarithmic" if parameter.log else ""
    return f"`{name}` ({parameter.low:g} to {parameter.high:g}{scale})"


def machine(runs: Sequence[Run]) -> str:
    """With what it was measured, and what else the machine had to do."""
    versions = sorted({run.version for run in runs})
    others = [run.others for run in runs if run.others is not None]
    parts = [f"{', '.join(versions)}; {os.cpu_count()} processors."]
    if others:
        middle, worst = np.median(others), max(others)
        parts += [f"Other programs kept {middle:.2g} of them busy in the median run, and {worst:.2g} in the worst."]
    return f"## Measured with\n\n{' '.join(parts)}\n"


# Tables.


def loss_table(lines: Sequence[Line], task: Task) -> PageTable:
    """What each tool came to."""
    header = ("", "seeds", f"{task.loss_name}: median (quartiles)", "less Belated's: mean (95 % interval)", "p")
    decimals = digits([line.final.high - line.final.low for line in lines])
    rows = [
        (
            TOOLS[line.tool].title,
            str(line.seeds),
            within(line.final, decimals),
            "" if line.difference is None else interval(line.difference),
            "" if line.chance is None else "< 0.001" if line.chance < 0.001 else f"{line.chance:.3f}",
        )
        for line in lines
    ]
    return PageTable(header, rows)


def time_table(lines: Sequence[Line]) -> PageTable:
    """What each tool took."""
    header = (
        "",
        "seconds a run: median (quartiles)",
        "processor seconds of its evaluations",
        "thought per ask",
        "workers idle",
        "as good as random search in the end after",
    )
    rows = [
        (
            TOOLS[line.tool].title,
            within(line.seconds, 1),
            f"{line.evaluating:.1f}",
            duration(line.thought),
            f"{max(0.0, line.waited):.0%}",
            "" if line.reached is None else until(*line.reached),
        )
        for line in lines
    ]
    return PageTable(header, rows)


def digits(widths: Sequence[float]) -> int:
    """So many decimals that the narrowest of these widths has two digits; three where there is none."""
    found = [width for width in widths if width > 0.0]
    return min(MOST_DIGITS, max(0, 1 - math.floor(math.log10(min(found))))) if found else 3


def within(spread: Spread, decimals: int) -> str:
    """A median and its quartiles."""
    return f"{spread.middle:.{decimals}f} ({spread.low:.{decimals}f} to {spread.high:.{decimals}f})"


def interval(difference: Estimate) -> str:
    """A mean and where the true one lies; the mean alone for one seed."""
    mean, low, high = (float(number) for number in (difference.mean, *difference.band(LEVEL)))
    if math.isnan(low):
        return f"{mean:+.3g}".replace("-", "−")
    decimals = digits([high - low])
    return f"{mean:+.{decimals}f} ({low:+.{decimals}f} to {high:+.{decimals}f})".replace("-", "−")


def until(evaluations: float, seconds: float) -> str:
    """How long it took."""
    return "never" if math.isinf(evaluations) else f"{counted(int(evaluations), 'evaluation')}, {seconds:.1f} s"


def duration(seconds: float) -> str:
    """A short time, in the unit that fits."""
    if seconds >= 1.0:
        return f"{seconds:.2f} s"
    return f"{1000.0 * seconds:.0f} ms" if seconds >= 0.01 else f"{1000.0 * seconds:.2f} ms"


def counted(number: int, what: str) -> str:
    """A number of things."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


# Figures.


def drawing(found: Mapping[str, Sequence[Run]], task: Task, folder: Path, stem: str) -> list[str]:
    """The figure of a task as Markdown, drawn beside the page."""
    try:
        path = save(figure(found, task), folder / f"{stem}.svg")
    except MissingPackageError as error:
        print(f"The page has no figures: {error}")
        return []
    return [f"![The best loss against time and against evaluations]({path.name})\n"]


def figure(found: Mapping[str, Sequence[Run]], task: Task) -> Figure:
    """The best loss so far, over seconds on the left and over evaluations on the right."""
    graph_objects()
    from plotly.subplots import make_subplots

    picture = make_subplots(1, 2, horizontal_spacing=0.08, shared_yaxes=True)
    curves = {tool: (over_seconds(runs), over_evaluations(runs)) for tool, runs in found.items()}
    for column in (1, 2):
        for tool, both in curves.items():
            add_band(picture, tool, both[column - 1], column)
        for tool, both in curves.items():
            add_line(picture, tool, both[column - 1], column)
    styled(picture, "seconds", "", HEIGHT).update_xaxes(rangemode="tozero").update_xaxes(
        title_text="evaluations", col=2
    )
    picture.update_yaxes(title_text=literal(f"lowest {task.loss_name} so far"), col=1)
    low, high = shown([curve for both in curves.values() for curve in both[1:]])
    if task.log and high > LEAST_FACTOR * low:
        # Decades are too far apart here.
        marks = nice_marks(low, high)
        picture.update_yaxes(type="log", range=[math.log10(low), math.log10(high)], tickvals=marks)
    else:
        picture.update_yaxes(range=[low, high])
    counts = sorted({len(runs) for runs in found.values()})
    seeds = counted(counts[0], "seed") if len(counts) == 1 else f"{counts[0]} to {counts[-1]} seeds"
    return noted(picture, f"Medians over {seeds}; shaded, from quartile to quartile. Lower is better.")


def shown(curves: Sequence[Curve]) -> tuple[float, float]:
    """The range of losses: from the lowest quartile to the highest median once every worker has answered."""
    low = min(float(curve.low.min()) for curve in curves)
    high = max(float(curve.middle[min(WORKERS, len(curve.x)) - 1]) for curve in curves)
    spare = HEADROOM * (high - low) or 0.01 * abs(low) or 1.0
    return low - spare / 4.0 if low > spare else low * 0.9, high + spare


def nice_marks(low: float, high: float) -> list[float]:
    """Numbers with one or two digits between two others, about evenly spread on a logarithmic axis."""
    steps = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0)
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    marks = [round(step * 10.0**decade, 12) for decade in decades for step in steps]
    inside = [mark for mark in marks if low <= mark <= high]
    return inside if len(inside) <= 8 else inside[:: -(-len(inside) // 8)]


def add_band(picture: Figure, tool: str, curve: Curve, column: int) -> None:
    """The area between the quartiles."""
    red, green, blue = (int(LOOKS[tool].colour[place : place + 2], 16) for place in (1, 3, 5))
    picture.add_scatter(
        x=[*curve.x.tolist(), *curve.x[::-1].tolist()],
        y=[*curve.high.tolist(), *curve.low[::-1].tolist()],
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=f"rgba({red}, {green}, {blue}, {SHADE})",
        hoverinfo="skip",
        showlegend=False,
        row=1,
        col=column,
    )


def add_line(picture: Figure, tool: str, curve: Curve, column: int) -> None:
    """The median, with a mark where it ends."""
    look = LOOKS[tool]
    picture.add_scatter(
        x=curve.x.tolist(),
        y=curve.middle.tolist(),
        name=literal(TOOLS[tool].title),
        mode="lines",
        line={"color": look.colour, "dash": look.dash, "width": 2.2, "shape": "hv"},
        showlegend=column == 1,
        row=1,
        col=column,
    )
    picture.add_scatter(
        x=curve.x[-1:].tolist(),
        y=curve.middle[-1:].tolist(),
        mode="markers",
        marker={"color": look.colour, "size": 7},
        hoverinfo="skip",
        showlegend=False,
        row=1,
        col=column,
    )
