"""Expected improvement where answers have noise and come late [letham2019], in logarithms [ament2023]."""

from __future__ import annotations

from belated.beliefs import Description
from belated.log import GivenWindow, as_window
from belated.pacing import Always
from belated.pending import Open
from belated.policies.parameters import FITTED, Initial, Scenarios, begin
from belated.policies.policy import Policy
from belated.policies.registry import policy
from belated.rules import Apart, NoisyImprovement


@policy("gp-lognei")
def gp_lognei(
    draws: Scenarios = 64, belief: Description = FITTED, window: GivenWindow = None, initial: Initial = None
) -> Policy:
    """GP-logNEI: the improvement expected on a best that nobody knows yet, answered or pending [letham2019]."""
    return Policy(
        belief=belief,
        treatment=Open(as_window(window)),
        rule=begin(NoisyImprovement(draws), belief, initial),
        pacing=Always(),
        repeats=Apart(),
    )
