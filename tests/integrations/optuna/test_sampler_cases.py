"""Optuna's own test cases for samplers, run on ours.

All of them apply but one: `MultiObjectiveSamplerTestCase` wants a sampler for several objectives, which ours refuses,
as `SingleOnlySamplerTestCase` wants it to.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from optuna.samplers import BaseSampler

from belated.integrations.optuna import BelatedSampler

pytest.importorskip("optuna.testing.pytest_samplers", reason="Optuna has no test cases for others before 4.8")

from optuna.testing.pytest_samplers import (
    BasicSamplerTestCase,
    RelativeSamplerTestCase,
    SingleOnlySamplerTestCase,
)


class TestBelatedSampler(BasicSamplerTestCase, RelativeSamplerTestCase, SingleOnlySamplerTestCase):
    """A sampler with the default policy."""

    @pytest.fixture
    def sampler(self) -> Callable[[], BaseSampler]:
        """A new one whenever it is asked for."""
        return lambda: BelatedSampler(seed=7)
