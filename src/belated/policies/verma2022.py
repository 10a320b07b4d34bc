"""Stochastic delayed feedback by censoring: silence counts as the smallest value of f [verma2022]."""

from __future__ import annotations

from typing import Literal

from belated.beliefs import Description
from belated.checks import require_number
from belated.log import GivenWindow, as_window
from belated.pacing import Always
from belated.pending import Censor
from belated.policies.parameters import FITTED, Initial, as_width, begin, require_belief
from belated.policies.policy import Policy
from belated.policies.registry import policy
from belated.rules import Apart, Constant, Delayed, Thompson, UpperBound, Width

# Once queries leave the window, ν_t shrinks, and would bring queries back to where one may still be under way.
NEAR = 0.01


@policy("gp-ucb-sdf")
def gp_ucb_sdf(
    window: GivenWindow = 20,
    floor: float | None = None,
    late: Literal["accept", "discard"] = "discard",
    bound: float | None = None,
    base: float | Width = 1.0,
    belief: Description = FITTED,
    initial: Initial = None,
) -> Policy:
    """GP-UCB-SDF: pending queries censored at the floor, the width ν_t of their uncertainty [verma2022, eq. 1-2]."""
    waits = as_window(window)
    if floor is not None:
        require_number(None, "floor", floor)
    return Policy(
        belief=_around(floor, belief),
        treatment=Censor(waits, floor, late),
        rule=begin(UpperBound(Delayed(waits, bound, as_width(base, "base"))), belief, initial),
        pacing=Always(),
        repeats=Apart(overdue=NEAR),
    )


@policy("gp-ts-sdf")
def gp_ts_sdf(
    window: GivenWindow = 20,
    floor: float | None = None,
    late: Literal["accept", "discard"] = "discard",
    bound: float | None = None,
    base: float | Width = 1.0,
    inflate: bool = True,
    belief: Description = FITTED,
    initial: Initial = None,
) -> Policy:
    """GP-TS-SDF: a draw from the censored belief, its deviation inflated by ν_t [verma2022, eq. 1 and 3]."""
    waits = as_window(window)
    if floor is not None:
        require_number(None, "floor", floor)
    return Policy(
        belief=_around(floor, belief),
        treatment=Censor(waits, floor, late),
        rule=begin(
            Thompson(Delayed(waits, bound, as_width(base, "base")) if inflate else Constant(1.0)), belief, initial
        ),
        pacing=Always(),
        repeats=Apart(overdue=NEAR),
    )


def _around(floor: float | None, belief: Description) -> Description:
    """The belief with its prior mean at the floor, where the paper has it; the fit must know."""
    require_belief(belief)
    return belief.around("smallest" if floor is None else floor)
