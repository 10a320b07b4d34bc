"""Optuna's samplers by ask and tell: pending queries are its running trials, which both samplers know of.

A table's row is enqueued in the place of the trial that was suggested, which ends as one that failed: samplers learn
nothing from those. A context seen before the decision is fixed by the PartialFixedSampler.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import optuna as library
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import BaseSampler, GPSampler, PartialFixedSampler, TPESampler
from optuna.trial import TrialState

from belated.experiments.league.optimizer import Point
from belated.experiments.league.peers.rows import Handles, TableRows
from belated.space import Candidates, Choice, Context, Float, Int, Parameter, Space

if TYPE_CHECKING:
    from optuna.trial import Trial

SAMPLERS: dict[str, type[GPSampler] | type[TPESampler]] = {"gp": GPSampler, "tpe": TPESampler}


class Optuna:
    """A study of Optuna with one of its samplers; a context seen after the decision is noise."""

    contexts = ("before", "after")

    def __init__(
        self,
        sampler: Literal["gp", "tpe"],
        space: Space | Candidates,
        goal: Literal["maximize", "minimize"],
        *,
        seed: int,
        queries: int,
        context: Context | None = None,
    ) -> None:
        library.logging.set_verbosity(library.logging.ERROR)
        self._rows = TableRows(space) if isinstance(space, Candidates) else None
        box = self._rows.box if self._rows is not None else space
        assert isinstance(box, Space)
        known = context.space if context is not None and context.seen == "before" else None
        self._names = box.names
        self._distributions = {
            name: distribution(each[name]) for each in (box, known) if each is not None for name in each.names
        }
        self._sampler: BaseSampler = SAMPLERS[sampler](seed=seed % 2**32)
        self._study = library.create_study(direction=goal, sampler=self._sampler)
        self._asked: Handles[Trial] = Handles()
        self._points: dict[int, Point] = {}

    def ask(self, context: Mapping[str, Any] | None = None) -> Point:
        trial = self._suggested(context or {})
        point = {name: trial.params[name] for name in self._names}
        if self._rows is not None:
            row = self._rows.take(point)
            there = self._rows.suggestion(row)
            if there != point:
                self._study.tell(trial, state=TrialState.FAIL)
                self._study.enqueue_trial({**there, **(context or {})})
                trial = self._study.ask(self._distributions)
            point = row
        self._points[trial.number] = point
        return self._asked.note(point, trial)

    def tell(self, point: Point, value: float, context: Mapping[str, Any] | None = None) -> None:
        self._study.tell(self._asked.of(point), value)

    def fail(self, point: Point) -> None:
        self._study.tell(self._asked.of(point), state=TrialState.FAIL)

    def recommend(self, context: Mapping[str, Any] | None = None) -> Point | None:
        if not self._study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)):
            return None
        return self._points[self._study.best_trial.number]

    def _suggested(self, context: Mapping[str, Any]) -> Trial:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # parts of Optuna call themselves experimental
            if context:
                self._study.sampler = PartialFixedSampler(dict(context), self._sampler)
            return self._study.ask(self._distributions)


def distribution(parameter: Parameter) -> BaseDistribution:
    """A parameter in Optuna's words."""
    if isinstance(parameter, Choice):
        return CategoricalDistribution(parameter.options)
    if isinstance(parameter, Int):
        return IntDistribution(parameter.low, parameter.high, log=parameter.log)
    assert isinstance(parameter, Float)
    return FloatDistribution(parameter.low, parameter.high, log=parameter.log)
