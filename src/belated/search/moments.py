"""Scores made of a belief's mean and deviation: what most rules maximise."""

from __future__ import annotations

from dataclasses import dataclass

from belated.beliefs import Belief, Combine
from belated.space import Array


@dataclass(frozen=True)
class MomentScore:
    """A score s(mean, deviation) that never falls as the deviation grows."""

    belief: Belief
    combine: Combine

    def values(self, points: Array) -> Array:
        """The score at some points. (m,)"""
        return self.combine(*self.belief.moments(points)).value

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """The score and its gradient. (m,), (m, d)"""
        return self.belief.slopes(points, self.combine)
