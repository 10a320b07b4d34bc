"""The classic policies, which know nothing of delays: pending queries leave no trace."""

from __future__ import annotations

from dataclasses import dataclass

from belated.beliefs import Belief, Description, Memory
from belated.contexts import LeftOut
from belated.evidence import Evidence
from belated.log import GivenWindow, as_window
from belated.pacing import Always
from belated.pending import Hallucinate, Ignore
from belated.policies.parameters import FITTED, FOR_MANY, MANY, Initial, as_width, begin
from belated.policies.policy import Policy
from belated.policies.registry import policy
from belated.rules import Anywhere, Apart, Explore, Improvement, Thompson, UpperBound, Width


@dataclass(frozen=True)
class Beside:
    """A Gaussian process, for which random features stand with many answers.

    What decides without a belief still recommends by one, and that must not cost more than all asks together.
    """

    def describe(self) -> str:
        """What it is, in words."""
        return "a Gaussian process, which recommends and decides nothing"

    def prior(self, evidence: Evidence, memory: Memory) -> Belief:
        """The belief for this number of answers, before any of them."""
        described = FITTED if evidence.n_answered <= MANY else FOR_MANY
        return described.prior(evidence, memory)


@policy("random")
def random() -> Policy:
    """Points drawn evenly from the space: the measure of all others."""
    return Policy(
        belief=Beside(),
        treatment=Ignore(),
        rule=Anywhere(),
        pacing=Always(),
        aim=LeftOut(),
    )


@policy("uncertainty")
def uncertainty(belief: Description = FITTED, window: GivenWindow = None, initial: Initial = None) -> Policy:
    """Uncertainty sampling: always where least is known [desautels2014, algorithm 3]."""
    return Policy(
        belief=belief,
        treatment=Hallucinate(as_window(window)),
        rule=begin(Explore(), belief, initial),
        pacing=Always(),
        repeats=Apart(),
    )


@policy("gp-ucb")
def gp_ucb(width: float | Width = 2.0, belief: Description = FITTED, initial: Initial = None) -> Policy:
    """GP-UCB: the highest upper confidence bound, from the answers alone [srinivas2010]."""
    return Policy(
        belief=belief,
        treatment=Ignore(),
        rule=begin(UpperBound(as_width(width)), belief, initial),
        pacing=Always(),
    )


@policy("gp-ei")
def gp_ei(belief: Description = FITTED, initial: Initial = None) -> Policy:
    """Expected improvement over the best mean so far, from the answers alone [jones1998]."""
    return Policy(
        belief=belief,
        treatment=Ignore(),
        rule=begin(Improvement(), belief, initial),
        pacing=Always(),
    )


@policy("gp-ts")
def gp_ts(inflation: float | Width = 1.0, belief: Description = FITTED, initial: Initial = None) -> Policy:
    """GP-TS: the best point of a function drawn from the belief, its deviation inflated if wished [chowdhury2017]."""
    return Policy(
        belief=belief,
        treatment=Ignore(),
        rule=begin(Thompson(as_width(inflation, "inflation")), belief, initial),
        pacing=Always(),
    )


@policy("asy-ts")
def asy_ts(belief: Description = FITTED, initial: Initial = None) -> Policy:
    """asy-TS: a draw whenever a worker is free; the draws' variety keeps pending queries apart [kandasamy2018]."""
    return Policy(
        belief=belief,
        treatment=Ignore(),
        rule=begin(Thompson(), belief, initial),
        pacing=Always(),
    )
