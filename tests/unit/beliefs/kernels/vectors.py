"""Kernels as vectors of logarithms, which several tests take apart and put together."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from belated.beliefs import Kernel, SimpleKernel
from belated.space import Array


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
