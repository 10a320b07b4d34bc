"""The likelihood of a success or a failure: Φ(g) for a latent value g, but now and then a point fails that works.

With t = 1 for a success and −1 for a failure, and z = t g, it is ε + (1 − ε) Φ(z), the lapse ε being 0 for a success.
The slope of its logarithm in z, r = (1 − ε) φ(z)/(ε + (1 − ε) Φ(z)), has ∂r = −r (r + z).
"""

from __future__ import annotations

import numpy as np

from belated.space.arrays import Array

LOG_ROOT_TWO_PI = 0.5 * float(np.log(2.0 * np.pi))
# The share of points that fail though they work: one failure among successes is then more likely bad luck than a hole.
LAPSE = 0.05


def lapses(labels: Array) -> Array:
    """ε for each label."""
    return np.where(labels < 0.0, LAPSE, 0.0)


def log_normal(z: Array) -> Array:
    """log Φ(z)."""
    from scipy.special import log_ndtr  # as long to import as a whole room, and only failures need it

    return np.asarray(log_ndtr(z))


def log_likelihood(z: Array, lapse: Array | float = 0.0) -> Array:
    """log(ε + (1 − ε) Φ(z))."""
    with np.errstate(divide="ignore"):
        return np.logaddexp(np.log(lapse), np.log1p(-lapse) + log_normal(z))


def hazard(z: Array, lapse: Array | float = 0.0) -> Array:
    """r, the slope of the logarithm."""
    return np.exp(np.log1p(-lapse) - 0.5 * z * z - LOG_ROOT_TWO_PI - log_likelihood(z, lapse))


def slopes(labels: Array, latent: Array) -> tuple[Array, Array]:
    """∇ log P(t | g) = t r, and −∇∇ log P(t | g) = r (r + z), or 0 where that is negative [rasmussen2006, eq. 3.16]."""
    z = labels * latent
    ratio = hazard(z, lapses(labels))
    return labels * ratio, np.maximum(ratio * (ratio + z), 0.0)


def third_slope(labels: Array, latent: Array) -> Array:
    """∇³ log P(t | g) = t r (2 r² + 3 z r + z² − 1), or 0 where the second is taken for 0."""
    z = labels * latent
    ratio = hazard(z, lapses(labels))
    third = labels * ratio * (2.0 * ratio**2 + 3.0 * z * ratio + z * z - 1.0)
    return np.asarray(np.where(ratio + z > 0.0, third, 0.0))
