"""Laws that depend on the query: on its point, or on its value."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from belated.checks import as_number, require_number
from belated.errors import ParameterError, UnsupportedError
from belated.simulate.laws.law import DelayLaw, Occasion, check_inner, numbers, require
from belated.simulate.laws.registry import law
from belated.space import Candidates, Space


@law
@dataclass(frozen=True)
class along(DelayLaw):
    """The delay of `law` times a factor that follows one number of the point.

    The factor is linear between the `values` and constant beyond the first and the last of them.
    """

    parameter: str
    values: Sequence[float]
    factors: Sequence[float]
    law: DelayLaw

    def __post_init__(self) -> None:
        if not isinstance(self.parameter, str):
            raise ParameterError(
                f"along(parameter={self.parameter!r}): parameter must be the name of one of the point's numbers."
            )
        values = numbers("along", "values", self.values, math.isfinite, "a finite number")
        factors = numbers(
            "along", "factors", self.factors, lambda f: 0 <= f < math.inf, "a finite number of at least 0"
        )
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "factors", factors)
        if len(values) != len(factors) or any(low >= high for low, high in pairwise(values)):
            raise ParameterError(
                f"along(values={list(values)!r}, factors={list(factors)!r}): give one factor for each value, "
                f"and the values in increasing order."
            )
        check_inner("along()", self.law)

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """The law's delay, scaled."""
        number = self._number("along()", occasion.point)
        return _scaled(self.law.draw(occasion, rng), float(np.interp(number, self.values, self.factors)))

    def check_space(self, call: str, space: Space | Candidates) -> None:
        """Refuse a space whose points have no such number."""
        self._number(call, space.decode(space.sample(1, np.random.default_rng(0))[0]))

    def _number(self, call: str, point: Mapping[str, Any]) -> float:
        number = as_number(point.get(self.parameter))
        if number is None:
            known = [repr(name) for name, value in point.items() if as_number(value) is not None]
            raise UnsupportedError(
                f"{call}: got a law along {self.parameter!r}; it must be a number of the point, and those are "
                f"{', '.join(known) or 'none'}; name one of them."
            )
        return number


@law
@dataclass(frozen=True)
class sooner(DelayLaw):
    """Good outcomes come sooner: the delay of `law` at the worst value, `at_best` times it at the best.

    The factor is linear in the value between the two and constant beyond; the best may be below the worst.
    """

    worst: float
    best: float
    law: DelayLaw
    at_best: float = 0.0

    def __post_init__(self) -> None:
        require_number("sooner", "worst", self.worst)
        require(
            "sooner",
            "best",
            self.best,
            lambda best: 0 < abs(best - self.worst) < math.inf,
            f"a finite number other than worst={self.worst!r}",
        )
        require("sooner", "at_best", self.at_best, lambda share: 0 <= share <= 1, "a number from 0 to 1")
        check_inner("sooner()", self.law)

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """The law's delay, scaled."""
        goodness = (occasion.value - self.worst) / (self.best - self.worst)
        return _scaled(self.law.draw(occasion, rng), 1.0 - min(max(goodness, 0.0), 1.0) * (1.0 - self.at_best))


@law
@dataclass(frozen=True)
class lost_below(DelayLaw):
    """An answer whose value is below the threshold never comes; the others take as long as `law` says."""

    threshold: float
    law: DelayLaw

    def __post_init__(self) -> None:
        require_number("lost_below", "threshold", self.threshold)
        check_inner("lost_below()", self.law)

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """Infinity, or the law's delay, which is drawn either way so that what is lost changes no other."""
        delay = self.law.draw(occasion, rng)
        return math.inf if occasion.value < self.threshold else delay


@law
@dataclass(frozen=True)
class lost_above(DelayLaw):
    """An answer whose value is above the threshold never comes; the others take as long as `law` says."""

    threshold: float
    law: DelayLaw

    def __post_init__(self) -> None:
        require_number("lost_above", "threshold", self.threshold)
        check_inner("lost_above()", self.law)

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """Infinity, or the law's delay, which is drawn either way so that what is lost changes no other."""
        delay = self.law.draw(occasion, rng)
        return math.inf if occasion.value > self.threshold else delay


@dataclass(frozen=True)
class by_point(DelayLaw):
    """The law that `function` names for the query's point; it cannot be written as text."""

    function: Callable[[Mapping[str, Any]], DelayLaw]

    def __post_init__(self) -> None:
        _check_function("by_point", self.function)

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """The delay of that law."""
        named = self.function(occasion.point)
        check_inner(f"by_point(): at {dict(occasion.point)!r}", named)
        return named.draw(occasion, rng)


@dataclass(frozen=True)
class by_value(DelayLaw):
    """The law that `function` names for the value without noise; it cannot be written as text."""

    function: Callable[[float], DelayLaw]

    def __post_init__(self) -> None:
        _check_function("by_value", self.function)

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """The delay of that law."""
        named = self.function(occasion.value)
        check_inner(f"by_value(): at {occasion.value!r}", named)
        return named.draw(occasion, rng)


def _scaled(delay: float, factor: float) -> float:
    """A delay times a factor; what never comes does not come at once because the factor is 0."""
    return delay if math.isinf(delay) else delay * factor


def _check_function(name: str, function: object) -> None:
    if not callable(function):
        raise ParameterError(f"{name}(function={function!r}): function must be one, and return a law of delays.")
