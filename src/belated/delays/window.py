"""How long an answer is worth waiting for, by the delays so far.

A query is waited for while there is a fair chance that it will still be answered. That chance is 1 − p / S(a) at age a,
with S the curve of waits and p its level, the fraction that never answers (see curve.py). Both count one additional
query that never answers: without it, if no answer was ever lost, a query that has waited longer than all others would
be sure of its answer. While it is not known whether the curve is level, a query is given up only after many times the
longest delay, so that a policy that waits for it does not wait for ever.

Queries asked together whose answers came together show one delay, like flasks in one oven: a batch counts once.
"""

from __future__ import annotations

import math

import numpy as np

from belated.delays.curve import Curve, curve
from belated.evidence import Evidence, Unit, Waits
from belated.log import FOREVER, Window
from belated.space import Array, Indices

# Below this chance of an answer, a query is no longer waited for.
FAIR = 0.05
# Delays change, so only this many of the last queries count, which also keeps an ask cheap in a long study.
# Up to a limit they reach back twice the longest delay all the same: the last queries of a batch wait the shortest, and
# they alone would say that nothing takes long.
RECENT, FARTHEST = 500, 10_000
# Fewer answers say nothing about the next.
FEWEST = 5
# While the log cannot tell, the window is this many times the longest delay, in time, which passes without asks too.
MANY = 10
# Silence that means something is taken for news sooner: if an answer comes after all, it takes the place of that.
HASTY = 3
USUAL = 0.98
# Queries are of one batch if they were asked, and answered, within this share of the middle delay of its first one.
TOGETHER = 0.05
# Time is counted rather than queries where it varies that much less, and where most queries come in batches.
STEADIER = 0.5


def recent_waits(evidence: Evidence, now: float) -> Waits:
    """The waits for the last queries."""
    return evidence.waits(now, min(max(RECENT, 2 * evidence.longest_delay(FARTHEST)), FARTHEST))


def batched(waits: Waits) -> Waits:
    """The waits with one for each batch, that of its first query; none if the clock stands still."""
    lengths, answered = waits.seconds.lengths, waits.answered_mask
    near = TOGETHER * float(np.median(lengths[answered])) if answered.any() else 0.0
    if near == 0.0:
        return waits
    asked = -waits.seconds.followed  # counted back from the present
    ended = asked + lengths
    kept = np.ones(len(waits), dtype=bool)
    for mask in (answered, waits.pending_mask):
        first = None
        for place in np.flatnonzero(mask).tolist():
            if first is not None:
                kept[place] = max(asked[place] - asked[first], abs(ended[place] - ended[first])) > near
            first = place if kept[place] else first
    return waits.only(kept)


def longer_than_any(evidence: Evidence, now: float) -> float:
    """The seconds past which a wait is longer than the delays so far explain; ∞ before two batches have come.

    It is the longest delay and one part in n more, as in `worth_waiting`.
    """
    waits = _observed(evidence, now)[0]
    delays = waits.seconds.lengths[waits.answered_mask]
    return float(delays.max()) * (1.0 + 1.0 / len(delays)) if len(delays) > 1 else math.inf


def learned_window(evidence: Evidence, now: float) -> Window:
    """The window that the delays so far suggest: in queries or, if delays are much steadier in time, in seconds."""
    waits, unit = _observed(evidence, now)
    longest = worth_waiting(waits, unit)
    if longest is None:
        delays = waits.seconds.lengths[waits.answered_mask]
        return Window(seconds=MANY * float(delays.max())) if len(delays) > 1 and delays.max() > 0.0 else FOREVER
    return Window(seconds=longest) if unit == "seconds" else Window(queries=math.ceil(longest))


