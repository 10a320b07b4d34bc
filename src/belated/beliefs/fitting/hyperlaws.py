"""What may be believed of hyperparameters before any answer: uniform in intervals, or the weak priors of a fit."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Protocol

import numpy as np

from belated.beliefs.fitting.climb import Slope
from belated.beliefs.fitting.fit import Prior, standard
from belated.beliefs.fitting.parameters import Parameters
from belated.beliefs.kernels.hyperparameters import CONTRAST
from belated.checks import as_number
from belated.errors import ParameterError
from belated.evidence import Errors
from belated.space.arrays import Array

Interval = tuple[float, float]


class Law(Protocol):
    """What is believed of the hyperparameters before any answer; data, and no more than numbers."""

    def units(self, values: Array, mean: float | None, errors: Errors | None = None) -> tuple[float, float]:
        """The shift and the unit of the values in which the law speaks."""

    def bounds(self, parameters: Parameters) -> tuple[Array, Array]:
        """The lowest and the highest."""

    def over(self, parameters: Parameters) -> Slope:
        """The log density of them up to a constant, as a function of their logarithms, with its slopes."""


@dataclass(frozen=True)
class Intervals:
    """Every hyperparameter uniform in an interval: itself and not its logarithm [lu2022, appendix E].

    `variance` and `noise` (variances) are in the units of the answers as given, which are not standardised;
    `lengthscale` in units of the cube; `contrast`, of categorical parameters, has no unit. The defaults are the
    paper's, which has no contrasts and does not say whether its inputs were scaled to a cube. An interval whose ends
    are equal is a known number.
    """

    variance: Interval = (1.0, 100.0)
    lengthscale: Interval = (1e-3, 1e3)
    noise: Interval = (0.1, 0.3)
    contrast: Interval = CONTRAST.bounds

    def __post_init__(self) -> None:
        for part in fields(self):
            given = getattr(self, part.name)
            ends = [as_number(end) for end in given] if isinstance(given, list | tuple) else []
            known = [end for end in ends if end is not None and end > 0.0]
            if len(ends) != 2 or len(known) != 2 or known[0] > known[1]:
                raise ParameterError(
                    f"Intervals({part.name}={given!r}): an interval is two positive finite numbers, the smaller first; "
                    f"equal ones are a known number."
                )
            object.__setattr__(self, part.name, (known[0], known[1]))

    def units(self, values: Array, mean: float | None, errors: Errors | None = None) -> tuple[float, float]:
        """The answers as given, but for their mean."""
        return standard(values, mean, errors)[0], 1.0

    def bounds(self, parameters: Parameters) -> tuple[Array, Array]:
        """The ends of the intervals; a form's own hyperparameters have those of a fit."""
        own = {part.name: getattr(self, part.name) for part in fields(self)}
        low, high = np.array([own.get(each.kind.name, each.kind.bounds) for each in parameters.every]).T
        return low, high

    def over(self, parameters: Parameters) -> Slope:
        return lambda logs: (0.0, np.zeros(len(logs)))


@dataclass(frozen=True)
class Weak:
    """The weak log-normal priors of the fit, within the fit's bounds, in units that standardise the answers."""

    prior: Prior = Prior()

    def units(self, values: Array, mean: float | None, errors: Errors | None = None) -> tuple[float, float]:
        """Mean and deviation of the answers."""
        return standard(values, mean, errors)

    def bounds(self, parameters: Parameters) -> tuple[Array, Array]:
        """Those of the fit."""
        low, high = np.array([each.kind.bounds for each in parameters.every]).T
        return low, high

    def over(self, parameters: Parameters) -> Slope:
        """The density that the fit climbs."""
        return self.prior.over(parameters).log_density
