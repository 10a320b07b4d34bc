"""A search space of Optuna as a space of ours, value for value, and back: what a migrated study searches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import FrozenTrial, TrialState

from belated.errors import SpaceError
from belated.integrations.optuna.refusals import UnsupportedStudyError
from belated.space import Candidates, Choice, Float, Int, Space

_WAY_OUT = "give space=bl.Space(…) with a parameter of your choice in its place"


def space_of(call: str, trials: Sequence[FrozenTrial]) -> Space:
    """The space of which every completed trial has all parameters, in the same range."""
    with_point = [trial for trial in trials if trial.distributions]
    models = [trial for trial in with_point if trial.state is TrialState.COMPLETE] or with_point
    if not models:
        raise UnsupportedStudyError(
            f"{call}: no trial of the study has a parameter; a space has at least one; give space=bl.Space(…)."
        )
    first = models[0]
    for trial in models:
        _check_alike(call, first, trial)
    parameters = {name: _parameter(call, name, kind) for name, kind in first.distributions.items()}
    return Space.from_parameters(parameters)


def _check_alike(call: str, first: FrozenTrial, trial: FrozenTrial) -> None:
    lonely = first.distributions.keys() ^ trial.distributions.keys()
    if lonely:
        raise UnsupportedStudyError(
            f"{call}: of the trials {first.number} and {trial.number}, only one has the parameter {min(lonely)!r}; a "
            f"space of Belated has all its parameters in every point; leave conditional studies to Optuna."
        )
    for name, kind in first.distributions.items():
        if trial.distributions[name] != kind:
            raise UnsupportedStudyError(
                f"{call}: trial {trial.number} has {name!r} in another range than trial {first.number} "
                f"({trial.distributions[name]} instead of {kind}); a parameter has one range; give space=bl.Space(…) "
                f"with a range for all."
            )


def _parameter(call: str, name: str, kind: BaseDistribution) -> Float | Int | Choice:
    match kind:
        case FloatDistribution(low=low) if kind.single():
            return Choice(low)
        case FloatDistribution(low=low, high=high, step=None, log=log):
            return Float(low, high, log)
        case IntDistribution(low=low, high=high, log=log) if kind.step == 1 or kind.single():
            return Int(low, high, log)
        case CategoricalDistribution(choices=choices):
            try:
                return Choice(*choices)
            except SpaceError as error:
                raise UnsupportedStudyError(
                    f"{call}: the parameter {name!r} cannot be kept ({error}); options are distinct texts, finite "
                    f"numbers or booleans; {_WAY_OUT}, or rename its choices."
                ) from None
    raise UnsupportedStudyError(
        f"{call}: the parameter {name!r} is {kind}; a parameter of Belated has no step; {_WAY_OUT}."
    )


def distributions_of(call: str, space: Space | Candidates) -> dict[str, BaseDistribution]:
    """Optuna's distributions for a space of ours."""
    if isinstance(space, Candidates):
        raise UnsupportedStudyError(
            f"{call}: the study searches a table of {len(space)} candidates; Optuna's parameters vary on their own; "
            f"keep the study here."
        )
    return {name: _distribution(parameter) for name, parameter in zip(space.names, space.parameters, strict=True)}


def nearest(distribution: BaseDistribution, value: Any) -> Any:
    """The value that a distribution has, nearest to one that was really tried, which may lie outside."""
    match distribution:
        case FloatDistribution(low=low, high=high):
            return min(max(value, low), high)
        case IntDistribution(low=low, high=high):
            return min(max(round(value), low), high)
    return value


def _distribution(parameter: object) -> BaseDistribution:
    match parameter:
        case Float(low=low, high=high, log=log):
            return FloatDistribution(low, high, log=log)
        case Int(low=low, high=high, log=log):
            return IntDistribution(low, high, log=log)
        case Choice(options=options):
            return CategoricalDistribution(options)
    raise AssertionError("a space has no other parameters")
