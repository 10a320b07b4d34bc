"""The figure of the law of contexts: which contexts were seen, and which ones the policy reckons with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from belated.contexts import Observed
from belated.evidence import Evidence
from belated.report.axes import Axis, axis_of
from belated.report.panels import once_each, panels, places
from belated.report.style import COLOURS, GREY, Figure, literal
from belated.space import Array, Choice, Int, Parameter
from belated.study import Study

TITLE = "The law of contexts"
TEXT = "Which contexts were seen after the decisions, and which ones the policy reckons with, as shares."
NOTHING = "No context has been seen yet."
# Equal parts of a range; as many points as the policies themselves draw from a law.
BARS, SAMPLES = 24, 1024
MOST_PANELS = 12
SEEN, LAW = "rgba(138, 146, 156, 0.45)", COLOURS[0]


def has_law(study: Study) -> bool:
    """Whether contexts are seen after the decisions, so that there is a law to learn."""
    return study.context is not None and study.context.seen == "after"


def contexts(study: Study) -> Figure:
    """A panel for each part of the context: how often each value was seen, and how likely the law holds it."""
    evidence = Evidence.of(study.record())
    assert evidence.context is not None, "only a study with contexts has a law of them"
    space = evidence.context.space
    names = space.names[:MOST_PANELS]
    axes = [axis_of(name, space[name]) for name in names]
    figure = panels(axes, "share").update_yaxes(rangemode="tozero")
    points, weights = _law(study, evidence)
    for column, (axis, place) in enumerate(zip(axes, places(axes), strict=True)):
        parameter = space[axis.name]
        edges = _edges(parameter)
        even = np.full(len(evidence.contexts), 1.0 / max(len(evidence.contexts), 1))
        seen, expected = (
            np.histogram(units[:, column], edges, weights=some)[0]
            for units, some in ((evidence.contexts, even), (points, weights))
        )
        _add_shares(figure, axis, parameter, edges, seen, f"seen ({len(evidence.contexts):,})", SEEN, place)
        _add_shares(figure, axis, parameter, edges, expected, "reckoned with", "", place)
    return once_each(figure)


def _law(study: Study, evidence: Evidence) -> tuple[Array, Array]:
    """The law as the policy has it, by a sample; where the policy leaves contexts out, as they were seen."""
    assert evidence.context is not None
    aim = study.policy.across
    law = Observed() if aim is None else aim.law
    sample = law.sample(evidence.contexts, evidence.context.space, SAMPLES, np.random.default_rng(study.seed))
    return sample.points, sample.weights


def _edges(parameter: Parameter) -> Array:
    """The edges of the bars in unit coordinates: one bar for each value where they are few."""
    few = isinstance(parameter, Int) and parameter.levels <= BARS
    if isinstance(parameter, Choice) or few:
        levels = parameter.levels or 1
        units = np.unique(parameter.snap(np.linspace(0.0, 1.0, 50 * levels)))
        middles = (units[1:] + units[:-1]) / 2.0
        return np.array([-1.0, *middles, 2.0])
    return np.linspace(0.0, 1.0, BARS + 1)


def _add_shares(
    figure: Figure,
    axis: Axis,
    parameter: Parameter,
    edges: Array,
    shares: Array,
    name: str,
    fill: str,
    place: Mapping[str, int],
) -> None:
    """Filled bars, or, without a colour to fill them, their outline."""
    stops = _stops(axis, parameter, edges)
    x = [stop for low, high in stops for stop in (low, low, high, high)]
    y = [height for share in shares for height in (0.0, float(share), float(share), 0.0)]
    line = {"width": 0} if fill else {"width": 2.2, "color": LAW}
    figure.add_scatter(
        x=x,
        y=y,
        name=literal(name),
        mode="lines",
        line=line,
        fill="tozeroy" if fill else "none",
        fillcolor=fill or GREY,
        hovertemplate=f"{literal(axis.name)} %{{x}}: %{{y:.3f}}<extra>{literal(name)}</extra>",
        **place,
    )


def _stops(axis: Axis, parameter: Parameter, edges: Array) -> Sequence[tuple[Any, Any]]:
    """Where each bar begins and ends along the axis."""
    if edges[0] < 0.0:
        middles = [float(axis.low) + place for place in range(len(edges) - 1)]
        return [(middle - 0.4, middle + 0.4) for middle in middles]
    return [(parameter.decode(float(low)), parameter.decode(float(high))) for low, high in pairwise(edges)]
