"""How a parameter stands along an axis of a figure: the places of its values, and the marks of the axis."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from belated.errors import ParameterError, unknown_name
from belated.report.style import cut, literal
from belated.report.thinning import spread
from belated.show import written
from belated.space import Candidates, Choice, Float, Int, Space
from belated.study import Study

# An axis has a mark at each whole number if there are fewer than these, and at each decade from so many on.
MOST_WHOLE, FEWEST_DECADES = 12, 2
# Longer texts run into their neighbours.
LONGEST_TITLE, LONGEST_OPTION = 28, 16
# The share of the range that stays free at either end.
MARGIN = 0.04


def answers_named(study: Study, value: str | None = None) -> str:
    """What the answers are called on an axis: as the caller says, or by the name of the objective, where it has one."""
    if value is not None:
        return value
    return study.outcomes.main if study.outcomes.named else "answer"


@dataclass(frozen=True)
class Axis:
    """The axis of a parameter: numbers from low to high, or options at 0, 1, 2, … in their order."""

    name: str
    low: float
    high: float
    log: bool = False
    whole: bool = False
    options: tuple[Any, ...] = ()

    def place(self, value: Any) -> float:
        """Where a value stands."""
        if not self.options:
            return float(value)
        known = self._places.get((type(value), value))
        return self._between(value) if known is None else known

    def _between(self, value: float) -> float:
        """Where a number stands that was tried, and is none of the options."""
        numbers = sorted(zip(self.options, range(len(self.options)), strict=True))
        return float(np.interp(value, [option for option, _ in numbers], [float(place) for _, place in numbers]))

    @cached_property
    def _places(self) -> dict[tuple[type, Any], float]:
        # 1, 1.0 and True are equal in Python, and may be options side by side.
        return {(type(option), option): float(place) for place, option in enumerate(self.options)}

    def layout(self) -> dict[str, Any]:
        """The axis as Plotly takes it, without its title."""
        low, high = (math.log10(self.low), math.log10(self.high)) if self.log else (self.low, self.high)
        spare = MARGIN * (high - low) or 0.5
        marks: dict[str, Any] = {"type": "log" if self.log else "linear", "range": [low - spare, high + spare]}
        if self.options:
            labels = [literal(cut(written(option), LONGEST_OPTION)) for option in self.options]
            return marks | {"range": [low - 0.5, high + 0.5], "tickvals": list(range(len(labels))), "ticktext": labels}
        if (self.log and high - low >= FEWEST_DECADES) or (self.whole and not self.log and high - low < MOST_WHOLE):
            return marks | {"dtick": 1}
        return marks

    def title(self, longest: int = LONGEST_TITLE) -> str:
        """The name as a title."""
        return literal(cut(self.name, longest))


def axis_of(name: str, parameter: object) -> Axis:
    """The axis of a parameter."""
    match parameter:
        case Float(low=low, high=high, log=log):
            return Axis(name, low, high, log)
        case Int(low=low, high=high, log=log):
            return Axis(name, low, high, log and low < high, whole=True)
        case Choice(options=options):
            return Axis(name, 0, len(options) - 1, options=options)
    raise AssertionError(f"a space has no parameter like {parameter!r}")


def axes_of(space: Space | Candidates, names: Sequence[str]) -> list[Axis]:
    """The axes of these parameters; in a table they reach over its rows."""
    if isinstance(space, Space):
        return [axis_of(name, space[name]) for name in names]
    return [_axis_of_column(space, space.names.index(name)) for name in names]


def rows_of(table: Candidates) -> list[dict[str, Any]]:
    """The rows of a table; of a large one as many as are drawn, evenly spread."""
    return [table.point(row) for row in spread(range(len(table)))]


def chosen(call: str, names: Sequence[str], parameters: Sequence[str] | None, most: int) -> list[str]:
    """The names of the parameters to draw: the given ones, or the first few."""
    if parameters is None:
        return list(names[:most])
    if isinstance(parameters, str) or not isinstance(parameters, Iterable):
        raise ParameterError(f"{call}: got parameters={parameters!r}; give a list of names, as {list(names[:2])!r}.")
    given = list(dict.fromkeys(parameters))
    for name in given:
        if name not in names:
            raise unknown_name(call, "parameter", name, names)
    if not given:
        raise ParameterError(f"{call}: got no parameters; name at least one of {', '.join(names[:most])}.")
    return given


def _axis_of_column(table: Candidates, column: int) -> Axis:
    name, units = table.names[column], table.table[:, column]
    if table.categorical[column]:
        _, rows = np.unique(units, return_index=True)
        options = tuple(table.point(int(row))[name] for row in rows)
        return Axis(name, 0, len(options) - 1, options=options)
    low, high = (table.point(int(row))[name] for row in (units.argmin(), units.argmax()))
    return Axis(name, low, high, whole=isinstance(low, int))
