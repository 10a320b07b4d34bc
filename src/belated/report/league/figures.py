"""Figures of the league, narrow enough for a telephone: mean ranks with their intervals, and mean ranks by family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from belated.experiments.league.bounds import DEFAULT
from belated.experiments.league.comparison import Standing
from belated.experiments.league.entrants import Entrant
from belated.report.style import COLOURS, FONT, GREY, Figure, graph_objects, literal, styled
from belated.space import Array

# A telephone of 390 pixels shows it at three quarters, and its letters can still be read.
WIDTH = 480
ROW, HEAD, FOOT, SLANTED = 18, 84, 48, 112
BLUE, ORANGE, GREEN, PINK = COLOURS[:4]
KINDS = {
    "default": ("auto, the default of Belated", GREEN, "star", 13),
    "policy": ("policies of Belated", BLUE, "circle", 8),
    "peer": ("other libraries", ORANGE, "diamond", 9),
    "visitor": ("runs that others sent in", PINK, "square", 8),
    "search": ("searches without a model", GREY, "x", 8),
}
# From the first place over light grey to the last.
SCALE = ((0.0, "#00416A"), (0.25, "#3A93C8"), (0.5, "#EFEFEF"), (1.0, "#D55E00"))


def kind(entrant: Entrant) -> str:
    """Which of KINDS an entrant is."""
    return "default" if entrant.name == DEFAULT else entrant.kind


def ranks(found: Sequence[Standing], players: Mapping[str, Entrant]) -> Figure:
    """The mean rank of every entrant with its interval, the best on top."""
    figure = graph_objects().Figure()
    for name, (title, colour, symbol, size) in KINDS.items():
        own = [one for one in found if kind(players[one.entrant]) == name]
        if own:
            figure.add_scatter(
                x=[one.share for one in own],
                y=[literal(one.entrant) for one in own],
                error_x={
                    "array": [one.high - one.share for one in own],
                    "arrayminus": [one.share - one.low for one in own],
                    "thickness": 1.6,
                    "width": 0,
                },
                name=title,
                mode="markers",
                marker={"color": colour, "symbol": symbol, "size": size},
                hovertemplate="%{y}: %{x:.3f}<extra></extra>",
            )
    styled(figure, "mean rank: 0 is always first, 1 always last", "", height=HEAD + FOOT + ROW * len(found))
    figure.update_layout(width=WIDTH, showlegend=True, margin={"l": 8, "r": 12, "t": HEAD - 8, "b": FOOT})
    figure.update_xaxes(range=[-0.01, 1.01], dtick=0.2)
    return _listed(figure, [one.entrant for one in found])


def by_group(shares: Mapping[str, Mapping[str, float]], order: Sequence[str]) -> Figure:
    """The mean rank of some entrants in each group of cases; empty where one does not play."""
    cells: Array = np.array([[shares[group].get(name, np.nan) for group in shares] for name in order])
    figure = graph_objects().Figure()
    figure.add_heatmap(
        x=list(shares),
        y=[literal(name) for name in order],
        z=[[None if np.isnan(cell) else float(cell) for cell in row] for row in cells],
        zmin=0.0,
        zmax=1.0,
        colorscale=SCALE,
        showscale=False,
        text=[["" if np.isnan(cell) else f"{100 * cell:.0f}" for cell in row] for row in cells],
        texttemplate="%{text}",
        textfont={"family": FONT, "size": 12},
        xgap=1,
        ygap=1,
        hovertemplate="%{y}, %{x}: %{z:.3f}<extra></extra>",
    )
    styled(figure, "", "", height=SLANTED + 8 + ROW * len(order))
    figure.update_layout(width=WIDTH, margin={"l": 8, "r": 8, "t": SLANTED, "b": 8})
    figure.update_xaxes(side="top", tickangle=-60, showgrid=False)
    figure.update_yaxes(showgrid=False)
    return _listed(figure, order)


def _listed(figure: Figure, names: Sequence[str]) -> Figure:
    """The figure with every row labelled; the first stands on top."""
    order = [literal(name) for name in names]
    return figure.update_yaxes(
        type="category",
        categoryorder="array",
        categoryarray=order,
        range=[len(order) - 0.5, -0.5],
        tickmode="array",
        tickvals=order,
    )
