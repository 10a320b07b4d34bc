"""Random waves: the signs that carry the labels."""

from __future__ import annotations

import numpy as np
import pytest

from belated.beliefs.kernels.waves import random_signs
from tests.tolerance import STANDARD_ERRORS


@pytest.mark.parametrize("contrast", [1e-3, 0.7, 5.0])
@pytest.mark.parametrize("levels", [1, 2, 5])
def test_random_signs_agree_as_often_as_the_contrast_says(contrast: float, levels: int) -> None:
    rng = np.random.default_rng(1)
    signs = np.concatenate([random_signs(contrast, levels, 1024, rng) for _ in range(20)], axis=1)
    n = signs.shape[1]
    assert set(np.unique(signs)) <= {-1.0, 1.0}
    found = signs @ signs.T / n
    expected = np.where(np.eye(levels) == 1, 1.0, np.exp(-contrast))
    assert np.all(np.abs(found - expected) <= STANDARD_ERRORS * np.sqrt((1 - expected**2) / n))
