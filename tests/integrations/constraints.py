"""Constraints of trials, as each version of Optuna has them."""

from __future__ import annotations

from typing import Any

import optuna

# What an error calls the constraint that `constrain` gives: before Optuna 5, constraints had no names.
SHOWN = "'weight'" if hasattr(optuna.Trial, "set_constraint") else "1.5"


def constrain(trial: optuna.Trial) -> None:
    """Give a running trial a constraint that it breaks."""
    if hasattr(trial, "set_constraint"):
        trial.set_constraint("weight", 1.5)
        return
    storage: Any = trial.storage
    storage.set_trial_system_attr(trial._trial_id, "constraints", (1.5,))
