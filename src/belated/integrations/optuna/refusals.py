"""What Optuna can do and a policy of ours cannot, refused in words."""

from __future__ import annotations

from optuna.study import Study
from optuna.trial import FrozenTrial

from belated.errors import UnsupportedError
from belated.log import Outcomes


class UnsupportedStudyError(UnsupportedError, ValueError):
    """A study of Optuna asks for more than Belated does; a ValueError too, as Optuna's samplers raise."""


def refuse_many_objectives(call: str, study: Study) -> None:
    """Refuse a study with several objectives."""
    if len(study.directions) > 1:
        raise UnsupportedStudyError(
            f"{call}: the study {study.study_name!r} has {len(study.directions)} objectives; Belated optimises one; "
            f"give a study with one direction, or combine the objectives into one value."
        )


def refuse_many_outcomes(call: str, outcomes: Outcomes) -> None:
    """Refuse a study of ours that waits for more than one objective."""
    if len(outcomes.required) > 1:
        raise UnsupportedStudyError(
            f"{call}: a query of the study waits for {', '.join(outcomes.required)}; a trial here has one value; keep "
            f"the study here."
        )


def refuse_constraints(call: str, trial: FrozenTrial) -> None:
    """Refuse a trial that was given constraints."""
    found = _constraints(trial)
    if found:
        raise UnsupportedStudyError(
            f"{call}: trial {trial.number} has the constraints {', '.join(map(repr, found))}; Belated does "
            f"not know constraints; leave them out and return a bad value where one is broken, or use GPSampler."
        )


def _constraints(trial: FrozenTrial) -> list[object]:
    """What constraints a trial has: by name, or before Optuna 5, where a sampler wrote them down, by value."""
    if hasattr(trial, "constraints"):
        return list(trial.constraints)
    return list(trial.system_attrs.get("constraints") or ())
