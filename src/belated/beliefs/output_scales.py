"""How a belief reads answers: as they are, or the worse half of them by their ranks.

Losses reach over orders of magnitude. Beside a few that are very bad, a stationary process takes all good ones for
equal, and it is among those that the best is looked for. Where answers are those of such a process, and noise, their
ranks would only blur them; so both are compared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from belated.beliefs.answer_noise import LEAST_RIDGE, noise_variances
from belated.beliefs.fitting.fit import LARGEST_FIT, Prior, spaced, standard
from belated.beliefs.fitting.likelihood import log_marginal_likelihood
from belated.beliefs.gp import GP, fitted
from belated.beliefs.kernels.hyperparameters import NOISE
from belated.beliefs.kernels.kernel import Kernel
from belated.beliefs.memory import Memory
from belated.beliefs.schedule import milestone
from belated.errors import ParameterError
from belated.evidence import Data, Errors, Evidence, Scale
from belated.space import Array

# So many answers tell which reading is likelier; of more, some that are evenly spaced stand for all.
COMPARED = 200
# Answers whose points lie no further apart than this in any column, of the unit cube, are from one neighbourhood.
NEIGHBOURHOOD = 0.05
# Gaps on each side of an answer over which the slope of the scale is taken: one gap alone may be very small.
GAPS = 2
# The least weight of a rank, for those of all answers to differ.
LEAST_TRUST = 1e-9


@dataclass(frozen=True)
class HalfRanks:
    """The better half of the answers as they are, the worse half by their ranks [song2024], where that is likelier.

    Each answer has a weight, and is read as m + s Φ⁻¹(r), with r the share of weight below it and half of its own, m
    the weighted median, and s the root mean square of what the better half lies above it: so both halves spread alike.
    With equal weights, r is (i − ½)/n for the i-th worst of n. Between two answers lies a straight line. What is worse
    than all is read like the worst.

    Answers from one place count as one, their mean, and those from one neighbourhood share a weight of one: a policy
    gathers its queries on a hill, and would soon have all others among the worse half, and nothing else to hope for.
    Where samples are gathered, so are their laws estimated in geostatistics [deutsch1998].

    An answer with a standard error has less weight, the less its rank says; it is read with the slope of the scale.

    Answers are read so only if `log_gain` is above the `margin`. Ranks are those among the first answers up to a
    milestone, and compared at milestones, so that the scale changes no more often than a fit need come; of very many,
    among some, evenly spaced.
    """

    margin: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.margin, int | float) or math.isnan(self.margin):
            raise ParameterError(
                f"HalfRanks(margin={self.margin!r}): by how much more likely ranks must make the answers, as a "
                f"logarithm; give a number, or -math.inf for ranks always."
            )

    def describe(self) -> str:
        """How answers are read, in words."""
        return "the better half of the answers as they are, the worse half by their ranks"

    def __call__(self, evidence: Evidence, memory: Memory) -> Evidence:
        """The evidence on the scale of its answers, or as it is."""
        arrivals = evidence.arrivals()
        first = arrivals.first(milestone(len(arrivals.values)))
        answers = by_place(_some(first, LARGEST_FIT))
        scale = memory.recall("scale of ranks", answers.key(), lambda: _scale(answers))
        if scale is None or not self._likelier(answers, evidence, memory):
            return evidence
        return evidence.on(scale)

    def _likelier(self, answers: Data, evidence: Evidence, memory: Memory) -> bool:
        if self.margin == -math.inf:
            return True
        some, template = _some(answers, COMPARED), GP().template(evidence)
        gain = memory.recall("gain of ranks", (template, some.key()), lambda: log_gain(some, template, memory))
        return gain > self.margin


def by_place(answers: Data) -> Data:
    """One answer for each place, the mean of those from there, in the order in which the places came up.

    Answers of one place have weights 1/ν. Their mean has a standard error where one of theirs was told, and counts as
    one measurement where none was.
    """
    points, first, places, counts = np.unique(
        answers.points, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    if len(points) == len(answers.points) and answers.errors is None:
        return answers
    places, order = places.reshape(-1), np.argsort(first)
    means: Array
    if answers.errors is None:
        means = np.bincount(places, answers.values / counts[places]).astype(float)
        return Data(points[order], means[order])
    weights = 1.0 / noise_variances(answers.errors, *_variances(answers))
    totals = np.bincount(places, weights)
    means = np.bincount(places, answers.values * (weights / totals[places])).astype(float)
    told = np.bincount(places, answers.errors.told_mask) > 0
    errors = replace(Errors.untold(len(points)), sd=np.where(told, totals**-0.5, np.nan))
    return Data(points, means, errors).of(order)


def _variances(answers: Data) -> tuple[float, float]:
    """The variance of one measurement, as it is believed beforehand, and that of all answers."""
    _, unit = standard(answers.values, None, answers.errors)
    return float(np.exp(NOISE.law.location)) * unit**2, unit**2


def trust(answers: Data) -> Array:
    """Weights v/(v + sd²), v the variance of the answers: of one that may be anywhere, the rank says nothing. (n,)"""
    if answers.errors is None:
        return np.ones(len(answers.values))
    _, variance = _variances(answers)
    return np.maximum(variance / (variance + answers.errors.told_variances), LEAST_TRUST)


def sparsity(points: Array) -> Array:
    """Weights wᵢ = 1/#{j : |xᵢ − xⱼ| ≤ NEIGHBOURHOOD in every column}. (n,)"""
    near = np.ones((len(points), len(points)), dtype=bool)
    for column in points.T:
        near &= np.abs(column[:, None] - column) <= NEIGHBOURHOOD
    return np.asarray(1.0 / near.sum(axis=1))


