"""Laws of delays: how many rounds pass between a query and its answer.

An answer with delay d to a query asked in round s is there in round t iff d ≤ t − s, so that delays of 0 and 1 both
let the next query know it. A delay is a real number of at least 0; infinity means that the answer never comes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from belated.errors import ParameterError, require_count


@dataclass(frozen=True)
class Occasion:
    """What a delay may depend on: the query, what came of it, and how long the queries before it take."""

    number: int  # of the query, from 1
    asked_at: float
    point: Mapping[str, Any]
    value: float  # without noise
    earlier: Sequence[tuple[float, float]] = ()  # when each was asked, and its delay


class Law(Protocol):
    """How long answers take."""

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """The delay, in the units of the clock (rounds, unless said otherwise); infinite if no answer ever comes."""


@dataclass(frozen=True)
class Constant:
    """Every answer takes equally long."""

    delay: float

    def __post_init__(self) -> None:
        _check("constant", "delay", self.delay, lambda d: d >= 0, "a number of at least 0")

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """The delay."""
        return float(self.delay)


@dataclass(frozen=True)
class Poisson:
    """P(d = k) = exp(−mean) meanᵏ / k!, k = 0, 1, …"""

    mean: float

    def __post_init__(self) -> None:
        # Beyond this, NumPy's counts no longer fit a 64-bit integer.
        _check("poisson", "mean", self.mean, lambda mean: 0 <= mean <= 1e18, "a number from 0 to 1e18")

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """A whole number of rounds."""
        return float(rng.poisson(self.mean))


@dataclass(frozen=True)
class Geometric:
    """P(d = k) = p (1 − p)ᵏ⁻¹, k = 1, 2, …: after the ask, each round brings the answer with probability p."""

    p: float

    def __post_init__(self) -> None:
        _check("geometric", "p", self.p, lambda p: 0 < p <= 1, "a probability above 0")

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """A whole number of rounds, 1/p on average."""
        # By inversion of one uniform number: NumPy's own method overflows for the smallest p.
        uniform = rng.random()
        if self.p == 1:
            return 1.0
        with np.errstate(over="ignore"):
            return float(max(1.0, np.ceil(np.log1p(-uniform) / np.log1p(-self.p))))


@dataclass(frozen=True)
class Exponential:
    """P(d > x) = exp(−x / mean)."""

    mean: float

    def __post_init__(self) -> None:
        _check("exponential", "mean", self.mean, lambda mean: mean >= 0, "a number of at least 0")

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """A real number of rounds."""
        return float(self.mean * rng.standard_exponential())


@dataclass(frozen=True)
class Lognormal:
    """log d is normal with mean log(median) and deviation `spread`: most come soon, a few very late."""

    median: float
    spread: float

    def __post_init__(self) -> None:
        _check("lognormal", "median", self.median, lambda median: median > 0, "a number above 0")
        _check("lognormal", "spread", self.spread, lambda spread: spread >= 0, "a number of at least 0")

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """A real number of rounds."""
        # A factor past the largest double comes later than any round there is.
        with np.errstate(over="ignore"):
            return float(self.median * np.exp(self.spread * rng.standard_normal()))


@dataclass(frozen=True)
class Batch:
    """The answers to queries 1 … B come in the round after query B was asked, and so on: d = B − (n − 1) mod B.

    This counts on one query a round; a policy that balks meets its batches' answers that many rounds early.
    """

    size: int

    def __post_init__(self) -> None:
        if isinstance(self.size, bool) or not isinstance(self.size, int) or self.size < 1:
            raise ParameterError(
                f"batch(size={self.size!r}): size must be a whole number of at least 1; batch(1) is one at a time."
            )

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """The rounds until the batch is complete."""
        return float(self.size - (occasion.number - 1) % self.size)


@dataclass(frozen=True)
class AdaptiveBatch:
    """Answers come when the policy ends the batch, by balking, or when `largest` queries are under way."""

    largest: int

    def __post_init__(self) -> None:
        require_count("adaptive_batch", "largest", self.largest)

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """Nobody knows when the batch ends."""
        return np.inf

    def ends_batch(self, waiting: int, balked: bool) -> bool:
        """Whether all answers come now, with so many waited for."""
        return balked or waiting >= self.largest


@dataclass(frozen=True)
class Lost:
    """With this probability the answer never comes; otherwise it takes as long as the other law says."""

    probability: float
    law: Law

    def __post_init__(self) -> None:
        _check("lost", "probability", self.probability, lambda p: 0 <= p <= 1, "a probability")
        check_law("lost()", self.law)

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """Infinity, or the other law's delay, which is drawn either way so that losing more changes no other."""
        is_lost = rng.random() < self.probability
        delay = self.law.draw(occasion, rng)
        return np.inf if is_lost else delay


def none() -> Law:
    """Every answer is there at once."""
    return Constant(0.0)


def constant(delay: float) -> Law:
    """Every answer takes `delay` rounds."""
    return Constant(delay)


def poisson(mean: float) -> Law:
    """A whole number of rounds from a Poisson law."""
    return Poisson(mean)


def geometric(p: float) -> Law:
    """After the ask, each round brings the answer with probability `p`."""
    return Geometric(p)


def exponential(mean: float) -> Law:
    """A real number of rounds, without memory."""
    return Exponential(mean)


def lognormal(median: float, spread: float) -> Law:
    """A real number of rounds; `spread` is the deviation of its logarithm."""
    return Lognormal(median, spread)


def batch(size: int) -> Law:
    """Answers come in batches of `size`, in the round after each batch is complete."""
    return Batch(size)


def adaptive_batch(largest: int) -> Law:
    """Answers come when the policy balks, or when `largest` queries wait for theirs."""
    return AdaptiveBatch(largest)


def lost(probability: float, law: Law) -> Law:
    """Some answers never come, the others as late as `law` says."""
    return Lost(probability, law)


def ends_batch(law: Law, waiting: int, balked: bool) -> bool:
    """Whether a law lets all answers come now; most only have delays."""
    return isinstance(law, AdaptiveBatch) and law.ends_batch(waiting, balked)


def check_law(call: str, law: object) -> None:
    """Refuse what is no law of delays."""
    if not callable(getattr(law, "draw", None)) or isinstance(law, type):
        raise ParameterError(
            f"{call}: got {law!r} as the law of delays; it must have a method draw(occasion, rng); "
            f"give one of bl.simulate, as bl.simulate.poisson(10)."
        )


def _check(call: str, name: str, value: float, holds: Callable[[float], bool], rule: str) -> None:
    """Refuse a parameter that is no finite number or breaks its rule."""
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not is_number or not np.isfinite(value) or not holds(value):
        raise ParameterError(
            f"{call}({name}={value!r}): {name} must be {rule}; for answers that never come use lost()."
        )
