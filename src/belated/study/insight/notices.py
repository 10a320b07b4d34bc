"""What a study notices by itself, and says once: delays, losses, a belief that fits badly, a space too narrow.

An ask looks for it when enough has come in since the last one: each tenth more of answers and, for what concerns
delays, of queries. Overdue queries are looked for with every ask, and spoken of again where others are overdue. What it
finds is written with the query, so that every process knows that it was said. It is a function of the log and the time,
as the decision is, and no decision sees it.

Where chance plays a part, n cases of which k are bad speak against a share of at most p by the mean over q > p of
    (q/p)ᵏ ((1 − q)/(1 − p))ⁿ⁻ᵏ.
If cases are independent, it ever reaches 100 with a probability of at most 1 %, however often one looks [ville1939].
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from belated.beliefs import Belief, FullyBayesian, milestone
from belated.delays import learned_window, longer_than_any, recent_waits
from belated.evidence import Evidence, Unit
from belated.log import FOREVER, Noticed, Window
from belated.policies import Decision, Policy
from belated.randomness import Stream
from belated.rules import Anywhere, Eliminate, Ground, Initially, Moment, Situation
from belated.search import MomentScore
from belated.show import duration, written
from belated.space import Array, Indices, Space
from belated.study.insight.recommendation import lower_bound, recommended

UNITS: tuple[Unit, Unit] = ("queries", "seconds")
# One in a hundred.
STRONG = 100.0
# The shares q that are tried between p and 1.
SHARES = (np.arange(20) + 0.5) / 20
# What a share may be before it is worth a word: late answers, lost ones, and answers that surprise the belief, of which
# one in 22 does so by chance, and some more where hyperparameters are fitted to few answers.
LATE, LOST, SURPRISING = 0.1, 0.5, 0.1
# Nobody is told of a query that has waited less than a minute: a program will have told it before anybody looks.
SOON = 60.0
# So many overdue queries are named; of more, how many.
NAMED = 8
ASKED = (
    "Does no answer mean something, as no sale or no click? Then change the study to say what silence means: with a "
    "silence of 0, no answer within the window is a 0, for what was asked so far too, and every policy learns from it."
)
# Fewer waits say nothing at all.
FEWEST_WAITS = 10
# Of so many queries, the last, the failures are counted.
RECENT = 20
# A belief from fewer answers is not judged; twice as many show whether the later half of them has changed anything.
FEWEST = 20
# Of more answers an average over hyperparameters is not judged: each of its draws takes a factor of all answers.
JUDGED = 500
# What is gained, as a share of what lies between the recommendation and the lowest quarter of the answers: it looked
# around for those, and a few that are very low do not count.
LITTLE, LOWER = 0.01, 0.25
# The belief may expect most at one of this many highest answers, but not at the others.
HIGHEST = 20
# At the bound, and near enough to look there; a step away from it, as a share of the range; and the deviations that
# chance exceeds once in a thousand: it is looked at several times.
AT_BOUND, NEAR_BOUND, STEP, STEEP = 1e-6, 0.02, 0.1, 3.09


@dataclass(frozen=True, eq=False)
class Ask:
    """A decision, and what else is known of the ask that came to it."""

    decision: Decision
    evidence: Evidence
    now: float
    noticed: Mapping[str, float]  # when each kind was said last
    learns_window: bool  # whether the policy learns from the delays how long to wait

    @property
    def policy(self) -> Policy:
        return self.decision.policy

    @property
    def moment(self) -> Moment:
        """The moment at which it did."""
        return self.decision.moment

    @property
    def believes(self) -> bool:
        """Whether a belief chose the query, and can be judged; else it would be dear to make one to judge it."""
        rule, placed = self.policy.rule, self.moment.evidence
        designed = isinstance(rule, Initially) and rule.lasts(self.moment.domain, placed.n_unfailed, placed.n_answered)
        return not (designed or isinstance(rule, Anywhere)) and not self._dear

    @property
    def _dear(self) -> bool:
        """Whether judging takes many times as long as deciding, which may look at one of several exact processes."""
        return isinstance(self.policy.belief, FullyBayesian) and self.evidence.n_answered > JUDGED

    @cached_property
    def favourite(self) -> Array:
        """Of the points that were tried, the one of which the belief expects most. (d,)"""
        answers = self.moment.evidence.arrivals()
        points = answers.points[_highest(answers.values)]
        return np.asarray(points[np.argmax(self.moment.settled.moments(points).mean)])

    @cached_property
    def recommended(self) -> Array:
        """The point that the belief recommends. (d,)"""
        return recommended(self.moment)


def notices_due(ask: Ask) -> list[Noticed]:
    """What an ask is to say."""
    answers, queries = due(ask.evidence)
    kinds = {**(OF_DELAYS if answers or queries else {}), **(OF_BELIEF if answers else {})}
    unsaid = {kind: look for kind, look in kinds.items() if kind not in ask.noticed}
    said = ((kind, look(ask)) for kind, look in {**AGAIN, **unsaid}.items() if kind not in OF_BELIEF or ask.believes)
    return [Noticed(kind, text) for kind, text in said if text is not None]


def due(evidence: Evidence) -> tuple[bool, bool]:
    """Whether the answers have passed a milestone since the last ask, and whether the queries are at one."""
    asked = evidence.n_asked
    # Before the first ask nothing has been looked at, however much was added.
    looked_at = evidence.before(asked).n_answered if asked else 0
    return looked_at < milestone(evidence.n_answered), milestone(asked) == asked


def against(bad: int, cases: int, share: float) -> float:
    """The mean likelihood ratio of larger shares of bad cases than `share` against `share` itself."""
    shares = share + (1.0 - share) * SHARES
    logs = bad * np.log(shares / share) + (cases - bad) * np.log((1.0 - shares) / (1.0 - share))
    # Past e^700, where doubles end, it is strong enough.
    return float(np.exp(np.minimum(logs, 700.0)).mean())


# Delays.


def overdue(ask: Ask) -> str | None:
    """Queries have waited longer than the window or, where that is learned, than chance makes of the delays so far.

    Where silence means something, nothing has gone wrong with them.
    It is said again once as many others are overdue as there are of those that it was said of.
    """
    evidence, window, now = ask.evidence, ask.policy.window, ask.now
    pending = np.flatnonzero(evidence.pending_mask)
    if not len(pending) or evidence.silence is not None:
        return None
    waited = evidence.ages_of(pending, now, "seconds")
    past = window.exceeded(evidence.ages_of(pending, now, "queries"), waited)
    usual = longer_than_any(evidence, now) if ask.learns_window else math.inf
    overdue = (past | (waited > usual)) & (waited >= SOON)
    since = ask.noticed.get("overdue", -math.inf)
    n_new = int(np.count_nonzero(overdue & (now - waited >= since)))
    if n_new < max(int(np.count_nonzero(overdue)) - n_new, 1):
        return None
    return _overdue(pending[overdue] + 1, float(waited[overdue][0]), window if past[overdue].any() else None)


def _overdue(queries: Indices, waited: float, window: Window | None) -> str:
    """The words for queries that are overdue, or, with no window, that have waited longer than any before them."""
    asked = f"{_listed(queries.tolist())}, asked {duration(waited)} ago"
    if window is None:
        said = f"Late: {asked}: longer than any answer took so far, by the clock. They are still counted on"
    else:
        by_the_clock = "" if window.seconds is None else " That is by the clock: nights and weekends count."
        waits = f"answers are waited for {_length(window)}.{by_the_clock}"
        said = f"Overdue: {asked}, when {waits} Nothing counts on them any longer"
    return (
        f"{said}, and nothing is asked on top of them. Tell their answers whenever they come; abandon what will "
        f"never come, so that its place is free again."
    )


def late(ask: Ask) -> str | None:
    """Answers come after the window. One that the policy learns follows them by itself."""
    window, waits = ask.policy.window, recent_waits(ask.evidence, ask.now)
    if ask.learns_window:
        return None
    queries, seconds = (waits.spans(unit).lengths[waits.answered_mask] for unit in UNITS)
    n_late = int(np.count_nonzero(window.exceeded(queries, seconds)))
    if len(queries) < FEWEST_WAITS or against(n_late, len(queries), LATE) < STRONG:
        return None
    return (
        f"{n_late} of {len(queries)} answers came after the window of {_length(window)}, when the policy no longer "
        f"waited for them. Let it learn how long to wait, by the window 'auto', or give it a longer window."
    )


def lost(ask: Ask) -> str | None:
    """Most queries are abandoned, or have waited longer than answers take.

    Queries asked lately are left out, whether answered or not: it is too early to tell. What failed is not lost, and
    where silence means something, nothing is.
    """
    evidence, now = ask.evidence, ask.now
    if evidence.silence is not None:
        return None
    waits = recent_waits(evidence, now)
    waits = waits.only(~evidence.failed_mask[waits.rows])
    window = ask.policy.window if ask.learns_window else learned_window(evidence, now)
    old, lost = np.ones(len(waits), dtype=bool), ~(waits.answered_mask | waits.pending_mask)
    if window != FOREVER:
        ages = (evidence.ages_of(waits.rows, now, unit) for unit in UNITS)
        old, lost = window.exceeded(*ages), ~waits.answered_mask
    n_lost, n_old = int(np.count_nonzero(old & lost)), int(np.count_nonzero(old))
    if n_old < FEWEST_WAITS or against(n_lost, n_old, LOST) < STRONG:
        return None
    silent, question = "were abandoned", "."
    if window != FOREVER:
        silent = f"have no answer, and answers that come take at most {_length(window)}"
        question = f". {ASKED}"
    return f"{n_lost} of {n_old} queries {silent}. See in its delays what that depends on{question}"


def failing(ask: Ask) -> str | None:
    """More than half of the last queries that came to anything have failed."""
    evidence = ask.evidence
    ended = np.flatnonzero(evidence.answered_mask | evidence.failed_mask)[-RECENT:]
    n_failed = int(np.count_nonzero(evidence.failed_mask[ended]))
    if len(ended) < FEWEST_WAITS or 2 * n_failed <= len(ended):
        return None
    return (
        f"Most queries fail: {n_failed} of the last {len(ended)}. The policy keeps away from what failed, as far as it "
        f"can tell where that is. If little of the space works, add results of points that are known to, or "
        f"begin a study with a narrower space; what failed by chance is better abandoned, which says nothing."
    )


def empty_round(ask: Ask) -> str | None:
    """The round that has just ended had no answer by its end, so that it tells nothing."""
    rule = ask.policy.rule
    ended = rule.ended_empty(Situation(ask.moment)) if isinstance(rule, Eliminate) else None
    if ended is None:
        return None
    first, last = ended
    return (
        f"The round of queries {first} to {last} has ended, and none of its answers had come: it drops no candidate, "
        f"and answers that come later are not used for that. Rounds that last as long as delays do lose less: give "
        f"'bpe-delay' the mean delay in queries, as mean_delay=20."
    )


# The belief.


def fits_badly(ask: Ask) -> str | None:
    """Answers lie too far from what the belief expects of them from all others."""
    answers = ask.moment.evidence.arrivals()
    if len(answers.values) < FEWEST:
        return None
    mean, deviation = ask.moment.known.left_out(answers)
    n_surprising = int(np.count_nonzero(np.abs(answers.values - mean) > 2.0 * deviation))
    if against(n_surprising, len(answers.values), SURPRISING) < STRONG:
        return None
    return (
        f"{n_surprising} of {len(answers.values)} answers lie more than two deviations from what the belief expects of "
        f"them from the others, and one in twenty should: it is too sure of itself. Answers on another scale, as their "
        f"logarithm, or a belief in several kernels, as that of the policy 'egp-ts', may fit better."
    )


def settled(ask: Ask) -> str | None:
    """The later half of the answers has gained next to nothing: what was recommended before them is as good."""
    moment = ask.moment
    answers = moment.evidence.arrivals()
    n, half = len(answers.values), len(answers.values) // 2
    if ask.evidence.context is not None or n < 2 * FEWEST or np.ptp(answers.values) == 0.0:
        return None
    before = MomentScore(moment.known.earlier(moment.prior, answers, half), lower_bound)
    then = Ground(moment).search.best(before, moment.random(Stream.SEARCH, 0))
    first, last = moment.settled.moments(np.stack([then, ask.recommended])).mean.tolist()
    gained = max(last - first, 0.0)
    # Where most answers are of the best point, none lies below it, and it must not gain at all.
    if gained > LITTLE * max(last - float(np.quantile(answers.values, LOWER)), 0.0):
        return None
    return (
        f"The last {n - half} of {n} answers have hardly changed the recommendation: it has gained "
        f"{written(gained, 2)} since, no more than a hundredth of what lies between it and the lowest quarter of the "
        f"answers. If it is good enough, close the study; if not, a policy that explores more may find what this one "
        f"does not look for."
    )


def narrow(ask: Ask) -> str | None:
    """The recommendation lies at a bound of a number, and the belief is sure that f rises towards it."""
    space = ask.evidence.domain
    if ask.evidence.context is not None or not isinstance(space, Space) or ask.moment.evidence.n_answered < FEWEST:
        return None
    if not any(_bounds(space, ask.favourite, NEAR_BOUND)):
        return None
    point = ask.recommended
    values, belief = space.decode(point), ask.moment.settled
    bounds = [
        f"the {'upper' if inward < 0.0 else 'lower'} bound of {space.names[column]}, "
        f"{written(values[space.names[column]])}"
        for column, inward in _bounds(space, point, AT_BOUND)
        if _rises(belief, point, space.snap(_moved(point, column, inward)[None])[0])
    ]
    if not bounds:
        return None
    return (
        f"The recommendation lies at {' and at '.join(bounds)}, and the belief is sure that answers get better "
        f"towards it. If the space can be wider, begin a study with a wider one, and add these answers to it."
    )


def _highest(values: Array) -> Indices:
    """The places of the highest values, best first, and equal ones in their order. (k,)"""
    return np.argsort(-values, kind="stable")[:HIGHEST]


def _bounds(space: Space, point: Array, near: float) -> Iterator[tuple[int, float]]:
    """The columns of numbers that are so near a bound, each with a step away from it.

    A whole number that has but two values is always at one.
    """
    for column, parameter in enumerate(space.parameters):
        levels = parameter.levels
        if parameter.categorical or (levels is not None and levels <= 2):
            continue
        # Whole numbers are encoded at the centres of their levels.
        edge, step = (0.0, STEP) if levels is None else (0.5 / levels, max(STEP, 1.0 / levels))
        if point[column] <= edge + near:
            yield column, step
        elif point[column] >= 1.0 - edge - near:
            yield column, -step


def _moved(point: Array, column: int, step: float) -> Array:
    moved = point.copy()
    moved[column] += step
    return moved


def _rises(belief: Belief, point: Array, inside: Array) -> bool:
    """Whether the belief is sure that f is higher at the point than at the one inside."""
    mean, deviation = belief.total(np.stack([point, inside]), np.array([1.0, -1.0]))
    return mean > STEEP * deviation


def _listed(queries: Sequence[int]) -> str:
    """The numbers of queries, the first few by name."""
    named = ", ".join(str(query) for query in queries[:NAMED])
    more = f" and {len(queries) - NAMED} more" if len(queries) > NAMED else ""
    return f"{'query' if len(queries) == 1 else 'queries'} {named}{more}"


def _length(window: Window) -> str:
    queries = [] if window.queries is None else [f"{window.queries} {'query' if window.queries == 1 else 'queries'}"]
    seconds = [] if window.seconds is None else [duration(float(window.seconds))]
    return " or ".join(queries + seconds)


Noticing = Callable[[Ask], str | None]
AGAIN: dict[str, Noticing] = {"overdue": overdue, "empty-round": empty_round}
OF_DELAYS: dict[str, Noticing] = {"late-answers": late, "lost-answers": lost, "failing-queries": failing}
OF_BELIEF: dict[str, Noticing] = {"poor-fit": fits_badly, "narrow-space": narrow, "settled": settled}
