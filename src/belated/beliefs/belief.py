"""What a belief is: an opinion about f that can be conditioned, read, climbed and drawn from."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np

from belated.beliefs.kernels.kernel import Kernel
from belated.evidence import Data, Errors
from belated.space import Array, Indices, Mask

if TYPE_CHECKING:
    from belated.beliefs.memory import Memory


class Moments(NamedTuple):
    """Mean and deviation of f at some points."""

    mean: Array  # (m,)
    deviation: Array  # (m,)


class Combined(NamedTuple):
    """A score made of the moments, and its partial derivatives in them."""

    value: Array  # (m,)
    by_mean: Array  # (m,)
    by_deviation: Array  # (m,)


Combine = Callable[[Array, Array], Combined]


class Function(Protocol):
    """One function over the unit cube, with gradients where it has them."""

    def values(self, points: Array) -> Array:
        """f at some points. (m, d) -> (m,)"""

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """f and its gradient at some points. (m,), (m, d)"""


class Expecting(Protocol):
    """Whatever has moments: of one belief (m,), or of several at once (M, m)."""

    def moments(self, points: Array) -> Moments:
        """Mean and deviation at some points."""


class Incumbents(NamedTuple):
    """The points among which the best so far is: those that were answered, and those whose answers are open."""

    answered: Array  # (n, d)
    open: Array  # (p, d)


class Outlook(Protocol):
    """Mean and deviation at some points in each of several scenarios, and the way to their gradients.

    In a scenario, the values of f at the incumbents are known. What they are moves the mean alone.
    """

    @property
    def mean(self) -> Array:
        """The mean in each scenario. (S, m)"""

    @property
    def deviation(self) -> Array:
        """The deviation, the same in all. (m,)"""

    def gradient(self, by_mean: Array, by_deviation: Array) -> Array:
        """Σ over the scenarios of s_mean ∂mean, and s_deviation ∂deviation. (m, d)"""


class Foreseen(NamedTuple):
    """Moments at some points in scenarios: the mean is m + uᵀ w in the one with the draws u, the deviation the same."""

    mean: Array  # (m,)
    deviation: Array  # (m,)
    rest: Array  # (r, m) w


class Scenarios(Protocol):
    """A Gaussian belief as it would be if f were known at the incumbents, for joint draws of its values there."""

    @property
    def best(self) -> Array:
        """The highest value at an incumbent in each scenario. (S,)"""

    @property
    def draws(self) -> Array:
        """u, what tells the values in each scenario from what is expected of them. (S, r)"""

    def foreseen(self, points: Array) -> Foreseen:
        """The moments at some points; of a large table not in all scenarios at once."""

    def outlook(self, points: Array) -> Outlook:
        """The moments in each scenario, with the way to their gradients."""


class Weighted(NamedTuple):
    """Scenarios of one member of a belief, and its weight."""

    weight: float
    scenarios: Scenarios


@runtime_checkable
class Foreseeing(Protocol):
    """A belief that is Gaussian, or made of Gaussian ones, and can draw what incumbents are worth."""

    def scenarios(self, incumbents: Incumbents, count: int, rng: np.random.Generator) -> tuple[Weighted, ...]:
        """So many scenarios for each Gaussian belief that it is made of."""


# Values for points that have none yet, from what is known already; for several beliefs each its own.
Imagine = Callable[[Expecting, Array], Array]


class Kept(Protocol):
    """A belief's moments on its own table, which are kept up to date; `chosen` picks rows of it."""

    @property
    def lazy(self) -> bool:
        """Whether the table is so large that deviations are computed only where they could decide."""

    def mean(self) -> Array:
        """The mean of every candidate. (N,)"""

    def bounds(self) -> Array:
        """Upper bounds of the deviations of every candidate. (N,)"""

    def deviation(self, chosen: Indices | None = None) -> Array:
        """The deviations of all candidates, or of some."""


class Readable(Protocol):
    """What can be read from a belief: this is what a rule scores points by."""

    def moments(self, points: Array) -> Moments:
        """Mean and deviation at some points."""

    def on(self, points: Array) -> Kept | None:
        """What is kept at these points, where they are the belief's own table; else None."""

    def deviation(self, points: Array) -> Array:
        """The deviation at some points. (m,)"""

    def total(self, points: Array, weights: Array) -> tuple[float, float]:
        """Mean and deviation of Σ_i w_i f(x_i)."""

    def slopes(self, points: Array, combine: Combine) -> tuple[Array, Array]:
        """A score made of the moments, and its gradient, by the chain rule. (m,), (m, d)"""

    def draw(self, rng: np.random.Generator) -> Function:
        """One function drawn from the belief."""


class Informed(Protocol):
    """How much answers would tell about f, in nats."""

    def information(self, points: Array) -> float:
        """What noisy answers at these points would tell, given what is known: I(f; y_A)."""

    def gains(self, points: Array) -> Array:
        """What each of these points would tell after those before it: ½ log(1 + σ⁻² σ²_{i−1}(x_i)). (k,)"""

    def greedy_gains(self, points: Array, count: int) -> Array:
        """What each step of uncertainty sampling on these points would tell, before any answer. (count,)"""


class Learner(Protocol):
    """What takes in answers. Conditioning gives another of the same kind."""

    @property
    def jitter(self) -> float:
        """What had to be added to the noise before a covariance could be factorised; 0 almost always."""

    @property
    def key(self) -> Hashable:
        """What tells this one, before any answer, from others."""

    def condition(self, points: Array, values: Array, errors: Errors | None = None) -> Self:
        """The same after these answers too, in this order; without errors, each is a single measurement."""

    def completed(self, known: Self, told: Data, missing: Mask, imagine: Imagine) -> Self:
        """The same after these answers, of which the missing ones are imagined by what is known."""

    def with_mean(self, prior_mean: float) -> Self:
        """The same around another prior mean."""

    def remembering(self, memory: Memory) -> Self:
        """The same, keeping what it computes in another memory."""


class Belief(Readable, Informed, Learner, Protocol):
    """What we think f is."""

    @property
    def prior_mean(self) -> float:
        """The mean before any answer."""

    @property
    def scale(self) -> float:
        """The deviation of f before any answer."""

    @property
    def noise(self) -> float:
        """The variance of an answer about f, where it is a single measurement of which no error was told."""

    @property
    def kernel(self) -> Kernel | None:
        """Its covariance before any answer; None where it is made of several."""

    def left_out(self, answers: Data) -> Moments:
        """What all others say of each of these answers, the last that it was conditioned on."""

    def earlier(self, prior: Self, answers: Data, count: int) -> Self:
        """The belief after the first `count` of these answers, which made it of the prior; hyperparameters stay."""

    def expert(self, rng: np.random.Generator) -> Belief:
        """One Gaussian belief of those that this one is made of, drawn by their weights."""


@runtime_checkable
class Mixed(Protocol):
    """A belief made of several, over which expectations are taken one by one."""

    def member_moments(self, points: Array) -> Moments:
        """Means and deviations of every member. (M, m)"""

    def log_expectation(self, points: Array, log_score: Combine) -> Array:
        """log Σ_m w_m exp s(μ_m, σ_m), for a score s that is itself the logarithm of an expectation. (m,)"""

    def log_expectation_slopes(self, points: Array, log_score: Combine) -> tuple[Array, Array]:
        """The same and its gradient. (m,), (m, d)"""
