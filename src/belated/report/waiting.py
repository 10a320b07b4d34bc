"""Figures of waiting: each query from its ask to its answer, and the lengths of waits."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

import numpy as np

from belated.log import Effect, Query, Record, State
from belated.report.marks import LOST, MARKS, Mark
from belated.report.style import (
    COLOURS,
    GREY,
    GRID,
    Figure,
    graph_objects,
    literal,
    marks_at_whole_numbers,
    noted,
    styled,
)
from belated.report.thinning import WAITING, remark, thinned
from belated.report.times import Times, TimeUnit, times_of, unit_for
from belated.space import Array
from belated.study import Study
from belated.study.figures import figure_kind

MOST_BARS = 30
ENDINGS = (State.ABANDONED, State.FAILED, State.RETRACTED)
ENDS = (Effect.ABANDONS, Effect.FAILS, Effect.RETRACTS)


@figure_kind("timeline")
def timeline(study: Study, time: str | None = None, lost: Collection[int] = ()) -> Figure:
    """Every query as a line from its ask to its answer, or to the present if it has none.

    `time` names the unit of the study's clock if that is not seconds; `lost` holds the identifiers of queries that are
    known never to be answered.
    """
    go = graph_objects()
    figure = go.Figure()
    record = study.record()
    times = times_of(study, record, time)
    asked = [query for query in record.queries if query.number]
    drawn = thinned(asked)
    ends = _ends(study, drawn, times)
    for mark in (*MARKS.values(), LOST):
        queries = [query for query in drawn if _mark(query, lost) == mark]
        if queries:
            label = f"{mark.label} ({sum(_mark(query, lost) == mark for query in asked):,})"
            _add_spans(figure, queries, [ends[query.id] for query in queries], times, mark, label)
    if any(query.state in WAITING for query in drawn):
        figure.add_vline(x=times.since(times.now), line={"color": GREY, "dash": "dot", "width": 1})
    height = int(np.clip(220 + 7 * len(drawn), 320, 720))
    styled(figure, times.title, "query", height).update_xaxes(rangemode="tozero")
    figure.update_yaxes(autorange="reversed", **marks_at_whole_numbers(len(record)))
    return noted(figure, remark(drawn, asked))


@figure_kind("waits")
def waits(study: Study, time: str | None = None) -> Figure:
    """How long the answers took, and how long queries without one have waited so far.

    `time` names the unit of the study's clock if that is not seconds.
    """
    go = graph_objects()
    figure = go.Figure()
    record = study.record()
    spans = _spans(record, times_of(study, record, time).now)
    longest = max((float(some.max()) for some in spans.values() if some.size), default=0.0)
    unit = unit_for(longest, time)
    edges = _edges(longest / unit.length)
    for state, some in spans.items():
        if some.size:
            label = "answered" if state is State.ANSWERED else f"{MARKS[state].label}, so far"
            _add_bars(figure, some / unit.length, edges, unit, f"{label} ({some.size:,})", MARKS[state].colour)
    highest = int(np.histogram(np.concatenate(list(spans.values())) / unit.length, edges)[0].max())
    if spans[State.ANSWERED].size:
        _add_mean(figure, float(spans[State.ANSWERED].mean()) / unit.length, highest)
    styled(figure, f"{unit.plural} from ask to answer, or to now", "queries", height=340)
    figure.update_layout(barmode="stack", bargap=0.04, showlegend=True, legend_traceorder="normal")
    return figure.update_yaxes(rangemode="tozero", **marks_at_whole_numbers(highest))


def _mark(query: Query, lost: Collection[int]) -> Mark:
    return LOST if query.id in lost and query.state is State.OVERDUE else MARKS[query.state]


def _ends(study: Study, queries: Sequence[Query], times: Times) -> dict[int, float]:
    """The instant at which the wait for each query ended, with an answer or without one, or the present."""
    ends = {query.id: query.answer.at if query.answer else times.now for query in queries}
    ended = {query.id for query in queries if query.state in ENDINGS}
    if ended:
        about = (event for event in study.events if event.query in ended and event.body.effect in ENDS)
        ends |= {event.query or 0: event.at for event in about}
    return ends


def _add_spans(
    figure: Figure, queries: Sequence[Query], ends: Sequence[float], times: Times, mark: Mark, label: str
) -> None:
    """Add a line for each query, with its mark at the end."""
    identifiers = [query.id for query in queries]
    starts = [times.since(query.asked_at) for query in queries]
    stops = [times.since(end) for end in ends]
    figure.add_scatter(
        x=[instant for start, stop in zip(starts, stops, strict=True) for instant in (start, stop, None)],
        y=[identifier for identifier in identifiers for _ in range(3)],
        mode="lines",
        line={"color": mark.colour, "width": 1.4},
        opacity=0.6,
        hoverinfo="skip",
        showlegend=False,
    )
    figure.add_scatter(
        x=stops,
        y=identifiers,
        name=label,
        mode="markers",
        marker=mark.marker(),
        customdata=[stop - start for start, stop in zip(starts, stops, strict=True)],
        hovertemplate=f"query %{{y}}: {mark.label}<br>%{{customdata:.3g}} {literal(times.unit.plural)} after the ask"
        "<extra></extra>",
    )


def _spans(record: Record, now: float) -> dict[State, Array]:
    """How long answers took, and how long queries without one have waited."""
    asked = [query for query in record.queries if query.number]
    spans = {
        State.ANSWERED: [query.answer.at - query.asked_at for query in asked if query.answer],
        **{state: [now - query.asked_at for query in asked if query.state is state] for state in WAITING},
    }
    return {state: np.array(some, dtype=float) for state, some in spans.items()}


def _add_bars(figure: Figure, spans: Array, edges: Sequence[float], unit: TimeUnit, label: str, colour: str) -> None:
    counts, _ = np.histogram(spans, edges)
    figure.add_bar(
        x=[(low + high) / 2 for low, high in pairwise(edges)],
        y=counts.tolist(),
        width=edges[1] - edges[0],
        name=label,
        marker={"color": colour, "line": {"color": GRID, "width": 1}},
        opacity=0.85,
        customdata=[f"{low:.4g} to {high:.4g} {literal(unit.plural)}" for low, high in pairwise(edges)],
        hovertemplate="%{customdata}: %{y}<extra></extra>",
    )


def _add_mean(figure: Figure, mean: float, highest: int) -> None:
    figure.add_scatter(
        x=[mean, mean],
        y=[0, highest],
        name=f"mean of the answers, {mean:.3g}",
        mode="lines",
        line={"color": COLOURS[1], "dash": "dash"},
        hoverinfo="skip",
    )


def _edges(longest: float) -> list[float]:
    """Edges of bars from 0 to beyond the longest wait, a round width apart."""
    least = longest / MOST_BARS or 1.0
    power = 10.0 ** np.floor(np.log10(least))
    width = next(step * power for step in (1, 2, 5, 10) if step * power >= least)
    return [float(place * width) for place in range(int(longest / width) + 2)]
