"""The fraction of queries that never get an answer.

Where some answers never come, the curve of those still waiting does not fall to 0 but becomes level, and the level is
the fraction. Yet a curve that has been level for a while may fall again. How high the fraction can be is always known:
no higher than the curve. How low, and so what it is, is known only if queries were waited for long enough after the
last answer [maller1996].

Whether it was long enough is tested against the law without memory, by the later half of the answers. Add up the time
that all queries together have waited beyond the earlier half: if answers went on to come at one pace, each of the N
later ones would fall anywhere in that total alike [epstein1953], and all of them into the part W₁ of W that was over
with the last answer with probability (W₁ / W)ᴺ. Unlike the test of Maller and Zhou, which compares the silence with
the longest delays alone, it keeps its level when few of many have come.
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
class Never:
    """The fraction that never answers, with a 95 % interval; `estimate` is None, and `low` 0, while nobody can tell."""

    estimate: float | None
    low: float
    high: float

    def to_json(self) -> dict[str, Any]:
        """The estimate and its interval."""
        return {"estimate": self.estimate, "low": self.low, "high": self.high}


UNKNOWN = Never(None, 0.0, 1.0)


def never(lengths: Array, answered: Mask, survival: float, low: float, high: float) -> Never:
    """The fraction that never answers, from the waits and the last point of their curve with its band. (n,), (n,)"""
    if survival == 0.0:
        return Never(0.0, 0.0, high)
    return Never(survival, low, high) if _silence(lengths, lengths[answered]) < DOUBT else Never(None, 0.0, high)


def _silence(lengths: Array, delays: Array) -> float:
    """How likely chance alone leaves such a silence after the last answer, if answers go on to come at one pace."""
    earlier = delays[delays < np.median(delays)]
    start = float(earlier.max()) if earlier.size else 0.0
    n_later = len(delays) - int(np.count_nonzero(delays <= start)) if earlier.size else len(delays)
    waited = np.maximum(lengths - start, 0.0)
    before, whole = float(np.minimum(waited, delays.max() - start).sum()), float(waited.sum())
    return (before / whole) ** n_later if n_later >= FEWEST and whole > before else 1.0
