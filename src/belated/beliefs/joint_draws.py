"""Joint draws of f at its incumbents, and the fewest values that tell them.

An incumbent that is the best in no draw decides nothing and is dropped, as BoTorch prunes its baseline [balandat2020];
so is one whose value follows from the others. What is left are a few values v = μ + R u with u ~ N(0, I) and R Rᵀ their
covariance.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from belated.beliefs.process.cholesky import pivoted
from belated.space.arrays import Array, Indices
from belated.space.sobol import MOST_COLUMNS, sobol

# A variance this much smaller than that of f is what rounding leaves of none.
LEAST_VARIANCE = 1e-10
# Answered points with the highest means, among which the best is looked for: of a thousand equally good ones no more
# are needed to know how good the best is, and their joint covariance costs as much as as many points of the search.
CONTENDERS = 128


class JointDraws(NamedTuple):
    """Values that are known in each scenario: places among the incumbents, and what tells them from their means."""

    places: Indices  # (r,)
    inverse_root: Array  # (r, r) R⁻¹ of the covariance of these values
    draws: Array  # (S, r) u
    best: Array  # (S,) the highest of the values of all incumbents


def joint_draws(
    mean: Array,  # (k,)
    covariance: Array,  # (k, k)
    n_open: int,
    variance: float,
    count: int,
    rng: np.random.Generator,
) -> JointDraws:
    """Joint draws of the values of incumbents, of which the last `n_open` are kept whether they are ever the best."""
    least = LEAST_VARIANCE * variance
    order, root = pivoted(covariance, least)
    normals = quasi_normals(count, root.shape[1], rng) if root.shape[1] else np.empty((1, 0))
    values = np.empty((len(normals), len(mean)))
    values[:, order] = mean[order] + normals @ root.T
    leaders = np.union1d(values.argmax(axis=1), np.arange(len(mean) - n_open, len(mean)))
    order, root = pivoted(covariance[np.ix_(leaders, leaders)], least)
    rank = root.shape[1]
    places = leaders[order[:rank]]
    inverse = np.asarray(np.linalg.inv(root[:rank]), dtype=np.float64) if rank else root[:rank]
    return JointDraws(places, inverse, (values[:, places] - mean[places]) @ inverse.T, values.max(axis=1))


def no_incumbents(mean: float) -> JointDraws:
    """One scenario without incumbents, in which the best is the prior mean."""
    return JointDraws(np.empty(0, dtype=np.intp), np.empty((0, 0)), np.empty((1, 0)), np.array([mean]))


def quasi_normals(count: int, dimension: int, rng: np.random.Generator) -> Array:
    """Points (count, dimension) as N(0, I) has them, evenly spread in the first columns, which should matter most."""
    from scipy.special import ndtri  # as long to import as a whole room, and few need it

    even = min(dimension, MOST_COLUMNS)
    spread = ndtri(sobol(count, even, rng))
    return np.concatenate([spread, rng.standard_normal((count, dimension - even))], axis=1)
