"""The figure of an ensemble's weights: which members explained the answers as they came."""

from __future__ import annotations

from collections.abc import Sequence

from belated.report.images import INK, PAPER
from belated.report.style import COLOURS, Figure, graph_objects, literal, marks_at_whole_numbers, noted, styled
from belated.report.thinning import remark
from belated.study import Study
from belated.study.figures import figure_kind
from belated.study.insight import weight_history

CALL = "plot('weights')"
# Members that share a colour differ in their pattern.
PATTERNS = ("", "/", ".", "x", "-", "|")
SOLID, FAINT = 0.75, 0.25
# Width of the last step, in queries: less than half of one, so that hovering names the right query.
LAST_STEP = 0.45


@figure_kind("weights")
def weights(study: Study) -> Figure:
    """The weights of an ensemble's members, query by query.

    A step begins at each query, with the weights that its ask saw. The last step has the weights of now.
    """
    go = graph_objects()
    figure = go.Figure()
    found = weight_history(study, call=CALL)
    for place, label in enumerate(found.labels):
        _add_member(figure, place, label, found.queries, found.weights[:, place].tolist())
    styled(figure, "query", "weight")
    # The box that hovering opens is white, also on dark paper, unless its colours are given.
    figure.update_layout(hovermode="x unified", hoverlabel={"bgcolor": PAPER, "font": {"color": INK}})
    figure.update_layout(showlegend=True, legend_traceorder="normal")
    now = found.queries[-1]
    figure.update_xaxes(range=[found.queries[0], now + LAST_STEP], hoverformat="d", **marks_at_whole_numbers(now))
    figure.update_yaxes(range=[0, 1])
    drawn = remark(found.queries[:-1], range(found.n_asked))
    return noted(figure, f"The last step, at {now:,}, is what the next query would see.", drawn)


def _add_member(figure: Figure, place: int, label: str, queries: Sequence[int], weights: Sequence[float]) -> None:
    """Add an area of steps on top of those of the earlier members."""
    colour = COLOURS[place % len(COLOURS)]
    pattern = PATTERNS[place // len(COLOURS) % len(PATTERNS)]
    figure.add_scatter(
        x=[*queries, queries[-1] + LAST_STEP],
        y=[*weights, weights[-1]],
        name=literal(label),
        stackgroup="members",
        mode="lines",
        line={"color": colour, "width": 0.8, "shape": "hv"},
        fillcolor=_faded(colour, SOLID),
        fillpattern={"shape": pattern, "fgcolor": colour, "bgcolor": _faded(colour, FAINT), "size": 7},
        hovertemplate="%{y:.3f}",
    )


def _faded(colour: str, opacity: float) -> str:
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity})"
