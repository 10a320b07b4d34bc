"""What is best so far, what to use now, and what to expect elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from belated.beliefs import Belief, Combined
from belated.contexts import View
from belated.errors import NoAnswerError, UnsupportedError, Way, no_answer
from belated.log import Record
from belated.randomness import Stream
from belated.rules import Ground, Moment, mean_alone
from belated.search import MomentScore, pairs, prefixed
from belated.space import Array
from belated.study.insight.chance import chance_of_best
from belated.study.results import Best, Expected, Recommendation

# Bounds and means closer than this many deviations are equal, and what was tried is preferred to what was not.
EQUAL = 1e-6
# Deviations below the mean by which points are compared. The highest mean anywhere has 5% less regret than the best
# answer, and more than twice its regret in one study of eleven; this has 15% less, and in one of twenty.
CAUTION = 2.0


def best_answer(record: Record) -> Best:
    """The best answer; the first of several equal ones. Where silence means a value, a silent query has that one."""
    silent, value = record.first_silent, record.outcomes.silence
    if not record.n_answers and silent is None:
        raise no_answer("best()")
    if len(record.outcomes.objectives) > 1:
        raise UnsupportedError(
            f"best(): the study has the objectives {', '.join(record.outcomes.objectives)}, and no single answer is "
            f"the best of them; ",
            Way("all-queries", (), "queries() has them all"),
            ".",
        )
    found = record.best()
    if silent is not None and value is not None:
        answers = [query.answer.value for query in found if query.answer is not None]
        if not any(record.sign * answer >= record.sign * value for answer in answers):
            return Best(dict(silent.tried), value, silent.id)
    if not found:
        way = Way("all-queries", (), "queries() has them all")
        raise NoAnswerError("best(): no answer meets all constraints yet; ", way, ".")
    [query] = found
    assert query.answer is not None
    return Best(dict(query.tried), query.answer.value, query.id)


def best_or_none(record: Record) -> Best | None:
    """The best answer; None before the first that meets all constraints, and of several objectives."""
    there = record.best() or record.first_silent is not None
    return best_answer(record) if len(record.outcomes.objectives) == 1 and there else None


def recommendation(moment: Moment, beside: Mapping[str, Moment]) -> Recommendation:
    """The point to use now, with what is expected there, of other outcomes too, and the chance that it is the best."""
    point = recommended(moment)
    own, others = _expected(moment, point), {name: _expected(other, point) for name, other in beside.items()}
    chance = chance_of_best(moment, point)
    return Recommendation(moment.domain.decode(point), own.mean, own.deviation, moment.settled.jitter, others, chance)


def _expected(moment: Moment, point: Array) -> Expected:
    [mean], [deviation] = expectation(moment, [point])
    return Expected(float(mean), float(deviation))


def expectation(moment: Moment, rows: Sequence[Array]) -> tuple[Array, Array]:
    """Mean and deviation, in the user's units, of the belief from all answers at encoded points. (n,), (n,)

    Where contexts are seen only after the decision, of Σ_j q_j f(x, c_j), the shares q_j of contexts being those with
    which the policy's aim weighs their means.
    """
    if not rows:
        return np.empty(0), np.empty(0)
    if moment.aim is None:
        mean, deviation = moment.settled.moments(prefixed(moment.context, np.array(rows)))
    else:
        view = Ground(moment).views[-1]
        mean, deviation = np.array([_across(moment.settled, view, row) for row in rows]).T
    return moment.evidence.outward(mean, deviation)


def _across(belief: Belief, view: View, point: Array) -> tuple[float, float]:
    """Mean and deviation of what a point is worth across contexts."""
    everywhere = pairs(view.contexts, point[None])
    value, shares = view.weigh(belief.moments(everywhere).mean[None])
    weighty = shares[0] != 0.0
    return float(value[0]), belief.total(everywhere[weighty], shares[0][weighty])[1]


def recommended(moment: Moment) -> Array:
    """The point with the highest lower bound, or the best answer's where no more is expected there. (d,)

    The bound is CAUTION deviations below the mean; among equals, a point that was answered comes first. Where points
    have failed, all counts for less the likelier a point is to fail, save where an answer has come. With contexts, it
    is the point with the highest mean.
    """
    ground = Ground(moment)
    if moment.aim is not None or moment.context.size:
        return ground.search.best(MomentScore(moment.settled, mean_alone), moment.random(Stream.SEARCH, 0))
    score = MomentScore(moment.settled, lower_bound)
    found = ground.search.best(score, moment.random(Stream.SEARCH, 0))
    evidence = moment.evidence
    answered = evidence.points[evidence.answered_mask]
    if not len(answered):
        return found
    points = np.concatenate([found[None], answered, evidence.points[evidence.best_rows(1)]])
    mean, deviation = moment.settled.moments(points)
    if ground.odds is not None:
        # A query may fail once in ten times; what is used in the end counts with its whole chance.
        mean[0] += ground.odds.unit(score) * ground.odds.log_chance.values(found[None])[0]
    bound = mean - CAUTION * deviation
    surest = 1 + int(np.argmax(bound[1:]))
    chosen = 0 if bound[0] > bound[surest] + EQUAL * deviation[0] else surest
    return np.asarray(points[-1 if mean[-1] >= mean[chosen] - EQUAL * deviation[chosen] else chosen])


def lower_bound(mean: Array, deviation: Array) -> Combined:
    """What f is at least, give or take: CAUTION deviations below the mean."""
    return Combined(mean - CAUTION * deviation, np.ones_like(mean), np.full_like(mean, -CAUTION))
