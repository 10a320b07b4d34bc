"""Batch pure exploration with elimination, with and without delays [vakili2023; li2022]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from belated.beliefs import Description
from belated.checks import require_count, require_number
from belated.delays import allowance
from belated.evidence import Evidence
from belated.pacing import Until
from belated.pending import Rounds, WithinRound
from belated.policies.parameters import FITTED, as_width
from belated.policies.policy import Policy
from belated.policies.recipe import Compose
from belated.policies.registry import policy
from belated.rules import Eliminate, Width

# √6, the width of the authors' experiments.
EXPERIMENTAL_WIDTH = math.sqrt(6.0)


@policy("bpe")
def bpe(horizon: int, width: float | Width = EXPERIMENTAL_WIDTH, belief: Description = FITTED) -> Policy:
    """BPE: rounds of uncertainty sampling, after each of which hopeless candidates are removed [li2022]."""
    return _rounds(Rounds(horizon), width, belief)


@policy("bpe-delay")
def bpe_delay(
    horizon: int,
    mean_delay: float | Literal["auto"] = "auto",
    xi: float = 9.0,
    b: float = 1.0,
    delta: float = 0.01,
    width: float | Width = EXPERIMENTAL_WIDTH,
    belief: Description = FITTED,
) -> Policy | Compose:
    """BPE-Delay: BPE with rounds longer by u_T, a bound of the delay [vakili2023, algorithm 1].

    With a mean delay of "auto", u_T is learned from the delays before each round, in place of E[τ], ξ and b.
    """
    if mean_delay == "auto":
        _rounds(Rounds(horizon), width, belief)  # what it is given is checked now, not at the first ask
        return _LearnedRounds(horizon, width, belief)
    return _rounds(Rounds(horizon, delay_allowance(horizon, mean_delay, xi, b, delta)), width, belief)


def delay_allowance(horizon: int, mean_delay: float, xi: float, b: float, delta: float) -> float:
    """u_T = E[τ] + min{√(2 ξ² L), 2 b L} with L = log(3T/δ), a bound of T delays [vakili2023, eq. 6].

    The delay is sub-exponential: E exp(η (τ − E τ)) ≤ exp(η² ξ²/2) for |η| ≤ 1/b.
    """
    require_count(None, "horizon", horizon)
    for name, value in (("mean_delay", mean_delay), ("xi", xi), ("b", b)):
        require_number(None, name, value, low=0)
    require_number(None, "delta", delta, above=0, below=1)
    log_term = math.log(3.0 * horizon / delta)
    return float(mean_delay + min(xi * math.sqrt(2.0 * log_term), 2.0 * b * log_term))


@dataclass(frozen=True)
class _LearnedRounds:
    """The policy whose rounds so far were as long as the delays before each of them said."""

    horizon: int
    width: float | Width
    belief: Description

    def __call__(self, evidence: Evidence, now: float) -> Policy:
        """The policy of this moment."""
        learned: tuple[float, ...] = ()
        start = 1
        while start <= min(evidence.n_asked + 1, self.horizon):
            asked_at = evidence.asked_at(start)
            learned += (allowance(evidence.before(start), now if asked_at is None else asked_at),)
            start = Rounds(self.horizon, learned).ends()[len(learned) - 1] + 1
        return _rounds(Rounds(self.horizon, learned), self.width, self.belief)


def _rounds(rounds: Rounds, width: float | Width, belief: Description) -> Policy:
    return Policy(
        belief=belief,
        treatment=WithinRound(rounds),
        rule=Eliminate(as_width(width), rounds),
        pacing=Until(rounds),
    )
