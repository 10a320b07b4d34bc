"""The best row of a finite table: every row looked at, or only those that could be the best.

Rows whose scores differ by no more than rounding are equal, and one of them is drawn: so the choice does not hang on
the order in which sums were taken, and the lazy search chooses what the plain one does.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from belated.beliefs import GaussianProcess, Tabled
from belated.search.moments import MomentScore
from belated.search.score import Score
from belated.space import Array, Indices

# Scores closer than this share of their range are taken as equal.
ROUNDING = 1e-10
# Rows that the lazy search brings up to date together.
BATCH = 256


def maximise_table(score: Score, table: Array, rng: np.random.Generator) -> int:
    """The index of a best row, drawn among equals."""
    if isinstance(score, MomentScore) and _is_lazy(score, table):
        return _lazily(score, rng)
    values = np.nan_to_num(score.values(table), nan=-np.inf, posinf=-np.inf, neginf=-np.inf)
    return _drawn(np.arange(len(values)), values, float(np.min(values)), rng)


def _is_lazy(score: MomentScore, table: Array) -> bool:
    belief = score.belief
    return (
        isinstance(belief, GaussianProcess)
        and belief.setting.table is table
        and len(table) >= belief.setting.memory.lazy_from
    )


def _lazily(score: MomentScore, rng: np.random.Generator) -> int:
    """The same choice from upper bounds: a row is looked at only while its bound could win.

    With σ̂ ≥ σ the deviations as last computed, s(μ, σ̂) ≥ s(μ, σ). Rows are brought up to date in the order of
    their bounds until the best value found is above every bound that is left [desautels2014, section 6].
    """
    belief = cast(Tabled, score.belief)
    mean = belief.table_mean()
    upper = score.combine(mean, belief.table_bounds()).value
    lowest = float(np.min(upper))
    exact, rows = np.empty(0), np.empty(0, dtype=np.intp)
    size = BATCH
    while True:
        leaders = _largest(upper, size)
        fresh = np.setdiff1d(leaders, rows)
        found = score.combine(mean[fresh], belief.table_deviation(fresh)).value
        rows, exact = np.concatenate([rows, fresh]), np.concatenate([exact, found])
        best = float(np.max(exact))
        rivals = int(np.count_nonzero(upper >= best - ROUNDING * (best - lowest)))
        if rivals <= len(rows):
            order = np.argsort(rows)
            return _drawn(rows[order], exact[order], lowest, rng)
        size = max(rivals, 2 * size)


def _largest(values: Array, count: int) -> Indices:
    """The indices of the largest values, in no order."""
    if count >= len(values):
        return np.arange(len(values))
    return np.argpartition(values, len(values) - count)[len(values) - count :]


def _drawn(rows: Indices, values: Array, lowest: float, rng: np.random.Generator) -> int:
    """One of the rows that are best up to rounding."""
    best = float(np.max(values))
    if not np.isfinite(best):
        return int(rng.choice(rows))
    slack = ROUNDING * (best - lowest) if np.isfinite(lowest) else 0.0
    ties = rows[values >= best - slack]
    return int(ties[0] if len(ties) == 1 else rng.choice(ties))
