"""The kernel of a belief about success, whose lengthscales are fitted to successes and failures alone.

What makes f vary need not be what makes it fail: a belief about f may be level in the very parameter that crashes.
"""

from __future__ import annotations

import math

import numpy as np

from belated.beliefs.fitting.climb import climb
from belated.beliefs.fitting.fit import Prior, bounds
from belated.beliefs.fitting.parameters import Parameters
from belated.beliefs.kernels.hyperparameters import LENGTHSCALE, VARIANCE, Kind, LogNormal
from belated.beliefs.kernels.kernel import Kernel
from belated.beliefs.success.laplace import laplace
from belated.space.arrays import Array

# The latent mean is normal with this mean and variance, before anything was tried: most points work.
MEAN, MEAN_VARIANCE = 0.5, 1.0
# Of the latent variance: its mode, 20, makes most borders as sharp as those of real failures are; 1 hardly any.
SURE = LogNormal(4.0, 1.0)
# Where climbs begin: lengthscales as a share of the cube's diagonal.
SHARES = (0.3, 0.8)
START_VARIANCE = 10.0
# Nats: what was tried is too little to tell more.
TOLERANCE = 1e-2


def fitted_kernel(points: Array, labels: Array, template: Kernel) -> Kernel:
    """The kernel that is most likely given what succeeded and what failed, under the weak priors of any fit."""
    parameters = Parameters.of(template, points.shape[1])
    every = parameters.every[:-1]
    density = Prior(variance=SURE).over(Parameters(template, every, parameters.names[:-1]))
    names = parameters.names[:-1]
    low, high = (ends[:-1] for ends in bounds(parameters, {}))

    def objective(logs: Array) -> tuple[float, Array]:
        kernel = template.with_values(dict(zip(names, np.exp(logs).tolist(), strict=True)))
        tangent = kernel.tangent(points)
        upper = np.triu(tangent.gram)
        seen = laplace(upper + np.triu(upper, 1).T + MEAN_VARIANCE, labels, MEAN)
        slopes = tangent.log_slopes(seen.by_covariance())
        log_prior, by_prior = density.log_density(logs)
        return seen.log_evidence + log_prior, np.array([slopes[name] for name in names]) + by_prior

    starts = [np.log([_start(each.kind, each.columns, share) for each in every]) for share in SHARES]
    tops = [climb(objective, start, low, high, tolerance=TOLERANCE) for start in starts]
    best = max(tops, key=lambda top: top.value).place
    return template.with_values(dict(zip(names, np.exp(best).tolist(), strict=True)))


def _start(kind: Kind, columns: int, share: float) -> float:
    if kind == LENGTHSCALE:
        return share * math.sqrt(max(1, columns))
    return START_VARIANCE if kind == VARIANCE else kind.start
