"""Figures of the costs of policies: rounds against actions, and seconds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from belated.experiments import Results
from belated.experiments.papers.costs import (
    READINGS,
    WEIGHTS,
    CostCurve,
    Reading,
    cost_curve,
    costs,
    levels_of,
    shares,
)
from belated.report.experiments import looks
from belated.report.page import PageTable
from belated.report.panels import once_each
from belated.report.style import Figure, graph_objects, literal, styled

SLICES = (0.0, 0.5, 1.0)


def cheapest(results: Results, reading: Reading) -> Figure:
    """Which policy reaches a regret at the lowest cost, for every price of actions [desautels2014, figure 7 (a)]."""
    curves = _curves(results, reading)
    levels = levels_of(curves)
    labels, look = list(curves), looks(results.arms)
    price = np.array([costs(curve, levels, WEIGHTS) for curve in curves.values()])
    best = np.where(np.isfinite(price).any(axis=0), np.argmin(price, axis=0), np.nan).T  # (levels, weights)
    figure = graph_objects().Figure()
    steps = len(labels)
    scale = [
        (share, look[label].colour)
        for place, label in enumerate(labels)
        for share in (place / steps, (place + 1) / steps)
    ]
    figure.add_heatmap(
        x=WEIGHTS.tolist(),
        y=levels.tolist(),
        z=[[None if np.isnan(cell) else int(cell) for cell in row] for row in best],
        zmin=-0.5,
        zmax=steps - 0.5,
        colorscale=scale,
        colorbar={"tickvals": list(range(steps)), "ticktext": [literal(label) for label in labels], "thickness": 12},
        hovertemplate="w = %{x:.2f}, regret %{y:.3g}<extra></extra>",
    )
    styled(figure, "w: the price of an action, as a share of both", f"{reading} to be reached", height=420)
    return figure.update_yaxes(type="log")


def cost_curves(results: Results, reading: Reading) -> Figure:
    """The regret reached against its cost, for three prices of actions [desautels2014, figure 7 (b) to (d)]."""
    graph_objects()
    from plotly.subplots import make_subplots

    curves = _curves(results, reading)
    levels, look = levels_of(curves), looks(results.arms)
    figure = make_subplots(1, len(SLICES), subplot_titles=[f"w = {weight:g}" for weight in SLICES], shared_yaxes=True)
    for column, weight in enumerate(SLICES, start=1):
        for label, curve in curves.items():
            price = costs(curve, levels, weight)
            reached = np.isfinite(price)
            figure.add_scatter(
                x=price[reached].tolist(),
                y=levels[reached].tolist(),
                name=literal(label),
                mode="lines",
                line={"color": look[label].colour, "dash": look[label].dash, "width": 2.2},
                row=1,
                col=column,
            )
    styled(figure, "cost", "", height=380).update_yaxes(type="log")
    return once_each(figure.update_yaxes(title_text=reading, col=1))


def share_table(results: Results) -> PageTable:
    """On which share of the trade-off each policy is the cheapest, by both readings of what average regret is."""
    by_reading = [shares(curves, levels_of(curves)) for curves in (_curves(results, reading) for reading in READINGS)]
    rows = [(label, *(f"{100.0 * found[label]:.0f} %" for found in by_reading)) for label in results.runs]
    return PageTable(("cheapest on this share of the trade-off", *READINGS), rows)


def _curves(results: Results, reading: Reading) -> dict[str, CostCurve]:
    return {label: cost_curve(runs, reading) for label, runs in results.runs.items()}


def seconds(results: Sequence[Results]) -> Figure:
    """The seconds that a run of every arm took, one group of bars for each problem [desautels2014, figure 8]."""
    figure = graph_objects().Figure()
    arms = {arm.label: arm for some in results for arm in some.arms}
    look = looks(arms.values())
    for label, arm in arms.items():
        has = [some for some in results if label in some.runs]
        figure.add_bar(
            x=[literal(some.experiment.name) for some in has],
            y=[float(np.median(some[label].seconds)) for some in has],
            name=literal(label),
            marker={"color": look[label].colour, "pattern": {"shape": "/" if arm.lazy else ""}},
        )
    styled(figure, "", "seconds for a run, the median", height=460)
    return figure.update_yaxes(type="log").update_layout(barmode="group")
