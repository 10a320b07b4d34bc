"""Choosing the hyperparameters of a GP from answers alone.

Values are standardised, the log marginal likelihood plus the log density of weak priors is climbed in the
logarithms of the parameters from several fixed starts, and what is found is scaled back. Answers by the
hundred are fitted on a ladder: first on few rows, evenly spaced, from every start; then, from the best, on
some times more, up to all. The fit is a function of the data: no randomness, no memory of an earlier fit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from belated.beliefs.fitting.climb import Slope, Summit, climb
from belated.beliefs.fitting.likelihood import LogLikelihood, log_marginal_likelihood
from belated.beliefs.fitting.parameters import Parameters
from belated.beliefs.kernels.hyperparameters import CONTRAST, LENGTHSCALE, NOISE, VARIANCE, Hyperparameter, LogNormal
from belated.beliefs.kernels.kernel import Kernel
from belated.errors import NoAnswerError
from belated.evidence import Errors
from belated.space.arrays import Array, Indices

# Past this many rows the likelihood is that of an evenly spaced subset: its cost grows with n³, and the
# hyperparameters are well determined long before.
LARGEST_FIT = 1000
# The lowest rung of the ladder has at most this many rows, where a climb costs milliseconds; each next one has
# at most this many times more, that its top is a few steps away.
LOWEST_RUNG = 72
STEEPEST = 4.0
# Where the noise takes more than this share of the variance nothing was explained, and the next rung begins anew.
NOTHING_BUT_NOISE = 0.9
# A climb ends when a step gains less, in units of the log likelihood.
COARSE, FINE = 1e-2, 1e-5

# What stands in for a noise that is known to be smaller, or zero.
LEAST_NOISE = 1e-9
# Its square, times the smallest variance and the smallest noise, is still a number.
SMALLEST_UNIT = 1e-140

# Values with errors have weights that depend on their variance, and that on them: both settle in fewer steps.
REWEIGHTINGS = 50
# More deviations than any value lies from the others; the square of its inverse is still a number.
ROUGHEST = 1e100

# Where climbs begin: lengthscales as a share of the cube's diagonal, and noise as a share of the variance.
STARTS = ((0.2, 1e-2), (0.8, 1e-2), (0.05, 1e-3), (0.3, 0.3))


@dataclass(frozen=True)
class Hyperparameters:
    """What a GP needs before it sees an answer, in the units of the values; the noise is a variance."""

    kernel: Kernel
    noise: float
    mean: float


@dataclass(frozen=True)
class Prior:
    """Weak priors on the hyperparameters in standardised units; on those of a form, its own."""

    variance: LogNormal = VARIANCE.law
    lengthscale: LogNormal = LENGTHSCALE.law
    contrast: LogNormal = CONTRAST.law
    noise: LogNormal = NOISE.law

    def over(self, parameters: Parameters) -> Density:
        """The joint density over the logarithms of these."""
        laws = [self._law(each) for each in parameters.every]
        return Density(np.array([law.location for law in laws]), np.array([law.spread for law in laws]))

    def _law(self, parameter: Hyperparameter) -> LogNormal:
        if parameter.kind == LENGTHSCALE:
            location = self.lengthscale.location + 0.5 * float(np.log(max(1, parameter.columns)))
            return LogNormal(location, self.lengthscale.spread)
        own = {VARIANCE: self.variance, CONTRAST: self.contrast, NOISE: self.noise}
        return own.get(parameter.kind, parameter.kind.law)


@dataclass(frozen=True)
class Density:
    """Independent log-normal laws of the hyperparameters."""

    locations: Array
    spreads: Array

    def log_density(self, logs: Array) -> tuple[float, Array]:
        """Σₚ log p(θₚ) at log θ, and its slopes in log θ.

            log p(θ) = −½ ((log θ − location)/spread)² − log(spread √2π) − log θ.
        This is the density of θ, as GPyTorch takes it, and not that of log θ, which would lack the last term:
        the one has its top at θ = exp(location − spread²), the other at exp(location).
        """
        deviations = (logs - self.locations) / self.spreads
        height = -0.5 * deviations @ deviations - self._constant - logs.sum()
        return float(height), -deviations / self.spreads - 1.0

    @cached_property
    def _constant(self) -> float:
        """Σₚ log(spread √2π)."""
        return float(np.log(self.spreads * np.sqrt(2.0 * np.pi)).sum())


# The log marginal likelihood of (points, values, kernel, noise, mean or None, errors or None), with its slopes.
Likelihood = Callable[[Array, Array, Kernel, float, float | None, Errors | None], LogLikelihood]


@dataclass(frozen=True)
class FixedHyperparameters:
    """What is known beforehand and kept; a mean or a noise that is None is fitted, and so is what is not named."""

    mean: float | None = None
    noise: float | None = None  # variance
    named: Mapping[str, float] = field(default_factory=dict)  # hyperparameters of the kernel


@dataclass(frozen=True)
class Task:
    """What a fit maximises: standardised answers under a kernel of some form, with or without a prior."""

    points: Array
    values: Array
    parameters: Parameters
    prior: Prior | None
    mean: float | None
    likelihood: Likelihood
    errors: Errors | None = None

    def on(self, size: int) -> Task:
        """The same on that many rows, evenly spaced."""
        rows = spaced(len(self.values), size)
        errors = None if self.errors is None else self.errors.of(rows)
        return replace(self, points=self.points[rows], values=self.values[rows], errors=errors)

    def objective(self) -> Slope:
        """Log marginal likelihood plus log prior at the logarithms of the hyperparameters, with its gradient."""
        parameters = self.parameters
        density = self.prior.over(parameters) if self.prior else None

        def objective(logs: Array) -> tuple[float, Array]:
            kernel, noise = parameters.learned(logs)
            evidence = self.likelihood(self.points, self.values, kernel, noise, self.mean, self.errors)
            by_logs = parameters.vector(evidence.slopes)
            if density is None:
                return evidence.value, by_logs
            log_prior, slopes = density.log_density(logs)
            return evidence.value + log_prior, by_logs + slopes

        return objective


def fit(
    points: Array,  # (n, d), in the unit cube
    values: Array,  # (n,)
    kernel: Kernel,
    *,
    prior: Prior | None,
    known: FixedHyperparameters = FixedHyperparameters(),
    likelihood: Likelihood = log_marginal_likelihood,
    errors: Errors | None = None,
) -> Hyperparameters:
    """The most likely hyperparameters given the answers: a posteriori or, without a prior, by likelihood alone.

    `kernel` is a template: form, columns, and whether each column has its own lengthscale; its numbers are not
    looked at. `likelihood` is that of the exact process, or of what approximates it.
    """
    if not len(values):
        raise NoAnswerError("fit(values=[]): got no answers; a fit needs at least one; tell() one first.")
    rows = spaced(len(values), LARGEST_FIT)
    points, values = points[rows], values[rows]
    errors = None if errors is None else errors.of(rows)
    shift, unit = standard(values, known.mean, errors)
    standardised = None if errors is None else errors.over(unit, LEAST_NOISE**0.5)
    parameters, mean = Parameters.of(kernel, points.shape[1]), None if known.mean is None else 0.0
    task = Task(points, (values - shift) / unit, parameters, prior, mean, likelihood, standardised)
    noise = None if known.noise is None else max(known.noise / unit**2, LEAST_NOISE)
    if noise is None and prior is None and errors is not None and not errors.shares.any():
        # Where every error was told, no answer depends on σ²; it stays what is believed of it beforehand.
        noise = float(np.exp(NOISE.law.location - NOISE.law.spread**2))
    fixed = {**known.named} if noise is None else {**known.named, NOISE.name: noise}
    found, ridge = parameters.learned(_ladder(task, *bounds(parameters, fixed)))
    return Hyperparameters(
        kernel=found.scaled(unit**2),
        noise=ridge * unit**2 if known.noise is None else known.noise,
        mean=shift + unit * task.likelihood(points, task.values, found, ridge, mean, standardised).mean,
    )


def standard(values: Array, mean: float | None, errors: Errors | None = None) -> tuple[float, float]:
    """The shift and unit that standardise: mean and deviation, or root mean square about a known mean.

    Values that are all equal have their own size for a unit, or one if they are as good as zero.
    """
    if errors is not None:
        return _weighted_standard(values, mean, errors)
    shift = float(values.mean()) if mean is None else mean
    degrees = max(1, len(values) - 1) if mean is None else len(values)
    size = float(np.abs(values).max())
    unit = float(np.sqrt(np.sum((values - shift) ** 2) / degrees))
    # Below the first, the differences are rounding; below the second, their squares are no numbers any more.
    if unit > max(1e-13 * size, SMALLEST_UNIT):
        return shift, unit
    return shift, size if size > SMALLEST_UNIT else 1.0


def _weighted_standard(values: Array, mean: float | None, errors: Errors) -> tuple[float, float]:
    """The same of values with errors: n repeats count as n values, told ones as far as their errors let them.

    A value with standard error s has the weight v/(v + s²), v being the variance of all so weighted: one that may be
    off by far more than the others differ says nothing of their mean and spread.
    """
    shift, unit = standard(values, mean)
    count, scatter = float(errors.measurements.sum()), float(errors.scatters.sum())
    degrees = max(1.0, count - 1.0) if mean is None else count
    for _ in range(REWEIGHTINGS):
        with np.errstate(over="ignore"):
            ratios = np.where(errors.told_mask, np.minimum(errors.sd / unit, ROUGHEST), 0.0)
        weights = errors.measurements / (1.0 + ratios**2)
        total = float(weights.sum())
        shift = float(weights @ values) / total if mean is None else mean
        size = float(np.sqrt(weights @ values**2 / total))
        unit = float(np.sqrt((weights @ (values - shift) ** 2 + scatter) / total * count / degrees))
        if not unit > max(1e-13 * size, SMALLEST_UNIT):
            return shift, size if size > SMALLEST_UNIT else 1.0
    return shift, unit


def spaced(n: int, size: int) -> Indices:
    """`size` of the rows 0 … n − 1, evenly spaced from first to last; all of them if there are no more."""
    return np.linspace(0, n - 1, min(n, size)).round().astype(np.intp)


def bounds(parameters: Parameters, known: Mapping[str, float]) -> tuple[Array, Array]:
    """The lowest and the highest logarithms; what is known has both the same."""
    ends = [(known[each.name],) * 2 if each.name in known else each.kind.bounds for each in parameters.every]
    low, high = np.log(np.array(ends)).T
    return low, high


def starts(parameters: Parameters) -> list[Array]:
    """Long and short lengthscales, much noise and little; the others as their kind says."""
    return [np.log(np.array([_start(each, share, noise) for each in parameters.every])) for share, noise in STARTS]


def _start(parameter: Hyperparameter, share: float, noise: float) -> float:
    if parameter.kind == LENGTHSCALE:
        diagonal: float = max(1, parameter.columns) ** 0.5
        return share * diagonal
    return noise if parameter.kind == NOISE else parameter.kind.start


def rungs(n: int) -> list[int]:
    """How many rows each climb takes, from LOWEST_RUNG up to n."""
    if n <= LOWEST_RUNG:
        return [n]
    n_steps = int(np.ceil(np.log(n / LOWEST_RUNG) / np.log(STEEPEST)))
    return [round(size) for size in np.geomspace(LOWEST_RUNG, n, n_steps + 1).tolist()]


def _ladder(task: Task, low: Array, high: Array) -> Array:
    """The top of the objective: the best of coarse climbs on the lowest rung, followed up to all rows."""
    sizes = rungs(len(task.values))
    best = _highest(task.on(sizes[0]), low, high)
    for below, size in zip(sizes[:1] + sizes, sizes, strict=False):
        if below < size and task.parameters.learned(best.place)[1] > NOTHING_BUT_NOISE:
            # Few rows of many columns can look like noise alone, and from there no slope leads back.
            below, best = size, _highest(task.on(size), low, high)
        # The curvature of a likelihood grows with the answers, and the metric is its inverse.
        metric = best.metric * (below / size)
        best = climb(task.on(size).objective(), best.place, low, high, tolerance=FINE, metric=metric)
    return best.place


def _highest(task: Task, low: Array, high: Array) -> Summit:
    """The best of coarse climbs from every start."""
    objective = task.objective()
    coarse = [climb(objective, start, low, high, tolerance=COARSE) for start in starts(task.parameters)]
    return max(coarse, key=lambda summit: summit.value)
