"""A treatment that knows delays: silence counts as much as the log says that it means.

If answers are lost whatever they are, a pending query is expected to be μ, what the answers say of its point, however
long it waits. If bad answers are the ones that never come, silence is news. When a query is asked, its answer is bad
with chance b = P(f < θ), with θ the smallest answer so far; μ is the mean over both, good and bad. Good answers that
take longer than it has waited are a share L of them, by the curve of delays. So by now it is lost with chance
    ℓ = b / (b + (1 − b) L),
and expected to be what b expected, the floor if it is bad and so much that the mean was μ if it is good, under ℓ:
    v = (1 − ℓ) (μ − b · floor)/(1 − b) + ℓ · floor = μ + w (floor − μ),
    w = (ℓ − b)/(1 − b) = b (1 − L)/(b + (1 − b) L).
With s the share of what is lost because it is bad, v = μ + s w (floor − μ). With s = 0 this is hallucination, and so it
is for a query just asked, w being 0; with s = 1, once it is lost for sure, w is 1, and this is censoring. Between, a
place that promises much is waited for longer. Past the window L is 0: nobody waits any longer, whether or not the log
can tell already. A query that is lost for no reason says nothing about f, and keeps its place until it is abandoned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from belated.beliefs import Belief, Expecting
from belated.delays import later
from belated.errors import require_number
from belated.evidence import Evidence
from belated.log import FOREVER, Window, as_window
from belated.pending.treatments import Hallucinate, floor_of
from belated.space import Array, Indices, Mask

B = TypeVar("B", bound=Belief)
# What stands in for a chance that is smaller: a query that nobody waits for any longer is lost, however good its place.
LEAST_CHANCE = 1e-12
# Of both kinds so many are needed before they are compared.
FEWEST = 5
# The quantile of the normal law that chance exceeds once in a thousand: it is looked at with every ask.
RARE = 3.090232306167813
# The share of other times at which losses may keep to places as much as they do.
ELSEWHEN = 0.05
# Of the queries and of the answers, at most so many of the last are compared.
RECENT = 200


@dataclass(frozen=True)
class Doubt:
    """Unanswered queries count as what they are expected to be: μ while they may be late, less if silence is bad news.

    `silence` is s, from 0 to 1, or None to learn from the log whether it is 0 or 1 (see `bad_news`). `floor` is what
    bad answers are expected to be; None is the smallest answer so far. Past the window a query is taken for lost.
    """

    window: Window = FOREVER
    floor: float | None = None
    silence: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "window", as_window(self.window, "Doubt"))
        if self.floor is not None:
            require_number("Doubt", "floor", self.floor)
        if self.silence is not None:
            require_number("Doubt", "silence", self.silence, low=0, high=1)

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
        """The belief in which pending queries have the values that they are expected to have."""
        silence = self.meaning(evidence, now)
        if silence == 0.0:
            return Hallucinate()(prior, evidence, now)
        known = prior.condition(*evidence.arrivals())
        return self._expecting(prior, known, evidence, now, evidence.waiting_rows(FOREVER, now), silence)

    def _expecting(self, prior: B, known: B, evidence: Evidence, now: float, pending: Indices, silence: float) -> B:
        """The belief after the answers and, in the order asked, what is expected of these pending rows."""
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
        return prior.completed(known, evidence.points[rows], evidence.values[rows], missing[rows], expected)

    def settled(self, prior: B, evidence: Evidence, now: float) -> B:
        """The belief from the answers and, if silence is bad news, from what is lost."""
        known = prior.condition(*evidence.arrivals())
        lost = np.flatnonzero(evidence.overdue_mask(self.window, now))
        silence = self.meaning(evidence, now) if len(lost) else 0.0
        return self._expecting(prior, known, evidence, now, lost, silence) if silence > 0.0 else known

    def meaning(self, evidence: Evidence, now: float) -> float:
        """s, given or learned."""
        return float(bad_news(evidence, self.window, now)) if self.silence is None else self.silence


def news(bad: Array, longer: Array) -> Array:
    """w = b (1 − L)/(b + (1 − b) L): how far silence has come from no news, 0, to the loss of a bad answer, 1. (…)"""
    return np.asarray(bad * (1.0 - longer) / (bad + (1.0 - bad) * longer))


def below(value: float, mean: Array, deviation: Array) -> Array:
    """P(f < value), and never quite 0. (…, m)"""
    from scipy.special import ndtr  # as long to import as a whole room, and not every study needs it

    # Where hardly anything is uncertain, f is above, below or equal.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        chance = ndtr((value - mean) / deviation)
    return np.maximum(np.nan_to_num(chance, nan=0.5), LEAST_CHANCE)


def bad_news(evidence: Evidence, window: Window, now: float) -> bool:
    """Whether the log says that silence means a bad answer: losses keep to places, and those promised less.

    If answers are lost whatever they are, each is lost with one probability, however the policy chose its point. Then
    those whose nearest query before was lost are lost no more often than the others, which is compared by the normal
    law, one-sided. And what they promised, the nearest answer that had come when they were asked, is drawn like what
    the others did. Only queries asked longer ago than the window count: of later ones nobody knows yet. Near is meant
    in what was known when they were asked: contexts seen later are drawn for those that are lost, and lie elsewhere.
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
    """Whether queries near an earlier one that was lost are lost more often than chance has it.

    An outage also loses queries near each other, if the policy moves slowly. Had it come at any other time, it would
    look the same: so the losses, moved through time all together, must hardly ever keep to places as much as they do.
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
    """How much more often those beside a lost one are lost than the others are; 0 where either are none. (…)"""
    n_beside, n_others = beside.sum(axis=-1), (~beside).sum(axis=-1)
    of_beside = (own & beside).sum(axis=-1) / np.maximum(n_beside, 1)
    of_others = (own & ~beside).sum(axis=-1) / np.maximum(n_others, 1)
    return np.where((n_beside > 0) & (n_others > 0), of_beside - of_others, 0.0)


def _promised_less(evidence: Evidence, rows: Indices, lost: Mask) -> bool:
    """Whether what was lost promised less than what came, in the mean of their ranks."""
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
    """The nearest to each point among the first so many of the others; of equals, the first. (n,)"""
    squares = np.zeros((len(points), len(others)))
    for column, of_others in zip(points.T, others.T, strict=True):
        squares += (column[:, None] - of_others) ** 2
    squares[np.arange(len(others)) >= counts[:, None]] = np.inf
    return np.asarray(np.argmin(squares, axis=1))
