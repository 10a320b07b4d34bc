"""The chance that an answer takes longer than some time, from answers and from queries that still wait.

The estimate is the product-limit one [kaplan1958], with Greenwood's variance and a band on the log-log scale, which
stays within 0 and 1 and holds its level in small samples [kalbfleisch2002]. `scipy.stats.ecdf` has the estimate too,
but takes a third of a second to import, which every command would pay, and its band is not defined where the curve
reaches 0. Tests compare the two.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from belated.checks import require_number
from belated.delays.never import UNKNOWN, NeverFraction, never
from belated.space import Array, Mask

LEVEL = 0.95
# The quantile of the normal law for a band of this level, so that no package need be loaded for it.
REACH = 1.959963984540054
MOST_STEPS = 200


@dataclass(frozen=True, eq=False)
class Curve:
    """The chance that an answer takes longer than some time: steps at the delays of the answers, each with its band.

    The chance is 1 before the first step, and constant after the last. A step at time t counts the answers that took t.
    """

    times: Array  # (k,) rising
    survival: Array  # (k,) the chance that an answer takes longer
    low: Array  # (k,) the band, which covers the truth in 95 of 100 cases, at each time by itself
    high: Array  # (k,)
    at_risk: Array  # (k,) queries that had waited so long without an answer
    never: NeverFraction

    def survived(self, times: Array) -> Array:
        """The chance that an answer takes longer than each of these times. (m,)"""
        return np.concatenate([[1.0], self.survival])[np.searchsorted(self.times, times, side="right")]

    def answered_by(self, time: float) -> float:
        """The chance that an answer comes within this time; for a window of m queries, ρ_m of [verma2022].

        It is constant after the longest delay seen: nothing is known of later answers.
        """
        require_number("answered_by", "time", time, low=0)
        return 1.0 - float(self.survived(np.array([time]))[0])

    def quantile(self, share: float) -> float | None:
        """The time within which this share of all queries is answered; None if the curve does not reach it."""
        require_number("quantile", "share", share, above=0, high=1)
        # A share such as 0.3 is itself rounded, and so are the steps: one that equals it may look lower.
        reached = np.flatnonzero(1.0 - self.survival >= share - 1e-12)
        return float(self.times[reached[0]]) if reached.size else None

    def still(self, age: float) -> float | None:
        """The chance that a query of this age will still be answered; None while the fraction p that never answers is
        unknown.

        With S(a) the chance of a longer wait than a, it is (S(a) − p) / S(a) = 1 − p / S(a).
        """
        require_number("still", "age", age, low=0)
        return None if self.never.estimate is None else float(self.chances(np.array([age]))[0])

    def chances(self, ages: Array) -> Array:
        """`still` for many ages, and 1 while p is unknown, since nothing speaks against an answer then. (m,)"""
        if not self.never.estimate:
            return np.ones(len(ages))
        return np.asarray(1.0 - self.never.estimate / self.survived(ages))

    def to_json(self) -> dict[str, Any]:
        """The curve as plain values; of a curve with more than 200 steps, 200 of them with the first and the last."""
        steps = np.unique(np.linspace(0, len(self.times) - 1, MOST_STEPS).round().astype(int))
        kept = steps if len(self.times) > MOST_STEPS else slice(None)
        columns = ("times", "survival", "low", "high", "at_risk")
        return {
            "median": self.quantile(0.5),
            "nine_in_ten": self.quantile(0.9),
            "longest": float(self.times[-1]) if self.times.size else None,
            "never": self.never.to_json(),
            **{name: getattr(self, name)[kept].tolist() for name in columns},
        }


def curve(lengths: Array, answered: Mask) -> Curve:
    """The curve of waits that ended with an answer, or that are right-censored. (n,), (n,)

    With d_j answers at time t_j and r_j waits of at least t_j, S(t) = Π_{t_j ≤ t} (1 − d_j / r_j) [kaplan1958]. A
    censored
    wait of exactly t_j counts among the r_j: a query of age a, just before the next ask, has a delay of more than a.
    """
    times, counts = np.unique(lengths[answered], return_counts=True)
    if not times.size:
        none = _kept(np.empty(0))
        return Curve(none, none, none, none, none, UNKNOWN)
    n_answered = counts.astype(float)
    at_risk = np.asarray(len(lengths) - np.searchsorted(np.sort(lengths), times), dtype=float)
    survival: Array = np.cumprod((at_risk - n_answered) / at_risk)
    low, high = _band(survival, n_answered, at_risk)
    end = float(survival[-1]), float(low[-1]), float(high[-1])
    fraction = never(lengths, answered, *end)
    return Curve(_kept(times), _kept(survival), _kept(low), _kept(high), _kept(at_risk), fraction)


def _band(survival: Array, n_answered: Array, at_risk: Array) -> tuple[Array, Array]:
    """The band S^exp(±z s), with s² = Σ_j d_j / (r_j (r_j − d_j)) / log² S [kalbfleisch2002].

    Where all that were left were answered, S is 0 and s has no value: the band reaches from 0 to the upper edge before,
    times the highest chance with which none of r_j would be left, 1 − 0.025^{1/r_j}.
    """
    inside = survival > 0.0
    left = (at_risk - n_answered)[inside]
    # Steps with S so near 1 that it is rounded to it would divide by 0.
    log_survival = np.minimum(np.log(survival[inside]), -np.finfo(float).tiny)
    spread = REACH * np.sqrt(np.cumsum(n_answered[inside] / (at_risk[inside] * left))) / -log_survival
    low, high = np.zeros(len(survival)), np.zeros(len(survival))
    # A wide band may overflow to infinity, where the edge is 0 as it should be.
    with np.errstate(over="ignore"):
        low[inside], high[inside] = np.exp(log_survival * np.exp(spread)), np.exp(log_survival * np.exp(-spread))
    if not inside[-1]:
        before = float(high[-2]) if len(high) > 1 else 1.0
        high[-1] = before * (1.0 - math.exp(math.log((1.0 - LEVEL) / 2.0) / at_risk[-1]))
    return low, high


def _kept(values: Any) -> Array:
    """A read-only array of doubles."""
    array = np.array(values, dtype=float)
    array.setflags(write=False)
    return array
