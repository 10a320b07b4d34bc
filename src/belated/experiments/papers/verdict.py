"""What became of a claim: whether one curve lies below another, is level with it, or cannot be told from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from belated.experiments import Results
from belated.experiments.papers.paper import Claim, LevelClaim, RegretMeasure, Span
from belated.experiments.statistics import below, estimate
from belated.space import Array

# A claim is said to come out, or its contrary to, where chance alone would do so once in twenty times at most.
LEVEL = 0.05
# Two curves are level if the true difference is, with a confidence of 95 %, at most this share of the higher one.
SLIGHT = 0.1
# With fewer trials no change of signs is rarer than once in twenty times.
FEWEST = 5

Outcome = Literal["comes out", "the other way round", "level", "too few to tell"]


@dataclass(frozen=True)
class Finding:
    """The lower curve less the higher one, over paired trials: the mean, its error, its 95 % interval."""

    span: Span
    trials: int
    difference: float
    error: float
    low: float
    high: float
    p_value: float  # one-sided, for the claim
    contrary: float  # one-sided, for its contrary
    size: float  # the larger of the two means
    claimed: Literal["below", "level"] = "below"

    @property
    def outcome(self) -> Outcome:
        """The verdict in words; where curves are said to be level, the contrary is that one lies below the other."""
        slight = max(-self.low, self.high) <= SLIGHT * self.size
        level = slight and self.trials >= FEWEST
        if self.claimed == "level":
            if level:
                return "comes out"
            return "the other way round" if 2.0 * min(self.p_value, self.contrary) <= LEVEL else "too few to tell"
        if self.p_value <= LEVEL:
            return "comes out"
        if self.contrary <= LEVEL:
            return "the other way round"
        return "level" if level else "too few to tell"


@dataclass(frozen=True)
class ClaimVerdict:
    """A claim, and what was found over each of its spans."""

    claim: Claim | LevelClaim
    findings: tuple[Finding, ...]

    @property
    def judged(self) -> Finding:
        """What was found over the span that the paper speaks of."""
        return next(finding for finding in self.findings if finding.span == self.claim.span)

    @property
    def outcome(self) -> Outcome:
        """The verdict in words."""
        return self.judged.outcome


def verdict(claim: Claim | LevelClaim, results: Results) -> ClaimVerdict:
    """Whether the claimed order, or that there is none, came out."""
    return ClaimVerdict(claim, tuple(_finding(claim, span, results) for span in claim.spans))


def _finding(claim: Claim | LevelClaim, span: Span, results: Results) -> Finding:
    lower, higher = (_compared(results, label, claim.measure, span) for label in claim.labels)
    found = estimate(lower - higher)
    low, high = found.band()
    return Finding(
        span,
        trials=int(found.n),
        difference=float(found.mean),
        error=float(found.error),
        low=float(low),
        high=float(high),
        p_value=below(lower, higher),
        contrary=below(higher, lower),
        size=float(max(np.nanmean(lower), np.nanmean(higher))),
        claimed="level" if isinstance(claim, LevelClaim) else "below",
    )


def _compared(results: Results, label: str, measure: RegretMeasure, span: Span) -> Array:
    """What each trial is compared by. (trials,)"""
    values = results[label].measure(measure)
    return np.asarray(values[:, -1] if span == "after the last round" else np.nanmean(values, axis=1))
