"""The look that all figures share: legible on light and on dark paper."""

from __future__ import annotations

import textwrap
from html import escape
from types import ModuleType
from typing import Any

from belated.checks import harmless
from belated.errors import MissingPackageError

Figure = Any  # of Plotly, which is imported only when a figure is drawn, and ships no types

# The colours of Okabe and Ito, which people who see few colours can tell apart, in the order of their use.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
# From early to late, or from poor to good; unlike Viridis, its dark end can be seen on dark paper.
SCALE = ((0.0, "#3B6FB6"), (0.5, "#2FA39A"), (1.0, "#F2B92E"))
WARNING = "#D55E00"
FAILURE = "#A3123A"
GREY = "#8A929C"
GRID = "rgba(128, 136, 148, 0.22)"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
# Of numbers that are very large or small: 1e-4 reads the same in figures, texts and code.
EXPONENT = "e"
# Notes: characters and pixels of a line. Plotly puts a text a few pixels higher than it is told.
NOTE_WIDTH, NOTE_LINE, NOTE_DROP = 120, 16, 4
# Counts up to this have a mark each.
MOST_COUNTED = 10


def graph_objects() -> ModuleType:
    """Plotly's module of figures, imported only when a figure is asked for."""
    try:
        import plotly.graph_objects
    except ImportError:
        raise MissingPackageError(
            "report: figures need the package plotly, which is not installed; Belated's extra 'report' brings it."
        ) from None
    module: ModuleType = plotly.graph_objects
    return module


def literal(text: object) -> str:
    """A text that Plotly shows as it is: no tags, no TeX between dollars, no %{variables}."""
    return escape(harmless(str(text)), quote=False).replace("$", "&#36;").replace("%{", "&#37;{")


def cut(text: str, longest: int) -> str:
    """A text, cut short if it is too long."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def styled(figure: Figure, x: str, y: str, height: int = 380) -> Figure:
    """The figure in the common look, with its axes named."""
    axis = {"gridcolor": GRID, "linecolor": GRID, "zeroline": False, "automargin": True, "exponentformat": EXPONENT}
    figure.update_layout(
        template="none",
        height=height,
        margin={"l": 56, "r": 16, "t": 48, "b": 56},
        paper_bgcolor="rgba(0, 0, 0, 0)",
        plot_bgcolor="rgba(0, 0, 0, 0)",
        font={"family": FONT, "size": 13, "color": GREY},
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "xanchor": "left"},
        hoverlabel={"font": {"family": FONT}},
    )
    title = {"standoff": 10, "font": {"size": 13}}
    figure.update_xaxes(title={"text": literal(x), **title}, **axis)
    figure.update_yaxes(title={"text": literal(y), **title}, **axis)
    return figure


def noted(figure: Figure, *notes: str) -> Figure:
    """The figure with remarks beneath it, empty ones left out."""
    lines = [line for note in notes for line in textwrap.wrap(note, NOTE_WIDTH)]
    if not lines:
        return figure
    room = NOTE_LINE * len(lines)
    height, margin = figure.layout.height + room, figure.layout.margin.b + room
    text = {"text": "<br>".join(map(literal, lines)), "font": {"size": 12}}
    foot = {"x": 0, "xref": "paper", "y": (room - NOTE_DROP) / height, "yref": "container", "yanchor": "top"}
    return figure.update_layout(height=height, margin_b=margin, title={**text, **foot})


def marks_at_whole_numbers(highest: float) -> dict[str, Any]:
    """The marks of an axis of counts up to `highest`: whole numbers only."""
    return {"dtick": 1} if highest <= MOST_COUNTED else {"tickformat": "~d"}
