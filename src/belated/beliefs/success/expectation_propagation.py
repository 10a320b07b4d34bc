"""The moments of a Gaussian process seen through successes and failures, by expectation propagation.

Each P(t_i | g_i) = Φ(t_i g_i) is taken for a Gaussian site, τ_i its precision and ν_i its precision times its mean,
such that the posterior of g_i under the sites has the moments that it would have with the site replaced by Φ
[rasmussen2006, section 3.6]. Where failures stand together, Laplace's mode stays near the border of what is likely, and
its chances of success are many times too high; these are right to the second digit [kuss2005].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from belated.beliefs.process.cholesky import steadied
from belated.beliefs.success.probit import hazard, lapses
from belated.space.arrays import Array

# All sites move at once, by this share of the way: whole steps can go back and forth for ever.
DAMPING = 0.7
STEPS = 60
# Of precisions: the chance needs three digits.
TOLERANCE = 1e-4
# A site without precision would have no factor.
LEAST = 1e-10


class Latent(NamedTuple):
    """What tells the moments of g anywhere: μ = m + k(x)ᵀ a, and v = k(x, x) − |V k(x)|²."""

    weights: Array  # (n,), a
    whitening: Array  # (n, n), V with Vᵀ V = (K + T⁻¹)⁻¹, T the precisions of the sites


def propagated(covariance: Array, labels: Array, mean: float) -> Latent:
    """The latent g ~ N(m, K) after successes, labelled 1, and failures, labelled −1 [rasmussen2006, algorithm 3.5]."""
    lapse = lapses(labels)
    precisions, shifts = np.full(len(labels), LEAST), np.zeros(len(labels))
    for _ in range(STEPS):
        weights, whitening = _latent(covariance, mean, precisions, shifts)
        across = whitening @ covariance
        variances = covariance.diagonal() - np.einsum("ij,ij->j", across, across)
        left = 1.0 / variances - precisions
        without = ((mean + covariance @ weights) / variances - shifts) / left
        spread = np.sqrt(1.0 + 1.0 / left)
        z = labels * without / spread
        ratio = hazard(z, lapse)
        means = without + labels * ratio / (left * spread)
        matched = 1.0 / left - ratio * (z + ratio) / (left * spread) ** 2
        wanted = np.maximum(1.0 / matched - left, LEAST)
        steps = wanted - precisions
        shifts = shifts + DAMPING * (means / matched - left * without - shifts)
        precisions = precisions + DAMPING * steps
        if np.all(np.abs(steps) <= TOLERANCE * (1.0 + precisions)):
            break
    return _latent(covariance, mean, precisions, shifts)


def _latent(covariance: Array, mean: float, precisions: Array, shifts: Array) -> Latent:
    root = np.sqrt(precisions)
    factor, _ = steadied("success_chance()", root[:, None] * covariance * root, 1.0)
    whitening = factor.inverse_lower * root
    pull = shifts - precisions * mean
    return Latent(pull - whitening.T @ (whitening @ (covariance @ pull)), whitening)
