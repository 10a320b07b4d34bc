"""Laws that count rounds: fixed delays, whole numbers at random, and batches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from belated.checks import require_count
from belated.simulate.laws.law import DelayLaw, Occasion, require
from belated.simulate.laws.registry import law


@law
@dataclass(frozen=True)
class constant(DelayLaw):
    """Every answer takes `delay` rounds."""

    delay: float

    def __post_init__(self) -> None:
        require("constant", "delay", self.delay, lambda delay: delay >= 0, "a number of at least 0")

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        return float(self.delay)


@law
@dataclass(frozen=True)
class poisson(DelayLaw):
    """A whole number of rounds from a Poisson law.

    P(d = k) = exp(−mean) meanᵏ / k!, k = 0, 1, …
    """

    mean: float

    def __post_init__(self) -> None:
        # Beyond this, NumPy's counts no longer fit a 64-bit integer.
        require("poisson", "mean", self.mean, lambda mean: 0 <= mean <= 1e18, "a number from 0 to 1e18")

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """A whole number of rounds."""
        return float(rng.poisson(self.mean))


@law
@dataclass(frozen=True)
class geometric(DelayLaw):
    """After the ask, each round brings the answer with probability `p`.

    P(d = k) = p (1 − p)ᵏ⁻¹, k = 1, 2, …
    """

    p: float

    def __post_init__(self) -> None:
        require("geometric", "p", self.p, lambda p: 0 < p <= 1, "a probability above 0")

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """A whole number of rounds, 1/p on average."""
        # By inversion of one uniform number: NumPy's own method overflows for the smallest p.
        uniform = rng.random()
        if self.p == 1:
            return 1.0
        with np.errstate(over="ignore"):
            return float(max(1.0, np.ceil(np.log1p(-uniform) / np.log1p(-self.p))))


@law
@dataclass(frozen=True)
class batch(DelayLaw):
    """Answers come in batches of `size`, in the round after each batch is complete.

    With B = size, query n has the delay d = B − (n − 1) mod B. This counts on one query a unit of time; a policy that
    balks meets its batches' answers that many rounds early.
    """

    size: int

    def __post_init__(self) -> None:
        require_count("batch", "size", self.size)

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """The rounds until the batch is complete."""
        return float(self.size - (occasion.number - 1) % self.size)


@law
@dataclass(frozen=True)
class adaptive_batch(DelayLaw):
    """Answers come when the policy ends the batch, by balking, or when `largest` queries wait for theirs."""

    largest: int

    def __post_init__(self) -> None:
        require_count("adaptive_batch", "largest", self.largest)

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """Nobody knows when the batch ends."""
        return np.inf

    def ends_batch(self, waiting: int, balked: bool) -> bool:
        """Whether all answers come now, given how many are waited for."""
        return balked or waiting >= self.largest


@law
def none() -> DelayLaw:
    """Every answer is there at once."""
    return constant(0.0)
