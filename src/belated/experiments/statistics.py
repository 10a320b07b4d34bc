"""Statistics over seeds: means with their errors, and tests between policies that met the same chance.

Arms of one experiment are paired: the same seed gave them the same function, noise and delays. What papers claim is
about means, and so are the tests. The paired t-test is exact where the differences are normal; regrets are skewed (some
seeds are hard), so the p-values that count are those of the sign-flip test: if two policies are interchangeable, each
difference is as likely as its negative, whatever its law [fisher1935]. Wilcoxon's signed ranks would be as exact, but
answer for medians: on skewed differences they can favour the policy with the larger mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from belated.checks import require_number
from belated.delays import holm
from belated.errors import ParameterError
from belated.space import Array

LEVEL = 0.95
# Up to 14 seeds all 2ⁿ changes of signs are tried; beyond, 2¹⁴ random ones give p = 0.01 with an error of 0.0008.
MOST_EXACT = 14
# Means that differ by rounding alone count as equal, relative to the size of the differences.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Estimate:
    """A mean over seeds, its standard error and the number of seeds, for each round; NaN where there is none."""

    mean: Array
    error: Array
    n: Array

    def band(self, level: float = LEVEL) -> tuple[Array, Array]:
        """The interval that covers the true mean with this probability, by Student's law; NaN for one seed alone."""
        require_number("band", "level", level, above=0, below=1)
        from scipy.special import stdtrit  # scipy.stats takes half a second to import

        freedom = np.where(self.n > 1, self.n - 1.0, np.nan)
        reach = stdtrit(freedom, (1.0 + level) / 2.0) * self.error
        return self.mean - reach, self.mean + reach


@dataclass(frozen=True)
class PairedComparison:
    """Two arms, seed by seed: the mean of `first` less `second`, and how likely chance alone sets them so far apart."""

    first: str
    second: str
    n: int
    difference: float
    error: float
    t_test: float
    sign_flip: float
    adjusted: float  # the p-value of the sign-flip test, corrected for all pairs by Holm's method

    @property
    def lower(self) -> str | None:
        """The arm whose mean is lower, or None where they are equal."""
        return None if self.difference == 0 else self.first if self.difference < 0 else self.second


def estimate(values: NDArray[Any]) -> Estimate:
    """The mean over seeds, its standard error s / √n and n; seeds without a value are left out. (seeds, …) -> (…)"""
    values = np.asarray(values, dtype=float)
    there = ~np.isnan(values)
    n = there.sum(axis=0)
    mean = ratio(np.where(there, values, 0.0).sum(axis=0), n)
    squares = np.where(there, (values - mean) ** 2, 0.0).sum(axis=0)
    return Estimate(mean, np.sqrt(ratio(ratio(squares, n - 1), n)), n)


def comparisons(finals: Mapping[str, Array]) -> tuple[PairedComparison, ...]:
    """All pairs of arms compared by one number for each seed, as `results.final("simple")` has them."""
    pairs = list(combinations(finals, 2))
    differences = [_paired(finals[first], finals[second]) for first, second in pairs]
    flips = [sign_flip(values) for values in differences]
    return tuple(
        PairedComparison(first, second, len(values), *_mean_and_error(values), t_test(values), flip, adjusted)
        for (first, second), values, flip, adjusted in zip(pairs, differences, flips, holm(flips), strict=True)
    )


def below(first: Array, second: Array) -> float:
    """The one-sided p-value of the claim that `first` has the lower mean, by the sign-flip test. (seeds,) each"""
    return sign_flip(_paired(first, second), one_sided=True)


def sign_flip(differences: Array, one_sided: bool = False) -> float:
    """How likely the mean of the differences is so far from 0 (one-sided: so far below it) under changes of signs.

    All 2ⁿ changes of n differences are tried where they are few; else a random sample and the given signs, with which
    p is never too small [phipson2010].
    """
    n = len(differences)
    if n == 0:
        return 1.0
    observed = float(np.sum(differences))
    sums = _signs(n) @ differences
    slack = ROUNDING * float(np.sum(np.abs(differences)))
    extreme = sums <= observed + slack if one_sided else np.abs(sums) >= abs(observed) - slack
    if n <= MOST_EXACT:
        return float(np.mean(extreme))
    return float((1 + np.sum(extreme)) / (1 + len(extreme)))


def t_test(differences: Array) -> float:
    """The two-sided p-value of the paired t-test; 1 where all differences are 0, or there are fewer than two."""
    from scipy.special import stdtr

    mean, error = _mean_and_error(differences)
    if len(differences) < 2 or mean == 0:
        return 1.0
    return 2.0 * float(stdtr(len(differences) - 1, -abs(mean) / error)) if error > 0 else 0.0


def ratio(above: NDArray[Any], below: NDArray[Any]) -> Array:
    """The ratio, NaN where there is nothing to divide by."""
    found = np.full(np.shape(above), np.nan)
    np.divide(above, below, out=found, where=np.asarray(below) > 0)
    return found


def _paired(first: Array, second: Array) -> Array:
    """The differences of the seeds that have both values."""
    if len(first) != len(second):
        raise ParameterError(
            f"comparisons(): got {len(first)} and {len(second)} values; arms are compared seed by seed; give both the "
            f"same seeds."
        )
    differences = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    there: Array = differences[~np.isnan(differences)]
    return there


def _mean_and_error(values: Array) -> tuple[float, float]:
    found = estimate(values)
    return float(found.mean), float(found.error)


def _signs(n: int) -> Array:
    """Changes of signs: all of them, or 2¹⁴ − 1 random ones, the same in every call. (patterns, n)"""
    if n <= MOST_EXACT:
        bits = np.arange(2**n)[:, None] >> np.arange(n) & 1
    else:
        bits = np.random.default_rng(n).integers(0, 2, (2**MOST_EXACT - 1, n))
    return np.where(bits, 1.0, -1.0)
