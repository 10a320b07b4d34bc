"""Rules: which point is most worth asking."""

from belated.rules.confidence import UpperBound
from belated.rules.exploration import Eliminate, Explore, ExploreFirst
from belated.rules.improvement import Improvement
from belated.rules.matching import Match
from belated.rules.rule import Anywhere, Initially, Rule
from belated.rules.situation import Model, Situation, Stream
from belated.rules.thompson import Thompson, mean_alone
from belated.rules.widths import (
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
    "Anywhere",
    "BoundedNorm",
    "Constant",
    "Delayed",
    "Eliminate",
    "Explore",
    "ExploreFirst",
    "Finite",
    "Improvement",
    "Initially",
    "Lipschitz",
    "Martingale",
    "Match",
    "Model",
    "Rule",
    "Simultaneous",
    "Situation",
    "Stream",
    "Thompson",
    "UpperBound",
    "Width",
    "mean_alone",
]
