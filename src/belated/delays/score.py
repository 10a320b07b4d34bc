"""Score tests in risk sets: do the queries that are answered at some delay differ from those that might have been?

At each delay u of an answer, the queries at risk are those that could have been answered after just u. If delays do not
depend on a number z, the answered one is a random draw from them. So the sum over all answers of z less its mean at
risk has mean 0 and a known variance: the log-rank test and the score test of the proportional hazards model [cox1972].
Only queries of equal age are compared. A policy that asks elsewhere as the study goes on does no harm, nor do recent
queries that were waited for less, which a permutation test of the delays would take for dependence.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from belated.space import Array, Indices


@dataclass(frozen=True, eq=False)
class Sets:
    """A set of queries at each of some delays u: those with `enters`_i ≤ u ≤ `leaves`_i, each with its weight."""

    enters: Array  # (n,)
    leaves: Array  # (n,)
    times: Array  # (k,) the delays, rising
    weights: Array  # (n,)

    def means(self, numbers: Array) -> Array:
        """The mean of the numbers in each set. (n,) -> (k,)"""
        return self._sums(self.weights * numbers) / self.sizes

    @cached_property
    def sizes(self) -> Array:
        """The weight of each set. (k,)"""
        return self._sums(self.weights)

    def _sums(self, numbers: Array) -> Array:
        (entered, n_entered), (left, n_left) = self._moves
        up, down = (np.concatenate([[0.0], np.cumsum(numbers[order])]) for order in (entered, left))
        return np.asarray(up[n_entered] - down[n_left])

    @cached_property
    def _moves(self) -> tuple[tuple[Indices, Indices], tuple[Indices, Indices]]:
        """The order in which queries enter and the number that have by each time; and the same for leaving."""
        entered, left = np.argsort(self.enters, kind="stable"), np.argsort(self.leaves, kind="stable")
        return (
            (entered, np.searchsorted(self.enters[entered], self.times, side="right")),
            (left, np.searchsorted(self.leaves[left], self.times)),
        )


@dataclass(frozen=True, eq=False)
class Risk:
    """The answers, in the order of their delays, and the queries at risk at each.

    `alike` are sets with the mixture of the queries at risk if delays depend on nothing. They give the variance: the
    variance of the queries at risk themselves shrinks just where the score is large by chance, which makes a test of
    many
    groups too lenient.
    """

    events: Indices  # (e,) the queries with an answer
    delays: Array  # (e,) how long each took
    places: Indices  # (e,) the places of their delays among the times
    at_risk: Sets
    alike: Sets
    importance: Array  # (k,) how much the answers at each time count
    direction: float  # 1 forwards in time, −1 backwards, where the first to go are the latest

    @cached_property
    def counts(self) -> Array:
        """The weight of each answer. (e,)"""
        return self.importance[self.places]

    @cached_property
    def answered(self) -> Array:
        """The number of answers at each of the times. (k,)"""
        return np.bincount(self.places).astype(float)

    @cached_property
    def draws(self) -> Array:
        """The variance of d answers drawn from r without replacement, in single draws: d (r − d) / (r − 1). (k,)

        It is multiplied by the square of the weight.
        """
        sizes = self.at_risk.sizes
        worth = self.answered * (sizes - self.answered) / np.maximum(sizes - 1.0, 1.0)
        return np.asarray(self.importance**2 * worth)


@dataclass(frozen=True, eq=False)
class ScoreStatistic:
    """The weighted sum over all answers of z less its mean at risk, with its covariance."""

    total: Array  # (k,)
    covariance: Array  # (k, k)


def of_all(lengths: Array, followed: Array, events: Indices) -> Risk:
    """The risk sets of all queries: each is at risk until it is answered, abandoned or censored.

    The mixture is of all queries that were followed as long. All answers have equal weight.
    """
    times, places = np.unique(lengths[events], return_inverse=True)
    began, ones = np.zeros(len(lengths)), np.ones(len(lengths))
    at_risk, alike = Sets(began, lengths, times, ones), Sets(began, followed, times, ones)
    return Risk(events, lengths[events], places, at_risk, alike, np.ones(len(times)), 1.0)


def of_answered(delays: Array, followed: Array, chances: Array) -> Risk:
    """The risk sets of the answered queries alone, backwards in time.

    An answer is there only if its delay d is at most the time f for which the query was followed. Of the queries with
    d ≤ u ≤ f, the one with delay u is a random draw [lagakos1988]. With F(f) the chance that an answer comes within f
    (`chances`), the mixture of those with d ≤ u ≤ f is that of all with u ≤ f, each with weight F(u) / F(f). The weight
    of
    an answer is the number of queries at risk [gehan1965]: backwards in time the last and least certain sets are those
    of
    the shortest delays, which say least about long ones.
    """
    times, places = np.unique(delays, return_inverse=True)
    began, ones = np.zeros(len(delays)), np.ones(len(delays))
    at_risk, alike = Sets(delays, followed, times, ones), Sets(began, followed, times, 1.0 / chances)
    return Risk(np.arange(len(delays)), delays, places, at_risk, alike, at_risk.sizes / len(delays), -1.0)


def of_numbers(risk: Risk, numbers: Array) -> ScoreStatistic:
    """The score of one number for each query. (n,)"""
    expected = risk.importance * risk.answered * risk.at_risk.means(numbers)
    total = np.sum(risk.counts * numbers[risk.events]) - np.sum(expected)
    variances = np.maximum(risk.alike.means(numbers**2) - risk.alike.means(numbers) ** 2, 0.0)
    return ScoreStatistic(np.array([total]), np.array([[np.sum(risk.draws * variances)]]))


def of_groups(risk: Risk, groups: Indices, n_groups: int) -> ScoreStatistic:
    """The score of each group of queries, which are numbered from 0. (n,)"""
    members = [groups == group for group in range(n_groups)]
    weights = risk.importance * risk.answered
    total = [np.sum(risk.counts * mask[risk.events]) - np.sum(weights * risk.at_risk.means(mask)) for mask in members]
    shares = np.stack([risk.alike.means(mask) for mask in members])
    return ScoreStatistic(np.array(total), np.diag(shares @ risk.draws) - (shares * risk.draws) @ shares.T)


def p_value(score: ScoreStatistic) -> float:
    """The p-value of a score by the law of χ²; 1 if there is nothing to compare."""
    from scipy.special import chdtrc

    values, vectors = np.linalg.eigh(score.covariance)
    # The scores of groups add up to 0, so that one direction has no variance.
    real = values > 1e-9 * max(float(values[-1]), np.finfo(float).tiny)
    if not real.any():
        return 1.0
    along = vectors[:, real].T @ score.total
    return float(chdtrc(np.count_nonzero(real), np.sum(along**2 / values[real])))
