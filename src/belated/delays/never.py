"""The fraction of queries that never get an answer.

If some answers never come, the curve of waits does not fall to 0 but levels off at this fraction. A curve that has been
level for a while may still fall again. The fraction is never higher than the curve; how low it is can be known only if
queries were waited for long enough after the last answer [maller1996].

Whether it was long enough is tested against exponential delays, by the later half of the answers. Add up the time that
all queries have waited beyond the earlier half. If answers came at a constant rate, each of the N later ones would fall
uniformly into that total W [epstein1953], and all of them into the part W₁ before the last answer with probability
(W₁ / W)ᴺ. Unlike the test of Maller and Zhou, which uses the longest delays alone, this one keeps its level when few
of many answers have come.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from belated.space import Array, Mask

# How likely chance may leave a silence that is taken for the end of all answers.
DOUBT = 0.05
# Fewer answers have no pace.
FEWEST = 3


@dataclass(frozen=True)
class NeverFraction:
    """The fraction that never answers, with a 95 % interval; `estimate` is None, and `low` 0, while it is not
    determined.
    """

    estimate: float | None
    low: float
    high: float

    def to_json(self) -> dict[str, Any]:
        """The estimate and its interval."""
        return {"estimate": self.estimate, "low": self.low, "high": self.high}


UNKNOWN = NeverFraction(None, 0.0, 1.0)


def never(lengths: Array, answered: Mask, survival: float, low: float, high: float) -> NeverFraction:
    """The fraction that never answers, from the waits and the last point of their curve with its band. (n,), (n,)"""
    if survival == 0.0:
        return NeverFraction(0.0, 0.0, high)
    return (
        NeverFraction(survival, low, high)
        if _silence(lengths, lengths[answered]) < DOUBT
        else NeverFraction(None, 0.0, high)
    )


def _silence(lengths: Array, delays: Array) -> float:
    """The p-value of the silence after the last answer, if answers come at a constant rate."""
    earlier = delays[delays < np.median(delays)]
    start = float(earlier.max()) if earlier.size else 0.0
    n_later = len(delays) - int(np.count_nonzero(delays <= start)) if earlier.size else len(delays)
    waited = np.maximum(lengths - start, 0.0)
    before, whole = float(np.minimum(waited, delays.max() - start).sum()), float(waited.sum())
    return (before / whole) ** n_later if n_later >= FEWEST and whole > before else 1.0
