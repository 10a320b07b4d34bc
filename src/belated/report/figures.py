"""Figures of a study or of simulated runs, as Plotly figures.

Times count from the beginning of the study, in the units of its clock; `time` is what the axis calls them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Literal

import numpy as np

from belated.log import Query, State
from belated.report.style import COLOURS, GREY, GRID, SCALE, WARNING, graph_objects, styled
from belated.simulate import Run
from belated.space import Float, Space
from belated.study import Study

Figure = Any

LOST = "lost"
_MARKS = {
    State.ANSWERED: ("answered", COLOURS[0], "circle"),
    State.PENDING: ("pending", COLOURS[1], "circle-open"),
    State.OVERDUE: ("overdue", WARNING, "diamond-open"),
    State.ABANDONED: ("abandoned", GREY, "x"),
    LOST: ("overdue: the answer never comes", WARNING, "x"),
}


def regret(
    runs: Mapping[str, Run],
    kind: Literal["simple", "cumulative"] = "simple",
    time: str = "round",
    value: str = "value",
) -> Figure:
    """The regret of each run over its rounds; the labels make the legend."""
    go = graph_objects()
    figure = go.Figure()
    for place, (label, run) in enumerate(runs.items()):
        figure.add_scatter(
            x=list(range(1, run.rounds + 1)),
            y=(run.simple_regret if kind == "simple" else run.cumulative_regret).tolist(),
            name=label,
            mode="lines",
            line=_line(place, "hv" if kind == "simple" else "linear"),
            hovertemplate=f"{label}<br>{time} %{{x}}: %{{y:.3g}}<extra></extra>",
        )
    name = f"best arrived answer below the optimum ({value})" if kind == "simple" else f"sum of regrets ({value})"
    return styled(figure, time, name).update_yaxes(rangemode="tozero")


def progress(runs: Mapping[str, Run], time: str = "round", value: str = "value") -> Figure:
    """The best true value among the answers that have arrived, from the first one on, against the optimum."""
    go = graph_objects()
    figure = go.Figure()
    for place, (label, run) in enumerate(runs.items()):
        arrivals = [query.answer.at for query in run.study.history().queries if query.answer]
        first = int(np.ceil(min(arrivals))) if arrivals else run.rounds + 1
        best = run.problem.optimum - run.problem.sign * run.simple_regret
        figure.add_scatter(
            x=list(range(first, run.rounds + 1)),
            y=best[first - 1 :].tolist(),
            name=label,
            mode="lines",
            line=_line(place, "hv"),
            hovertemplate=f"{label}<br>{time} %{{x}}: %{{y:.3g}}<extra></extra>",
        )
    optimum = next(iter(runs.values())).problem.optimum if runs else 0.0
    figure.add_hline(y=optimum, line={"color": GREY, "dash": "dot", "width": 1.5})
    figure.add_annotation(
        x=1, xref="paper", xanchor="right", y=optimum, yanchor="bottom", showarrow=False, text="the best there is"
    )
    return styled(figure, time, f"best {value} so far").update_xaxes(rangemode="tozero")


def best_answers(studies: Mapping[str, Study], time: str = "time", value: str = "answer") -> Figure:
    """The best answer so far of each study, over time."""
    go = graph_objects()
    figure = go.Figure()
    for place, (label, study) in enumerate(studies.items()):
        history = study.history()
        pairs = sorted((query.answer.at, query.answer.value) for query in history.queries if query.answer)
        best = np.maximum.accumulate([history.sign * answer for _, answer in pairs]) * history.sign
        figure.add_scatter(
            x=[at - study.events[0].at for at, _ in pairs],
            y=best.tolist(),
            name=label,
            mode="lines+markers",
            line=_line(place, "hv"),
            marker={"size": 4},
            hovertemplate=f"{label}<br>{time} %{{x:.4g}}: %{{y:.4g}}<extra></extra>",
        )
    return styled(figure, time, f"best {value} so far")


def timeline(study: Study, time: str = "time", lost: Collection[int] = ()) -> Figure:
    """Every query as a line from its ask to its answer, or to now; `lost` names queries known never to be answered."""
    go = graph_objects()
    figure = go.Figure()
    began = study.events[0].at
    asked = [query for query in study.history().queries if query.number]
    ends = [query.answer.at for query in asked if query.answer]
    now = max([study.events[-1].at, *ends]) - began
    for state, (label, colour, symbol) in _MARKS.items():
        queries = [query for query in asked if _state(query, lost) == state]
        if not queries:
            continue
        spans = [(query.asked_at - began, query.answer.at - began if query.answer else now) for query in queries]
        numbers = [query.number for query in queries]
        figure.add_scatter(
            x=[instant for start, end in spans for instant in (start, end, None)],
            y=[number for number in numbers for _ in range(3)],
            mode="lines",
            line={"color": colour, "width": 1.6 if state == State.ANSWERED else 1.0},
            opacity=0.55 if state == State.ANSWERED else 0.8,
            hoverinfo="skip",
            showlegend=False,
        )
        figure.add_scatter(
            x=[end for _, end in spans],
            y=numbers,
            name=f"{label} ({len(queries)})",
            mode="markers",
            marker={"color": colour, "symbol": symbol, "size": 7},
            customdata=[end - start for start, end in spans],
            hovertemplate=f"query %{{y}}: {label}<br>%{{customdata:.3g}} {time}s after the ask<extra></extra>",
        )
    styled(figure, time, "query", height=460)
    return figure.update_yaxes(autorange="reversed")


def waits(study: Study, time: str = "time") -> Figure:
    """How long the answers took: a histogram of waiting times."""
    go = graph_objects()
    delays = [query.answer.at - query.asked_at for query in study.history().queries if query.answer and query.number]
    figure = go.Figure()
    figure.add_histogram(
        x=delays,
        nbinsx=24,
        marker={"color": COLOURS[0], "line": {"color": GRID, "width": 1}},
        opacity=0.85,
        name="answers",
        hovertemplate=f"%{{x}} {time}s: %{{y}} answers<extra></extra>",
    )
    if delays:
        mean = float(np.mean(delays))
        figure.add_vline(x=mean, line={"color": COLOURS[1], "dash": "dash"})
        figure.add_annotation(
            x=mean, y=1.06, yref="paper", text=f"mean {mean:.3g}", showarrow=False, font={"color": COLOURS[1]}
        )
    return styled(figure, f"{time}s between ask and answer", "answers", height=320).update_layout(bargap=0.04)


def asked(study: Study, value: str = "answer") -> Figure:
    """The answers against each parameter, coloured by when they were asked."""
    graph_objects()
    from plotly.subplots import make_subplots

    names = study.space.names
    columns = min(2, len(names))
    rows = -(-len(names) // columns)
    figure = make_subplots(rows, columns, shared_yaxes=True, horizontal_spacing=0.06, vertical_spacing=0.34 / rows)
    queries = [query for query in study.history().queries if query.answer]
    marker = {"color": [query.id for query in queries], "colorscale": SCALE, "size": 8, "opacity": 0.9}
    bar = {"title": {"text": "query"}, "thickness": 12, "outlinewidth": 0}
    for place, name in enumerate(names):
        row, column = place // columns + 1, place % columns + 1
        figure.add_scatter(
            x=[query.point[name] for query in queries],
            y=[query.answer.value for query in queries if query.answer],
            mode="markers",
            marker={**marker, "showscale": place == 0, "colorbar": bar},
            customdata=[query.id for query in queries],
            hovertemplate=f"query %{{customdata}}<br>{name} %{{x}}<br>{value} %{{y:.4g}}<extra></extra>",
            showlegend=False,
            row=row,
            col=column,
        )
    styled(figure, "", "", height=120 + 230 * rows)
    for place, name in enumerate(names):
        row, column = place // columns + 1, place % columns + 1
        scale = _scale(study, name)
        figure.update_xaxes(title=name, type=scale, dtick=1 if scale == "log" else None, row=row, col=column)
        if column == 1:
            figure.update_yaxes(title=value, row=row, col=column)
    return figure


def _scale(study: Study, name: str) -> str:
    """The kind of axis that a parameter wants."""
    if not isinstance(study.space, Space):
        return "-"
    parameter = study.space[name]
    if parameter.categorical:
        return "category"
    return "log" if isinstance(parameter, Float) and parameter.log else "linear"


def _state(query: Query, lost: Collection[int]) -> str:
    return LOST if query.id in lost and query.state is State.OVERDUE else query.state


def _line(place: int, shape: str) -> dict[str, Any]:
    return {"color": COLOURS[place % len(COLOURS)], "width": 2.6 if place == 0 else 2.0, "shape": shape}
