"""Bandits over beliefs: each arm has a belief of its own, which learns from the answers to its own queries alone.

Which arm asked a query is kept with it in the log. Queries that no arm asked teach every arm: those of an initial
design, added data, and what an earlier policy asked.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from belated.checks import require_number
from belated.evidence import Plays
from belated.randomness import Stream
from belated.rules.moment import Model
from belated.rules.rule import Played
from belated.rules.situation import Situation
from belated.space import Array


@dataclass(frozen=True)
class HighestDraw:
    """Every arm draws a function; the arm whose function has the highest maximum is played [nguyen2020; lu2022].

    Unlike the arms of [nguyen2020], which stand for categories, these stand for kernels over the same points.
    """

    arms: tuple[Model, ...]

    def describe(self) -> str:
        """What it does, in words."""
        return "the best point of the function with the highest maximum, one being drawn from the belief of each arm"

    def choose(self, situation: Situation) -> Played:
        """The maximiser of the highest draw."""
        tops = [self.top(situation, arm) for arm in range(len(self.arms))]
        best = int(np.argmax([value for _, value in tops]))
        return Played(tops[best][0], best)

    def top(self, situation: Situation, arm: int) -> tuple[Array, float]:
        """The maximiser and the maximum of a function drawn from the belief of one arm."""
        return _drawn_top(situation.of_arm(self.arms[arm], arm), arm)


@dataclass(frozen=True)
class ExponentialWeights:
    """The arm is drawn by EXP3, then asks the maximiser of a function drawn from its belief [gopakumar2018; lu2022].

        p_a = (1 − γ) e^{g_a} / Σ_b e^{g_b} + γ/M,   g_a = (γ/M) Σ_s r_s / p_{a,s}   [auer2002, EXP3],
    the sum being over the answers to the arm's queries that had come, the rewards r_s the answers rescaled to [0, 1] by
    the smallest and the largest so far, and p_{a,s} the probability with which the arm was drawn for query s, by what
    was known then. A revised answer counts as if it had come as it is now.
    An answer earns what was told, whatever its error, which the beliefs of the arms know.
    """

    arms: tuple[Model, ...]
    exploration: float = 0.1

    def __post_init__(self) -> None:
        require_number("ExponentialWeights", "exploration", self.exploration, above=0, high=1)

    def describe(self) -> str:
        """What it does, in words."""
        return (
            "the best point of a function drawn from the belief of one arm, which EXP3 draws by what its queries earned"
        )

    def choose(self, situation: Situation) -> Played:
        """The maximiser of a function drawn from the belief of the arm drawn."""
        chances = self.chances(situation.past.plays, situation.past.arrivals.values)
        arm = int(situation.random(Stream.MEMBER).choice(len(self.arms), p=chances))
        return Played(_drawn_top(situation.of_arm(self.arms[arm], arm), arm)[0], arm)

    def chances(self, plays: Plays, answers: Array) -> Array:
        """p, computed from the log alone: the queries in the order asked, each with the answers it could know. (M,)"""
        chances = np.ones(len(plays.arms))
        for play, (arm, known) in enumerate(zip(plays.arms, plays.known, strict=True)):
            chances[play] = self._mixed(self._gains(plays, answers[:known], chances))[arm]
        return self._mixed(self._gains(plays, answers, chances))

    def _gains(self, plays: Plays, answers: Array, chances: Array) -> Array:
        """g, once these answers have come: their range is that of the rewards. (M,)"""
        rewarded = np.flatnonzero(plays.places < len(answers))
        rewards = rescaled(answers[plays.places[rewarded]], answers) / chances[rewarded]
        share = self.exploration / len(self.arms)
        return np.asarray(share * np.bincount(plays.arms[rewarded], rewards, minlength=len(self.arms)))

    def _mixed(self, gains: Array) -> Array:
        weights = np.exp(gains - gains.max())
        return np.asarray((1.0 - self.exploration) * weights / weights.sum() + self.exploration / len(gains))


def rescaled(values: Array, answers: Array) -> Array:
    """Values from 0 at the smallest answer to 1 at the largest; ½ where all answers are equal."""
    low, high = float(answers.min(initial=np.inf)), float(answers.max(initial=-np.inf))
    return (values - low) / (high - low) if low < high else np.full(len(values), 0.5)


def _drawn_top(situation: Situation, arm: int) -> tuple[Array, float]:
    drawn = situation.belief.draw(situation.random(Stream.CHOICE, None, arm))
    return situation.search.summit(drawn, situation.random(Stream.SEARCH, None, arm))
