"""The best row of a finite table: every row looked at, or only those that could be the best.

Rows whose scores differ by no more than rounding are equal, and one of them is drawn: so the choice does not hang on
the order in which sums were taken, and the lazy search chooses what the plain one does.
"""

from __future__ import annotations

import numpy as np

from belated.beliefs import Combined, Kept
from belated.search.moments import MomentScore
from belated.search.score import Score
from belated.space import Array, Indices

# What rounding may do to a deviation, as a share of it.
ROUNDING = 1e-9
# Rows that the lazy search brings up to date together.
BATCH = 256


def maximise_table(score: Score, table: Array, rng: np.random.Generator, barred: Indices | None = None) -> int:
    """The index of a best row, drawn among equals; a barred one only where there is no other."""
    if not isinstance(score, MomentScore):
        values = np.nan_to_num(score.values(table), nan=-np.inf, posinf=-np.inf, neginf=-np.inf)
        return _drawn(np.arange(len(values)), _without(values, barred), 0.0, rng)
    kept = score.belief.on(table)
    if kept is not None and kept.lazy:
        return _lazily(score, kept, rng, barred)
    moments = score.belief.moments(table)
    combined = score.combine(*moments)
    values = _without(combined.value, barred)
    slack = _slack(combined, moments.deviation, int(np.argmax(values)))
    return _drawn(np.arange(len(table)), values, slack, rng)


def _without(values: Array, barred: Indices | None) -> Array:
    """The values, with those of barred rows below all others. (N,)"""
    if barred is None:
        return values
    lowered = values.copy()
    lowered[barred] = -np.inf
    return lowered


def _lazily(score: MomentScore, kept: Kept, rng: np.random.Generator, barred: Indices | None) -> int:
    """The same choice from upper bounds: a row is looked at only while its bound could win.

    With σ̂ ≥ σ the deviations as last computed, s(μ, σ̂) ≥ s(μ, σ). Rows are brought up to date in the order of
    their bounds until the best value found is above every bound that is left [desautels2014, section 6].
    """
    mean = kept.mean()
    upper = _without(score.combine(mean, kept.bounds()).value, barred)
    size = BATCH
    while True:
        rows = np.sort(_largest(upper, size))
        deviation = kept.deviation(rows)
        combined = score.combine(mean[rows], deviation)
        values = np.where(np.isneginf(upper[rows]), -np.inf, combined.value)
        slack = _slack(combined, deviation, int(np.argmax(values)))
        rivals = int(np.count_nonzero(upper >= np.max(values) - slack))
        if rivals <= len(rows):
            return _drawn(rows, values, slack, rng)
        size = max(rivals, 2 * size)


def _slack(combined: Combined, deviation: Array, best: int) -> float:
    """How far apart two scores can be by rounding alone: what it does to the moments, carried through the score."""
    steepness = combined.by_mean[best] + combined.by_deviation[best]
    return float(ROUNDING * steepness * deviation[best])


def _largest(values: Array, count: int) -> Indices:
    """The indices of the largest values, in no order."""
    if count >= len(values):
        return np.arange(len(values))
    return np.argpartition(values, len(values) - count)[len(values) - count :]


def _drawn(rows: Indices, values: Array, slack: float, rng: np.random.Generator) -> int:
    """One of the rows that are best up to the slack."""
    ties = rows[values >= np.max(values) - slack]
    return int(ties[0] if len(ties) == 1 else rng.choice(ties))
