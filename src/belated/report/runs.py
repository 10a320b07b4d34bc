"""Figures of simulated runs, whose true values are known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from belated.report.style import COLOURS, GREY, Figure, graph_objects, literal, styled
from belated.simulate import Run


def regret(
    runs: Mapping[str, Run],
    kind: Literal["simple", "cumulative"] = "simple",
    time: str = "round",
    value: str = "value",
) -> Figure:
    """The regret of each run, round by round; the labels make the legend."""
    go = graph_objects()
    figure = go.Figure()
    for place, (label, run) in enumerate(runs.items()):
        figure.add_scatter(
            x=list(range(1, run.rounds + 1)),
            y=(run.simple_regret if kind == "simple" else run.cumulative_regret).tolist(),
            mode="lines",
            line=_line(place, "hv" if kind == "simple" else "linear"),
            **_named(label, time),
        )
    name = f"best arrived answer below the optimum ({value})" if kind == "simple" else f"sum of regrets ({value})"
    return styled(figure, time, name).update_yaxes(rangemode="tozero")


def attained(runs: Mapping[str, Run], time: str = "round", value: str = "value") -> Figure:
    """The best true value among the answers that have arrived, from the first one on, against the optimum."""
    go = graph_objects()
    figure = go.Figure()
    for place, (label, run) in enumerate(runs.items()):
        arrivals = [query.answer.at for query in run.study.record().queries if query.answer]
        first = int(np.ceil(min(arrivals))) if arrivals else run.rounds + 1
        best = run.problem.optimum - run.problem.sign * run.simple_regret
        figure.add_scatter(
            x=list(range(first, run.rounds + 1)),
            y=best[first - 1 :].tolist(),
            mode="lines",
            line=_line(place, "hv"),
            **_named(label, time),
        )
    optimum = next(iter(runs.values())).problem.optimum if runs else 0.0
    figure.add_hline(y=optimum, line={"color": GREY, "dash": "dot", "width": 1.5})
    figure.add_annotation(
        x=1, xref="paper", xanchor="right", y=optimum, yanchor="bottom", showarrow=False, text="the best there is"
    )
    return styled(figure, time, f"best {value} so far").update_xaxes(rangemode="tozero")


def _named(label: str, time: str) -> dict[str, str]:
    name = literal(label)
    return {"name": name, "hovertemplate": f"{name}<br>{literal(time)} %{{x}}: %{{y:.3g}}<extra></extra>"}


def _line(place: int, shape: str) -> dict[str, Any]:
    return {"color": COLOURS[place % len(COLOURS)], "width": 2.6 if place == 0 else 2.0, "shape": shape}
