"""P-values of several tests at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values corrected so that, among all claims at level α, any is false with probability at most α [holm1979].

    The i-th smallest of m becomes max over j ≤ i of min(1, (m − j + 1) p_j).
    """
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * np.asarray(p_values, dtype=float)[order]))
    return [float(p) for p in adjusted]
