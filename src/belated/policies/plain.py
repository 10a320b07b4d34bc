"""The classic policies, which know nothing of delays: pending queries leave no trace."""

from __future__ import annotations

from belated.beliefs import Description
from belated.log import GivenWindow, as_window
from belated.pacing import Always
from belated.pending import Hallucinate, Ignore
from belated.policies.parts import FITTED, as_width, begin
from belated.policies.policy import Policy
from belated.policies.registry import policy
from belated.rules import Anywhere, Explore, Improvement, Thompson, UpperBound, Width


@policy("random")
def random() -> Policy:
    """Points drawn evenly from the space: the measure of all others."""
    return Policy(
        belief=FITTED,
        treatment=Ignore(),
        rule=Anywhere(),
        pacing=Always(),
        blind=True,
    )


@policy("uncertainty")
def uncertainty(belief: Description = FITTED, window: GivenWindow = None, initial: int | None = None) -> Policy:
    """Uncertainty sampling: always where least is known [desautels2014, algorithm 3]."""
    return Policy(
        belief=belief,
        treatment=Hallucinate(as_window(window)),
        rule=begin(Explore(), belief, initial),
        pacing=Always(),
    )


@policy("gp-ucb")
def gp_ucb(width: float | Width = 2.0, belief: Description = FITTED, initial: int | None = None) -> Policy:
    """GP-UCB: the highest upper confidence bound, from the answers alone [srinivas2010]."""
    return Policy(
        belief=belief,
        treatment=Ignore(),
        rule=begin(UpperBound(as_width(width)), belief, initial),
        pacing=Always(),
    )


@policy("gp-ei")
def gp_ei(belief: Description = FITTED, initial: int | None = None) -> Policy:
    """Expected improvement over the best mean so far, from the answers alone [jones1998]."""
    return Policy(
        belief=belief,
        treatment=Ignore(),
        rule=begin(Improvement(), belief, initial),
        pacing=Always(),
    )


@policy("gp-ts")
def gp_ts(inflation: float | Width = 1.0, belief: Description = FITTED, initial: int | None = None) -> Policy:
    """GP-TS: the best point of a function drawn from the belief, its deviation inflated if wished [chowdhury2017]."""
    return Policy(
        belief=belief,
        treatment=Ignore(),
        rule=begin(Thompson(as_width(inflation, "inflation")), belief, initial),
        pacing=Always(),
    )


@policy("asy-ts")
def asy_ts(belief: Description = FITTED, initial: int | None = None) -> Policy:
    """asy-TS: a draw whenever a worker is free; the draws' variety keeps pending queries apart [kandasamy2018]."""
    return Policy(
        belief=belief,
        treatment=Ignore(),
        rule=begin(Thompson(), belief, initial),
        pacing=Always(),
    )
