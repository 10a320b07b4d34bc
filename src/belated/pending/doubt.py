"""A treatment that knows delays: silence counts as much as the log says that it means.

A pending query is either late or lost. With q(a) the chance that one of age a will still be answered, by the curve of
delays so far, it is late with probability q. Of a late answer nothing is known: it is expected to be μ, what the
answers say. What a lost one would have been depends on why it was lost. If answers are lost whatever they are, it is μ
again; if bad answers are the ones that never come, it is the floor. So a pending query is expected to be
    v = q μ + (1 − q) ((1 − s) μ + s · floor) = μ + s (1 − q) (floor − μ),
with s the share of what is lost because it is bad. With s = 0 this is hallucination; with s = 1, once it is lost for
sure, censoring. A query that is lost for no reason tells nothing and leaves no trace.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from belated.beliefs import Belief, Expecting, left_out
from belated.delays import chances
from belated.errors import require_number
from belated.log import FOREVER, LEARNED, History, Window, as_window
from belated.space import Array, Indices

B = TypeVar("B", bound=Belief)
# Of both kinds so many are needed before they are compared.
FEWEST = 5
# The quantile of the normal law that chance exceeds once in a hundred.
RARE = 2.3263478740408408
# Of the answers, at most so many of the last are compared.
RECENT = 500


@dataclass(frozen=True)
class Doubt:
    """Unanswered queries count as what they are expected to be: μ while they may be late, less if silence is bad news.

    `silence` is s, from 0 to 1, or None to learn from the log whether it is 0 or 1 (see `bad_news`). `floor` is what
    bad answers are expected to be; None is the smallest answer so far. Past the window a query is taken for lost.
    """

    window: Window = LEARNED
    floor: float | None = None
    silence: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "window", as_window(self.window, "Doubt"))
        if self.floor is not None:
            require_number("Doubt", "floor", self.floor)
        if self.silence is not None:
            require_number("Doubt", "silence", self.silence, low=0, high=1)

    def __call__(self, prior: B, history: History, now: float) -> B:
        """The belief in which pending queries have the values that they are expected to have."""
        known = prior.condition(*history.arrivals())
        pending = history.waiting_rows(FOREVER, now)
        lost = history.overdue_mask(self.window, now)
        silence = self.meaning(known, history, now)
        if silence == 0.0:
            pending = pending[~lost[pending]]
        if not len(pending):
            return known
        weights = silence * (1.0 - chances(history, now, pending))
        floor = self._floor(history)

        def expected(of: Expecting, points: Array) -> Array:
            mean = of.moments(points).mean
            return mean + weights * (floor - mean)

        missing = np.zeros(len(history), dtype=bool)
        missing[pending] = True
        rows = history.answered_mask | missing
        return prior.completed(known, history.points[rows], history.values[rows], missing[rows], expected)

    def meaning(self, known: Belief, history: History, now: float) -> float:
        """s, given or learned."""
        if self.silence is not None:
            return self.silence
        return float(bad_news(known, history, np.flatnonzero(history.overdue_mask(self.window, now))))

    def _floor(self, history: History) -> float:
        if self.floor is not None:
            return history.inward(self.floor)
        answers = history.values[history.answered_mask]
        return float(answers.min()) if len(answers) else 0.0


def bad_news(known: Belief, history: History, lost: Indices) -> bool:
    """Whether the answers that are lost would have been worse than those that came, as far as the belief can tell.

    If they are lost whatever they are, what the other answers say of a lost one is drawn like what the others say of
    one that came. The two are compared by their ranks [mann1947], one-sided.
    """
    answers = history.arrivals().last(RECENT)
    if min(len(lost), len(answers.values)) < FEWEST:
        return False
    came = left_out(known, answers).mean
    gone = known.moments(history.points[lost]).mean
    m, n = len(came), len(gone)
    above = np.searchsorted(np.sort(gone), came, side="left") + np.searchsorted(np.sort(gone), came, side="right")
    excess = float(above.sum()) / 2.0 - m * n / 2.0
    return excess > RARE * float(np.sqrt(m * n * (m + n + 1) / 12.0))
