"""Figures of the answers: the best so far over time, and the points at which they were asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from belated.log import Query, Record, State
from belated.report.axes import answers_named, axes_of
from belated.report.marks import BEST, MARKS, detailed
from belated.report.panels import panels, places
from belated.report.style import GREY, SCALE, Figure, graph_objects, literal, noted, styled
from belated.report.thinning import remark, spread
from belated.report.times import Times, times_of
from belated.study import Study
from belated.study.figures import figure_kind


class Arrival(NamedTuple):
    """An answer: when it came, its value, and its query."""

    at: float
    value: float
    query: Query


@figure_kind("progress")
def progress(study: Study, time: str | None = None, value: str | None = None) -> Figure:
    """The best answer so far over time, with every answer as a dot.

    `time` names the unit of the study's clock if that is not seconds; `value` is what the answers are called, if
    that is not the name of the objective.
    """
    go = graph_objects()
    figure = go.Figure()
    record = study.record()
    times = times_of(study, record, time)
    arrived = arrivals(record)
    dots = spread(arrived)
    told = [arrival for arrival in dots if arrival.query.number]
    added = [arrival for arrival in dots if not arrival.query.number]
    if told:
        _add_dots(figure, told, times, "answers", MARKS[State.ANSWERED].colour)
    if added:
        _add_dots(figure, added, times, "added", GREY)
    best = improvements(arrived, record) if arrived else []
    if best:
        _add_best(figure, best, times)
    styled(figure, times.title, answers_named(study, value))
    return noted(figure, remark(dots, arrived, "answers"))


def asked(study: Study, value: str | None = None) -> Figure:
    """The answers against each parameter, coloured by when they were asked."""
    answered = [query for query in study.record().queries if query.answer]
    axes = axes_of(study.space, study.space.names)
    figure = panels(axes, answers_named(study, value))
    queries = spread(answered)
    marker = {"color": [query.id for query in queries], "colorscale": SCALE, "size": 8, "opacity": 0.9}
    bar = {"title": {"text": "query"}, "thickness": 12, "outlinewidth": 0}
    for axis, place in zip(axes, places(axes), strict=True):
        figure.add_scatter(
            x=[axis.place(query.tried[axis.name]) for query in queries],
            y=[query.answer.value for query in queries if query.answer],
            mode="markers",
            marker={**marker, "showscale": axis is axes[0], "colorbar": bar},
            text=[detailed(query) for query in queries],
            hovertemplate="%{text}<extra></extra>",
            showlegend=False,
            **place,
        )
    return noted(figure, remark(queries, answered, "answers"))


def arrivals(record: Record) -> list[Arrival]:
    """The answers in the order in which they came."""
    found = [Arrival(query.answer.at, query.answer.value, query) for query in record.queries if query.answer]
    return sorted(found, key=lambda arrival: arrival.at)


def improvements(arrived: Sequence[Arrival], record: Record) -> list[Arrival]:
    """The answers that were better than all before them, and meet all constraints; none of several objectives."""
    found: list[Arrival] = []
    if len(record.outcomes.objectives) > 1:
        return found
    for arrival in arrived:
        better = not found or record.sign * arrival.value > record.sign * found[-1].value
        if better and record.is_feasible(arrival.query):
            found.append(arrival)
    return found


def _add_dots(figure: Figure, arrived: Sequence[Arrival], times: Times, label: str, colour: str) -> None:
    figure.add_scatter(
        x=[times.since(arrival.at) for arrival in arrived],
        y=[arrival.value for arrival in arrived],
        name=label,
        mode="markers",
        marker={"color": colour, "size": 7, "opacity": 0.7},
        text=[detailed(arrival.query) for arrival in arrived],
        hovertemplate="%{text}<extra></extra>",
    )


def _add_best(figure: Figure, best: Sequence[Arrival], times: Times) -> None:
    """Add a line that steps at every improvement and goes on to the present."""
    values = [arrival.value for arrival in best]
    figure.add_scatter(
        x=[*(times.since(arrival.at) for arrival in best), times.since(max(times.now, best[-1].at))],
        y=[*values, values[-1]],
        name="best answer so far",
        mode="lines",
        line={"color": BEST.colour, "width": 2.6, "shape": "hv"},
        hovertemplate=f"%{{x:.4g}} {literal(times.unit.plural)}: best %{{y:.4g}}<extra></extra>",
    )
