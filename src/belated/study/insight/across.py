"""Over which contexts an expectation is meant, in words."""

from __future__ import annotations

from belated.contexts import (
    DensityBall,
    Expectation,
    KernelDensity,
    Known,
    Law,
    MeanDiscrepancyBall,
    MinimaxDiscrepancy,
    Observed,
    WithinDeviation,
)
from belated.policies import Policy


def across_text(policy: Policy) -> str:
    """Over which contexts a policy's expectation is meant; empty where it is meant in one, or in none."""
    match policy.across:
        case None:
            return ""
        case Expectation(law=law):
            return f"on average over {_contexts_of(law)}"
        case DensityBall(law=law):
            return f"under the worst law near that of {_contexts_of(law)}"
        case MeanDiscrepancyBall() | MinimaxDiscrepancy():
            return "under the worst law near that of the contexts seen"
        case WithinDeviation():
            return "in the worst context within a deviation of the mean of those seen"
    return "across contexts"


def _contexts_of(law: Law) -> str:
    match law:
        case KernelDensity():
            return "contexts like those seen"
        case Observed():
            return "the contexts seen"
        case Known():
            return "the contexts given"
    return "the contexts to come"
