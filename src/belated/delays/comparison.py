"""A test of whether delays depend on a number, or on the group of a query, and a measure of how strongly."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from belated.delays.score import Risk, of_groups, of_numbers, p_value
from belated.space import Array, Indices

# Groups of fewer queries are put together, and of more groups than this the smallest.
FEWEST_ALIKE, MOST_GROUPS = 5, 20
# The strength compares all pairs of at most this many queries.
MOST_COMPARED = 1000


@dataclass(frozen=True, eq=False)
class DelayComparison:
    """The p-value of a test, the strength of the dependence, and, if there are groups, the members of the slowest."""

    p_value: float
    strength: float
    slowest: Indices | None = None  # (m,) places among the queries that were compared


def by_numbers(risk: Risk, numbers: Array) -> DelayComparison | None:
    """The test of a number for each query, by its rank; None if too few numbers differ. (n,)"""
    _, counts = np.unique(numbers, return_counts=True)
    if len(numbers) - int(counts.max()) < FEWEST_ALIKE:
        return None  # it would hang on a single query
    ranks = ranks_of(numbers)
    return DelayComparison(p_value(of_numbers(risk, ranks)), strength(risk, ranks))


def by_groups(risk: Risk, options: Array) -> DelayComparison | None:
    """The test of groups of queries, which have equal numbers; None if there is a single group. (n,)"""
    groups = groups_of(options)
    n_groups = int(groups.max()) + 1
    if n_groups == 1:
        return None
    score = of_groups(risk, groups, n_groups)
    seen = np.bincount(groups[risk.events], weights=risk.counts, minlength=n_groups)
    # Answers over those expected from its time at risk; a group that was never at risk is no slower than others.
    expected = seen - score.total
    pace = risk.direction * np.where(expected > 0.0, seen / np.where(expected > 0.0, expected, 1.0), 1.0)
    slowest = np.flatnonzero(groups == np.argmin(pace))
    return DelayComparison(p_value(score), strength(risk, -pace[groups]), slowest)


def better(*found: DelayComparison | None) -> DelayComparison | None:
    """The comparison with the smallest p-value, corrected for the choice among several."""
    there = [entry for entry in found if entry is not None]
    if not there:
        return None
    best = min(there, key=lambda entry: entry.p_value)
    return replace(best, p_value=min(1.0, len(there) * best.p_value))


def groups_of(options: Array) -> Indices:
    """The group of each query, from 0 for the largest. Queries with one option form a group.

    All rare options form one group together. If that is too small, the next rarest option joins it; if nearly all
    options
    are rare, all queries form one group.
    """
    _, places, counts = np.unique(options, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    n_common = int(np.count_nonzero(counts >= FEWEST_ALIKE))
    if n_common and 0 < counts[order[n_common:]].sum() < FEWEST_ALIKE:
        n_common -= 1
    group_of = np.empty(len(counts), dtype=np.intp)
    group_of[order] = np.minimum(np.arange(len(counts)), min(n_common, MOST_GROUPS - 1))
    return group_of[places]


def ranks_of(numbers: Array) -> Array:
    """The ranks less the mean rank; equal numbers share a rank."""
    _, places, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    last = np.cumsum(counts).astype(float)
    return np.asarray((last - (counts - 1) / 2.0)[places] - (len(numbers) + 1) / 2.0)


def strength(risk: Risk, numbers: Array) -> float:
    """How often the higher number is answered later, less how often it is answered earlier.

    Pairs are one answered query and one at risk at that time, with different numbers.
    """
    events = _some(risk.events)
    delay_of = np.full(len(numbers), np.nan)
    delay_of[risk.events] = risk.delays
    others = _some(np.arange(len(numbers)))
    u = delay_of[events][:, None]
    at_risk = (risk.at_risk.enters[others] <= u) & (u <= risk.at_risk.leaves[others]) & (delay_of[others] != u)
    signs = at_risk * np.sign(numbers[others] - numbers[events][:, None])
    pairs = np.count_nonzero(signs)
    return risk.direction * float(signs.sum() / pairs) if pairs else 0.0


def _some(items: Indices) -> Indices:
    """At most `MOST_COMPARED` of the queries, the same in every call."""
    if len(items) <= MOST_COMPARED:
        return items
    return np.sort(np.random.default_rng(len(items)).choice(items, MOST_COMPARED, replace=False))
