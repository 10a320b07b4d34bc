"""The best row of a finite table: every row looked at, or only those that could be the best.

Rows whose scores differ by no more than rounding are equal, and one of them is drawn: so the choice does not hang on
the order in which sums were taken, and the lazy search chooses what the plain one does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from belated.beliefs import Combined
from belated.search.moments import MomentScore
from belated.search.promise import Odds
from belated.search.score import Score
from belated.space import Array, Candidates, Indices

# What rounding may do to a deviation, as a share of it.
ROUNDING = 1e-9
# Rows that the lazy search brings up to date together.
BATCH = 256


class Looked(NamedTuple):
    """Values of some rows, and what rounding can do to each."""

    values: Array
    slacks: Array


Look = Callable[[Indices], Looked]


def maximise_table(score: Score, table: Array, rng: np.random.Generator, barred: Indices | None = None) -> int:
    """The index of a best row, drawn among equals; a barred one only where there is no other."""
    if not isinstance(score, MomentScore):
        values = np.nan_to_num(score.values(table), nan=-np.inf, posinf=-np.inf, neginf=-np.inf)
        return _drawn(np.arange(len(values)), _without(values, barred), 0.0, rng)
    kept = score.belief.on(table)
    if kept is not None and kept.lazy:
        upper, look = _looks(score, table)
        return _best_first(_without(upper, barred), look, rng)
    moments = score.belief.moments(table)
    combined = score.combine(*moments)
    values = _without(combined.value, barred)
    slack = float(_slacks(combined, moments.deviation)[np.argmax(values)])
    return _drawn(np.arange(len(table)), values, slack, rng)


def _without(values: Array, barred: Indices | None) -> Array:
    """The values, with those of barred rows below all others. (N,)"""
    if barred is None:
        return values
    lowered = values.copy()
    lowered[barred] = -np.inf
    return lowered


def most_promising_row(
    score: Score, domain: Candidates, table: Array, rng: np.random.Generator, barred: Indices | None, odds: Odds
) -> int:
    """The index of a row that promises most, drawn among equals; `table` are the rows of the domain in their context.

    No chance is above 1, so that the score of a row bounds what it promises: only rows that could win are looked at.
    """
    upper, look = _looks(score, table)
    unit = odds.unit(score)

    def promises(rows: Indices) -> Looked:
        values, slacks = look(rows)
        return Looked(values + unit * odds.values(domain.table[rows]), slacks)

    return _best_first(_without(upper, barred), promises, rng)


def _looks(score: Score, table: Array) -> tuple[Array, Look]:
    """Upper bounds of the scores of all rows, and a closer look at some; the bounds are the scores if they are known.

    With σ̂ ≥ σ the deviations as last computed, a score that rises with the deviation has s(μ, σ̂) ≥ s(μ, σ), and one
    that falls s(μ, 0).
    """
    kept = score.belief.on(table) if isinstance(score, MomentScore) else None
    if not isinstance(score, MomentScore) or kept is None or not kept.lazy:
        values = np.nan_to_num(score.values(table), nan=-np.inf, posinf=-np.inf, neginf=-np.inf)
        return values, lambda rows: Looked(values[rows], np.zeros(len(rows)))
    mean = kept.mean()

    def look(rows: Indices) -> Looked:
        deviation = kept.deviation(rows)
        combined = score.combine(mean[rows], deviation)
        return Looked(combined.value, _slacks(combined, deviation))

    highest = score.combine(mean, kept.bounds())
    falling = highest.by_deviation < 0.0
    if not falling.any():
        return highest.value, look
    return np.where(falling, score.combine(mean, np.zeros_like(mean)).value, highest.value), look


def _best_first(upper: Array, look: Look, rng: np.random.Generator) -> int:
    """The choice among all values, from upper bounds of them: a row is looked at only while its bound could win.

    Rows are looked at in the order of their bounds until the best value found is above every bound that is left
    [desautels2014, section 6].
    """
    size = BATCH
    while True:
        rows = np.sort(_largest(upper, size))
        values, slacks = look(rows)
        values = np.where(np.isneginf(upper[rows]), -np.inf, values)
        slack = float(slacks[np.argmax(values)])
        rivals = int(np.count_nonzero(upper >= np.max(values) - slack))
        if rivals <= len(rows):
            return _drawn(rows, values, slack, rng)
        size = max(rivals, 2 * size)


def _slacks(combined: Combined, deviation: Array) -> Array:
    """How far apart two scores can be by rounding alone: what it does to the moments, carried through the score."""
    return np.asarray(ROUNDING * (combined.by_mean + np.abs(combined.by_deviation)) * deviation)


def _largest(values: Array, count: int) -> Indices:
    """The indices of the largest values, in no order."""
    if count >= len(values):
        return np.arange(len(values))
    return np.argpartition(values, len(values) - count)[len(values) - count :]


def _drawn(rows: Indices, values: Array, slack: float, rng: np.random.Generator) -> int:
    """One of the rows that are best up to the slack."""
    ties = rows[values >= np.max(values) - slack]
    return int(ties[0] if len(ties) == 1 else rng.choice(ties))
