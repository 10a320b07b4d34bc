"""What tests of kernels share: points with a column of labels, and kernels as vectors of logarithms."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from belated.beliefs import Kernel, SimpleKernel
from belated.space import Array
from belated.space.arrays import Indices

COLUMNS = 3
LEVELS = (None, 3, None)
MASK = (False, True, False)


def some_points(seed: int, count: int) -> Array:
    points = np.random.default_rng(seed).random((count, COLUMNS))
    points[:, 1] = (np.floor(3.0 * points[:, 1]) + 0.5) / 3.0
    return points


def numeric() -> Indices:
    return np.flatnonzero(~np.array(MASK))


def logarithms(kernel: Kernel) -> Array:
    """The logarithms of the hyperparameters, in the kernel's order."""
    return np.log([each.value for each in kernel.hyperparameters(0)])


def names(kernel: Kernel) -> list[str]:
    """What they are called."""
    return [each.name for each in kernel.hyperparameters(0)]


def with_logarithms(kernel: Kernel, logs: Array) -> Kernel:
    """The kernel with these."""
    return kernel.with_values(dict(zip(names(kernel), np.exp(logs).tolist(), strict=True)))


def in_order(kernel: Kernel, slopes: Mapping[str, float]) -> Array:
    """Slopes by name as a vector, of which that in the noise, where there is one, comes last."""
    return np.array([slopes[name] for name in [*names(kernel), *(["noise"] if "noise" in slopes else [])]])


def simple(kernel: Kernel) -> SimpleKernel:
    """The kernel, which is of one form."""
    assert isinstance(kernel, SimpleKernel)
    return kernel
