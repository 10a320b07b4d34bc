"""Score tests in sets of queries at risk: are those that are answered now like the others that could have been?

At each delay u that an answer had, the queries at risk are those that could have been answered after just u. If delays
do not depend on a number z, whoever is answered is drawn at random from them, so that the sum over all answers of
z less its mean at risk has mean 0 and a known variance: the log-rank test and the score test of the proportional
hazards model [cox1972]. What is compared is always of one age. So it does no harm that a policy asks elsewhere as the
study goes on, nor that late queries have been waited for less: a shuffling of delays among queries would take that for
dependence.
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
        """In which order queries enter, and how many have by each time; and the same for leaving."""
        entered, left = np.argsort(self.enters, kind="stable"), np.argsort(self.leaves, kind="stable")
        return (
            (entered, np.searchsorted(self.enters[entered], self.times, side="right")),
            (left, np.searchsorted(self.leaves[left], self.times)),
        )


@dataclass(frozen=True, eq=False)
class Risk:
    """The answers, in the order of their delays, and the queries at risk when each came.

    `alike` are sets whose mixture is that of the queries at risk if delays depend on nothing. The variance is taken
    from them: that of the queries at risk themselves shrinks just where the score is large by chance, which makes
    a test of many groups too lenient.
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
        """How much each answer counts. (e,)"""
        return self.importance[self.places]

    @cached_property
    def answered(self) -> Array:
        """How many are answered at each of the times. (k,)"""
        return np.bincount(self.places).astype(float)

    @cached_property
    def draws(self) -> Array:
        """What d answers, drawn from r without replacement, are worth in single draws: d (r − d) / (r − 1). (k,)

        Times the square of how much each counts.
        """
        sizes = self.at_risk.sizes
        worth = self.answered * (sizes - self.answered) / np.maximum(sizes - 1.0, 1.0)
        return np.asarray(self.importance**2 * worth)


@dataclass(frozen=True, eq=False)
class Score:
    """The sum over all answers of z less its mean at risk, as much as each counts, with its covariance."""

    total: Array  # (k,)
    covariance: Array  # (k, k)


def of_all(lengths: Array, followed: Array, events: Indices) -> Risk:
    """Everybody is at risk until answered, abandoned or now; as a mixture, everybody who was followed so long.

    All answers count alike.
    """
    times, places = np.unique(lengths[events], return_inverse=True)
    began, ones = np.zeros(len(lengths)), np.ones(len(lengths))
    at_risk, alike = Sets(began, lengths, times, ones), Sets(began, followed, times, ones)
    return Risk(events, lengths[events], places, at_risk, alike, np.ones(len(times)), 1.0)


def of_answered(delays: Array, followed: Array, chances: Array) -> Risk:
    """Those with an answer, as if nothing were known of the others: seen backwards in time.

    An answer is there only if its delay d is no longer than the query was followed, f. Of those with d ≤ u ≤ f, all
    that could show a delay of u and have shown none longer, who shows just u is drawn at random [lagakos1988]. With
    F(f) the chance that an answer comes within f, `chances`, the mixture of those with d ≤ u ≤ f is that of all with
    u ≤ f when each counts F(u) / F(f). An answer counts as much as there are queries at risk [gehan1965]: backwards in
    time, the last and least sure sets are those of the shortest delays, which say least about long ones.
    """
    times, places = np.unique(delays, return_inverse=True)
    began, ones = np.zeros(len(delays)), np.ones(len(delays))
    at_risk, alike = Sets(delays, followed, times, ones), Sets(began, followed, times, 1.0 / chances)
    return Risk(np.arange(len(delays)), delays, places, at_risk, alike, at_risk.sizes / len(delays), -1.0)


def of_numbers(risk: Risk, numbers: Array) -> Score:
    """The score of one number for each query. (n,)"""
    expected = risk.importance * risk.answered * risk.at_risk.means(numbers)
    total = np.sum(risk.counts * numbers[risk.events]) - np.sum(expected)
    variances = np.maximum(risk.alike.means(numbers**2) - risk.alike.means(numbers) ** 2, 0.0)
    return Score(np.array([total]), np.array([[np.sum(risk.draws * variances)]]))


def of_groups(risk: Risk, groups: Indices, n_groups: int) -> Score:
    """The score of each group of queries, which are numbered from 0. (n,)"""
    members = [groups == group for group in range(n_groups)]
    weights = risk.importance * risk.answered
    total = [np.sum(risk.counts * mask[risk.events]) - np.sum(weights * risk.at_risk.means(mask)) for mask in members]
    shares = np.stack([risk.alike.means(mask) for mask in members])
    return Score(np.array(total), np.diag(shares @ risk.draws) - (shares * risk.draws) @ shares.T)


def p_value(score: Score) -> float:
    """How likely chance alone makes the score so large, by the law of χ²; 1 where there is nothing to compare."""
    from scipy.special import chdtrc

    values, vectors = np.linalg.eigh(score.covariance)
    # The scores of groups add up to 0, so that one direction has no variance.
    real = values > 1e-9 * max(float(values[-1]), np.finfo(float).tiny)
    if not real.any():
        return 1.0
    along = vectors[:, real].T @ score.total
    return float(chdtrc(np.count_nonzero(real), np.sum(along**2 / values[real])))
