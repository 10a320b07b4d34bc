"""What a page of results was made with, so that it can be told whether today's code would make the same.

Of every arm that a figure draws, its digest says which policy, problem and delays were run. What the first rounds of
its first trial came to says whether today's code still plays them so: another default, kernel or measure, or a
correction, shows there.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np

from belated.experiments.arm import Arm
from belated.experiments.papers.reproduction import PanelOutcome, Reproduction
from belated.experiments.runs import Runs
from belated.release import RELEASE
from belated.simulate import run
from belated.space import Array

# Rounds of the first trial that are kept.
ROUNDS = 10
# Digits of theirs: the same code on another processor may differ in later ones.
DIGITS = 5


@dataclass(frozen=True)
class Opening:
    """The first rounds of an arm's first trial."""

    label: str
    digest: str
    seed: int
    regrets: tuple[float | None, ...]  # None where the policy balked
    simple_regret: tuple[float | None, ...]
    seconds: float  # of a processor, at the pace of the whole run

    @classmethod
    def of(cls, arm: Arm, runs: Runs) -> Self:
        """That of runs that are kept."""
        seconds = float(runs.seconds[0]) * min(ROUNDS / arm.rounds, 1.0)
        return cls._of(arm, int(runs.seeds[0]), runs.regrets[0], runs.simple_regret[0], seconds)

    @classmethod
    def played(cls, arm: Arm, seed: int) -> Self:
        """That of today's code."""
        posed, rounds = arm.posed(seed), min(ROUNDS, arm.rounds)
        began = time.process_time()
        now = run(posed, arm.policy, arm.delay, rounds, seed, initial=arm.initial, every=arm.every, lazy=arm.lazy)
        return cls._of(arm, seed, now.regrets, now.simple_regret, time.process_time() - began)

    @classmethod
    def _of(cls, arm: Arm, seed: int, regrets: Array, simple_regret: Array, seconds: float) -> Self:
        return cls(arm.label, arm.digest, seed, _written(regrets), _written(simple_regret), round(seconds, 3))

    def agrees(self, other: Opening) -> bool:
        """Whether both came to the same, but for rounding."""
        ours, theirs = (np.array([*one.regrets, *one.simple_regret], dtype=float) for one in (self, other))
        return self.digest == other.digest and bool(
            ours.shape == theirs.shape and np.allclose(ours, theirs, rtol=10.0 ** (1 - DIGITS), equal_nan=True)
        )


def provenance(reproduction: Reproduction) -> dict[str, Any]:
    """What a figure was made with and what came of its claims, as JSON."""
    return {"release": RELEASE, "panels": [_panel(outcome) for outcome in reproduction.outcomes]}


def _panel(outcome: PanelOutcome) -> dict[str, Any]:
    results = outcome.results
    if results is None:
        return {"panel": outcome.panel.title, "missing": outcome.missing}
    return {
        "panel": outcome.panel.title,
        "trials": len(results.experiment.seeds),
        "arms": [asdict(Opening.of(arm, results[arm.label])) for arm in results.arms],
        "claims": [
            {
                "claim": found.claim.words,
                "span": found.claim.span,
                "outcome": found.outcome,
                "findings": [{**asdict(one), "outcome": one.outcome} for one in found.findings],
            }
            for found in outcome.verdicts
        ],
    }


def _written(values: Array) -> tuple[float | None, ...]:
    return tuple(None if not np.isfinite(value) else float(f"{value:.{DIGITS}g}") for value in values[:ROUNDS])
