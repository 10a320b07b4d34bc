"""Problems whose context nature shows only after the decision: maximise E_c f(x, c), the distribution of c unknown.

They are those of [huang2024, appendices B.2 and D] that need no table; decisions and contexts are in [0, 1], and a
context beyond it counts as the nearest end. Each expectation is exact but for rounding, since each f leaves nothing but
integrals over one number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from belated.checks import require_count
from belated.simulate.problems.analytic import (
    HARTMANN6_CENTRES,
    HARTMANN6_RATES,
    HARTMANN_HEIGHTS,
    branin_values,
    bumps,
)
from belated.simulate.problems.dimensions import ackley_values
from belated.simulate.problems.distributions import Burr, Cauchy, Distribution, MixedDistribution, Normal, clipped
from belated.simulate.problems.problem import Formula, Problem
from belated.simulate.problems.registry import problem
from belated.space import Array, Context, Float, Space

MOST_CONTEXTS = 98
WIDE, NARROW = Normal(0.5, 0.15), Normal(0.5, 0.1)
DEMAND = Burr(2.0, 20.0)
COMPLICATED = MixedDistribution(
    (
        *(Normal(0.1, 0.02), Normal(0.3, 0.075), Normal(0.4, 0.1), Normal(0.5, 0.1)),
        *(Normal(0.7, 0.075), Normal(0.8, 0.03), Cauchy(0.2, 0.02), Cauchy(0.8, 0.02)),
    )
)
# Ackley's function has its usual box, of this half width.
REACH = 32.768


@dataclass(frozen=True)
class Independent:
    """A context of numbers that are drawn independently from one distribution and clipped to [0, 1]."""

    distribution: Distribution
    names: tuple[str, ...]
    formula: Formula  # f, of the point's and the context's numbers

    @property
    def context(self) -> Context:
        """Numbers of [0, 1], seen after the decision."""
        return Context(**{name: Float(0, 1) for name in self.names}, seen="after", outside="refuse")

    def draw(self, rng: np.random.Generator) -> Mapping[str, Any]:
        """One context, clipped."""
        return {name: min(max(self.distribution.draw(rng), 0.0), 1.0) for name in self.names}

    def outcome(self, point: Mapping[str, Any], context: Mapping[str, Any]) -> float:
        """f(x, c)."""
        return self.formula({**context, **point})


def ackley_outcomes(rows: Array) -> Array:
    """20 exp(−0.2 √mean z²) + exp(mean cos 2πz) − 20 − e, z = 65.536 u − 32.768, for every row u of (m, d)."""
    return -ackley_values(REACH * (2.0 * rows - 1.0))


def branin_outcomes(rows: Array) -> Array:
    """−√(h(15x₁ − 5, 15c₁) h(15c₂ − 5, 15x₂)), h Branin's function, for every row (x₁, x₂, c₁, c₂) of (m, 4)."""
    x1, x2, c1, c2 = rows.T
    return -_branin_root(x1, c1) * _branin_root(c2, x2)


def hartmann_outcomes(rows: Array) -> Array:
    """Σᵢ αᵢ exp(−Σⱼ Aᵢⱼ (uⱼ − Pᵢⱼ)²) for every row (x₁, …, x₅, c) of (m, 6): the context is the sixth."""
    return bumps(rows, HARTMANN_HEIGHTS, HARTMANN6_RATES, HARTMANN6_CENTRES)


def newsvendor_outcomes(rows: Array) -> Array:
    """9 min(x, c) + max(0, x − c) − 5x for every row (x, c) of (m, 2)."""
    x, c = rows.T
    return np.asarray(9.0 * np.minimum(x, c) + np.maximum(0.0, x - c) - 5.0 * x)


@dataclass(frozen=True)
class ExpectedAckley:
    """E_c of Ackley's function of two decisions and some contexts c ~ N(0.5, 0.15²), clipped.

    With S the sum of squares and C that of cosines over the decisions, n numbers in all and k of them contexts,
        E = 20 Σⱼ wⱼ exp(−tⱼ S) + (E exp(cos(2πz)/n))ᵏ exp(C/n) − 20 − e,
    where `funnel_of` gives t, w and the factor of exp(C/n).
    """

    contexts: int

    def __call__(self, rows: Array) -> Array:
        """The expectation at every row of (m, 2)."""
        z = REACH * (2.0 * rows - 1.0)
        funnel = funnel_of(self.contexts)
        hills = np.exp(-np.outer(np.sum(z**2, axis=1), funnel.rates)) @ funnel.weights
        dents = np.exp(np.sum(np.cos(2.0 * np.pi * z), axis=1) / (2 + self.contexts)) * funnel.dent
        return np.asarray(20.0 * hills + dents - 20.0 - np.e)