def silent_after(evidence: Evidence, now: float) -> Window:
    """The window past which silence counts, where none is given: what all but one in fifty answers take, and 1/n more.

    Those who have waited for less count by how likely they still are to be answered, so it need not be short. Before
    there are `FEWEST` answers it is three times the longest delay so far; before any answer, for ever.
    """
    waits, unit = _observed(evidence, now)
    delays = waits.spans(unit).lengths[waits.answered_mask]
    if not len(delays):
        return FOREVER
    few = len(delays) < FEWEST
    usual = HASTY * float(delays.max()) if few else float(np.quantile(delays, USUAL, method="higher"))
    longest = usual * (1.0 + 1.0 / len(delays))
    return Window(seconds=longest) if unit == "seconds" else Window(queries=math.ceil(longest))


def later(evidence: Evidence, now: float, rows: Indices) -> Array:
    """L, the share of all answers that take longer than each of these pending rows has waited. (k,)

    With p the fraction that never answers, L = (S − p)/(1 − p), where one additional answer counts that takes longer
    than
    any; 1 while p is unknown.
    """
    waits, unit = _observed(evidence, now)
    seen = _settled(waits, unit)
    if seen is None or seen.never.estimate is None:
        return np.ones(len(rows))
    n, never = float(seen.at_risk[0]), seen.never.estimate
    survival = seen.survived(evidence.ages_of(rows, now, unit))
    return np.asarray((n * (survival - never) + 1.0) / (n * (1.0 - never) + 1.0))


def allowance(evidence: Evidence, now: float) -> float:
    """How many queries to allow for the delay of an answer, u of [vakili2023, eq. 6], by the delays so far.

    While it is unknown how long an answer is worth waiting for, it is the longest wait of any query.
    """
    waits, _ = _observed(evidence, now)
    longest = worth_waiting(waits, "queries")
    return float(waits.queries.lengths.max(initial=0.0)) if longest is None else longest


def worth_waiting(waits: Waits, unit: Unit) -> float | None:
    """The age at which the chance of an answer is no longer fair; None while the fraction that never answers is
    unknown.

    If delays are uniform, the longest of n falls short of the longest possible one by one part in n + 1 on average; so
    this much is added.
    """
    seen = _settled(waits, unit)
    if seen is None or seen.never.estimate is None:
        return None
    last = int(np.argmax(_fair(seen, seen.survival) < FAIR))
    return float(seen.times[last]) * (1.0 + 1.0 / int(np.count_nonzero(waits.answered_mask)))


def _settled(waits: Waits, unit: Unit) -> Curve | None:
    """The curve of the waits; None before there are `FEWEST` answers."""
    lengths, answered = waits.spans(unit).lengths, waits.answered_mask
    if np.count_nonzero(answered) < FEWEST:
        return None
    if unit == "queries":
        # The answer to a query of age a may come before the next ask: its delay is known to be more than a − 1.
        lengths = np.where(answered, lengths, lengths - 1.0)
    return curve(lengths, answered)


def _fair(seen: Curve, survival: Array) -> Array:
    """The chance of an answer at a survival of the curve, with one additional query that never answers. (k,)"""
    assert seen.never.estimate is not None, "only a curve that is known to be level says how many never answer"
    n = float(seen.at_risk[0])
    return np.asarray(1.0 - (n * seen.never.estimate + 1.0) / (n * survival + 1.0))


def _observed(evidence: Evidence, now: float) -> tuple[Waits, Unit]:
    """The waits, one for each batch, and the unit in which the delays of answers vary less relative to their mean."""
    every = recent_waits(evidence, now)
    waits = batched(every)
    queries, seconds = (waits.spans(unit).lengths[waits.answered_mask] for unit in ("queries", "seconds"))
    # On a clock that stands still nothing varies, and nothing is ever late.
    if not seconds.any():
        return waits, "queries"
    # Between a batch and its answers as many queries are asked as it has: that says nothing about delays.
    in_batches = 2 * len(queries) <= np.count_nonzero(every.answered_mask)
    steadier = _variation(seconds) < STEADIER * _variation(queries)
    return waits, "seconds" if in_batches or steadier else "queries"


def _variation(delays: Array) -> float:
    mean = float(delays.mean())
    return float(delays.std()) / mean if mean > 0.0 else 0.0
