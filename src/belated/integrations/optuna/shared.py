"""What a sampler tells the others of a trial as soon as it has decided, in attributes that Optuna's storage keeps.

Optuna writes a parameter when the objective asks for it, one by one; until then nobody else would know where a running
trial is. So the whole point is written at once, as Optuna's own Gaussian process sampler does, and with it the arm of
a policy that plays with arms. Some databases hold short texts only, so a long one is cut.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from optuna.study import Study
from optuna.trial import FrozenTrial

KEY = "belated:decision"
LONGEST = 2045


@dataclass(frozen=True)
class TrialDecision:
    """Where a trial is to be evaluated, in Optuna's numbers, and which arm of the policy said so."""

    numbers: Mapping[str, float] = field(default_factory=dict)
    arm: int | None = None


def share(study: Study, trial: FrozenTrial, decision: TrialDecision) -> None:
    """Let other threads and processes know."""
    text = json.dumps({"numbers": dict(decision.numbers), "arm": decision.arm})
    for place, first in enumerate(range(0, len(text), LONGEST)):
        piece = text[first : first + LONGEST]
        # There is no public way for a sampler to keep an attribute; Optuna's own samplers go this way.
        study._storage.set_trial_system_attr(trial._trial_id, f"{KEY}:{place}", piece)


def shared_decision(trial: FrozenTrial) -> TrialDecision:
    """What a sampler decided for a trial; nothing where none did, or where it is being written."""
    text = "".join(_pieces(trial.system_attrs))
    try:
        kept = json.loads(text)
    except ValueError:
        return TrialDecision()
    return TrialDecision(kept["numbers"], kept["arm"])


def _pieces(attributes: Mapping[str, Any]) -> list[str]:
    pieces: list[str] = []
    while (piece := attributes.get(f"{KEY}:{len(pieces)}")) is not None:
        pieces.append(piece)
    return pieces
