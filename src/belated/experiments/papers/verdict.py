"""What became of a claim: whether one arm is below another, is level with it, or cannot be told from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from belated.experiments import Results
from belated.experiments.papers.paper import Claimed, Relation, Span
from belated.experiments.statistics import below, estimate

# A claim is said to come out, or its contrary to, where chance alone would do so once in twenty times at most.
LEVEL = 0.05
# Two arms are level if the true difference is, with a confidence of 95 %, at most this share of the higher one.
SLIGHT = 0.1
# With fewer trials no change of signs is rarer than once in twenty times.
FEWEST = 5

Outcome = Literal["comes out", "the other way round", "level", "too few to tell"]


@dataclass(frozen=True)
class Finding:
    """What is claimed to be lower less the other, over paired trials: the mean, its error, its 95 % interval."""

    span: Span
    trials: int
    difference: float
    error: float
    low: float
    high: float
    p_value: float  # one-sided, for the claim
    contrary: float  # one-sided, for its contrary
    size: float  # the larger of the two means
    relation: Relation = "below"

    @property
    def outcome(self) -> Outcome:
        """The verdict in words; where curves are said to be level, the contrary is that one lies below the other."""
        slight = max(-self.low, self.high) <= SLIGHT * self.size
        level = slight and self.trials >= FEWEST
        if self.relation == "level":
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

    claim: Claimed
    findings: tuple[Finding, ...]

    @property
    def judged(self) -> Finding:
        """What was found over the span that the paper speaks of."""
        return next(finding for finding in self.findings if finding.span == self.claim.span)

    @property
    def outcome(self) -> Outcome:
        """The verdict in words."""
        return self.judged.outcome


def verdict(claim: Claimed, results: Results) -> ClaimVerdict:
    """Whether the claimed order, or that there is none, came out."""
    return ClaimVerdict(claim, tuple(_finding(claim, span, results) for span in claim.spans))


def _finding(claim: Claimed, span: Span, results: Results) -> Finding:
    lower, higher = claim.numbers(results, span)
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
        relation=claim.relation,
    )
