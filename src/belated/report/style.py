"""The look that all figures share: legible on light and on dark paper."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from belated.errors import MissingPackageError

# The colours of Okabe and Ito, which people who see few colours can tell apart, in the order of their use.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
# From early to late; unlike Viridis, its dark end can be seen on dark paper.
SCALE = ((0.0, "#3B6FB6"), (0.5, "#2FA39A"), (1.0, "#F2B92E"))
WARNING = "#D55E00"
GREY = "#8A929C"
GRID = "rgba(128, 136, 148, 0.22)"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def graph_objects() -> ModuleType:
    """Plotly's figures; the package is asked for only when a figure is."""
    try:
        import plotly.graph_objects
    except ImportError:
        raise MissingPackageError(
            "report: figures need the package plotly, which is not installed; pip install 'belated[report]'."
        ) from None
    module: ModuleType = plotly.graph_objects
    return module


def styled(figure: Any, x: str, y: str, height: int = 380) -> Any:
    """The figure with its axes named, in the common look."""
    axis = {"gridcolor": GRID, "linecolor": GRID, "zeroline": False, "automargin": True}
    figure.update_layout(
        template="none",
        height=height,
        margin={"l": 56, "r": 16, "t": 48, "b": 48},
        paper_bgcolor="rgba(0, 0, 0, 0)",
        plot_bgcolor="rgba(0, 0, 0, 0)",
        font={"family": FONT, "size": 13, "color": GREY},
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "xanchor": "left"},
        hoverlabel={"font": {"family": FONT}},
    )
    figure.update_xaxes(title=x, **axis)
    figure.update_yaxes(title=y, **axis)
    return figure
