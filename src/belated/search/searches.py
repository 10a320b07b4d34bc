"""How a rule finds the best point of the set to choose from: over a table, over a box, or across contexts.

A rule scores what the belief is about. Where that is (context, point), the search makes of it a score over points: in
the context that is known, or, where contexts are seen only after the decision, across all that may come.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from belated.contexts import View
from belated.search.across import Across, maximise_across
from belated.search.box import maximise_box
from belated.search.elsewhere import Elsewhere, Taken
from belated.search.promise import Odds
from belated.search.score import Score
from belated.search.table import maximise_table, most_promising_row
from belated.space import Array, Candidates, Space


class Search(Protocol):
    """How the point with the highest score is found."""

    def best(self, score: Score, rng: np.random.Generator) -> Array:
        """The point. (d,)"""

    def summit(self, score: Score, rng: np.random.Generator) -> tuple[Array, float]:
        """The point, and its score."""


@dataclass(frozen=True, eq=False)
class TableSearch:
    """Every candidate is scored."""

    table: Candidates
    candidates: Array  # (N, c + d) its rows in the context of this ask
    taken: Taken | None = None
    odds: Odds | None = None  # where something failed

    def best(self, score: Score, rng: np.random.Generator) -> Array:
        """The best row; one that is taken only where there is no other."""
        row: Array = self.table.table[self._place(score, rng)]
        return row

    def summit(self, score: Score, rng: np.random.Generator) -> tuple[Array, float]:
        """The best row, and its score."""
        place = self._place(score, rng)
        return self.table.table[place], float(score.values(self.candidates)[place])

    def _place(self, score: Score, rng: np.random.Generator) -> int:
        barred = None if self.taken is None else self.table.rows(self.taken.points)
        if self.odds is None:
            return maximise_table(score, self.candidates, rng, barred)
        return most_promising_row(score, self.table, self.candidates, rng, barred, self.odds)


@dataclass(frozen=True, eq=False)
class BoxSearch:
    """A box is searched by gradients and moves, closely near its anchors."""

    space: Space
    context: Array  # (c,)
    anchors: Array  # (k, d)
    taken: Taken | None = None
    odds: Odds | None = None

    def best(self, score: Score, rng: np.random.Generator) -> Array:
        """The best point; where that is taken, the best of those that are not."""
        within = score if not self.context.size else InContext(score, self.context)
        if self.odds is not None:
            within = self.odds.promise(within, score)
        best = maximise_box(within, self.space, rng, anchors=self.anchors)
        if self.taken is None or not self.taken.holds(best[None])[0]:
            return best
        return maximise_box(Elsewhere(within, self.taken), self.space, rng, anchors=self.anchors)

    def summit(self, score: Score, rng: np.random.Generator) -> tuple[Array, float]:
        """The best point, and its score."""
        point = self.best(score, rng)
        return point, float(score.values(prefixed(self.context, point[None]))[0])


@dataclass(frozen=True, eq=False)
class AcrossSearch:
    """What a point is worth is weighed across the contexts that may come."""

    domain: Space | Candidates
    views: Sequence[View]
    anchors: Array  # (k, d)
    taken: Taken | None = None
    odds: Odds | None = None

    def best(self, score: Score, rng: np.random.Generator) -> Array:
        """The best point across the contexts of the last view; one that is taken only where there is no other."""
        return maximise_across(score, self.views, self.domain, rng, self.anchors, odds=self.odds, taken=self.taken)

    def summit(self, score: Score, rng: np.random.Generator) -> tuple[Array, float]:
        """The best point, and what it is worth."""
        point = self.best(score, rng)
        return point, float(Across(score, self.views[-1]).values(point[None])[0])


@dataclass(frozen=True)
class InContext:
    """A score over the belief's columns, read as one over the point's columns in a given context."""

    score: Score
    context: Array  # (c,)

    def values(self, points: Array) -> Array:
        """The score in the context. (m,)"""
        return self.score.values(prefixed(self.context, points))

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """The score in the context, and its gradient in the point."""
        values, gradients = self.score.slopes(prefixed(self.context, points))
        return values, gradients[:, self.context.size :]


def prefixed(context: Array, points: Array) -> Array:
    """The points with the context's columns before theirs."""
    if not context.size:
        return points
    return np.concatenate([np.broadcast_to(context, (len(points), context.size)), points], axis=1)
