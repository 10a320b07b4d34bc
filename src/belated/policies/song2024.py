"""The algorithm that Vizier asks by [song2024]: upper bounds on news, and pure exploration in between [contal2013]."""

from __future__ import annotations

from belated.beliefs import Description
from belated.log import GivenWindow, as_window
from belated.pacing import Always
from belated.pending import Hallucinate
from belated.policies.parameters import FITTED, Initial, begin
from belated.policies.policy import Policy
from belated.policies.registry import policy
from belated.rules import Apart, BoundOrExplore


@policy("gp-ucb-pe")
def gp_ucb_pe(
    width: float = 1.8,
    region: float = 0.5,
    explore: float = 0.1,
    bound: float = 0.25,
    belief: Description = FITTED,
    window: GivenWindow = None,
    initial: Initial = None,
) -> Policy:
    """GP-UCB-PE: an upper bound when an answer has come, else pure exploration where the best may be [contal2013]."""
    return Policy(
        belief=belief,
        treatment=Hallucinate(as_window(window)),
        rule=begin(BoundOrExplore(width, region, explore, bound), belief, initial),
        pacing=Always(),
        repeats=Apart(),
    )
