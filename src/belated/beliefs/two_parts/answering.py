"""What is believed of whether a query is answered: a latent process g, and Φ(g) the probability."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from belated.beliefs.fitting.fit import Prior
from belated.beliefs.gp import GP, fitted, setting_of
from belated.beliefs.kernels.hyperparameters import LENGTHSCALE, VARIANCE, LogNormal
from belated.beliefs.kernels.kernel import Kernel
from belated.beliefs.memory import Memory
from belated.beliefs.process.gaussian import GaussianProcess
from belated.beliefs.schedule import doubling, milestone
from belated.beliefs.two_parts.latent import observed
from belated.evidence import Data, Errors, Evidence
from belated.space import Array, Mask

# The last queries that count: the cost grows with their cube, and the latest are those at good places.
MOST = 400
# g is a plane, of slopes that change Φ from one end of a parameter to the other, and what a stationary process adds.
KERNEL, SLOPE = "linear + matern52", 2.5
PLANE, LOCAL = "1.", "2."
# What is tried for the variance of the latter, and for its lengthscales as multiples of those that fit answers and
# silence as 1 and 0 best, by least squares; and what is believed of that variance beforehand.
VARIANCES, STRETCHES = (0.1, 0.4, 1.6), (0.7, 1.4, 2.8)
SIZE = LogNormal(-0.9, 1.0)
# The noise of an answer or silence where both are as likely, as of a Gaussian observation of g: 1/w with w = φ²/(Φ Φ̄).
NOISE = 0.5 * np.pi


@dataclass(frozen=True, eq=False)
class Answering:
    """The latent process before anything was heard, and who was answered; `imagined` are counted as told its mean."""

    prior: GaussianProcess
    points: Array  # (n, d)
    answered: Mask  # (n,)
    shares: Array  # (n,) of answers that would have come by now; it matters only of those that have not

    @cached_property
    def process(self) -> GaussianProcess:
        """The latent process after all that was heard."""
        if not len(self.points):
            return self.prior
        covariance = self.prior.kernel.gram(self.points, self.points)
        seen = observed(covariance, self.prior.prior_mean, self.answered, self.shares)
        return self.prior.condition(self.points, seen.values, _errors(seen.variances))

    def after(self, points: Array, answered: Mask) -> Answering:
        """The same after these too, of which the others will never be answered; the waiting stay last."""
        late = len(self.points) - int(np.count_nonzero(self.shares < 1.0))

        order = np.r_[0:late, len(self.points) : len(self.points) + len(points), late : len(self.points)][-MOST:]
        return Answering(
            self.prior,
            np.concatenate([self.points, points])[order],
            np.concatenate([self.answered, answered])[order],
            np.concatenate([self.shares, np.ones(len(points))])[order],
        )

    def imagining(self, points: Array) -> GaussianProcess:
        """The process as if it had been told its own mean at these points, as far as an answer or silence tells it."""
        from scipy.special import ndtr

        mean = self.process.moments(points).mean
        weight = np.exp(-(mean**2)) / (2.0 * np.pi) / np.maximum(ndtr(mean) * ndtr(-mean), np.finfo(float).tiny)
        return self.process.condition(points, mean, _errors(1.0 / weight))


def answering(evidence: Evidence, silence: float, memory: Memory) -> Answering:
    """The law of answers that those who wait speak for so far, with a kernel fitted to all who do not.

    The kernel is fitted at milestones, and the prior mean is such that Φ is the share of all that were answered.
    """
    from scipy.special import ndtri

    told = evidence.arrivals()
    heard = told.values != silence
    rows, shares = evidence.come_shares()
    kernel = _kernel(told, heard, evidence, memory)
    share = (np.count_nonzero(heard) + 1.0) / (len(heard) + float(shares.sum()) + 2.0)
    setting = replace(setting_of(evidence, memory, doubling), table=None, memory=Memory())
    prior = GaussianProcess(kernel, NOISE, float(ndtri(share)), setting)
    waiting = rows[shares > 0.0], shares[(shares > 0.0)]
    return Answering(prior, evidence.points[waiting[0]], np.zeros(len(waiting[0]), dtype=bool), waiting[1])


def _kernel(told: Data, heard: Mask, evidence: Evidence, memory: Memory) -> Kernel:
    size = milestone(len(heard))
    points, labels = told.points[:size][-MOST:], heard[:size][-MOST:]
    template = GP(kernel=KERNEL).template(evidence)
    values = {part.name: part.value for part in template.hyperparameters(evidence.points.shape[1])}
    plane = [name for name in values if name.startswith(PLANE + LENGTHSCALE.name)]
    values |= dict.fromkeys(plane, len(plane) ** 0.5 / SLOPE)
    kernel = template.with_values({**values, LOCAL + VARIANCE.name: float(np.exp(SIZE.location))})
    if not len(labels) or labels.all() or not labels.any():
        return kernel
    key = (kernel, points.tobytes(), labels.tobytes())
    single = GP().template(evidence)
    return memory.recall("kernel of answering", key, lambda: _fitted(points, labels, kernel, single, memory))


def _fitted(points: Array, labels: Mask, kernel: Kernel, single: Kernel, memory: Memory) -> Kernel:
    """The likeliest kernel, by the evidence of the latent process."""
    first = fitted(Data(points, labels.astype(float)), single, memory, Prior()).kernel
    parts = first.hyperparameters(points.shape[1])
    shapes = {LOCAL + part.name: part.value for part in parts if part.kind != VARIANCE}
    scales = {LOCAL + part.name for part in parts if part.kind == LENGTHSCALE}
    values = {part.name: part.value for part in kernel.hyperparameters(points.shape[1])}
    shares, mean = np.ones(len(labels)), _latent_mean(labels)
    best, likeliest = kernel, -np.inf
    for stretch in STRETCHES:
        stretched = {name: value * (stretch if name in scales else 1.0) for name, value in shapes.items()}
        for variance in VARIANCES:
            tried = kernel.with_values({**values, **stretched, LOCAL + VARIANCE.name: variance})
            height = observed(tried.gram(points, points), mean, labels, shares).log_evidence
            height -= 0.5 * ((np.log(variance) - SIZE.location) / SIZE.spread) ** 2
            if height > likeliest:
                best, likeliest = tried, height
    return best


def _latent_mean(labels: Mask) -> float:
    from scipy.special import ndtri

    return float(ndtri((np.count_nonzero(labels) + 1.0) / (len(labels) + 2.0)))


def _errors(variances: Array) -> Errors:
    count = len(variances)
    return Errors(np.sqrt(variances), np.ones(count), np.zeros(count))
