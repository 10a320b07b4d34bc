"""Batch pure exploration with elimination, with and without delays [vakili2023; li2022]."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, ParamSpec, Protocol, cast

from belated.beliefs import GP, Description
from belated.checks import is_past, require_count, require_number
from belated.delays import allowance
from belated.errors import ParameterError
from belated.evidence import Evidence
from belated.pacing import Until
from belated.pending import Rounds, WithinRound
from belated.policies.parameters import FITTED, Discretised, as_width
from belated.policies.policy import Policy
from belated.policies.recipe import Compose, Recipe
from belated.policies.registry import policy
from belated.rules import Eliminate, Simultaneous, Width

P = ParamSpec("P")
Q = ParamSpec("Q")

# √6, and ξ, b and δ: those of the authors' experiments.
EXPERIMENTAL_WIDTH = math.sqrt(6.0)
XI, B, DELTA = 9.0, 1.0, 0.01


class WithGuarantee(Protocol[P, Q]):
    """A function that builds a policy, and beside it one that builds it as a theorem assumes it."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Recipe:
        """The recipe of the policy."""
        ...

    @property
    def guaranteed(self) -> Callable[Q, Recipe]:
        """What builds it as the theorem assumes it."""
        ...


def with_guarantee(setting: Callable[Q, Recipe]) -> Callable[[Callable[P, Recipe]], WithGuarantee[P, Q]]:
    """Hang a theorem's setting on the function that builds its policy, as `guaranteed`."""

    def attach(function: Callable[P, Recipe]) -> WithGuarantee[P, Q]:
        function.guaranteed = setting  # type: ignore[attr-defined]
        return cast("WithGuarantee[P, Q]", function)

    return attach


def theorem_6_1(
    horizon: int,
    mean_delay: float,
    xi: float,
    b: float,
    norm: float,
    belief: GP,
    ratio: float = 1.0,
    delta: float = DELTA,
) -> Recipe:
    """BPE-Delay with the bounds that hold with probability 1 − δ, and with them its regret [vakili2023, theorem 6.1].

    Half of δ is for u_T, which no delay exceeds, and half for β̃ = C_k + (σ/λ) √(2 log(4 R |X| / δ)), with R the rounds
    of this horizon and this u_T. `norm` is C_k, at least the norm of f less its prior mean in the space of the kernel;
    `ratio` is σ/λ, where noise is σ-sub-Gaussian and λ² the noise of the belief, of which nothing is fitted.
    """
    try:
        if not isinstance(belief, GP) or not belief.known or belief.mean in ("fitted", "smallest"):
            raise ParameterError(
                "the theorem knows the kernel and the prior mean; give bl.GP(kernel=…, lengthscale=…, variance=…, "
                "noise=…, mean='zero').",
                given=("belief", belief),
            )
        allowance = delay_allowance(horizon, mean_delay, xi, b, delta)
        width = Simultaneous(len(Rounds(horizon, allowance).ends()), norm, ratio, delta)
        return bpe_delay(horizon, mean_delay, xi, b, delta, width, belief)
    except ParameterError as error:
        raise error.in_call("bpe_delay.guaranteed") from None


@policy("bpe")
def bpe(
    horizon: int,
    width: float | Width = EXPERIMENTAL_WIDTH,
    belief: Description = FITTED,
    discretise: Discretised = None,
) -> Policy:
    """BPE: rounds of uncertainty sampling, after each of which hopeless candidates are removed [li2022]."""
    return _rounds(Rounds(horizon), width, belief, discretise)


@with_guarantee(theorem_6_1)
@policy("bpe-delay")
def bpe_delay(
    horizon: int,
    mean_delay: float | Literal["auto"] = "auto",
    xi: float | None = None,
    b: float | None = None,
    delta: float | None = None,
    width: float | Width = EXPERIMENTAL_WIDTH,
    belief: Description = FITTED,
    discretise: Discretised = None,
) -> Policy | Compose:
    """BPE-Delay: BPE with rounds longer by u_T, a bound of the delay [vakili2023, algorithm 1].

    With a mean delay of "auto", u_T is learned from the delays before each round, and E[τ], ξ, b and δ have no part in
    it. With a number, ξ, b and δ are those of the authors' experiments where they are not given.
    """
    if mean_delay == "auto":
        _require_unused(xi=xi, b=b, delta=delta)
        _rounds(Rounds(horizon), width, belief, discretise)  # what it is given is checked now, not at the first ask
        return _LearnedRounds(horizon, width, belief, discretise)
    xi, b, delta = (own if given is None else given for given, own in ((xi, XI), (b, B), (delta, DELTA)))
    allowance = delay_allowance(horizon, mean_delay, xi, b, delta)
    return _rounds(Rounds(horizon, allowance), width, belief, discretise)


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
    discretise: int | None

    def __call__(self, evidence: Evidence, now: float) -> Policy:
        """The policy of this moment."""
        learned: tuple[float, ...] = ()
        start = 1
        while start <= min(evidence.n_asked + 1, self.horizon):
            asked_at = evidence.asked_at(start)
            learned += (allowance(evidence.before(start), now if asked_at is None else asked_at),)
            start = Rounds(self.horizon, learned).ends()[len(learned) - 1] + 1
        return _rounds(Rounds(self.horizon, learned), self.width, self.belief, self.discretise)


def _require_unused(**parameters: float | None) -> None:
    """Refuse parameters of a bound that is learned."""
    given = [(name, value) for name, value in parameters.items() if value is not None]
    # A log of before this was refused is read all the same.
    if is_past(len(given), 0):
        name = given[0][0]
        raise ParameterError(
            f"{name} is of a bound of the delays that is computed, and with mean_delay='auto' it is learned; give a "
            f"mean_delay, or leave {name} out.",
            given=given[0],
        )


def _rounds(rounds: Rounds, width: float | Width, belief: Description, discretise: int | None) -> Policy:
    return Policy(
        belief=belief,
        treatment=WithinRound(rounds),
        rule=Eliminate(as_width(width), rounds, discretise),
        pacing=Until(rounds),
    )
