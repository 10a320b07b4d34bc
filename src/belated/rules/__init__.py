"""Rules: which point is most worth asking."""

from belated.randomness import Stream
from belated.rules.aims import Aim, DensityBall, Expectation, View, Weighed, WithinDeviation
from belated.rules.arms import ExponentialWeights, HighestDraw
from belated.rules.confidence import UpperBound
from belated.rules.discrepancy import MeanDiscrepancyBall, MinimaxDiscrepancy
from belated.rules.exploration import Eliminate, Explore, ExploreFirst
from belated.rules.improvement import Improvement
from belated.rules.matching import Match
from belated.rules.members import OneMember
from belated.rules.moment import Model, Moment, Waiting
from belated.rules.repeats import Allowed, Apart, Repeats, Repetition
from belated.rules.rule import Anywhere, Choice, Initially, Played, Rule, point_of
from belated.rules.searching import Search
from belated.rules.situation import Situation
from belated.rules.thompson import Thompson, mean_alone
from belated.rules.widths import (
    Alternating,
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
    "Aim",
    "Allowed",
    "Alternating",
    "Anywhere",
    "Apart",
    "BoundedNorm",
    "Choice",
    "Constant",
    "Delayed",
    "DensityBall",
    "Eliminate",
    "Expectation",
    "Explore",
    "ExploreFirst",
    "ExponentialWeights",
    "Finite",
    "HighestDraw",
    "Improvement",
    "Initially",
    "Lipschitz",
    "Martingale",
    "Match",
    "MeanDiscrepancyBall",
    "MinimaxDiscrepancy",
    "Model",
    "Moment",
    "OneMember",
    "Played",
    "Repeats",
    "Repetition",
    "Rule",
    "Search",
    "Simultaneous",
    "Situation",
    "Stream",
    "Thompson",
    "UpperBound",
    "View",
    "Waiting",
    "Weighed",
    "Width",
    "WithinDeviation",
    "mean_alone",
    "point_of",
]
