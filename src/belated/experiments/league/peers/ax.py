"""Ax by its Client: its default strategy, its own running trials, its own best parameterization.

Answers that are late leave Ax's default without a point once its initial trials are out, until two of them are in. Its
option for that, `allow_exceeding_initialization_budget`, is set: more points of the design, instead of none.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Mapping
from typing import Any

from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from ax.exceptions.core import OptimizationComplete
from ax.utils.common.logger import set_ax_logger_levels

from belated.experiments.league.optimizer import Point
from belated.experiments.league.peers.rows import Handles, TableRows
from belated.space import Candidates, Choice, Context, Float, Int, Parameter, Space

METRIC = "value"


class Ax:
    """A client; a context seen before the decision is fixed parameters, one seen after it is noise."""

    contexts = ("before", "after")

    def __init__(
        self, space: Space | Candidates, goal: str, *, seed: int, queries: int, context: Context | None = None
    ) -> None:
        set_ax_logger_levels(logging.ERROR)
        self._rows = TableRows(space) if isinstance(space, Candidates) else None
        box = self._rows.box if self._rows is not None else space
        assert isinstance(box, Space)
        known = context.space if context is not None and context.seen == "before" else None
        self._names = box.names
        self._sign = 1.0 if goal == "maximize" else -1.0
        self._asked: Handles[int] = Handles()
        self._answered: list[Point] = []
        self._client = Client(random_seed=seed % 2**31)
        parts = [(name, each[name]) for each in (box, known) if each is not None for name in each.names]
        self._client.configure_experiment(parameters=[config(name, parameter) for name, parameter in parts])
        self._client.configure_optimization(objective=METRIC if goal == "maximize" else f"-{METRIC}")
        self._client.configure_generation_strategy(
            initialization_random_seed=seed % 2**31, allow_exceeding_initialization_budget=True
        )

    def ask(self, context: Mapping[str, Any] | None = None) -> Point | None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = self._client.get_next_trials(max_trials=1, fixed_parameters=context)
        except OptimizationComplete:
            return None  # it suggests no arm twice, so a small space comes to an end
        for trial, parameters in found.items():
            suggested = {name: parameters[name] for name in self._names}
            if self._rows is None:
                return self._asked.note(suggested, trial)
            return self._moved(trial, suggested, context or {})
        return None

    def tell(self, point: Point, value: float, context: Mapping[str, Any] | None = None) -> None:
        self._client.complete_trial(trial_index=self._asked.of(point), raw_data={METRIC: value})
        self._answered.append(point)

    def fail(self, point: Point) -> None:
        self._client.mark_trial_failed(trial_index=self._asked.of(point))

    def recommend(self, context: Mapping[str, Any] | None = None) -> Point | None:
        if not self._answered:
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if context is not None:
                return self._predicted(context)
            _, _, trial, _ = self._client.get_best_parameterization()
        return next((point for point in self._answered if self._asked.of(point) == trial), None)

    def _moved(self, trial: int, suggested: Point, context: Mapping[str, Any]) -> Point:
        """The trial at the nearest row: attached as one's own, in the place of the one that was generated."""
        assert self._rows is not None
        row = self._rows.take(suggested)
        there = self._rows.suggestion(row)
        if there != suggested:
            self._client.mark_trial_abandoned(trial_index=trial)
            trial = self._client.attach_trial(parameters={**there, **context})
        return self._asked.note(row, trial)

    def _predicted(self, context: Mapping[str, Any]) -> Point:
        """The answered point that is predicted to be best in a context."""
        tried = [self._rows.suggestion(point) if self._rows is not None else point for point in self._answered]
        means = [each[METRIC][0] for each in self._client.predict([{**point, **context} for point in tried])]
        return self._answered[max(range(len(means)), key=lambda place: self._sign * means[place])]


def config(name: str, parameter: Parameter) -> RangeParameterConfig | ChoiceParameterConfig:
    """A parameter in Ax's words."""
    if isinstance(parameter, Choice):
        kind: Any = {str: "str", bool: "bool", int: "int", float: "float"}[parameter.types[0]]
        return ChoiceParameterConfig(name=name, values=list(parameter.options), parameter_type=kind, is_ordered=False)
    assert isinstance(parameter, Float | Int)
    return RangeParameterConfig(
        name=name,
        bounds=(parameter.low, parameter.high),
        parameter_type="int" if isinstance(parameter, Int) else "float",
        scaling="log" if parameter.log else "linear",
    )
