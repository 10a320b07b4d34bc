"""Expectations along each parameter: a slice through a point of a box, or the best rows of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from belated.report.axes import Axis, rows_of
from belated.space import Array, Candidates, Choice, Indices, Int, Parameter, Space
from belated.study import Study

NamedValues = Mapping[str, Any]

# This many deviations to each side of the mean hold 95 % of the belief.
BAND = 2.0
# The points of a curve; and the most values that stand as single points, with a bar each.
CURVE, MOST_BARS = 101, 25
# An expectation across contexts takes a thousand times as long as one, so a curve of them has fewer points.
CURVE_ACROSS = 31


@dataclass(frozen=True)
class Slice:
    """The expectation at some values of a parameter, in the order of the axis."""

    axis: Axis
    values: list[Any]
    mean: Array  # (n,)
    deviation: Array  # (n,)

    @property
    def places(self) -> list[float]:
        """Where the values stand."""
        return [self.axis.place(value) for value in self.values]

    @property
    def low(self) -> Array:
        """The lower end of the band."""
        return self.mean - BAND * self.deviation

    @property
    def high(self) -> Array:
        """The upper end of the band."""
        return self.mean + BAND * self.deviation

    @property
    def curve(self) -> bool:
        """Whether the values lie so close that a line may join them."""
        return len(self.values) > MOST_BARS and not self.axis.options


def slices_of_box(
    study: Study,
    space: Space,
    axes: Sequence[Axis],
    centre: NamedValues,
    context: NamedValues | None,
    outcome: str | None = None,
) -> list[Slice]:
    """The expectation along each axis, with all other parameters as in the centre."""
    count = CURVE if study.policy.across is None else CURVE_ACROSS
    values = [values_along(space[axis.name], count) for axis in axes]
    points = [{**centre, axis.name: value} for axis, some in zip(axes, values, strict=True) for value in some]
    mean, deviation = study.expect(points, outcome=outcome, context=context)
    bounds = pairwise(accumulate(map(len, values), initial=0))
    return [
        Slice(axis, some, mean[first:last], deviation[first:last])
        for axis, some, (first, last) in zip(axes, values, bounds, strict=True)
    ]


def slices_of_table(
    study: Study,
    table: Candidates,
    axes: Sequence[Axis],
    centre: NamedValues,
    context: NamedValues | None,
    outcome: str | None = None,
) -> list[Slice]:
    """The rows along each axis with the best expectation among those of about the same value there."""
    rows = [*rows_of(table), centre]
    mean, deviation = study.expect(rows, outcome=outcome, context=context)
    good = study.outcomes.sign(outcome) * mean
    slices = []
    for axis in axes:
        places = np.array([axis.place(row[axis.name]) for row in rows])
        best = _best_of_each(_bins(places), good)
        order = best[np.argsort(places[best])]
        slices.append(Slice(axis, [rows[row][axis.name] for row in order], mean[order], deviation[order]))
    return slices


def values_along(parameter: Parameter, count: int = CURVE) -> list[Any]:
    """Values of a parameter in order: all of them if they are few, else some, evenly spread."""
    match parameter:
        case Choice(options=options):
            return list(options)
        case Int(low=low, high=high) if high - low < MOST_BARS:
            return list(range(low, high + 1))
    return list(dict.fromkeys(parameter.decode(unit) for unit in np.linspace(0.0, 1.0, count).tolist()))


def _bins(places: Array) -> Indices:
    """The bin of each place: one for each distinct value if they are few, else bins of equal width."""
    distinct, bins = np.unique(places, return_inverse=True)
    if len(distinct) <= MOST_BARS:
        return bins
    return np.digitize(places, np.linspace(distinct[0], distinct[-1], MOST_BARS + 1)[1:-1])


def _best_of_each(bins: Indices, good: Array) -> Indices:
    """The best row of each bin; the first of equal ones."""
    order = np.lexsort((np.arange(len(good)), -good, bins))
    _, first = np.unique(bins[order], return_index=True)
    return order[first]
