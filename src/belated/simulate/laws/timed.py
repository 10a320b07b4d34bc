"""Laws of real numbers: without memory, and with light or heavy tails."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from belated.simulate.laws.law import DelayLaw, Occasion, require
from belated.simulate.laws.registry import law


@law
@dataclass(frozen=True)
class exponential(DelayLaw):
    """A real number of rounds, without memory: P(d > x) = exp(−x / mean)."""

    mean: float

    def __post_init__(self) -> None:
        require("exponential", "mean", self.mean, lambda mean: mean >= 0, "a number of at least 0")

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """A real number of rounds."""
        return float(self.mean) * rng.standard_exponential()


@law
@dataclass(frozen=True)
class lognormal(DelayLaw):
    """A real number of rounds, most of them few and some very many.

    log d is normal with mean log(median) and deviation `spread`.
    """

    median: float
    spread: float

    def __post_init__(self) -> None:
        require("lognormal", "median", self.median, lambda median: median > 0, "a number above 0")
        require("lognormal", "spread", self.spread, lambda spread: spread >= 0, "a number of at least 0")

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """A real number of rounds."""
        # A factor past the largest double comes later than any round there is.
        with np.errstate(over="ignore"):
            return float(self.median * np.exp(self.spread * rng.standard_normal()))


@law
@dataclass(frozen=True)
class pareto(DelayLaw):
    """A real number of rounds with a heavy tail: of those that take x rounds, 2^−shape take more than 2x.

    P(d > x) = (minimum / x)^shape for x ≥ minimum; the mean is infinite where shape ≤ 1, the variance where ≤ 2.
    """

    minimum: float
    shape: float

    def __post_init__(self) -> None:
        require("pareto", "minimum", self.minimum, lambda minimum: minimum > 0, "a number above 0")
        require("pareto", "shape", self.shape, lambda shape: shape > 0, "a number above 0")

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """A real number of rounds: log(d / minimum) is exponential with mean 1 / shape."""
        # A factor past the largest double comes later than any round there is.
        with np.errstate(over="ignore", divide="ignore"):
            return float(self.minimum * np.exp(rng.standard_exponential() / np.float64(self.shape)))
