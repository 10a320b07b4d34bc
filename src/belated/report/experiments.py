"""Figures and tables of experiments: means over seeds with their bands, and tests of differences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from belated.experiments import MEASURES, Arm, Results, statistics
from belated.experiments.statistics import LEVEL, PairedComparison
from belated.report.page import PageTable
from belated.report.style import COLOURS, GREY, Figure, graph_objects, literal, noted, styled
from belated.space import Array

PANEL, HEAD = 300, 130
# On a logarithmic axis, how far below the mean a band reaches at most.
DEEPEST = 0.1
# Errors that are written without an exponent.
SMALLEST, LARGEST = 1e-5, 1e6
# The opacity of a band, and of a single run.
SHADE, FAINT = 0.16, 0.35
# Of fewer runs, each is drawn: a band of theirs would be as wide as the axes.
FEWEST = 5

BLUE, ORANGE, GREEN, PINK, SKY, RED = COLOURS
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")


class Look(NamedTuple):
    """How a curve is drawn."""

    colour: str
    dash: str = "solid"


# A policy looks the same in every figure; relatives share a colour, as far as there are colours.
LOOKS = {
    "auto": Look(SKY, "dot"),
    "gp-bucb": Look(BLUE),
    "gp-bts": Look(BLUE, "dash"),
    "gp-bucb-init": Look(BLUE, "dot"),
    "gp-aucb": Look(ORANGE),
    "gp-aucb-local": Look(ORANGE, "dash"),
    "gp-aucb-init": Look(ORANGE, "longdashdot"),
    "gp-ucb-sdf": Look(GREEN),
    "gp-ts-sdf": Look(GREEN, "dash"),
    "bpe-delay": Look(PINK),
    "bpe": Look(PINK, "dash"),
    "sm-ucb": Look(PINK, "dot"),
    "sm-mei": Look(PINK, "dashdot"),
    "hbbo-ucb": Look(SKY),
    "hbbo-mei": Look(SKY, "dash"),
    "gp-ucb": Look(RED),
    "gp-ts": Look(RED, "dash"),
    "asy-ts": Look(RED, "dot"),
    "gp-ei": Look(RED, "dashdot"),
    "gp-ucb-ranked": Look(PINK, "longdashdot"),
    "gp-lognei": Look(GREEN, "longdashdot"),
    "gp-ucb-pe": Look(SKY, "longdash"),
    "egp-ts": Look(BLUE, "longdash"),
    "egp-ei": Look(BLUE, "dashdot"),
    "egp-ucb": Look(SKY, "dashdot"),
    "banditbo": Look(ORANGE, "dot"),
    "exp3bo": Look(ORANGE, "dashdot"),
    "fb-gp-ts": Look(GREEN, "dot"),
    "sbo-kde": Look(BLUE, "longdashdot"),
    "drbo-kde": Look(ORANGE, "longdash"),
    "drbo-mmd": Look(GREEN, "longdash"),
    "drbo-mmd-minimax": Look(GREEN, "dashdot"),
    "stableopt": Look(PINK, "longdash"),
    "gp-ucb-blind": Look(RED, "longdash"),
    "random": Look(GREY, "dot"),
    "uncertainty": Look(GREY, "dash"),
}


def curves(
    results: Results,
    measure: str = "simple",
    x: str = "round",
    y: str | None = None,
    bands: float | None = LEVEL,
    log: bool = False,
) -> Figure:
    """The mean of a measure over the seeds, round by round, for every arm.

    `x` and `y` are the titles of the axes. The band holds the true mean with probability `bands`, by Student's law;
    with None there is no band. With `log` the axis of the measure is logarithmic.
    """
    figure = graph_objects().Figure()
    _add_curves(figure, results, looks(results.arms), measure, bands, log)
    styled(figure, x, y or MEASURES[measure].title, height=420)
    return _scaled(_remarked(_with_legend(figure), [results], bands), log)


def panels(
    results: Sequence[Results],
    measure: str = "simple",
    x: str = "round",
    y: str | None = None,
    bands: float | None = LEVEL,
    log: bool = False,
    columns: int = 2,
) -> Figure:
    """The curves of several experiments beside each other, with one legend, so that a label looks the same in all."""
    graph_objects()
    from plotly.subplots import make_subplots

    columns = min(columns, len(results))
    rows = -(-len(results) // columns)
    titles = [literal(result.experiment.name) for result in results]
    height = HEAD + PANEL * rows
    figure = make_subplots(
        rows, columns, subplot_titles=titles, horizontal_spacing=0.16 / columns, vertical_spacing=88 / height
    )
    look = looks(arm for result in results for arm in result.arms)
    for place, result in enumerate(results):
        _add_curves(figure, result, look, measure, bands, log, row=place // columns + 1, col=place % columns + 1)
    styled(figure, x, "", height).update_layout(margin_t=HEAD - 50, legend_y=1.0 + 44 / height)
    figure.update_yaxes(title_text=literal(y or MEASURES[measure].title), col=1).update_annotations(font_size=14)
    return _scaled(_remarked(_with_legend(figure), results, bands), log)


def looks(arms: Iterable[Arm]) -> dict[str, Look]:
    """How each label is drawn: the first arm of a policy looks as always, others have its colour if possible."""
    wanted = {arm.label: LOOKS.get(_policy(arm), Look(COLOURS[0])) for arm in arms}
    found: dict[str, Look] = {}
    for label, look in wanted.items():
        if look not in found.values():
            found[label] = look
    for label, look in wanted.items():
        if label not in found:
            colours = (look.colour, *COLOURS)
            free = (Look(colour, dash) for colour in colours for dash in DASHES)
            found[label] = next((other for other in free if other not in found.values()), look)
    return found


def final_table(results: Results, measure: str = "simple") -> PageTable:
    """The result of each arm after the last round: the mean over the seeds and its standard error, the lowest first."""
    rows = []
    for label, values in results.final(measure).items():
        found = statistics.estimate(values)
        seconds = float(results[label].seconds.mean())
        row = (label, with_error(float(found.mean), float(found.error)), str(found.n), in_seconds(seconds))
        rows.append((float(found.mean), row))
    header = ("", f"{MEASURES[measure].title} ± its error", "runs", "seconds a run")
    return PageTable(header, [row for _, row in sorted(rows, key=lambda row: (np.isnan(row[0]), row[0]))])


def comparison_table(results: Results, measure: str = "simple") -> PageTable:
    """Every pair of arms, seed by seed: the mean difference, and the probability of so large a one by chance alone."""
    header = ("", "difference ± its error", "t-test", "sign flips", "Holm", "lower")
    return PageTable(header, [_compared(found) for found in statistics.comparisons(results.final(measure))])


def markdown(table: PageTable) -> str:
    """A table in Markdown, numbers to the right."""
    lines = [table.header, ["---", *("---:" for _ in table.header[1:])], *table.rows]
    return "".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |\n" for line in lines)


def _policy(arm: Arm) -> str:
    return arm.policy.name


def _add_curves(
    figure: Figure,
    results: Results,
    look: dict[str, Look],
    measure: str,
    bands: float | None,
    log: bool,
    **place: int,
) -> None:
    """Add the band of every arm, and above all bands the means as lines."""
    estimates = {label: statistics.estimate(values) for label, values in results.measure(measure).items()}
    if 1 < len(results.experiment.seeds) < FEWEST:
        for label, values in results.measure(measure).items():
            _add_runs(figure, values, label, look, **place)
    elif bands is not None and len(results.experiment.seeds) > 1:
        for label, found in estimates.items():
            low, high = found.band(bands)
            _add_band(figure, np.maximum(low, DEEPEST * found.mean) if log else low, high, label, look, **place)
    for label, found in estimates.items():
        figure.add_scatter(
            x=list(range(1, len(found.mean) + 1)),
            y=found.mean.tolist(),
            name=literal(label),
            mode="lines",
            line={"color": look[label].colour, "dash": look[label].dash, "width": 2.2},
            customdata=found.error.tolist(),
            hovertemplate=f"{literal(label)}<br>%{{x}}: %{{y:.4g}} ± %{{customdata:.2g}}<extra></extra>",
            **place,
        )


def _add_runs(figure: Figure, runs: Array, label: str, look: dict[str, Look], **place: int) -> None:
    """Add each run as a faint line."""
    for values in runs:
        figure.add_scatter(
            x=list(range(1, len(values) + 1)),
            y=values.tolist(),
            name=literal(label),
            mode="lines",
            line={"color": look[label].colour, "dash": look[label].dash, "width": 1},
            opacity=FAINT,
            hoverinfo="skip",
            showlegend=False,
            **place,
        )


def _add_band(figure: Figure, low: Array, high: Array, label: str, look: dict[str, Look], **place: int) -> None:
    """Add the area between two lines, over the rounds that have both."""
    there = np.flatnonzero(~np.isnan(low))
    figure.add_scatter(
        x=[*(there + 1).tolist(), *(there[::-1] + 1).tolist()],
        y=[*high[there].tolist(), *low[there[::-1]].tolist()],
        name=literal(label),
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=_faint(look[label].colour),
        hoverinfo="skip",
        **place,
    )


def _with_legend(figure: Figure) -> Figure:
    """The figure with one legend entry for all lines and bands of a label, which are then shown and hidden together."""
    shown: set[str] = set()
    for trace in figure.data:
        of_mean = trace.fill is None and trace.showlegend is not False
        trace.legendgroup, trace.showlegend = trace.name, of_mean and trace.name not in shown
        shown.update([trace.name] if trace.showlegend else [])
    return figure


def _scaled(figure: Figure, log: bool) -> Figure:
    if log:
        # Marks at every power of ten, and none between.
        return figure.update_yaxes(type="log", dtick=1)
    return figure.update_yaxes(rangemode="tozero")


def _remarked(figure: Figure, results: Sequence[Results], bands: float | None) -> Figure:
    """The figure with a remark on what its lines and areas are."""
    counts = sorted({len(result.experiment.seeds) for result in results})
    runs = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    if counts[-1] == 1:
        return noted(figure, "One run of each.")
    if counts[-1] < FEWEST:
        return noted(figure, f"Means over {runs} runs with the same seeds; thin, each run.")
    area = "" if bands is None else f"; shaded, where the true mean lies with a confidence of {bands:.0%}"
    return noted(figure, f"Means over {runs} runs with the same seeds{area}.")


def _compared(found: PairedComparison) -> tuple[str, ...]:
    return (
        f"{found.first} − {found.second}",
        with_error(found.difference, found.error),
        _probability(found.t_test),
        _probability(found.sign_flip),
        _probability(found.adjusted),
        found.lower or "equal",
    )


def with_error(mean: float, error: float) -> str:
    """A mean to the digits that its error supports, and the error to two digits; for one run the mean alone."""
    if np.isnan(error):
        return f"{mean:.4g}"
    if not SMALLEST <= error < LARGEST:
        return f"{mean:.4g} ± {error:.2g}"
    digits = max(0, 1 - math.floor(math.log10(error)))
    return f"{mean:.{digits}f} ± {error:.{digits}f}"


def in_seconds(seconds: float) -> str:
    """Seconds as text, to two digits or whole."""
    return f"{seconds:.2g}" if seconds < 10 else f"{seconds:.0f}"


def _probability(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _faint(colour: str) -> str:
    """The colour, almost transparent."""
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {SHADE})"
