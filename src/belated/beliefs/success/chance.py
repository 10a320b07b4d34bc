"""How likely an answer is at a point, from all that failed and all that was answered."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from belated.beliefs.gp import GP
from belated.beliefs.kernels.kernel import Kernel
from belated.beliefs.memory import Memory
from belated.beliefs.schedule import milestone
from belated.beliefs.success.expectation_propagation import propagated
from belated.beliefs.success.fitted_kernel import MEAN, MEAN_VARIANCE, fitted_kernel
from belated.beliefs.success.probit import hazard, log_normal
from belated.evidence import Evidence
from belated.space import Array, Indices

# Failures and answers that are looked at: more change little, and the cost grows with their cube.
MOST = 64
# A chance of success that is as good as sure where a query is chosen: with a half, every other one at a border fails,
# and with 1 they all stay away from it.
ENOUGH = 0.9


@dataclass(frozen=True, eq=False)
class SuccessChance:
    """log P(success at x) = log Φ(μ / √(1 + v)), with μ and v the moments of the latent g(x) [rasmussen2006, eq. 3.82].

    With k(x) the covariances of g(x) with what was tried, μ = m + k(x)ᵀ a and v = k(x, x) − |V k(x)|².
    """

    kernel: Kernel
    points: Array  # (n, d), what was tried
    weights: Array  # (n,), a
    whitening: Array  # (n, n), V

    def values(self, points: Array) -> Array:
        """The logarithm of the chance at some points. (m,)"""
        across = self.kernel.gram(self.points, points) + MEAN_VARIANCE
        mean, variance = self._moments(across, points)[:2]
        return log_normal(mean / np.sqrt(1.0 + variance))

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """The same, and its gradient. (m,), (m, d)"""
        crossing = self.kernel.crossing(self.points, points)
        mean, variance, whitened = self._moments(crossing.gram + MEAN_VARIANCE, points)
        spread = np.sqrt(1.0 + variance)
        z = mean / spread
        ratio = hazard(z)
        # ∂z = ∂μ/√(1 + v) − ½ z ∂v/(1 + v), and ∂v = ∂k(x, x) − 2 (Vᵀ V k)ᵀ ∂k.
        by_cross = np.outer(self.weights, ratio / spread) + (self.whitening.T @ whitened) * (ratio * z / spread**2)
        gradient = crossing.slopes(by_cross)
        gradient -= self.kernel.diagonal_slopes(points) * (0.5 * ratio * z / spread**2)[:, None]
        return log_normal(z), gradient

    def _moments(self, across: Array, points: Array) -> tuple[Array, Array, Array]:
        whitened = self.whitening @ across
        variance = self.kernel.diagonal(points) + MEAN_VARIANCE - np.einsum("ij,ij->j", whitened, whitened)
        return MEAN + self.weights @ across, np.maximum(variance, 0.0), whitened


def success_chance(evidence: Evidence, memory: Memory) -> SuccessChance | None:
    """The chance of success that failures and answers speak for; None where nothing failed.

    Lengthscales are fitted anew with every tenth more tries, in the order asked. A pending query whose success is
    doubtful counts as failed until its answer is there: one at an unknown border is enough to learn where it runs.
    """
    failed = evidence.failed_rows
    if not len(failed):
        return None
    rows = _looked_at(evidence.points, failed, np.flatnonzero(evidence.answered_mask))
    points, labels = evidence.points[rows], np.where(np.isin(rows, failed), -1.0, 1.0)
    kernel = _kernel(GP().template(evidence), points, labels, memory)
    known = memory.recall(
        "chance of success",
        (kernel, points.tobytes(), labels.tobytes()),
        lambda: _chance(kernel, points, labels),
    )
    pending = evidence.points[evidence.pending_mask][-MOST:]
    doubtful = pending[known.values(pending) < np.log(ENOUGH)]
    if not len(doubtful):
        return known
    labels = np.concatenate([labels, np.full(len(doubtful), -1.0)])
    return _chance(kernel, np.concatenate([points, doubtful]), labels)


def _kernel(template: Kernel, points: Array, labels: Array, memory: Memory) -> Kernel:
    size = milestone(len(points))
    points, labels = points[:size], labels[:size]
    key = (template, points.tobytes(), labels.tobytes())
    return memory.recall("kernel of success", key, lambda: fitted_kernel(points, labels, template))


def _chance(kernel: Kernel, points: Array, labels: Array) -> SuccessChance:
    latent = propagated(kernel.gram(points, points) + MEAN_VARIANCE, labels, MEAN)
    return SuccessChance(kernel, points, latent.weights, latent.whitening)


def _looked_at(points: Array, failed: Indices, answered: Indices) -> Indices:
    """The last failures, and of many answers those nearest to one of them and the last, in the order asked. (n,)"""
    failed = failed[-MOST:]
    if len(answered) > MOST:
        distances = [np.min(np.sum((points[failed] - points[row]) ** 2, axis=1)) for row in answered]
        nearest = answered[np.argsort(distances, kind="stable")[: MOST // 2]]
        others = np.setdiff1d(answered, nearest)
        answered = np.concatenate([nearest, others[-(MOST // 2) :]])
    return np.sort(np.concatenate([failed, answered]))
