"""What the numbers of a kernel are called, where a fit looks for them, and what is believed of them beforehand.

All is said in standardised units, in which points fill the unit cube and values have variance one.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LogNormal:
    """A positive number whose logarithm is normal with this location and spread."""

    location: float
    spread: float


@dataclass(frozen=True)
class Kind:
    """What a hyperparameter means, in whatever kernel it stands."""

    name: str
    bounds: tuple[float, float]
    law: LogNormal  # the weak prior of a fit
    start: float = 1.0  # where climbs begin


# Lengthscales beyond these tell no points of a cube apart, or all; and no covariance within the bounds is singular.
# The lengthscale's location is for one numeric column; for d of them ½ log d is added, since distances in the cube
# grow with √d: LogNormal(√2 + ½ log d, √3) [hvarfner2024]. Values being standardised, their variance is one, give or
# take a factor e. A contrast of one makes two levels correlate by 0.37; a factor e up or down, by 0.07 or 0.69.
VARIANCE = Kind("variance", (1e-3, 1e3), LogNormal(0.0, 1.0))
LENGTHSCALE = Kind("lengthscale", (5e-3, 1e3), LogNormal(2.0**0.5, 3.0**0.5))
CONTRAST = Kind("contrast", (1e-3, 1e1), LogNormal(0.0, 1.0))
# The noise is no kernel's, but is fitted beside its hyperparameters; this law is BoTorch's default.
NOISE = Kind("noise", (1e-6, 1e1), LogNormal(-4.0, 1.0))


@dataclass(frozen=True)
class Hyperparameter:
    """One number of a kernel; its name tells it from the kernel's others."""

    name: str
    kind: Kind
    value: float
    columns: int = 1  # the numeric columns over which the distances run that a lengthscale divides
