"""bayesian-optimization by suggest and register, with the ConstantLiar that it has for pending queries.

Its numbers have no logarithmic scale, so those that do are given as logarithms. Its liar copies parameters without
their types (release 3.4), so whole numbers are rounded here, and a choice is a number in [0, 1] for each option, as
inside the package. It knows no failures: the worst answer so far is registered in the place of one.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

from bayes_opt import BayesianOptimization
from bayes_opt.acquisition import ConstantLiar, UpperConfidenceBound

from belated.experiments.league.optimizer import Point
from belated.experiments.league.peers.rows import Handles, TableRows
from belated.space import Candidates, Choice, Context, Float, Int, Parameter, Space

# `maximize` begins with as many random points, and its upper bound is this wide, unless it is told otherwise.
INITIAL, KAPPA = 5, 2.576


class BayesOpt:
    """An optimizer of the package; a context seen after the decision is noise, and none can be given before it."""

    contexts = ("after",)

    def __init__(
        self, space: Space | Candidates, goal: str, *, seed: int, queries: int, context: Context | None = None
    ) -> None:
        self._rows = TableRows(space) if isinstance(space, Candidates) else None
        box = self._rows.box if self._rows is not None else space
        assert isinstance(box, Space)
        self._box = box
        self._sign = 1.0 if goal == "maximize" else -1.0  # the package maximises
        self._asked: Handles[dict[str, Any]] = Handles()
        self._number = 0
        self._told: list[tuple[float, Point]] = []
        self._liar = ConstantLiar(UpperConfidenceBound(kappa=KAPPA))
        self._optimizer = BayesianOptimization(
            f=None,
            pbounds={key: ends for name in box.names for key, ends in bounds(name, box[name]).items()},
            acquisition_function=self._liar,
            random_state=seed % 2**32,
            verbose=0,
            allow_duplicate_points=True,
        )

    def ask(self) -> Point:
        self._number += 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if self._number <= INITIAL or not len(self._optimizer.space):
                suggested = self._optimizer.random_sample(1)[0]
            else:
                with redirect_stdout(StringIO()):
                    suggested = self._optimizer.suggest()
                self._liar.dummies.pop()
        point: Point = {name: value(name, self._box[name], suggested) for name in self._box.names}
        there = point
        if self._rows is not None:
            point = self._rows.take(point)
            there = self._rows.suggestion(point)
        registered = {k: v for name in self._box.names for k, v in numbers(name, self._box[name], there[name]).items()}
        # The liar lies about what will be registered, not about what was suggested, so that it knows it again.
        self._liar.dummies.append(self._optimizer.space.params_to_array(registered))
        return self._asked.note(point, registered)

    def tell(self, point: Point, value: float, context: Mapping[str, Any] | None = None) -> None:
        self._told.append((self._sign * value, point))
        self._register(point, self._sign * value)

    def fail(self, point: Point) -> None:
        if self._told:
            self._register(point, min(value for value, _ in self._told))

    def recommend(self) -> Point | None:
        return max(self._told, key=lambda each: each[0])[1] if self._told else None

    def _register(self, point: Point, target: float) -> None:
        with redirect_stdout(StringIO()):  # it prints that a point is there twice
            self._optimizer.register(params=self._asked.of(point), target=target)


def bounds(name: str, parameter: Parameter) -> dict[str, tuple[float, float]]:
    """A parameter as numbers in ranges: a number or its logarithm; of a choice one for each option."""
    if isinstance(parameter, Choice):
        return {f"{name}: {place}": (0.0, 1.0) for place in range(parameter.levels)}
    assert isinstance(parameter, Float | Int)
    scale = math.log if parameter.log else float
    return {name: (scale(parameter.low), scale(parameter.high))}


def value(name: str, parameter: Parameter, numbers: Mapping[str, Any]) -> Any:
    """What is suggested, as a value of ours: the option whose number is greatest, the nearest whole number."""
    if isinstance(parameter, Choice):
        return max(zip((numbers[key] for key in bounds(name, parameter)), parameter.options, strict=True), key=_first)[
            1
        ]
    assert isinstance(parameter, Float | Int)
    number = math.exp(numbers[name]) if parameter.log else float(numbers[name])
    number = min(max(number, parameter.low), parameter.high)  # exp(log(x)) may round past a bound
    return round(number) if isinstance(parameter, Int) else number


def numbers(name: str, parameter: Parameter, chosen: Any) -> dict[str, float]:
    """A value of ours as the numbers that are registered."""
    if isinstance(parameter, Choice):
        place = parameter.level(chosen)
        return {f"{name}: {other}": float(other == place) for other in range(parameter.levels)}
    assert isinstance(parameter, Float | Int)
    return {name: math.log(chosen) if parameter.log else float(chosen)}


def _first(pair: tuple[Any, Any]) -> Any:
    return pair[0]
