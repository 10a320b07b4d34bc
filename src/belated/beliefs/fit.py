"""Choosing the hyperparameters of a GP from answers alone.

Values are standardised, the log marginal likelihood plus the log density of weak priors is climbed in the
logarithms of the parameters from several fixed starts, and what is found is scaled back. Answers by the hundred
are fitted on a ladder: first on few rows, evenly spaced, from every start; then, from the best, on four times as
many, up to all. The fit is a function of the data: no randomness, and no memory of an earlier fit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from belated.beliefs.ascent import climb
from belated.beliefs.evidence import log_marginal_likelihood
from belated.beliefs.kernels import Kernel
from belated.errors import NoAnswerError
from belated.space.arrays import Array

# Past so many rows the likelihood is that of an evenly spaced subset: its cost grows with n³ and the
# hyperparameters are well determined long before.
LARGEST_FIT = 1000
# The lowest rung of the ladder has at most so many rows, where a climb costs milliseconds, and the next ones
# about so many times more, that their summits are near enough for a few steps.
LOWEST_RUNG = 80
STEEPEST = 4.0
# A climb ends when a step gains less, in units of the log likelihood.
COARSE, FINE = 1e-1, 1e-4

# Bounds in standardised units, in which points fill the unit cube and values have variance one. Nothing in a
# cube is told apart by lengthscales outside these, and no covariance within them is singular.
LENGTHSCALES = (5e-3, 1e3)
VARIANCES = (1e-3, 1e3)
CONTRASTS = (1e-3, 1e1)
NOISES = (1e-6, 1e1)
# The least ridge under a noise that is known to be smaller or zero.
LEAST_NOISE = 1e-9


@dataclass(frozen=True)
class Hyperparameters:
    """What a GP needs before it sees an answer; `noise` is a variance, and all is in the units of the values."""

    kernel: Kernel
    noise: float
    mean: float


@dataclass(frozen=True)
class LogNormal:
    """A positive number whose logarithm is normal with this location and spread."""

    location: float
    spread: float


@dataclass(frozen=True)
class Prior:
    """Weak priors on the hyperparameters in standardised units.

    The lengthscale's location is for one numeric column; for d of them ½ log d is added, since distances in the
    cube grow with √d: LogNormal(√2 + ½ log d, √3) [hvarfner2024, section 5]; so is the noise's in the library
    of the same authors. The variance is that of the values give or take a factor e, because they are
    standardised. A contrast of one makes two levels correlate by 0.37; e up or down, by 0.07 or 0.69.
    """

    variance: LogNormal = LogNormal(0.0, 1.0)
    lengthscale: LogNormal = LogNormal(2.0**0.5, 3.0**0.5)
    contrast: LogNormal = LogNormal(0.0, 1.0)
    noise: LogNormal = LogNormal(-4.0, 1.0)

    def over(self, kernel: Kernel, n_numeric: int) -> Density:
        """The joint density over (log θ of such a kernel, log noise), given the number of numeric columns."""
        grown = LogNormal(
            self.lengthscale.location + 0.5 * np.log(max(1, n_numeric)), self.lengthscale.spread
        )
        each = [
            self.variance,
            *[grown] * len(kernel.lengthscales),
            *[self.contrast] * len(kernel.contrasts),
            self.noise,
        ]
        return Density(np.array([law.location for law in each]), np.array([law.spread for law in each]))


@dataclass(frozen=True)
class Density:
    """Independent log-normal laws of the hyperparameters."""

    locations: Array
    spreads: Array

    def log_density(self, logs: Array) -> tuple[float, Array]:
        """Σₚ log p(θₚ) at log θ, and its slopes in log θ.

            log p(θ) = −½ ((log θ − location)/spread)² − log(spread √2π) − log θ.
        It is the density of θ, as GPyTorch takes it, and not that of log θ, which would lack the last term: the
        two have their tops in different places, e^(location − spread²) and e^location.
        """
        deviations = (logs - self.locations) / self.spreads
        value = (
            -0.5 * deviations @ deviations - np.log(self.spreads * np.sqrt(2.0 * np.pi)).sum() - logs.sum()
        )
        return float(value), -deviations / self.spreads - 1.0


def fit(
    points: Array,  # (n, d), in the unit cube
    values: Array,  # (n,)
    kernel: Kernel,
    *,
    prior: Prior | None,
    mean: float | None = None,
    noise: float | None = None,
) -> Hyperparameters:
    """The hyperparameters most likely given the answers, a posteriori or, without a prior, by likelihood alone.

    `kernel` is the template: form, columns, and whether each column has its lengthscale; its numbers are not
    looked at. A prior mean and a noise variance that are known are kept; where None, they are fitted.
    """
    if not len(values):
        raise NoAnswerError(
            "fit(values=[]): there are no answers; a fit needs at least one; tell() one first."
        )
    rows = spaced(len(values), LARGEST_FIT)
    points, values = points[rows], values[rows]
    shift, unit = standard(values, mean)
    task = Task(points, (values - shift) / unit, kernel, prior, None if mean is None else 0.0)
    low, high = bounds(kernel, None if noise is None else max(noise / unit**2, LEAST_NOISE))
    logs = _ladder(task, low, high)
    found = kernel.with_logarithms(logs[:-1])
    fitted_noise = float(np.exp(logs[-1])) * unit**2 if noise is None else noise
    if mean is None:
        mean = (
            shift + unit * log_marginal_likelihood(points, task.values, found, float(np.exp(logs[-1]))).mean
        )
    return Hyperparameters(found.scaled(unit**2), fitted_noise, mean)


@dataclass(frozen=True)
class Task:
    """What a fit maximises: standardised answers under a kernel of some form, with or without a prior."""

    points: Array
    values: Array
    kernel: Kernel
    prior: Prior | None
    mean: float | None

    @property
    def n_numeric(self) -> int:
        """The number of numeric columns."""
        return self.points.shape[1] - len(self.kernel.contrasts)

    def on(self, size: int) -> Task:
        """The same on that many rows, evenly spaced."""
        rows = spaced(len(self.values), size)
        return Task(self.points[rows], self.values[rows], self.kernel, self.prior, self.mean)

    def objective(self) -> Callable[[Array], tuple[float, Array]]:
        """Log marginal likelihood plus log prior at (log θ, log noise), with its gradient."""
        density = self.prior.over(self.kernel, self.n_numeric) if self.prior else None

        def objective(logs: Array) -> tuple[float, Array]:
            candidate = self.kernel.with_logarithms(logs[:-1])
            evidence = log_marginal_likelihood(
                self.points, self.values, candidate, float(np.exp(logs[-1])), self.mean
            )
            if density is None:
                return evidence.value, evidence.slopes
            log_prior, slopes = density.log_density(logs)
            return evidence.value + log_prior, evidence.slopes + slopes

        return objective


def standard(values: Array, mean: float | None) -> tuple[float, float]:
    """The shift and the unit that standardise values: their mean and deviation, or about a known mean their
    root mean square. Values that are all equal have the unit of their own size, or one.
    """
    size = float(np.abs(values).max())
    if mean is None:
        shift = float(values.mean())
        unit = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    else:
        shift = mean
        unit = float(np.sqrt(np.mean((values - shift) ** 2)))
    # Below this, the differences are rounding.
    return shift, unit if unit > 1e-13 * size else size or 1.0


def spaced(n: int, size: int) -> Array:
    """`size` of the rows 0 … n − 1, evenly spaced from first to last; all of them if there are no more."""
    return np.arange(n) if n <= size else np.linspace(0, n - 1, size).round().astype(np.intp)


def bounds(kernel: Kernel, noise: float | None) -> tuple[Array, Array]:
    """The lowest and highest (log θ, log noise); both the same for a known noise."""
    each = [
        VARIANCES,
        *[LENGTHSCALES] * len(kernel.lengthscales),
        *[CONTRASTS] * len(kernel.contrasts),
        NOISES if noise is None else (noise, noise),
    ]
    low, high = np.log(np.array(each)).T
    return low, high


def starts(kernel: Kernel, n_numeric: int) -> list[Array]:
    """Where climbs begin: variance one, contrast one; long and short lengthscales, much noise and little."""
    diagonal = np.sqrt(max(1, n_numeric))
    return [
        np.log([1.0, *[scale * diagonal] * len(kernel.lengthscales), *[1.0] * len(kernel.contrasts), noise])
        for scale, noise in ((0.2, 1e-2), (0.8, 1e-2), (0.05, 1e-3), (0.3, 0.3))
    ]


def rungs(n: int) -> list[int]:
    """How many rows each climb takes, from LOWEST_RUNG to n, each at most about STEEPEST times the one before."""
    if n <= LOWEST_RUNG:
        return [n]
    n_steps = int(np.ceil(np.log(n / LOWEST_RUNG) / np.log(STEEPEST)))
    return np.geomspace(LOWEST_RUNG, n, n_steps + 1).round().astype(int).tolist()


def _ladder(task: Task, low: Array, high: Array) -> Array:
    """The top of the objective: the best of coarse climbs on the lowest rung, followed up to all rows."""
    sizes = rungs(len(task.values))
    lowest = task.on(sizes[0]).objective()
    origins = starts(task.kernel, task.n_numeric)
    best = max(
        (climb(lowest, origin, low, high, tolerance=COARSE) for origin in origins),
        key=lambda summit: summit.value,
    )
    for below, size in zip(sizes[:1] + sizes, sizes, strict=False):
        # The curvature of a likelihood grows with the answers, and the metric is its inverse.
        metric = best.metric * (below / size)
        best = climb(task.on(size).objective(), best.place, low, high, metric=metric, tolerance=FINE)
    return best.place