class Funnel(NamedTuple):
    """What the contexts leave of Ackley's function: a sum of exponentials, and a factor of the dents."""

    rates: Array
    weights: Array
    dent: float


@lru_cache
def funnel_of(contexts: int) -> Funnel:
    """The function of the decisions' squares S that the contexts' squares leave in expectation.

    A root in an exponent is a mixture over exponents without one,
        exp(−a √s) = (2/√π) ∫₀^∞ exp(−u² − t s) du,   t = a²/4u², a = 0.2/√n,
    so that E exp(−a √(S + Σz²)) = (2/√π) ∫ exp(−u²) M(t)ᵏ exp(−t S) du with, for one context z of deviation s in
    [−L, L],
        M(t) = E exp(−t z²) = erf(L √(t + 1/2s²))/√(1 + 2ts²) + 2 Φ(−L/s) exp(−t L²).
    Over log u the trapezoid rule is exact but for rounding at this step.
    """
    from scipy.special import erf, ndtr  # as long to import as a whole room, and few need it

    n = 2 + contexts
    step = 0.1
    u = np.exp(np.arange(-20.0, 2.0 + 0.5 * step, step))
    rates = 0.2**2 / (4.0 * n * u**2)
    deviation = 2.0 * REACH * WIDE.deviation
    inside = erf(REACH * np.sqrt(rates + 0.5 / deviation**2)) / np.sqrt(1.0 + 2.0 * rates * deviation**2)
    beyond = 2.0 * float(ndtr(-REACH / deviation)) * np.exp(-rates * REACH**2)
    weights = step * (2.0 / np.sqrt(np.pi)) * u * np.exp(-(u**2)) * (inside + beyond) ** contexts
    numbers, shares = clipped(WIDE)
    dent = np.exp(np.cos(2.0 * np.pi * REACH * (2.0 * numbers - 1.0)) / n) @ shares
    return Funnel(rates, weights, float(dent) ** contexts)


def expected_branin_values(rows: Array) -> Array:
    """−E√h(15x₁ − 5, 15c₁) · E√h(15c₂ − 5, 15x₂) at every row of (m, 2), c ~ N(0.5, 0.1²) each, clipped.

    The numbers of the context are independent, and each factor has one of them.
    """
    numbers, shares = clipped(NARROW)
    x1, x2 = rows[:, :1], rows[:, 1:]
    return -(_branin_root(x1, numbers) @ shares) * (_branin_root(numbers, x2) @ shares)


@dataclass(frozen=True)
class ExpectedHartmann:
    """E_c of Hartmann's function: the five decisions' own bumps, each as high as the context leaves it."""

    distribution: Distribution

    def __call__(self, rows: Array) -> Array:
        """Σᵢ αᵢ E exp(−Aᵢ₆ (c − Pᵢ₆)²) exp(−Σⱼ₌₁⁵ Aᵢⱼ (xⱼ − Pᵢⱼ)²) at every row of (m, 5)."""
        return bumps(rows, heights_of(self.distribution), HARTMANN6_RATES[:, :5], HARTMANN6_CENTRES[:, :5])


@lru_cache
def heights_of(distribution: Distribution) -> Array:
    """αᵢ E exp(−Aᵢ₆ (c − Pᵢ₆)²), as (4,)."""
    numbers, shares = clipped(distribution)
    squares = (numbers[:, None] - HARTMANN6_CENTRES[:, 5]) ** 2
    return np.asarray(HARTMANN_HEIGHTS * (shares @ np.exp(-HARTMANN6_RATES[:, 5] * squares)))


def expected_newsvendor_values(rows: Array) -> Array:
    """8 E min(x, c) − 4x at every row of (m, 1), c of Burr's distribution with exponents 2 and 20.

    E min(x, c) = ∫₀ˣ (1 + c²)^(−20) dc = ½ B(x²/(1 + x²); ½, 39/2), B the incomplete beta function; no x is beyond
    the end that c is clipped to.
    """
    from scipy.special import beta, betainc  # as long to import as a whole room, and few need it

    x = rows[:, 0]
    half, rest = 1.0 / DEMAND.first, DEMAND.second - 1.0 / DEMAND.first
    sold = half * beta(half, rest) * betainc(half, rest, x**2 / (1.0 + x**2))
    return np.asarray(8.0 * sold - 4.0 * x)


