"""Several p-values at once."""

from __future__ import annotations

import pytest

from belated.delays import holm


def test_holm_corrects_the_example_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.6]) == [1.0, 1.0]
    assert holm([]) == []
