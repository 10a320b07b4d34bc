"""SMAC3 by ask and tell, set up as in its own example of it: one seed for each configuration.

The facade is the one that its documentation names for the space: black-box (a Gaussian process) for a few real
numbers, hyperparameter optimization (a random forest) for anything else. No model of SMAC's looks at running trials; it
only asks no configuration twice.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ConfigSpace import Categorical, Configuration, ConfigurationSpace
from ConfigSpace import Float as RealNumber
from ConfigSpace import Integer as WholeNumber
from smac import BlackBoxFacade, HyperparameterOptimizationFacade, Scenario
from smac.main.exceptions import ConfigurationSpaceExhaustedException
from smac.runhistory import StatusType, TrialInfo, TrialValue

from belated.experiments.league.optimizer import Point
from belated.experiments.league.peers.rows import Handles, TableRows
from belated.space import Candidates, Choice, Context, Float, Int, Parameter, Space

# "Low-dimensional and continuous" is what the black-box facade is for; its pages give no number, so this one is ours.
FEW = 10


class Smac:
    """A facade; a context that is seen after the decision is noise, and none can be given before it."""

    contexts = ("after",)

    def __init__(
        self, space: Space | Candidates, goal: str, *, seed: int, queries: int, context: Context | None = None
    ) -> None:
        self._rows = TableRows(space) if isinstance(space, Candidates) else None
        box = self._rows.box if self._rows is not None else space
        assert isinstance(box, Space)
        self._box = box
        self._sign = -1.0 if goal == "maximize" else 1.0  # SMAC minimises
        self._costs: list[float] = []
        self._asked: Handles[TrialInfo] = Handles()
        self._points: dict[Configuration, Point] = {}
        self._folder = tempfile.TemporaryDirectory(prefix="smac-")
        self._configurations = ConfigurationSpace(seed=seed % 2**31)
        self._configurations.add([hyperparameter(name, box[name]) for name in box.names])
        scenario = Scenario(
            self._configurations,
            deterministic=False,
            n_trials=queries,
            seed=seed % 2**31,
            output_directory=Path(self._folder.name),
        )
        facade = BlackBoxFacade if _few_real(box) else HyperparameterOptimizationFacade
        self._smac = facade(
            scenario,
            _never_called,
            intensifier=facade.get_intensifier(scenario, max_config_calls=1),
            overwrite=True,
            logging_level=False,
        )

    def ask(self) -> Point | None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                info = self._smac.ask()
        except (ConfigurationSpaceExhaustedException, StopIteration):
            return None  # it asks no configuration twice, so a small space comes to an end
        point: Point = _plain(info.config, self._box)
        if self._rows is not None:
            point = self._rows.take(point)
            info = TrialInfo(self._configuration(point), seed=info.seed)
        self._points.setdefault(info.config, point)
        return self._asked.note(point, info)

    def tell(self, point: Point, value: float, context: Mapping[str, Any] | None = None) -> None:
        self._costs.append(self._sign * value)
        self._smac.tell(self._asked.of(point), TrialValue(cost=self._sign * value), save=False)

    def fail(self, point: Point) -> None:
        # SMAC's default cost of a crash is infinite, which its models cannot be fitted to.
        cost = max(self._costs, default=0.0)
        self._smac.tell(self._asked.of(point), TrialValue(cost=cost, status=StatusType.CRASHED), save=False)

    def recommend(self) -> Point | None:
        incumbents = self._smac.intensifier.get_incumbents()
        return self._points[incumbents[0]] if incumbents and self._costs else None

    def _configuration(self, row: Point) -> Configuration:
        assert self._rows is not None
        return Configuration(self._configurations, values=self._rows.suggestion(row))


def hyperparameter(name: str, parameter: Parameter) -> Any:
    """A parameter in SMAC's words."""
    if isinstance(parameter, Choice):
        return Categorical(name, list(parameter.options))
    assert isinstance(parameter, Float | Int)
    kind = WholeNumber if isinstance(parameter, Int) else RealNumber
    return kind(name, (parameter.low, parameter.high), log=parameter.log)


def _plain(configuration: Configuration, box: Space) -> dict[str, Any]:
    """A configuration as a point: in plain numbers, and options as they were given."""
    point: dict[str, Any] = {}
    for name in box.names:
        value, parameter = configuration[name], box[name]
        if isinstance(parameter, Choice):
            point[name] = next(option for option in parameter.options if option == value)
        else:
            point[name] = int(value) if isinstance(parameter, Int) else float(value)
    return point


def _few_real(box: Space) -> bool:
    return len(box) <= FEW and all(isinstance(box[name], Float) for name in box.names)


def _never_called(config: Configuration, seed: int = 0) -> float:
    raise AssertionError("SMAC is asked and told, and calls nothing.")
