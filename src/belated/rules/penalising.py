"""Local penalisation: the choice keeps away from queries under way, by what their answers may rule out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from belated.beliefs import Belief
from belated.log import Balk
from belated.rules.moment import Moment
from belated.rules.repeats import Anew
from belated.rules.rule import Choice, Rule
from belated.rules.situation import Situation
from belated.rules.thompson import mean_alone
from belated.search import Penalty
from belated.space import Array

# Where the slope of f is looked for, at most so many points of a table: as many as stand for a box.
LOOKED_AT = 512
# Of the prior deviation: a query whose answer is known all but surely rules out what it rules out, and no more.
LEAST_DEVIATION = 1e-6


@dataclass(frozen=True)
class Penalise:
    """The rule's choice once its score is penalised around every query under way [gonzalez2016, algorithm 1].

    See `belated.search.penalty` for the formula. The best so far is the highest mean at answered points, where the
    paper has the largest answer, since answers are noisy; the slope is the largest of the mean at the candidates, with
    which the paper begins a climb. A score that is no logarithm is read in prior deviations from the prior mean, as if
    answers were standardised. It goes with the treatment `Ignore`: otherwise pending queries would count twice.
    """

    def describe(self) -> str:
        """What it does, in words."""
        return "the score is penalised near queries under way, by what their answers may rule out"

    def chosen(self, rule: Rule, moment: Moment) -> Choice | Balk:
        """The rule's choice under penalties; as it is while nothing is under way, or nothing was answered."""
        if not moment.evidence.pending_mask.any() or not moment.evidence.n_answered:
            return Anew().chosen(rule, moment)
        return Anew().chosen(_Penalised(rule, penalty_of(moment)), moment)


@dataclass(frozen=True, eq=False)
class _Penalised:
    """A rule in whose situations scores are penalised."""

    then: Rule
    penalty: Penalty

    def choose(self, situation: Situation) -> Choice:
        """The other rule's choice under penalties."""
        return self.then.choose(situation.penalising(self.penalty))


def penalty_of(moment: Moment) -> Penalty:
    """What queries under way may rule out, by the belief from the answers alone."""
    known, evidence = moment.known, moment.evidence
    points = evidence.points[evidence.pending_mask]
    mean, deviation = known.moments(points)
    best = float(known.moments(evidence.points[evidence.answered_mask]).mean.max())
    least = LEAST_DEVIATION * known.scale
    looked_at = np.concatenate([_looked_at(moment), evidence.points])
    return Penalty(
        points,
        mean,
        np.maximum(deviation, least),
        steepest(known, looked_at),
        best,
        moment.prior.prior_mean,
        moment.prior.scale,
    )


def steepest(belief: Belief, points: Array) -> float:
    """L = max |∇μ(x)| over some points."""
    _, gradients = belief.slopes(points, mean_alone)
    return float(np.sqrt(np.sum(gradients**2, axis=1).max()))


def _looked_at(moment: Moment) -> Array:
    candidates = Situation(moment).candidates
    return candidates[:: -(-len(candidates) // LOOKED_AT)]