def half_ranks(answers: Array, weights: Array) -> Scale | None:
    """The scale of these answers; None where none is below the median, or none above it."""
    if not len(answers):
        return None
    order = np.lexsort((weights, answers))
    ordered, weights = answers[order], weights[order]
    total = float(weights.sum())
    middle = float(np.interp(0.5 * total, np.cumsum(weights) - 0.5 * weights, ordered))
    better = ordered >= middle
    spread = float(np.sqrt(np.average((ordered[better] - middle) ** 2, weights=weights[better])))
    worse, places = np.unique(ordered[~better], return_inverse=True)
    if not len(worse) or not spread > 0.0:
        return None
    from scipy.special import ndtri  # as long to import as a whole room, and not every study needs it

    shares = np.bincount(places, weights[~better])
    images = middle + spread * ndtri((np.cumsum(shares) - 0.5 * shares) / total)
    return Scale(np.append(worse, middle), np.append(images, middle))


def log_gain(answers: Data, template: Kernel, memory: Memory) -> float:
    """log p(z) + Σ log dz/dy − log p(y): how much likelier answers y are if they are read as z.

    Each p is that of the process fitted to them [snelson2003].
    """
    scale = _scale(answers)
    if scale is None:
        return -math.inf
    errors = None if answers.errors is None else answers.errors.read_on(scale, answers.values)
    read = Data(answers.points, scale.inward(answers.values), errors)
    of_read = _log_evidence(read, template, memory) + log_slopes(scale, answers.values)
    return of_read - _log_evidence(answers, template, memory)


def log_slopes(scale: Scale, answers: Array) -> float:
    """Σ log dz/dy over the answers below the last knot, the knots being these answers.

    The slope at a knot is taken over m gaps around it. Gaps of draws are smaller than their mean in the logarithm, by
    log m − ψ(m), which is made up for [vasicek1976].
    """
    from scipy.special import psi

    last = len(scale.knots) - 1
    places = np.searchsorted(scale.knots, answers[answers < scale.knots[-1]])
    low, high = np.maximum(places - GAPS, 0), np.minimum(places + GAPS, last)
    rise, run, gaps = scale.images[high] - scale.images[low], scale.knots[high] - scale.knots[low], high - low
    if np.any(rise <= 0.0):
        return -math.inf  # beside a large median, what lies apart by less than rounding is read as equal
    return float(np.sum(np.log(rise) - np.log(run) + psi(gaps) - np.log(gaps)))


def _scale(answers: Data) -> Scale | None:
    return half_ranks(answers.values, sparsity(answers.points) * trust(answers))


def _some(answers: Data, most: int) -> Data:
    rows = spaced(len(answers.values), most)
    return answers.of(rows)


def _log_evidence(answers: Data, template: Kernel, memory: Memory) -> float:
    found = fitted(answers, template, memory, Prior())
    points, values, errors = answers
    if errors is not None:
        errors = errors.over(1.0, (LEAST_RIDGE * found.kernel.variance) ** 0.5)
    return log_marginal_likelihood(points, values, found.kernel, found.noise, found.mean, errors).value
