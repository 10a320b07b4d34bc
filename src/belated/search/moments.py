"""Scores made of a belief's mean and deviation: what most rules maximise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from belated.beliefs import Combine, Mixed, Readable
from belated.search.score import Score
from belated.space import Array


@dataclass(frozen=True)
class MomentScore:
    """A score s(mean, deviation) that rises as the deviation grows, or falls, but does not do both."""

    belief: Readable
    combine: Combine
    logarithmic: bool = False  # whether it is the logarithm of what is gained

    def values(self, points: Array) -> Array:
        """The score at some points. (m,)"""
        return self.combine(*self.belief.moments(points)).value

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """The score and its gradient. (m,), (m, d)"""
        return self.belief.slopes(points, self.combine)


@dataclass(frozen=True)
class ExpectedScore:
    """log Σ_m w_m exp s(μ_m, σ_m): the logarithm of an expectation over a mixture, s being that over one member."""

    mixture: Mixed
    log_score: Combine
    logarithmic: ClassVar = True

    def values(self, points: Array) -> Array:
        """The score at some points. (m,)"""
        return self.mixture.log_expectation(points, self.log_score)

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """The score and its gradient. (m,), (m, d)"""
        return self.mixture.log_expectation_slopes(points, self.log_score)


def log_expectation(belief: Readable, log_score: Combine) -> Score:
    """The logarithm of an expectation under the belief, given that of one under a Gaussian with some moments."""
    return (
        ExpectedScore(belief, log_score)
        if isinstance(belief, Mixed)
        else MomentScore(belief, log_score, logarithmic=True)
    )


def is_logarithmic(score: Score) -> bool:
    """Whether a score is the logarithm of what is gained, as it says of itself."""
    return bool(getattr(score, "logarithmic", False))
