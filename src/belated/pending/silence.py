"""Informative missingness: a missing answer is imputed, lower the longer it is missing if bad answers never come.

When a query is asked, its answer is bad with chance b = P(f < θ), with θ the smallest answer so far; μ is the posterior
mean, over good and bad answers. A share L of good answers takes longer than the query has waited. By Bayes' rule
    ℓ = b / (b + (1 − b) L)
is the chance that the answer is bad. A bad answer is worth the floor, a good one (μ − b · floor)/(1 − b), so that
    v = (1 − ℓ) (μ − b · floor)/(1 − b) + ℓ · floor = μ + w (floor − μ),   w = b (1 − L)/(b + (1 − b) L).
If only a share s of losses happens because answers are bad, v = μ + s w (floor − μ). s = 0 is hallucination, s = 1 past
the window, where L = 0 and w = 1, is censoring.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from belated.beliefs import Belief, Expecting
from belated.checks import require_number
from belated.delays import later
from belated.evidence import Evidence
from belated.log import FOREVER, Window, as_window
from belated.pending.treatments import Hallucinate, floor_of
from belated.space import Array, Indices, Mask

B = TypeVar("B", bound=Belief)
# The least chance b: with b = 0, a query past its window (L = 0) would give 0/0, and it is lost however good its place.
LEAST_CHANCE = 1e-12
# Lost and answered queries are compared once there are this many of each.
FEWEST = 5
# The quantile of the normal law that chance exceeds once in a thousand: the test is repeated with every ask.
RARE = 3.090232306167813
# Of all shifts of the losses through time, the largest share that may cluster in space as much as the losses do.
ELSEWHEN = 0.05
# At most this many of the last queries, and of the last answers, are compared.
RECENT = 200


@dataclass(frozen=True)
class ImputeSilence:
    """Unanswered queries get imputed values: μ while they may be late, less if silence is bad news.

    `silence` is s, from 0 to 1, or None to learn from the log whether it is 0 or 1 (see `bad_news`). `floor` is the
    value of a bad answer; None is the smallest answer so far. A query past the window is taken for lost.
    """

    window: Window = FOREVER
    floor: float | None = None
    silence: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "window", as_window(self.window, "ImputeSilence"))
        if self.floor is not None:
            require_number("ImputeSilence", "floor", self.floor)
        if self.silence is not None:
            require_number("ImputeSilence", "silence", self.silence, low=0, high=1)

    def describe(self) -> str:
        """What becomes of pending queries, in words."""
        return "count as what is expected of them"

    def describe_now(self, evidence: Evidence, now: float) -> str:
        """What becomes of those that are lost, in words."""
        if self.silence is not None:
            bad = "count as bad" if self.silence == 1.0 else f"count as bad with a share of {self.silence:g}"
            return f"those that are lost {bad if self.silence > 0.0 else 'say nothing, and keep their places'}"
        if self.meaning(evidence, now) > 0.0:
            return "those that are lost count as bad, since they keep to places that promised less"
        return "nothing says that those that are lost are worse than those that came"

    def __call__(self, prior: B, evidence: Evidence, now: float) -> B:
        """The belief in which pending queries have their imputed values."""
        silence = self.meaning(evidence, now)
        if silence == 0.0:
            return Hallucinate()(prior, evidence, now)
        known = prior.condition(*evidence.arrivals())
        return self._expecting(prior, known, evidence, now, evidence.waiting_rows(FOREVER, now), silence)

    def _expecting(self, prior: B, known: B, evidence: Evidence, now: float, pending: Indices, silence: float) -> B:
        """The belief after the answers and the imputed values of these pending rows, in the order asked."""
        if not len(pending):
            return known
        lost = evidence.overdue_mask(self.window, now)[pending]
        longer = np.where(lost, 0.0, later(evidence, now, pending))
        floor, smallest = floor_of(self.floor, evidence), floor_of(None, evidence)

        def expected(of: Expecting, points: Array) -> Array:
            mean, deviation = of.moments(points)
            return mean + silence * news(below(smallest, mean, deviation), longer) * (floor - mean)

        missing = np.zeros(len(evidence), dtype=bool)
        missing[pending] = True
        rows = evidence.answered_mask | missing
        return prior.completed(known, evidence.by_row(rows), missing[rows], expected)

    def settled(self, prior: B, evidence: Evidence, now: float) -> B:
        """The belief after the answers and, if silence is bad news, the imputed values of lost queries."""
        known = prior.condition(*evidence.arrivals())
        lost = np.flatnonzero(evidence.overdue_mask(self.window, now))
        silence = self.meaning(evidence, now) if len(lost) else 0.0
        return self._expecting(prior, known, evidence, now, lost, silence) if silence > 0.0 else known

    def meaning(self, evidence: Evidence, now: float) -> float:
        """s, as given or as learned from the log; 0 where the study says what silence means, and it is counted."""
        if evidence.silence is not None:
            return 0.0
        return float(bad_news(evidence, self.window, now)) if self.silence is None else self.silence


def news(bad: Array, longer: Array) -> Array:
    """w = b (1 − L)/(b + (1 − b) L): 0 if silence is no news yet, 1 if it is a bad answer for sure. (…)"""
    return np.asarray(bad * (1.0 - longer) / (bad + (1.0 - bad) * longer))


def below(value: float, mean: Array, deviation: Array) -> Array:
    """P(f < value), at least `LEAST_CHANCE`. (…, m)"""
    from scipy.special import ndtr  # as long to import as a whole room, and not every study needs it

    # Without any deviation this is 0/0 where the mean equals the value, and ±∞ elsewhere.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        chance = ndtr((value - mean) / deviation)
    return np.maximum(np.nan_to_num(chance, nan=0.5), LEAST_CHANCE)


def bad_news(evidence: Evidence, window: Window, now: float) -> bool:
    """Whether the log says that silence means a bad answer: losses cluster in space, where less was promised.

    If losses do not depend on the answer, every query is lost with the same probability. Then queries whose nearest
    earlier query was lost are lost no more often than the others; a one-sided normal test compares the two. And what
    they promised, which is the nearest answer that was known when they were asked, has the same law as for the others.
    Only queries asked longer ago than the window count, because later ones may still be answered. Distances are between
    the columns known at the ask: contexts seen later are drawn at random for lost queries.
    """
    waits = evidence.waits(now, RECENT)
    settled = window.exceeded(waits.queries.followed, waits.seconds.followed) & (
        waits.answered_mask | waits.pending_mask
    )
    rows, lost = waits.rows[settled], waits.pending_mask[settled]
    if min(np.count_nonzero(lost), np.count_nonzero(~lost)) < FEWEST:
        return False
    points = evidence.points[rows, evidence.decided_columns]
    return _keep_to_places(points, lost) and _promised_less(evidence, rows, lost)


def _keep_to_places(points: Array, lost: Mask) -> bool:
    """Whether queries near an earlier lost one are lost more often than chance explains.

    An outage also loses queries near each other, if the policy moves slowly. But then the same losses shifted to
    another time would cluster as much; so losses are compared with all their shifts through time.
    """
    nearest = _nearest(points[1:], points, np.arange(1, len(points)))
    own, beside = lost[1:], lost[nearest]
    n_beside, n_others, share = np.count_nonzero(beside), np.count_nonzero(~beside), float(own.mean())
    if min(n_beside, n_others) < FEWEST:
        return False
    excess = _excess(own, beside)
    if excess <= RARE * np.sqrt(share * (1.0 - share) * (1.0 / n_beside + 1.0 / n_others)):
        return False
    moved = np.stack([np.roll(lost, by) for by in range(1, len(lost))])
    return bool(np.mean(_excess(moved[:, 1:], moved[:, nearest]) >= excess) <= ELSEWHEN)


def _excess(own: Mask, beside: Mask) -> Array:
    """How much more often queries beside a lost one are lost than others; 0 if there are none of either kind. (…)"""
    n_beside, n_others = beside.sum(axis=-1), (~beside).sum(axis=-1)
    of_beside = (own & beside).sum(axis=-1) / np.maximum(n_beside, 1)
    of_others = (own & ~beside).sum(axis=-1) / np.maximum(n_others, 1)
    return np.where((n_beside > 0) & (n_others > 0), of_beside - of_others, 0.0)


def _promised_less(evidence: Evidence, rows: Indices, lost: Mask) -> bool:
    """Whether lost queries promised less than answered ones, in the mean of their ranks."""
    seen = evidence.answers_before(rows)
    rows, lost, seen = rows[seen > 0], lost[seen > 0], seen[seen > 0]
    if lost.all() or not lost.any():
        return False
    columns, first, last = evidence.decided_columns, max(int(seen.min()) - RECENT, 0), int(seen.max())
    answers = evidence.arrivals()
    nearest = _nearest(evidence.points[rows, columns], answers.points[first:last, columns], seen - first)
    promises = answers.values[first:last][nearest]
    return bool(np.mean(np.sign(promises[~lost][:, None] - promises[lost])) > 0.0)


def _nearest(points: Array, others: Array, counts: Indices) -> Indices:
    """For each point, the index of the nearest among the first `counts` others, or of the first such. (n,)"""
    squares = np.zeros((len(points), len(others)))
    for column, of_others in zip(points.T, others.T, strict=True):
        squares += (column[:, None] - of_others) ** 2
    squares[np.arange(len(others)) >= counts[:, None]] = np.inf
    return np.asarray(np.argmin(squares, axis=1))
