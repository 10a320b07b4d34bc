"""Contexts seen only after the decision, their law unknown: expectation and robustness [huang2024].

All but the last maximise an upper confidence bound across the contexts that may come, and differ in what they make of
it: the aim. Any of them takes pending queries as it is told to; the papers have none.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from belated.beliefs import Description
from belated.contexts import (
    Aim,
    ContextLaw,
    DensityBall,
    Divergence,
    Expectation,
    KernelDensity,
    LeftOut,
    MeanDiscrepancyBall,
    MinimaxDiscrepancy,
    TotalVariation,
    WithinDeviation,
)
from belated.log import GivenWindow, as_window
from belated.pacing import Always, Pacing
from belated.pending import Hallucinate, Ignore, Treatment
from belated.policies.parameters import FITTED, Contexts, Grid, Initial, as_width, begin
from belated.policies.policy import Policy
from belated.policies.registry import policy
from belated.rules import UpperBound, Width

# √β of [huang2024, appendix B.1].
WIDTH = 1.5


@policy("sbo-kde")
def sbo_kde(
    width: float | Width = WIDTH,
    law: ContextLaw = KernelDensity(),
    samples: Contexts = 1024,
    treatment: Treatment = Hallucinate(),
    window: GivenWindow = None,
    pacing: Pacing = Always(),
    belief: Description = FITTED,
    initial: Initial = None,
) -> Policy:
    """SBO-KDE: the highest upper bound on average over the contexts that a kernel density expects [huang2024]."""
    return _across(Expectation(law, samples), width, _waiting(treatment, window), pacing, belief, initial)


@policy("drbo-kde")
def drbo_kde(
    width: float | Width = WIDTH,
    radius: float | None = None,
    law: ContextLaw = KernelDensity(),
    samples: Contexts = 1024,
    infimum: Contexts = 1024,
    divergence: Divergence = TotalVariation(),
    treatment: Treatment = Hallucinate(),
    window: GivenWindow = None,
    pacing: Pacing = Always(),
    belief: Description = FITTED,
    initial: Initial = None,
) -> Policy:
    """DRBO-KDE: the highest upper bound under the worst law of contexts near a kernel density [huang2024, alg. 2]."""
    aim = DensityBall(law, samples, infimum, radius, divergence)
    return _across(aim, width, _waiting(treatment, window), pacing, belief, initial)


@policy("drbo-mmd")
def drbo_mmd(
    width: float | Width = WIDTH,
    grid: Grid = 100,
    radius: float | None = None,
    treatment: Treatment = Hallucinate(),
    window: GivenWindow = None,
    pacing: Pacing = Always(),
    belief: Description = FITTED,
    initial: Initial = None,
) -> Policy:
    """DRBO-MMD: the highest upper bound under the worst law on a grid near the contexts seen [kirschner2020]."""
    return _across(MeanDiscrepancyBall(grid, radius), width, _waiting(treatment, window), pacing, belief, initial)


@policy("drbo-mmd-minimax")
def drbo_mmd_minimax(
    width: float | Width = WIDTH,
    grid: Grid = 1024,
    radius: float | None = None,
    treatment: Treatment = Hallucinate(),
    window: GivenWindow = None,
    pacing: Pacing = Always(),
    belief: Description = FITTED,
    initial: Initial = None,
) -> Policy:
    """DRBO-MMD with the minimax approximation of its worst case, on a finer grid [tay2022]."""
    return _across(MinimaxDiscrepancy(grid, radius), width, _waiting(treatment, window), pacing, belief, initial)


@policy("stableopt")
def stableopt(
    width: float | Width = WIDTH,
    samples: Contexts = 1024,
    treatment: Treatment = Hallucinate(),
    window: GivenWindow = None,
    pacing: Pacing = Always(),
    belief: Description = FITTED,
    initial: Initial = None,
) -> Policy:
    """StableOpt: the highest upper bound in the worst context within a deviation of their mean [bogunovic2018]."""
    return _across(WithinDeviation(samples), width, _waiting(treatment, window), pacing, belief, initial)


@policy("gp-ucb-blind")
def gp_ucb_blind(width: float | Width = WIDTH, belief: Description = FITTED, initial: Initial = None) -> Policy:
    """GP-UCB that leaves out contexts seen after the decision: to it they are noise [huang2024, section 4]."""
    return Policy(
        belief=belief,
        treatment=Ignore(),
        rule=begin(UpperBound(as_width(width)), belief, initial),
        pacing=Always(),
        aim=LeftOut(),
    )


def _across(
    aim: Aim, width: float | Width, treatment: Treatment, pacing: Pacing, belief: Description, initial: Initial
) -> Policy:
    return Policy(
        belief=belief,
        treatment=treatment,
        rule=begin(UpperBound(as_width(width)), belief, initial),
        pacing=pacing,
        aim=aim,
    )


def _waiting(treatment: Treatment, window: GivenWindow) -> Treatment:
    """The treatment with this window, or as it is."""
    if window is None:
        return treatment
    told: Any = treatment
    return replace(told, window=as_window(window))  # type: ignore[no-any-return]
