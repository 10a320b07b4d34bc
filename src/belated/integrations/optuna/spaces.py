"""Parameters of Optuna as columns of ours, and back.

Optuna keeps every value as a number: an option as its place among the choices, all else as itself. A range with a step
is a column of levels, so that a step of a float searches like a whole number. What Optuna suggests in a branch only is
in no column, and neither is what has a single value: Optuna gives it out itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution

from belated.errors import PointError, SpaceError
from belated.log import Values
from belated.space import Choice, Float, Int, Space

# Optuna takes a number for a multiple of the step if it is off by less.
ROUNDING = 1e-8


@dataclass(frozen=True)
class ParameterTranslation:
    """One parameter: Optuna's distribution and ours; with a step, our whole numbers count its multiples."""

    distribution: BaseDistribution
    parameter: Float | Int | Choice
    first: float = 0.0
    step: float | None = None
    last: float = 0.0

    def inward(self, number: float) -> float | None:
        """Our value for a number of Optuna's; None where it is between two steps."""
        if self.step is None:
            return number if isinstance(self.parameter, Float) else int(number)
        level = (number - self.first) / self.step
        return round(level) if abs(level - round(level)) < ROUNDING else None

    def outward(self, value: Any) -> Any:
        """The value that Optuna hands to an objective."""
        number = value if self.step is None else min(self.first + self.step * value, self.last)
        return self.distribution.to_external_repr(number)


def column_of(distribution: BaseDistribution) -> ParameterTranslation | None:
    """The column of a distribution; None where it has a single value, or more than a column can tell apart."""
    if distribution.single():
        return None
    try:
        match distribution:
            case FloatDistribution(low=low, high=high, step=None, log=log):
                return ParameterTranslation(distribution, Float(low, high, log))
            case FloatDistribution(low=low, high=high, step=float(step)):
                return ParameterTranslation(distribution, Int(0, round((high - low) / step)), low, step, high)
            case IntDistribution(low=low, high=high, step=1, log=log):
                return ParameterTranslation(distribution, Int(low, high, log))
            case IntDistribution(low=low, high=high, step=step):
                return ParameterTranslation(distribution, Int(0, (high - low) // step), low, step, high)
            case CategoricalDistribution(choices=choices):
                return ParameterTranslation(distribution, Choice(*range(len(choices))))
    except SpaceError:
        return None
    return None


@dataclass(frozen=True)
class Translation:
    """The parameters that a policy decides together."""

    columns: Mapping[str, ParameterTranslation]

    @staticmethod
    def of(search_space: Mapping[str, BaseDistribution]) -> Translation:
        """The translation of a search space, each of whose distributions has a column."""
        columns = {name: column_of(distribution) for name, distribution in search_space.items()}
        return Translation({name: column for name, column in columns.items() if column is not None})

    @cached_property
    def space(self) -> Space:
        return Space.from_parameters([(name, column.parameter) for name, column in self.columns.items()])

    def inward(self, numbers: Mapping[str, float]) -> Values | None:
        """Our point, given Optuna's numbers; None where one is missing or does not fit."""
        if not self.columns.keys() <= numbers.keys():
            return None
        point = {name: column.inward(numbers[name]) for name, column in self.columns.items()}
        try:
            self.space.encode(point)
        except PointError:
            return None
        return Values(point)

    def outward(self, point: Mapping[str, Any]) -> dict[str, Any]:
        """The values that Optuna hands to an objective, given our point."""
        return {name: column.outward(point[name]) for name, column in self.columns.items()}

    def numbers(self, params: Mapping[str, Any]) -> dict[str, float]:
        """Optuna's numbers for values of this search space; what has none is left out."""
        found: dict[str, float] = {}
        for name in self.columns.keys() & params.keys():
            try:
                found[name] = float(self.columns[name].distribution.to_internal_repr(params[name]))
            except ValueError:
                continue
        return found
