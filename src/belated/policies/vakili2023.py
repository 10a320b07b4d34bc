"""Batch pure exploration with elimination, with and without delays [vakili2023; li2022]."""

from __future__ import annotations

import math

from belated.beliefs import Description
from belated.errors import require_count, require_number
from belated.pacing import Until
from belated.pending import Rounds, WithinRound
from belated.policies.parts import FITTED, as_width
from belated.policies.policy import Policy
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
    mean_delay: float,
    xi: float = 9.0,
    b: float = 1.0,
    delta: float = 0.01,
    width: float | Width = EXPERIMENTAL_WIDTH,
    belief: Description = FITTED,
) -> Policy:
    """BPE-Delay: BPE with rounds longer by u_T, a bound of the delay [vakili2023, algorithm 1]."""
    return _rounds(Rounds(horizon, delay_allowance(horizon, mean_delay, xi, b, delta)), width, belief)


def delay_allowance(horizon: int, mean_delay: float, xi: float, b: float, delta: float) -> float:
    """u_T = E[τ] + min{√(2 ξ² L), 2 b L} with L = log(3T/δ), a bound of T delays [vakili2023, eq. 6].

    The delay is sub-exponential: E exp(η (τ − E τ)) ≤ exp(η² ξ²/2) for |η| ≤ 1/b.
    """
    require_count("", "horizon", horizon)
    for name, value in (("mean_delay", mean_delay), ("xi", xi), ("b", b)):
        require_number("", name, value, low=0)
    require_number("", "delta", delta, above=0, below=1)
    log_term = math.log(3.0 * horizon / delta)
    return float(mean_delay + min(xi * math.sqrt(2.0 * log_term), 2.0 * b * log_term))


def _rounds(rounds: Rounds, width: float | Width, belief: Description) -> Policy:
    return Policy(
        belief=belief,
        treatment=WithinRound(rounds),
        rule=Eliminate(as_width(width), rounds),
        pacing=Until(rounds),
        needs_table=True,
    )
