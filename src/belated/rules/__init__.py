"""Rules: which point is most worth asking."""

from belated.rules.arms import ExponentialWeights, HighestDraw
from belated.rules.confidence import UpperBound
from belated.rules.described import Describing, DescribingNow, described, words_of
from belated.rules.exploration import Eliminate, Explore, ExploreFirst
from belated.rules.ground import Ground
from belated.rules.improvement import Improvement, ImprovementOnAsked
from belated.rules.matching import Match
from belated.rules.members import OneMember
from belated.rules.moment import Model, Moment, Waiting
from belated.rules.needs import Need, needs_of
from belated.rules.noisy_improvement import NoisyImprovement
from belated.rules.past import Past
from belated.rules.penalising import Penalise
from belated.rules.promising import BoundOrExplore
from belated.rules.repeats import Allowed, Anew, Apart, Distinct, Repeats, Repetition
from belated.rules.rule import Anywhere, Choice, Initially, Played, Rule, point_of
from belated.rules.situation import Situation
from belated.rules.thompson import Thompson, mean_alone
from belated.rules.widths import (
    Alternating,
    AverageLipschitz,
    BoundedNorm,
    Constant,
    Delayed,
    Finite,
    Lipschitz,
    Martingale,
    Simultaneous,
    Width,
)

__all__ = [
    "Allowed",
    "Alternating",
    "Anew",
    "Anywhere",
    "Apart",
    "AverageLipschitz",
    "BoundOrExplore",
    "BoundedNorm",
    "Choice",
    "Constant",
    "Delayed",
    "Describing",
    "DescribingNow",
    "Distinct",
    "Eliminate",
    "Explore",
    "ExploreFirst",
    "ExponentialWeights",
    "Finite",
    "Ground",
    "HighestDraw",
    "Improvement",
    "ImprovementOnAsked",
    "Initially",
    "Lipschitz",
    "Martingale",
    "Match",
    "Model",
    "Moment",
    "Need",
    "NoisyImprovement",
    "OneMember",
    "Past",
    "Penalise",
    "Played",
    "Repeats",
    "Repetition",
    "Rule",
    "Simultaneous",
    "Situation",
    "Thompson",
    "UpperBound",
    "Waiting",
    "Width",
    "described",
    "mean_alone",
    "needs_of",
    "point_of",
    "words_of",
]
