"""What kernel density estimation says, in plain loops."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from belated.space import Array

# Steps of the noise from −8 to 8 deviations: by the trapezoidal rule nearly exact for a smooth function, and off by the
# square of a step where it has a kink.
STEPS = {1: 3201, 2: 161}


def plain_bandwidths(seen: Array) -> list[float]:
    """Silverman's rule, one column after the other."""
    count, dimension = len(seen), len(seen[0])
    found = []
    for column in range(dimension):
        values = [float(row[column]) for row in seen]
        mean = math.fsum(values) / count
        variance = math.fsum((value - mean) ** 2 for value in values) / count
        factor = (4 / (dimension + 2)) ** (1 / (dimension + 4))
        found.append(factor * math.sqrt(variance) * count ** (-1 / (4 + dimension)))
    return found


def plain_density(seen: Array, point: Array) -> float:
    """The mean of the normal densities around the contexts seen."""
    widths = plain_bandwidths(seen)
    total = 0.0
    for row in seen:
        height = 1.0
        for value, centre, width in zip(point, row, widths, strict=True):
            height *= math.exp(-(((value - centre) / width) ** 2) / 2) / (width * math.sqrt(2 * math.pi))
        total += height
    return total / len(seen)


def plain_expectation(seen: Array, function: Callable[[Array], Array]) -> float:
    """The mean of a function of contexts that are clipped to the unit cube, by quadrature around each context seen."""
    dimension = seen.shape[1]
    noise = np.linspace(-8.0, 8.0, STEPS[dimension])
    heights = np.exp(-(noise**2) / 2) / math.sqrt(2 * math.pi) * (noise[1] - noise[0])
    grid = np.stack([axis.ravel() for axis in np.meshgrid(*[noise] * dimension)], axis=1)
    masses = np.prod([axis.ravel() for axis in np.meshgrid(*[heights] * dimension)], axis=0)
    widths = np.array(plain_bandwidths(seen))
    return float(np.mean([masses @ function(np.clip(row + widths * grid, 0.0, 1.0)) for row in seen]))