@problem("ackley-context")
def ackley_context(seed: int = 0, *, dimension: int = 1) -> Problem:
    """Ackley's function of two decisions and a context seen after them, of 1 number or more [huang2024].

    `dimension` is that of the context: 1 in the paper's section 4.2, 4 in its appendix D.
    """
    require_count("ackley-context", "dimension", dimension, most=MOST_CONTEXTS)
    return _problem(
        f"ackley-context-{dimension}",
        ackley_outcomes,
        ExpectedAckley(dimension),
        WIDE,
        numbered("c", dimension),
        {"x1": 0.5, "x2": 0.5},  # the expectation falls with S and grows with C
        f"Ackley: two decisions in the middle of a funnel, and a context of {dimension} seen after them",
        worst=-20.0 - np.e + np.exp(-1.0),  # no funnel, and every cosine at −1
    )


@problem("branin-context")
def branin_context(seed: int = 0) -> Problem:
    """A root of two of Branin's functions, of two decisions and a context of 2 seen after them [huang2024]."""
    return _problem(
        "branin-context",
        branin_outcomes,
        expected_branin_values,
        NARROW,
        numbered("c", 2),
        {"x1": 0.19555155989690545, "x2": 0.17883870304939015},
        "Branin, modified: two decisions, and a context of two seen after them",
        worst=float(expected_branin_values(np.array([[0.0, 1.0]]))[0]),  # where each factor is at its largest
    )


@problem("hartmann-context")
def hartmann_context(seed: int = 0) -> Problem:
    """Hartmann's function of six, of which the sixth is a normal context seen after the decision [huang2024].

    Unlike the paper's α₂ = 2.0, a misprint, it is 1.2.
    """
    best = (0.19703704695797278, 0.14966287630371122, 0.48391305725286626, 0.272572253948806, 0.31350574146322097)
    return _hartmann("hartmann-context", NARROW, best, "normal")


@problem("hartmann-complicated")
def hartmann_complicated(seed: int = 0) -> Problem:
    """Hartmann's function of six; the sixth, seen after the decision, has many peaks and heavy tails [huang2024].

    The context is of six normal and two Cauchy distributions, each as likely; unlike the paper, which finds the
    expectation too difficult and reports the sum of answers, this has it, and with it the optimum.
    """
    best = (0.20010594887162403, 0.15471568567707975, 0.486763262089541, 0.2742054106562201, 0.3122437056284559)
    return _hartmann("hartmann-complicated", COMPLICATED, best, "complicated")


@problem("newsvendor")
def newsvendor(seed: int = 0) -> Problem:
    """How much to buy at 5, to sell at 9 or to give away at 1, when demand is seen after it [huang2024].

    The expectation is concave, and at its largest where half of the demands are larger: x² = 2^(1/20) − 1.
    """
    stock = float(np.sqrt(2.0 ** (1.0 / DEMAND.second) - 1.0))
    return _problem(
        "newsvendor",
        newsvendor_outcomes,
        expected_newsvendor_values,
        DEMAND,
        ("demand",),
        {"stock": stock},
        "A newsvendor: how much to buy before the demand is seen",
        worst=float(expected_newsvendor_values(np.array([[1.0]]))[0]),
    )


def numbered(letter: str, count: int) -> tuple[str, ...]:
    """x1, x2, …"""
    return tuple(f"{letter}{number}" for number in range(1, count + 1))


def _hartmann(name: str, distribution: Distribution, best: tuple[float, ...], kind: str) -> Problem:
    return _problem(
        name,
        hartmann_outcomes,
        ExpectedHartmann(distribution),
        distribution,
        numbered("c", 1),
        dict(zip(numbered("x", 5), best, strict=True)),
        f"Hartmann: five decisions, and a context of a {kind} distribution seen after them",
        worst=0.0,
    )


def _problem(
    name: str,
    outcomes: Callable[[Array], Array],
    expected: Callable[[Array], Array],
    distribution: Distribution,
    contexts: tuple[str, ...],
    best: Mapping[str, float],
    description: str,
    worst: float,
) -> Problem:
    names = tuple(best)
    objective = Formula(expected, names)
    return Problem(
        name=name,
        space=Space(**{parameter: Float(0, 1) for parameter in names}),
        objective=objective,
        noise=0.0,
        goal="maximize",
        optimum=objective(best),
        optimum_point=best,
        description=description,
        worst=worst,
        chance=Independent(distribution, contexts, Formula(outcomes, (*names, *contexts))),
    )


def _branin_root(first: Array, second: Array) -> Array:
    """√h(15 first − 5, 15 second), for numbers that broadcast."""
    first, second = np.broadcast_arrays(first, second)
    squares = branin_values(np.stack([15.0 * first.ravel() - 5.0, 15.0 * second.ravel()], axis=1))
    return np.asarray(np.sqrt(squares).reshape(first.shape))
