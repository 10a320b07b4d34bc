"""Figures of the league: mean ranks, ranks by law of delays, and the regret of every entrant in every case."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from belated.experiments.league import AUTO, LAWS, Case, Entrant, LeaguePlace, Tables, mean
from belated.report.style import COLOURS, FONT, GREY, Figure, graph_objects, literal, noted, styled
from belated.space import Array

ROW, HEAD, FOOT = 19, 64, 56
# A scale of colours beside fewer cases than this would be too short for its marks.
FEWEST = 12
# Regrets relative to random's beyond these have the colour of the end.
LOWEST, HIGHEST = 0.01, 10**0.5
# From well below random search or the first place, over light grey, to beyond it or the last.
GOOD, BETTER, EVEN, BAD = "#00416A", "#3A93C8", "#EFEFEF", "#D55E00"
INK, BRIGHT = "#1d2430", "#F2B92E"

BLUE, ORANGE, GREEN = COLOURS[:3]
KINDS = {
    "auto": ("auto, the default", GREEN, "star", 14),
    "ours": ("policies of Belated", BLUE, "circle", 9),
    "peer": ("peers from other libraries", ORANGE, "diamond", 10),
    "none": ("without a place: fewer than half of the cases", GREY, "circle-open", 8),
}


def ranks(found: Sequence[LeaguePlace]) -> Figure:
    """The mean rank of every entrant with its interval, the best on top."""
    figure = graph_objects().Figure()
    for kind, (title, colour, symbol, size) in KINDS.items():
        own = [standing for standing in found if _kind(standing) == kind]
        if own:
            figure.add_scatter(
                x=[standing.share for standing in own],
                y=[literal(standing.entrant) for standing in own],
                error_x={
                    "array": [standing.high - standing.share for standing in own],
                    "arrayminus": [standing.share - standing.low for standing in own],
                    "thickness": 1.4,
                    "width": 3,
                },
                name=title,
                mode="markers",
                marker={"color": colour, "symbol": symbol, "size": size, "line": {"color": colour, "width": 1.5}},
                hovertemplate="%{y}: %{x:.3f}<extra></extra>",
            )
    styled(figure, "mean rank: 0 is always first, 1 always last", "", height=HEAD + FOOT + ROW * len(found))
    figure.update_layout(showlegend=True, margin_t=HEAD - 8)
    figure.update_xaxes(range=[-0.01, 1.03])
    _listed(figure, [standing.entrant for standing in found])
    return noted(figure, "Bars: where the mean rank lies 95 times in 100, over cases and seeds drawn anew.")


def by_law(tables: Tables, cases: Sequence[Case], order: Sequence[str]) -> Figure:
    """The mean rank of every entrant under every law of delays."""
    groups = {case.key: case.group for case in cases}
    laws = [law for law in LAWS if law in {groups[key] for key in tables.cases}]
    rows = {law: [place for place, key in enumerate(tables.cases) if groups[key] == law] for law in laws}
    shares = tables.shares()
    cells = np.stack([mean(shares[rows[law]]) for law in laws], axis=1)  # (entrants, laws)
    cells = cells[[tables.names.index(name) for name in order]]
    figure = graph_objects().Figure()
    figure.add_heatmap(
        x=[f"{law}<br>({len(rows[law])})" for law in laws],
        y=[literal(name) for name in order],
        z=_blank(cells),
        zmin=0.0,
        zmax=1.0,
        colorscale=((0.0, GOOD), (0.25, BETTER), (0.5, EVEN), (1.0, BAD)),
        colorbar={
            "title": {"text": "mean rank", "side": "right"},
            "thickness": 12,
            "tickvals": [0, 0.5, 1],
            "ticktext": ["0, first", "0.5", "1, last"],
        },
        text=[["" if np.isnan(cell) else f"{cell:.2f}" for cell in row] for row in cells],
        texttemplate="%{text}",
        textfont={"family": FONT, "size": 11},
        xgap=1,
        ygap=1,
        hovertemplate="%{y}, %{x}: %{z:.3f}<extra></extra>",
    )
    styled(figure, "", "", height=HEAD + FOOT + ROW * len(order))
    figure.update_xaxes(side="top", showgrid=False).update_layout(margin_b=12)
    _listed(figure, order)
    figure.update_yaxes(showgrid=False)
    said = "; ".join(f"{law}: {LAWS[law]}" for law in laws)
    return noted(figure, f"In brackets how many cases. {said}. Empty: cannot play.")


def by_case(tables: Tables, cases: Sequence[Case], order: Sequence[str], measure: str) -> Figure:
    """A regret of every entrant in every case, relative to that of random search."""
    rows = [case.key for case in cases if case.key in tables.cases]
    ratios = tables.ratios(measure)[[tables.cases.index(key) for key in rows]]
    ratios = ratios[:, [tables.names.index(name) for name in order]]
    low, high = math.log10(LOWEST), math.log10(HIGHEST)
    even = -low / (high - low)
    figure = graph_objects().Figure()
    figure.add_heatmap(
        x=[literal(name) for name in order],
        y=rows,
        z=_blank(np.log10(np.clip(ratios, LOWEST, HIGHEST))),
        zmin=low,
        zmax=high,
        colorscale=((0.0, GOOD), (even / 2, BETTER), (even, EVEN), (1.0, BAD)),
        colorbar={
            "title": {"text": f"{measure} regret relative to random's", "side": "right"},
            "thickness": 12,
            "tickvals": [low, -1.5, -1, -0.5, 0, high],
            "ticktext": ["≤ 0.01", "0.03", "0.1", "0.3", "1", "≥ 3"],
        },
        customdata=_blank(ratios),
        xgap=1,
        ygap=1,
        hovertemplate="%{y}, %{x}: %{customdata:.3g}<extra></extra>",
    )
    best = np.nanargmin(ratios, axis=1)
    _marks(figure, [order[place] for place in best], rows, "the best of the case", "circle", BRIGHT, 7)
    absent = np.argwhere(np.isnan(ratios))
    _marks(figure, [order[c] for _, c in absent], [rows[r] for r, _ in absent], "did not play", "x-thin", GREY, 4)
    styled(figure, "", "", height=HEAD + 2 * FOOT + (ROW - 3) * max(len(rows), FEWEST))
    figure.update_layout(showlegend=True, margin_t=HEAD - 20, margin_b=8, font_size=12)
    figure.update_xaxes(tickangle=-90, showgrid=False, type="category", range=[-0.5, len(order) - 0.5])
    _listed(figure, rows)
    _ruled(figure, [case.group for case in cases if case.key in tables.cases], len(order))
    return figure


def _kind(standing: LeaguePlace) -> str:
    if standing.entrant == AUTO:
        return "auto"
    if standing.place is None:
        return "none"
    return "peer" if Entrant(standing.entrant).peer else "ours"


def _listed(figure: Figure, names: Sequence[str]) -> None:
    """Label every row; the first stands on top."""
    order = [literal(name) for name in names]
    figure.update_yaxes(
        type="category",
        categoryorder="array",
        categoryarray=order,
        range=[len(order) - 0.5, -0.5],
        tickmode="array",
        tickvals=order,
    )


def _marks(figure: Figure, x: Sequence[str], y: Sequence[str], title: str, symbol: str, colour: str, size: int) -> None:
    """Add marks on some cells."""
    if x:
        look: Mapping[str, object] = {
            "symbol": symbol,
            "size": size,
            "color": colour,
            "line": {"color": INK if symbol == "circle" else colour, "width": 1},
        }
        names = [literal(name) for name in x]
        figure.add_scatter(x=names, y=list(y), mode="markers", name=title, marker=look, hoverinfo="skip")


def _ruled(figure: Figure, groups: Sequence[str], width: int) -> None:
    """Add a line wherever another law of delays begins."""
    for place, (above, below) in enumerate(pairwise(groups)):
        if above != below:
            line = {"color": INK, "width": 1}
            figure.add_shape(type="line", x0=-0.5, x1=width - 0.5, y0=place + 0.5, y1=place + 0.5, line=line)


def _blank(cells: Array) -> list[list[float | None]]:
    """The cells as Plotly takes them, with None where there is no value."""
    return [[None if np.isnan(cell) else float(cell) for cell in row] for row in cells]
