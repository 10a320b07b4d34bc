"""Lengthscales of what succeeds and fails."""

from __future__ import annotations

import numpy as np

from belated.beliefs import GP, SimpleKernel
from belated.beliefs.success.fitted_kernel import fitted_kernel
from belated.evidence import Evidence
from belated.space import Choice, Float, Space

SPACE = Space(a=Float(0, 1), b=Float(0, 1), kind=Choice("u", "v", "w"))


def fitted(labels: np.ndarray, points: np.ndarray) -> SimpleKernel:
    kernel = fitted_kernel(points, labels, GP().template(Evidence.none(SPACE)))
    assert isinstance(kernel, SimpleKernel)
    return kernel


def test_the_column_that_fails_is_found() -> None:
    points = SPACE.sample(40, np.random.default_rng(0))
    numeric = fitted(np.where(points[:, 0] > 0.7, -1.0, 1.0), points)
    assert numeric.lengthscales[0] < 0.5 * numeric.lengthscales[1]
    nominal = fitted(np.where(points[:, 2] == points[0, 2], -1.0, 1.0), points)
    assert nominal.contrasts[0] > numeric.contrasts[0]
    assert min(nominal.lengthscales) > 2.0 * numeric.lengthscales[0]


def test_failures_alone_have_a_kernel_too() -> None:
    points = SPACE.sample(4, np.random.default_rng(0))
    for n in (1, 4):
        kernel = fitted(-np.ones(n), points[:n])
        assert np.isfinite(kernel.gram(points, points)).all()
