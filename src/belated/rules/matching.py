"""Simulation matching: a batch close to what a sequential rule would have asked [azimi2010]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from belated.beliefs import Function
from belated.checks import require_at_most, require_count
from belated.randomness import Stream
from belated.rules.needs import Need
from belated.rules.situation import Situation
from belated.search import Score, prefixed
from belated.space import Array, Candidates

# Searches before the first point of a batch, one for each point of each run: this many take ten seconds, and with
# thousands of answers far more.
MOST_SEARCHES = 500


class Scoring(Protocol):
    """A rule that maximises a score."""

    def score(self, situation: Situation) -> Score:
        """The score in a situation."""


@dataclass(frozen=True)
class Match:
    """Simulate the sequential rule on n drawn functions for B steps each, then pick B of the points it asks.

    The points are picked greedily, each to lower Σ_s min_p |s − p| the most, s over all simulated points and p over
    the points picked: a k-medoid of the simulated batches [azimi2010; desautels2014, section 7].
    """

    needs: ClassVar = frozenset({Need.ONE_CONTEXT})

    sequential: Scoring
    batch: int = 5
    paths: int = 10

    def __post_init__(self) -> None:
        for name, count in (("batch", self.batch), ("paths", self.paths)):
            require_count(
                "Match", name, count, most=MOST_SEARCHES, reason="a search is made for every point of each run"
            )
        call = f"Match(batch={self.batch}, paths={self.paths})"
        require_at_most(call, "batch times paths", self.batch * self.paths, MOST_SEARCHES, "each takes a search")

    def describe(self) -> str:
        """What it does, in words."""
        return f"the next point of a batch of {self.batch} like those that a sequential rule asks on functions drawn"

    def choose(self, situation: Situation) -> Array:
        """The next point of the batch, given those already asked in it."""
        place = (situation.number - 1) % self.batch
        begin = situation.number - place
        beginning = situation.before(begin)
        simulated = situation.remembered(
            "simulated batch",
            (self, begin, beginning.key),
            lambda: self.simulate(beginning, situation.random(Stream.CHOICE, begin)),
        )
        picked = situation.past.asked_in(begin, situation.number - 1)
        point: Array = simulated[next_medoid(simulated, picked)]
        return point

    def simulate(self, situation: Situation, rng: np.random.Generator) -> Array:
        """The points that the sequential rule asks on each drawn function. (paths · batch, d)"""
        points = []
        for _ in range(self.paths):
            imagined = situation.imagining()
            drawn = situation.belief.draw(rng)
            for _ in range(self.batch):
                point = imagined.search.best(self.sequential.score(imagined), rng)
                points.append(point)
                imagined = imagined.after(point, self.answer(situation, drawn, point, rng))
        return np.array(points)

    def answer(self, situation: Situation, drawn: Function, point: Array, rng: np.random.Generator) -> float:
        """A noisy answer of the drawn function at a point."""
        noise = np.sqrt(situation.belief.noise) * rng.standard_normal()
        if isinstance(situation.domain, Candidates):
            place = situation.domain.index(situation.domain.decode(point))
            return float(drawn.values(situation.candidates)[place] + noise)
        return float(drawn.values(prefixed(situation.context, point[None]))[0] + noise)


def next_medoid(points: Array, picked: Array) -> int:
    """The row that, added to those picked, brings them closest to all points."""
    distances = np.linalg.norm(points[:, None, :] - points[None, :, :], axis=2)
    if len(picked):
        covered = np.linalg.norm(points[:, None, :] - picked[None, :, :], axis=2).min(axis=1)
        distances = np.minimum(distances, covered[:, None])
    return int(np.argmin(distances.sum(axis=0)))
