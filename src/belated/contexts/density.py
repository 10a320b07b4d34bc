"""The law of contexts by kernel density estimation: each context seen is blurred by a normal law, and all are mixed.

Where contexts have a density, this comes near it, as the contexts seen never do: they are single points, and say that
nothing between them will ever come.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from belated.checks import as_number
from belated.contexts.curve import along_curve
from belated.contexts.empirical import Observed
from belated.contexts.law import Sample, even, merged
from belated.errors import ContextError, ParameterError
from belated.space import Array, Space
from belated.space.sobol import sobol

# The least and the greatest double inside (0, 1), where the normal quantile is finite.
INSIDE = 2.0**-53, 1.0 - 2.0**-53
RULES = ("silverman", "scott")
# A rule's name, or deviations in unit coordinates.
Bandwidth = str | float | Sequence[float]


@final
@dataclass(frozen=True)
class KernelDensity:
    """The contexts seen, blurred by normal laws: choose one of them at random, add noise of deviation h_i per column.

    Numbers beyond their bounds are moved to the nearer one, integers rounded; categories stay those of the context
    chosen, so that they have the frequencies seen, together with the numbers seen with them [huang2024, section 4].
    Before any context has been seen, all are as likely. Unlike the paper's, the sample is quasi-random.
    `bandwidth` gives h: a rule's name, or shares of the columns' ranges, one for all numeric columns or one for each.
    """

    bandwidth: Bandwidth = "silverman"

    def __post_init__(self) -> None:
        kept = self.bandwidth
        if isinstance(kept, Sequence) and not isinstance(kept, str):
            kept = tuple(kept)
            object.__setattr__(self, "bandwidth", kept)
        _require_bandwidth("KernelDensity", kept)

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
        widths[numeric] = bandwidths(seen[:, numeric], self.bandwidth, "KernelDensity()")
        if not len(seen) or not widths.any():
            return Observed().sample(seen, space, count, rng)
        uniforms = sobol(count, 1 + len(numeric), rng)
        chosen = np.minimum((uniforms[:, 0] * len(seen)).astype(np.intp), len(seen) - 1)
        points = seen[along_curve(seen)[chosen]]
        points[:, numeric] += widths[numeric] * ndtri(np.clip(uniforms[:, 1:], *INSIDE))
        sample = even(space.snap(points))
        continuous = any(width > 0.0 and levels is None for width, levels in zip(widths, space.levels, strict=True))
        return sample if continuous else merged(sample)


def bandwidths(seen: Array, bandwidth: Bandwidth = "silverman", call: str = "bandwidths()") -> Array:
    """The deviation of the noise of each column, given contexts (n, D); by a rule, 0 where all values are equal.

        h_i = (4 / (D + 2))^{1/(D+4)} σ̂_i n^{−1/(D+4)},   σ̂_i² the mean squared deviation from the column's mean
    is `silverman` [huang2024, appendix B.1], which is best for a normal law; `scott` leaves out the first factor, which
    is 1.06 with one column, 1 with two, and less with more. Numbers are taken as they are.
    """
    count, dimension = seen.shape
    if not isinstance(bandwidth, str):
        return _given(bandwidth, dimension, call)
    if not count:
        return np.zeros(dimension)
    exponent = 1.0 / (dimension + 4)
    # Equal values can have a mean that is off by a rounding, and so a deviation.
    deviations = np.where(np.ptp(seen, axis=0) > 0.0, seen.std(axis=0), 0.0)
    factor = (4.0 / (dimension + 2)) ** exponent if bandwidth == "silverman" else 1.0
    scaled: Array = factor * count**-exponent * deviations
    return scaled


def density(seen: Array, points: Array, bandwidth: Bandwidth = "silverman") -> Array:
    """The kernel density at points (m, D), given contexts (n, D), before anything is moved to its bounds.

        p̂(c) = Σ_j K(H⁻¹ (c − c_j)) / (n |H|),   H = diag(h),   K(u) = (2π)^{−D/2} exp(−|u|²/2)   [huang2024, eq. 2].
    Unlike the paper, which prints K without the ½: with it K has integral one.
    """
    count, dimension = seen.shape
    widths = bandwidths(seen, bandwidth, "density()") if count else np.zeros(dimension)
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


def _given(bandwidth: float | Sequence[float], dimension: int, call: str) -> Array:
    """One deviation for each column."""
    if isinstance(bandwidth, Sequence) and len(bandwidth) != dimension:
        raise ParameterError(
            f"{call}: got {len(bandwidth)} bandwidths for {dimension} numeric columns; give one for each, in their "
            f"order, or one number for all."
        )
    return np.array(np.broadcast_to(np.asarray(bandwidth, dtype=np.float64), (dimension,)))


def _require_bandwidth(call: str, bandwidth: object) -> None:
    """Refuse what is neither the name of a rule nor a deviation, nor one for each column."""
    given = list(bandwidth) if isinstance(bandwidth, tuple) else [bandwidth]
    numbers = [as_number(each) for each in given]
    if isinstance(bandwidth, str) and bandwidth in RULES:
        return
    if not given or any(number is None or number <= 0.0 for number in numbers):
        raise ParameterError(
            f"{call}(bandwidth={bandwidth!r}): bandwidth must be {' or '.join(map(repr, RULES))}, or finite numbers "
            f"above 0, shares of the columns' ranges; give one for all numeric columns, or one for each; for no blur "
            f"at all, Observed() is the law."
        )
