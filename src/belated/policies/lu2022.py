"""Surrogates beyond a single Gaussian process: ensembles, and bandits over kernels [lu2022]."""

from __future__ import annotations

from collections.abc import Sequence

from belated.beliefs import GP, Ensemble, Features, FullyBayesian
from belated.errors import ParameterError, unknown_name
from belated.pacing import Always
from belated.pending import Ignore
from belated.policies.parameters import Draws, Initial, as_width, begin
from belated.policies.policy import Policy
from belated.policies.registry import policy
from belated.rules import ExponentialWeights, HighestDraw, Improvement, OneMember, Thompson, UpperBound, Width

# The paper's: 50 spectral draws, hyperparameters by maximum likelihood after every 50 answers, 10 initial points. In
# between, beliefs that were fitted to 10 answers may be far too sure of themselves, so that EGP-TS refits more often
# unless it is told to do as the paper does.
SPECTRAL, REFIT, INITIAL = 50, 50, 10

Dictionary = str | Sequence[GP]


@policy("egp-ts")
def egp_ts(
    dictionary: Dictionary = "a",
    features: Draws = SPECTRAL,
    floor: float = 0.0,
    refit: int | None = None,
    initial: Initial = INITIAL,
) -> Policy:
    """EGP-TS: a member of an ensemble drawn by its weight, then the best point of a function drawn from it [lu2022]."""
    belief = Ensemble(tuple(Features(kernel, features) for kernel in kernels(dictionary, refit)), floor)
    return Policy(
        belief=belief,
        treatment=Ignore(),
        rule=begin(Thompson(), belief, initial),
        pacing=Always(),
    )


@policy("egp-ei")
def egp_ei(
    dictionary: Dictionary = "a", floor: float = 0.0, refit: int | None = 1, initial: Initial = INITIAL
) -> Policy:
    """EGP-EI: a member drawn by its weight, then expected improvement under its exact process [lu2022, remark 1]."""
    belief = Ensemble(kernels(dictionary, refit), floor)
    return Policy(
        belief=belief,
        treatment=Ignore(),
        rule=begin(OneMember(Improvement()), belief, initial),
        pacing=Always(),
    )


@policy("egp-ucb")
def egp_ucb(
    dictionary: Dictionary = "a",
    width: float | Width = 2.0,
    floor: float = 0.0,
    refit: int | None = 1,
    initial: Initial = INITIAL,
) -> Policy:
    """EGP-UCB: a member drawn by its weight, then the upper bound of its exact process [lu2022, remark 1]."""
    belief = Ensemble(kernels(dictionary, refit), floor)
    return Policy(
        belief=belief,
        treatment=Ignore(),
        rule=begin(OneMember(UpperBound(as_width(width))), belief, initial),
        pacing=Always(),
    )


@policy("fb-gp-ts")
def fb_gp_ts(belief: FullyBayesian = FullyBayesian(), initial: Initial = INITIAL) -> Policy:
    """Fully Bayesian GP-TS: hyperparameters drawn from their posterior, then a function [lu2022, section 6]."""
    return Policy(
        belief=belief,
        treatment=Ignore(),
        rule=begin(Thompson(), belief, initial),
        pacing=Always(),
    )


@policy("banditbo")
def banditbo(
    dictionary: Dictionary = "a", features: Draws = SPECTRAL, refit: int | None = 1, initial: Initial = INITIAL
) -> Policy:
    """BanditBO: every kernel draws a function from its own answers; the highest maximum is asked [nguyen2020]."""
    arms = tuple(Features(kernel, features) for kernel in kernels(dictionary, refit))
    belief = Ensemble(arms)
    return Policy(
        belief=belief,
        treatment=Ignore(),
        rule=begin(HighestDraw(arms), belief, initial),
        pacing=Always(),
    )


@policy("exp3bo")
def exp3bo(
    dictionary: Dictionary = "a",
    features: Draws = SPECTRAL,
    exploration: float = 0.1,
    refit: int | None = 1,
    initial: Initial = INITIAL,
) -> Policy:
    """EXP3BO: a kernel drawn by EXP3, then the best point of a function drawn from its own answers [gopakumar2018]."""
    arms = tuple(Features(kernel, features) for kernel in kernels(dictionary, refit))
    belief = Ensemble(arms)
    return Policy(
        belief=belief,
        treatment=Ignore(),
        rule=begin(ExponentialWeights(arms, exploration), belief, initial),
        pacing=Always(),
    )


def kernels(dictionary: Dictionary, refit: int | None = None) -> tuple[GP, ...]:
    """A dictionary of the paper by its name, or the kernels given.

    (a) has kernels of distinct forms: RBF without and with a lengthscale per parameter, Matérn 3/2 and 5/2. (b) has
    RBF kernels with lengthscales 10^c, c = −4, …, 6, in units of the cube.
    """
    if not isinstance(dictionary, str):
        given = list(dictionary) if isinstance(dictionary, Sequence) else []
        chosen = tuple(kernel for kernel in given if isinstance(kernel, GP))
        if not chosen or len(chosen) < len(given):
            raise ParameterError(
                "a dictionary is 'a', 'b' or a list of bl.GP(…), at least one; give that.",
                given=("dictionary", dictionary),
            )
        return chosen
    forms = [("se", False), ("se", True), ("matern32", False), ("matern52", False)]
    known = {
        "a": tuple(GP(kernel=kernel, ard=ard, fit="ml", refit=refit) for kernel, ard in forms),
        "b": tuple(GP(kernel="se", lengthscale=10.0**power, fit="ml", refit=refit) for power in range(-4, 7)),
    }
    if dictionary not in known:
        raise unknown_name("dictionary()", "dictionary", dictionary, known)
    return known[dictionary]
