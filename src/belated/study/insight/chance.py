"""How sure it is that a point is the best of those that were tried."""

from __future__ import annotations

import numpy as np

from belated.beliefs import Belief
from belated.randomness import Stream
from belated.rules import Moment
from belated.search import prefixed
from belated.space import Array

# A point that is better by less than this share of the prior deviation of f is as good: neighbours of the best one,
# of which there are many in the end, would share the chance with it.
NEGLIGIBLE = 0.01
# Of the points tried, so many that may be better, by their own moments, are compared with the point, and of these so
# many together: a policy gathers most queries where they cannot be better by much.
COMPARED, TOGETHER = 64, 16
# By so many draws a chance is off by less than 0.01, one deviation.
DRAWS = 4096
# The weights of a difference.
AGAINST = np.array([1.0, -1.0])


def chance_of_best(moment: Moment, point: Array) -> float | None:
    """P(no point tried is better than this one by more than NEGLIGIBLE), by joint draws from the belief.

    None where contexts are seen after the decision, and where nothing was tried in this one.
    """
    if moment.aim is not None or not len(tried := moment.answered_alike):
        return None
    belief = moment.settled
    rows = prefixed(moment.context, np.unique(np.concatenate([point[None], tried]), axis=0))
    own = prefixed(moment.context, point[None])
    rivals = _likeliest(belief, own, rows[np.any(rows != own, axis=1)])
    if not len(rivals):
        return 1.0
    mean, covariance = _leads(belief, own, rivals)
    values, axes = np.linalg.eigh(covariance)
    normal = moment.random(Stream.CHANCE, len(tried)).standard_normal((DRAWS, len(mean)))
    leads = mean + normal @ (axes * np.sqrt(np.maximum(values, 0.0))).T
    return float(np.mean(np.all(leads <= NEGLIGIBLE * belief.scale, axis=1)))


def _likeliest(belief: Belief, own: Array, others: Array) -> Array:
    """The points that are likeliest to be better than one point, each by itself, likeliest first. (k, c + d)"""
    if not len(others):
        return others
    mean, deviation = belief.moments(np.concatenate([own, others]))
    margin = NEGLIGIBLE * belief.scale
    # As if independent, which is wrong most for neighbours, whose lead is small.
    apart = (mean[1:] - mean[0] - margin) / np.maximum(np.hypot(deviation[1:], deviation[0]), np.finfo(float).tiny)
    near = others[np.argsort(-apart, kind="stable")[:COMPARED]]
    leads = [belief.total(np.stack([other, own[0]]), AGAINST) for other in near]
    order = np.argsort([(margin - lead) / max(spread, np.finfo(float).tiny) for lead, spread in leads], kind="stable")
    return np.asarray(near[order[:TOGETHER]])


def _leads(belief: Belief, own: Array, rivals: Array) -> tuple[Array, Array]:
    """Mean and covariance of f(rival) − f(own): cov(Dᵢ, Dⱼ) = ½ (var Dᵢ + var Dⱼ − var(Dᵢ − Dⱼ)). (k,), (k, k)"""
    count = len(rivals)
    leads = np.array([belief.total(np.stack([rival, own[0]]), AGAINST) for rival in rivals])
    variances = leads[:, 1] ** 2
    covariance = np.diag(variances)
    for first in range(count):
        for second in range(first):
            apart = belief.total(rivals[[first, second]], AGAINST)[1] ** 2
            covariance[first, second] = covariance[second, first] = 0.5 * (variances[first] + variances[second] - apart)
    return leads[:, 0], covariance
