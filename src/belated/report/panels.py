"""One panel for each parameter, two beside each other, with one scale of values for all."""

from __future__ import annotations

from collections.abc import Sequence

from belated.report.axes import Axis
from belated.report.style import Figure, graph_objects, literal, styled

COLUMNS = 2
PANEL, HEAD = 230, 120


def panels(axes: Sequence[Axis], value: str) -> Figure:
    """A figure with an empty panel for each axis; `value` is what all of them show."""
    graph_objects()
    from plotly.subplots import make_subplots

    columns = min(COLUMNS, len(axes))
    rows = -(-len(axes) // columns)
    figure = make_subplots(rows, columns, shared_yaxes=True, horizontal_spacing=0.06, vertical_spacing=0.34 / rows)
    styled(figure, "", "", height=HEAD + PANEL * rows)
    for axis, place in zip(axes, places(axes), strict=True):
        figure.update_xaxes(title_text=axis.title(), **axis.layout(), **place)
    return figure.update_yaxes(title_text=literal(value), col=1)


def places(axes: Sequence[Axis]) -> list[dict[str, int]]:
    """The row and the column of each panel."""
    columns = min(COLUMNS, len(axes))
    return [{"row": place // columns + 1, "col": place % columns + 1} for place in range(len(axes))]


def once_each(figure: Figure) -> Figure:
    """The figure with one legend entry for all traces of a name, which are then shown and hidden together."""
    shown = {""}
    for trace in figure.data:
        trace.legendgroup, trace.showlegend = trace.name, trace.name not in shown
        shown.add(trace.name)
    return figure
