"""Whether queries are answered, as observations of a latent g with errors of their own.

A query is answered with probability Φ(g). One that has no answer yet, when a share c of the answers that do come would
have come by now, has that with probability 1 − c Φ(g) [berkson1952]: c = 0 of one that was just asked, which says
nothing, and c = 1 of one that is waited for no longer, which leaves Φ(−g). Around its mode ĝ the posterior is that
after observations ĝ + ∇ℓ/w with variances 1/w, where w = −∇²ℓ  [rasmussen2006, section 3.4].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from belated.beliefs.process.cholesky import steadied
from belated.space.arrays import Array, Mask

# Newton's method doubles the digits with each step; this many are never needed, and a loop should have an end.
STEPS, HALVINGS = 50, 20
# Of the objective, whose unit is one nat.
TOLERANCE = 1e-8
# The least curvature, and as a share of the squared slope: 1 − c Φ has none, or a negative one, where g is large.
LEAST, SHARE = 1e-6, 0.1
ROOT_TWO_PI = float(np.sqrt(2.0 * np.pi))


class Observations(NamedTuple):
    """What the posterior is that after, and the log evidence."""

    values: Array  # (n,)
    variances: Array  # (n,)
    log_evidence: float


class Slopes(NamedTuple):
    """log P, its slope and its negative curvature."""

    value: float
    slope: Array  # (n,)
    curvature: Array  # (n,)


def log_probability(latent: Array, answered: Mask, shares: Array) -> Slopes:
    """Σ log Φ(gᵢ) over the answered, and Σ log(1 − cᵢ Φ(gᵢ)) over the others, with its slopes in g.

    With h = φ/Φ, the slope is h and the curvature h (h + g); with u = c φ/(1 − c Φ), they are −u and u (u − g).
    """
    from scipy.special import log_ndtr, ndtr

    density = np.exp(-0.5 * latent**2) / ROOT_TWO_PI
    log_success = log_ndtr(latent)
    hazard = np.exp(-0.5 * latent**2 - log_success) / ROOT_TWO_PI
    silent = np.maximum((1.0 - shares) + shares * ndtr(-latent), np.finfo(float).tiny)
    ratio = shares * density / silent
    slope = np.where(answered, hazard, -ratio)
    curvature = np.where(answered, hazard * (hazard + latent), ratio * (ratio - latent))
    least = np.maximum(LEAST, SHARE * slope**2)
    value = float(np.where(answered, log_success, np.log(silent)).sum())
    return Slopes(value, slope, np.maximum(curvature, least))


def observed(covariance: Array, mean: float, answered: Mask, shares: Array) -> Observations:
    """The observations that stand for who was answered, for g ~ N(m, K), by Newton's method [rasmussen2006, alg. 3.1].

    A step that would lead down is halved.
    """
    weights, latent = np.zeros(len(answered)), np.full(len(answered), mean)
    seen = log_probability(latent, answered, shares)
    height = seen.value
    for _ in range(STEPS):
        root = np.sqrt(seen.curvature)
        factor = steadied("condition()", root[:, None] * covariance * root, 1.0)[0]
        target = seen.curvature * (latent - mean) + seen.slope
        ahead = target - root * factor.solution(root * (covariance @ target))
        for _ in range(HALVINGS):
            beyond = covariance @ ahead
            reached = log_probability(mean + beyond, answered, shares)
            risen = reached.value - 0.5 * float(ahead @ beyond)
            if risen >= height - TOLERANCE:
                break
            ahead = 0.5 * (ahead + weights)
        gained, height = risen - height, risen
        weights, latent, seen = ahead, mean + beyond, reached
        if gained <= TOLERANCE:
            break
    root = np.sqrt(seen.curvature)
    log_determinant = steadied("condition()", root[:, None] * covariance * root, 1.0)[0].log_determinant
    return Observations(latent + seen.slope / seen.curvature, 1.0 / seen.curvature, height - 0.5 * log_determinant)
