"""Which candidates a round removes."""

from __future__ import annotations

import numpy as np

from belated.beliefs import Moments
from belated.rules.exploration import keep


def test_the_lower_bounds_of_the_removed_remove_nobody() -> None:
    moments = Moments(np.array([0.0, 0.4, 5.0]), np.array([1.0, 0.1, 0.1]))
    assert keep(moments, 1.0, np.array([True, True, False])).tolist() == [True, True, False]
    assert keep(moments, 1.0, np.array([True, True, True])).tolist() == [False, False, True]
