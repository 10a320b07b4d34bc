"""The figure of the delay: the share of queries answered within a time, and the queries that still wait."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from belated.delays import Curve, Delays, WaitingQuery
from belated.errors import ParameterError
from belated.log import State
from belated.report.marks import MARKS
from belated.report.style import COLOURS, GREY, Figure, graph_objects, literal, marks_at_whole_numbers, noted, styled
from belated.report.thinning import WAITING, remark, spread
from belated.report.times import unit_for
from belated.space import Array
from belated.study import Study
from belated.study.figures import figure_kind

BAND = "rgba(0, 114, 178, 0.18)"
TOP = 1.03


class DelayUnit(NamedTuple):
    """The unit of delays: the title of the axis, the name of the unit, and its length."""

    title: str
    plural: str
    length: float


@figure_kind("delays")
def delays(study: Study, time: str | None = None, unit: str = "seconds") -> Figure:
    """The share of queries answered within a time, with its band, and the queries that still wait.

    `time` names the unit of the study's clock if that is not seconds; with `unit="queries"` the delay is counted in
    queries asked meanwhile.
    """
    if unit not in ("queries", "seconds"):
        raise ParameterError(
            f"plot('delays'): got unit={unit!r}; delays are counted in 'queries' or in 'seconds'; give one of them."
        )
    go = graph_objects()
    figure = go.Figure()
    found = study.delays()
    curve = found.queries if unit == "queries" else found.seconds
    longest = max([*curve.times[-1:].tolist(), *(_age(entry, unit) for entry in found.waiting)], default=0.0)
    scale = _scale(unit, longest, time)
    _add_curve(figure, curve, longest, scale)
    overdue = {query.id for query in study.record().pending() if query.state is State.OVERDUE}
    drawn = spread(found.waiting)
    for state in WAITING:
        some = [entry for entry in drawn if (entry.query in overdue) is (state is State.OVERDUE)]
        _add_waiting(figure, some, state, curve, unit, scale)
    styled(figure, scale.title, "share of queries answered")
    figure.update_layout(showlegend=True, legend_traceorder="normal")
    figure.update_xaxes(rangemode="tozero", **(marks_at_whole_numbers(longest) if unit == "queries" else {}))
    figure.update_yaxes(range=[0, TOP], tickformat=".0%")
    return noted(figure, _of_never(found, curve), remark(drawn, found.waiting, "queries without an answer"))


def _scale(unit: str, longest: float, time: str | None) -> DelayUnit:
    if unit == "queries":
        return DelayUnit("queries asked after it until the answer, or until now", "queries", 1.0)
    chosen = unit_for(longest, time)
    return DelayUnit(f"{chosen.plural} from ask to answer, or to now", chosen.plural, chosen.length)


def _add_curve(figure: Figure, curve: Curve, longest: float, scale: DelayUnit) -> None:
    """Add the curve with its band, from 0 to the longest wait, and the share that it never exceeds, if known."""
    if not curve.times.size:
        return
    steps = np.array(spread(range(len(curve.times))), dtype=int)
    times = [0.0, *(curve.times[steps] / scale.length).tolist(), longest / scale.length]
    shares, low, high = (_edge(1.0 - values[steps]) for values in (curve.survival, curve.high, curve.low))
    edge: dict[str, Any] = {"x": times, "mode": "lines", "line": {"width": 0, "shape": "hv"}, "hoverinfo": "skip"}
    figure.add_scatter(y=low, showlegend=False, **edge)
    figure.add_scatter(y=high, name="95 % band", fill="tonexty", fillcolor=BAND, **edge)
    if curve.never.estimate:
        figure.add_scatter(
            x=[0.0, longest / scale.length],
            y=[1.0 - curve.never.estimate] * 2,
            name=f"all but the {curve.never.estimate:.0%} never answered",
            mode="lines",
            line={"color": GREY, "dash": "dash", "width": 1.4},
            hoverinfo="skip",
        )
    figure.add_scatter(
        x=times,
        y=shares,
        name="answered",
        mode="lines",
        line={"color": COLOURS[0], "width": 2.4, "shape": "hv"},
        hovertemplate=f"%{{y:.0%}} within %{{x:.4g}} {literal(scale.plural)}<extra></extra>",
    )


def _add_waiting(
    figure: Figure, waiting: list[WaitingQuery], state: State, curve: Curve, unit: str, scale: DelayUnit
) -> None:
    """Add a mark on the curve for each query without an answer, at its age."""
    if not waiting:
        return
    ages, mark = np.array([_age(entry, unit) for entry in waiting]), MARKS[state]
    figure.add_scatter(
        x=(ages / scale.length).tolist(),
        y=(1.0 - curve.survived(ages)).tolist(),
        name=f"{mark.label}, so far ({len(waiting):,})",
        mode="markers",
        marker=mark.marker(),
        cliponaxis=False,
        customdata=[[entry.query, _chance(entry)] for entry in waiting],
        hovertemplate=f"query %{{customdata[0]}}: %{{x:.4g}} {literal(scale.plural)} so far"
        "<br>chance that it is still answered: %{customdata[1]}<extra></extra>",
    )


def _chance(entry: WaitingQuery) -> str:
    return "not known yet" if entry.still is None else f"{entry.still:.0%}"


def _edge(values: Array) -> list[float]:
    """The curve, or an edge of its band; it begins at 0 and stays level after the last step."""
    return [0.0, *values.tolist(), float(values[-1])]


def _age(entry: WaitingQuery, unit: str) -> float:
    return float(entry.queries) if unit == "queries" else entry.seconds


def _of_never(found: Delays, curve: Curve) -> str:
    never = curve.never
    if not found.n_answered:
        return "No query has an answer yet."
    if never.estimate is None:
        return f"Whether some queries are never answered, the log cannot tell yet: at most {never.high:.0%} are."
    name = found.unanswered[0].upper() + found.unanswered[1:]
    return f"{name}: about {never.estimate:.0%}, between {never.low:.0%} and {never.high:.0%}."
