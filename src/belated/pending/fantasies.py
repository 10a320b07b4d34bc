"""Fantasies: what pending queries may say is drawn, several times over, and each draw makes a belief of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from belated.beliefs import Belief, GaussianProcess, Mixture, even_mixture, steadied
from belated.checks import require_count
from belated.evidence import Evidence
from belated.log import FOREVER, Window, as_window
from belated.pending.treatments import own_mean, with_imagined
from belated.space import Array

B = TypeVar("B", bound=Belief)
# Each draw is a belief that every score is computed under.
MOST_DRAWS = 256
# The normal numbers of the draws are nodes of an integral, the same at every ask, so that a decision is a function of
# the log; any seed would do.
NODES = 0


@dataclass(frozen=True)
class Fantasise:
    """What unanswered queries will say is drawn, and the belief is an even mixture over the draws [snoek2012].

        y⁽ⁱ⁾ ~ N(μ(X_P), K(X_P, X_P | answers) + σ² I),  i = 1, …, m,
    the posterior after the answers and y⁽ⁱ⁾ being the i-th member. Half of the draws mirror the others about the mean.
    A rule that takes the mean of its score over the members, as `ImprovementOnAsked` does, averages over what may come;
    one that reads the mixture's mean and deviation sees what it would without pending queries, up to the draws, since
    the expectation over what they say is what was believed before. A belief in two parts takes the mean for the draw.
    """

    draws: int = 8
    window: Window = FOREVER

    def __post_init__(self) -> None:
        require_count("Fantasise", "draws", self.draws, most=MOST_DRAWS, reason="each is a belief of its own")
        object.__setattr__(self, "window", as_window(self.window, "Fantasise"))

    def describe(self) -> str:
        """What becomes of pending queries, in words."""
        return f"count as answered in {self.draws} ways, drawn from what may come of them"

    def __call__(self, prior: B, evidence: Evidence, now: float) -> B | Mixture:
        """The even mixture of the beliefs after each draw; the belief from the answers where nothing is pending."""
        pending = evidence.pending_mask
        if not pending.any() or not isinstance(prior, GaussianProcess | Mixture):
            return with_imagined(prior, evidence, own_mean)
        known = prior.condition(*evidence.arrivals())
        rows = evidence.answered_mask | pending
        told, missing = evidence.by_row(rows), pending[rows]
        values = draws(known, told.points[missing], self.draws)
        return even_mixture(prior, [told.filled(missing, drawn) for drawn in values])


def draws(known: GaussianProcess | Mixture, points: Array, count: int) -> Array:
    """Joint draws of what answers at these points would be, in mirrored pairs. (count, p)

    y = μ + L z with L Lᵀ the covariance of the answers: each answer is drawn given those before it. Of a mixture, one
    member is drawn for each, by its weight.
    """
    chance = np.random.default_rng(NODES)
    half = chance.standard_normal((-(-count // 2), len(points)))
    normals = np.stack([half, -half], axis=1).reshape(-1, len(points))[:count]
    if isinstance(known, GaussianProcess):
        root = steadied("Fantasise", known.covariance(points), known.noise)[0].lower
        return np.asarray(known.moments(points).mean + normals @ root.T)
    return np.stack([_one_by_one(known.expert(chance), points, normal) for normal in normals])


def _one_by_one(known: Mixture, points: Array, normal: Array) -> Array:
    """The same draw of one belief that has no covariance to read. (p,)"""
    values = np.empty(len(points))
    for place, point in enumerate(points[:, None, :]):
        mean, deviation = known.moments(point)
        values[place] = mean[0] + np.hypot(deviation[0], np.sqrt(known.noise)) * normal[place]
        known = known.condition(point, values[place : place + 1])
    return values
