"""The figure of the belief: a panel for each parameter, with the answers and the pending queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from belated.errors import UnsupportedError, no_answer, no_whole_answer
from belated.log import Query, Record, State
from belated.report.axes import Axis, answers_named, axes_of, chosen, rows_of
from belated.report.marks import GIVEN, MARKS, RECOMMENDED, Mark, detailed
from belated.report.panels import once_each, panels, places
from belated.report.slices import BAND, NamedValues, Slice, slices_of_box, slices_of_table
from belated.report.style import COLOURS, GREY, Figure, literal, noted
from belated.report.thinning import WAITING, remark, spread
from belated.show import written
from belated.space import Candidates, Space
from belated.study import Study
from belated.study.arguments import encoded_context, known_outcome
from belated.study.figures import figure_kind
from belated.study.insight import across_text, believes

CALL = "plot('belief')"
MOST_PANELS = 12
# Where pending queries stand, as a share of the height.
FLOOR = 0.04
COLOUR, BAND_COLOUR = COLOURS[0], "rgba(0, 114, 178, 0.2)"


class Dot(NamedTuple):
    """A query, and the value of its outcome that is drawn."""

    query: Query
    value: float


@figure_kind("belief")
def belief(
    study: Study,
    at: NamedValues | None = None,
    context: NamedValues | None = None,
    parameters: Sequence[str] | None = None,
    value: str | None = None,
    outcome: str | None = None,
) -> Figure:
    """What is expected along each parameter, ± 2 deviations, with the answers and the pending queries.

    All other parameters stay as in the point `at`, which is the recommended one by default. A table has nothing between
    its rows: each value shows the row with the best expectation there. The `context` is that of the latest query by
    default. Where contexts are seen after the decision, the expectation is across them, as the policy's aim weighs
    them. `parameters` are those to draw, `outcome` is another than the objective, and `value` is what answers are
    called.
    """
    record, of = study.record(), known_outcome(CALL, study.outcomes, outcome)
    if not record.n_answers:
        raise no_answer(CALL)
    if not believes(study, record):
        raise no_whole_answer(CALL)
    names = chosen(CALL, study.space.names, parameters, MOST_PANELS)
    seen = _context(study, record, context)
    centre = _centre(study, at, seen)
    axes = axes_of(study.space, names)
    mean, _ = study.expect([centre], outcome=of, context=seen)
    slices = _slices(study, axes, centre, seen, of)
    told = [(query, query.answer if of is None else query.answers.get(of)) for query in record.queries]
    answered = [Dot(query, answer.value) for query, answer in told if answer]
    drawn = spread(answered)
    low, high = _range(slices, answered)
    unanswered = [query for query, answer in told if not answer]
    figure = panels(axes, answers_named(study, of if value is None else value)).update_yaxes(range=[low, high])
    for part, place in zip(slices, places(axes), strict=True):
        _add_expectation(figure, part, place)
        _add_answers(figure, part.axis, drawn, place)
        _add_pending(figure, part.axis, unanswered, low + FLOOR * (high - low), place)
        _add_centre(figure, part.axis, centre, float(mean[0]), RECOMMENDED if at is None else GIVEN, place)
    some = remark(names, study.space.names, "parameters") if parameters is None else ""
    return noted(once_each(figure), *_notes(study, centre, seen, at is None), some, remark(drawn, answered, "answers"))


def latest_context(record: Record) -> NamedValues | None:
    """The context of the latest query; None if contexts are not known before the decision."""
    before = record.context is not None and record.context.seen == "before"
    return record.queries[-1].context if before and record.queries else None


def listed(point: NamedValues) -> str:
    """A point or a context in words."""
    return ", ".join(f"{name} = {written(value, 4)}" for name, value in point.items())


def _context(study: Study, record: Record, context: NamedValues | None) -> NamedValues | None:
    """The context that the figure is drawn in."""
    if context is None:
        return latest_context(record)
    encoded_context(CALL, study.context, context)
    return context


def _centre(study: Study, at: NamedValues | None, context: NamedValues | None) -> NamedValues:
    """The point through which the slices go."""
    if at is None:
        return study.recommend(context=context).point
    if isinstance(study.space, Candidates):
        raise UnsupportedError(
            f"{CALL}: got at={at!r}; a table has nothing between its rows to cut through; leave it out."
        )
    return study.space.read(at, call=f"{CALL} at")


def _slices(
    study: Study, axes: Sequence[Axis], centre: NamedValues, context: NamedValues | None, outcome: str | None
) -> list[Slice]:
    if isinstance(study.space, Space):
        return slices_of_box(study, study.space, axes, centre, context, outcome)
    return slices_of_table(study, study.space, axes, centre, context, outcome)


def _notes(study: Study, centre: NamedValues, context: NamedValues | None, recommended: bool) -> list[str]:
    """The remarks that say at which point and in which context the figure is drawn."""
    space = study.space
    across = across_text(study.policy)
    notes = [f"In the context {listed(context)}."] if context else [f"Expected {across}."] if across else []
    if isinstance(space, Space):
        through = f"Drawn through {'the recommended point, ' if recommended else ''}{listed(centre)}."
        return [*notes, through if 1 < space.dimension <= MOST_PANELS else ""]
    seen = len(rows_of(space))
    among = "" if seen == len(space) else f" among {seen:,} of {len(space):,} rows"
    return [*notes, f"Each value shows the row with the best expectation{among}."]


def _range(slices: Sequence[Slice], answered: Sequence[Dot]) -> tuple[float, float]:
    """The range of values of all panels, with room at the bottom for pending queries."""
    values = [told.value for told in answered]
    low = min([*values, *(float(part.low.min()) for part in slices)])
    high = max([*values, *(float(part.high.max()) for part in slices)])
    span = (high - low) or 1.0
    return low - 3 * FLOOR * span, high + FLOOR * span


def _add_expectation(figure: Figure, part: Slice, place: Mapping[str, int]) -> None:
    """Add the mean with its band: a curve, or points with bars."""
    name = f"expected ± {BAND:g} deviations"
    expected = {
        "x": part.places,
        "y": part.mean.tolist(),
        "name": name,
        "customdata": [literal(f"{part.axis.name} = {written(value)}") for value in part.values],
        "hovertemplate": "%{customdata}<br>expected %{y:.4g}<extra></extra>",
    }
    if not part.curve:
        bars = {"array": (BAND * part.deviation).tolist(), "color": COLOUR, "thickness": 1.6, "width": 4}
        figure.add_scatter(**expected, mode="markers", marker={"color": COLOUR, "size": 8}, error_y=bars, **place)
        return
    figure.add_scatter(**expected, mode="lines", line={"color": COLOUR, "width": 2.2, "simplify": False}, **place)
    figure.add_scatter(
        x=[*part.places, *part.places[::-1]],
        y=np.concatenate([part.high, part.low[::-1]]).tolist(),
        name=name,
        mode="lines",
        line={"width": 0, "simplify": False},
        fill="toself",
        fillcolor=BAND_COLOUR,
        hoverinfo="skip",
        **place,
    )


def _add_answers(figure: Figure, axis: Axis, answered: Sequence[Dot], place: Mapping[str, int]) -> None:
    figure.add_scatter(
        x=[axis.place(told.query.tried[axis.name]) for told in answered],
        y=[told.value for told in answered],
        name="answers",
        mode="markers",
        marker={"color": GREY, "size": 6, "opacity": 0.75},
        text=[detailed(told.query) for told in answered],
        hovertemplate="%{text}<extra></extra>",
        **place,
    )


def _add_pending(figure: Figure, axis: Axis, queries: Sequence[Query], floor: float, place: Mapping[str, int]) -> None:
    """Add a tick at the bottom for each query that waits for its answer, and a cross for each that failed."""
    for state in (*WAITING, State.FAILED):
        some = spread([query for query in queries if query.state is state])
        if some:
            figure.add_scatter(
                x=[axis.place(query.tried[axis.name]) for query in some],
                y=[floor] * len(some),
                name=MARKS[state].label,
                mode="markers",
                marker={
                    "symbol": "x-open" if state is State.FAILED else "line-ns-open",
                    "size": 11,
                    "color": MARKS[state].colour,
                    "line": {"width": 2.2, "color": MARKS[state].colour},
                },
                text=[detailed(query) for query in some],
                hovertemplate="%{text}<extra></extra>",
                **place,
            )


def _add_centre(
    figure: Figure, axis: Axis, centre: NamedValues, mean: float, mark: Mark, place: Mapping[str, int]
) -> None:
    value = centre[axis.name]
    figure.add_scatter(
        x=[axis.place(value)],
        y=[mean],
        name=mark.label,
        mode="markers",
        marker=mark.marker(11),
        hovertemplate=f"{mark.label}: {literal(axis.name)} = {literal(written(value, 4))}, %{{y:.4g}}<extra></extra>",
        **place,
    )
