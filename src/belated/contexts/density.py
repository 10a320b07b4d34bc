"""The law of contexts by kernel density estimation: each context seen is blurred by a normal law, and all are mixed.

Where contexts have a density, this comes near it, as the contexts seen never do: they are single points, and say that
nothing between them will ever come.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from belated.contexts.curve import along_curve
from belated.contexts.empirical import Observed
from belated.contexts.law import Sample, even, merged
from belated.errors import ContextError
from belated.space import Array, Space
from belated.space.halton import halton

# The least and the greatest double inside (0, 1), where the normal quantile is finite.
INSIDE = 2.0**-53, 1.0 - 2.0**-53


@final
@dataclass(frozen=True)
class KernelDensity:
    """The contexts seen, blurred by normal laws: choose one of them at random, add noise of deviation h_i per column.

    Numbers beyond their bounds are moved to the nearer one, integers rounded; categories stay those of the context
    chosen, so that they have the frequencies seen, together with the numbers seen with them [huang2024, section 4].
    Before any context has been seen, all are as likely. Unlike the paper's, the sample is quasi-random.
    """

    def describe(self) -> str:
        """Which contexts, in words."""
        return "contexts like those seen"

    def sample(self, seen: Array, space: Space, count: int, rng: np.random.Generator) -> Sample:
        """As many contexts of equal weight; where all columns are discrete, the distinct ones with their weights.

        One coordinate of a quasi-random sequence chooses the context, the others give the noise; so even the first of
        the sample take each context seen about equally often, with noise of all sizes.
        """
        from scipy.special import ndtri  # as long to import as a whole room, and few need it

        numeric = [column for column, categorical in enumerate(space.categorical) if not categorical]
        widths = np.zeros(space.dimension)
        if len(seen):
            widths[numeric] = bandwidths(seen[:, numeric])
        if not widths.any():
            return Observed().sample(seen, space, count, rng)
        uniforms = halton(count, 1 + len(numeric), rng)
        chosen = np.minimum((uniforms[:, 0] * len(seen)).astype(np.intp), len(seen) - 1)
        points = seen[along_curve(seen)[chosen]]
        points[:, numeric] += widths[numeric] * ndtri(np.clip(uniforms[:, 1:], *INSIDE))
        sample = even(space.snap(points))
        continuous = any(width > 0.0 and levels is None for width, levels in zip(widths, space.levels, strict=True))
        return sample if continuous else merged(sample)


def bandwidths(seen: Array) -> Array:
    """The deviation of the noise of each column, given contexts (n, D); 0 for a column whose values are all equal.

        h_i = (4 / (D + 2))^{1/(D+4)} σ̂_i n^{−1/(D+4)},   σ̂_i² the mean squared deviation from the column's mean
    [huang2024, appendix B.1], which is best for a normal law.
    """
    count, dimension = seen.shape
    exponent = 1.0 / (dimension + 4)
    # Equal values can have a mean that is off by a rounding, and so a deviation.
    deviations = np.where(np.ptp(seen, axis=0) > 0.0, seen.std(axis=0), 0.0)
    scaled: Array = (4.0 / (dimension + 2)) ** exponent * count**-exponent * deviations
    return scaled


def density(seen: Array, points: Array) -> Array:
    """The kernel density at points (m, D), given contexts (n, D), before anything is moved to its bounds.

        p̂(c) = Σ_j K(H⁻¹ (c − c_j)) / (n |H|),   H = diag(h),   K(u) = (2π)^{−D/2} exp(−|u|²/2)   [huang2024, eq. 2].
    Unlike the paper, which prints K without the ½: with it K has integral one.
    """
    count, dimension = seen.shape
    widths = bandwidths(seen) if count else np.zeros(dimension)
    constant = np.flatnonzero(widths == 0.0)
    if len(constant):
        raise ContextError(
            f"density(): column {constant[0]} of the {count} contexts seen has no two different values; there is no "
            f"density across it; leave the column out, or wait for more contexts."
        )
    squares = np.zeros((len(points), count))
    for column, width in enumerate(widths):
        squares += ((points[:, column, None] - seen[None, :, column]) / width) ** 2
    volume = float(np.prod(widths)) * (2.0 * np.pi) ** (0.5 * dimension)
    heights: Array = np.exp(-0.5 * squares).mean(axis=1) / volume
    return heights
