"""The figure of pairs: parameters against each other, coloured by the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from belated.errors import UnsupportedError
from belated.log import Query, State
from belated.report.axes import Axis, answers_named, axes_of, chosen
from belated.report.marks import BEST, MARKS, titled
from belated.report.panels import once_each
from belated.report.style import EXPONENT, SCALE, Figure, graph_objects, literal, noted, styled
from belated.report.thinning import WAITING, remark, thinned
from belated.study import Study
from belated.study.figures import figure_kind
from belated.study.insight import best_or_none

CALL = "plot('pairs')"
MOST_PARAMETERS = 6
PANEL, HEAD = 150, 150
LONGEST_TITLE = 20
# More marks than this are drawn smaller, or they would hide each other.
MOST_LARGE = 300


@dataclass(frozen=True)
class Cell:
    """One panel of the matrix: the parameter across, the one down, and its row and column, counted from 1."""

    across: Axis
    down: Axis
    row: int
    column: int


@figure_kind("pairs")
def pairs(study: Study, parameters: Sequence[str] | None = None, value: str | None = None) -> Figure:
    """Each pair of parameters against each other, with answers coloured by value; open marks wait, crosses failed.

    `parameters` are those to draw, by default the first six; `value` is what the answers are called, if that
    is not the name of the objective.
    """
    names = chosen(CALL, study.space.names, parameters, MOST_PARAMETERS)
    if len(names) < 2:
        raise UnsupportedError(f"{CALL}: got one parameter, {names[0]!r}; a pair has two; plot 'belief' instead.")
    record = study.record()
    asked = [query for query in record.queries if query.state not in (State.ABANDONED, State.RETRACTED)]
    drawn = thinned(asked)
    answered = [query for query in drawn if query.answer]
    best = best_or_none(record)
    bright = [] if best is None else [record.queries[best.query - 1]]
    axes = axes_of(study.space, names)
    figure = _matrix(axes, answers_named(study, value), study.goal == "minimize")
    shades = {"color": [query.answer.value for query in answered if query.answer], "coloraxis": "coloraxis"}
    size = 7 if len(drawn) <= MOST_LARGE else 4
    for cell in _cells(axes):
        _add(figure, cell, answered, "", {**shades, "size": size, "opacity": 0.9})
        _add(figure, cell, bright, BEST.label, BEST.marker(13))
        for state in (*WAITING, State.FAILED):
            waiting = [query for query in drawn if query.state is state]
            _add(figure, cell, waiting, MARKS[state].label, MARKS[state].marker(size + 3))
    some = remark(names, study.space.names, "parameters") if parameters is None else ""
    return noted(once_each(figure), remark(drawn, asked), some)


def _cells(axes: Sequence[Axis]) -> list[Cell]:
    """The panels below the diagonal."""
    return [
        Cell(across, down, row, column + 1) for (column, across), (row, down) in combinations(list(enumerate(axes)), 2)
    ]


def _matrix(axes: Sequence[Axis], value: str, minimise: bool) -> Figure:
    """A figure with an empty panel for each pair, and good answers bright."""
    graph_objects()
    from plotly.subplots import make_subplots

    size = len(axes) - 1
    figure = make_subplots(
        size,
        size,
        specs=[[{} if column <= row else None for column in range(size)] for row in range(size)],
        shared_xaxes=True,
        shared_yaxes=True,
        horizontal_spacing=0.03,
        vertical_spacing=0.12 / size,
    )
    styled(figure, "", "", height=HEAD + PANEL * max(size, 2))
    for cell in _cells(axes):
        bottom, left = cell.row == size, cell.column == 1
        place = {"row": cell.row, "col": cell.column}
        figure.update_xaxes(
            title_text=cell.across.title(LONGEST_TITLE) if bottom else "", **cell.across.layout(), **place
        )
        figure.update_yaxes(title_text=cell.down.title(LONGEST_TITLE) if left else "", **cell.down.layout(), **place)
    bar = {
        "title": {"text": literal(value), "font": {"size": 13}},
        "thickness": 12,
        "outlinewidth": 0,
        "exponentformat": EXPONENT,
    }
    return figure.update_layout(coloraxis={"colorscale": SCALE, "reversescale": minimise, "colorbar": bar})


def _add(figure: Figure, cell: Cell, queries: Sequence[Query], label: str, marker: Mapping[str, Any]) -> None:
    if queries:
        figure.add_scatter(
            x=[cell.across.place(query.tried[cell.across.name]) for query in queries],
            y=[cell.down.place(query.tried[cell.down.name]) for query in queries],
            name=label,
            mode="markers",
            marker=marker,
            text=[titled(query) for query in queries],
            hovertemplate="%{text}<extra></extra>",
            cliponaxis=False,
            row=cell.row,
            col=cell.column,
        )
