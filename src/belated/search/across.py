"""A score across contexts: what is worth asking where the context is seen only after the decision.

For each point x and contexts c_1, …, c_k the score has values g_j = s(c_j, x), and an aim makes one number V(g) of
them. By the envelope theorem its gradient is Σ_j (∂V/∂g_j) ∂s(c_j, x)/∂x. Few contexts tell where the summits are, and
only the last climb looks at all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from belated.contexts import View
from belated.search.ascent import ascend
from belated.search.box import PATIENCE, leading_box, maximise_box, refined_box
from belated.search.elsewhere import Elsewhere, Taken
from belated.search.promise import Odds
from belated.search.score import Score
from belated.search.table import maximise_table
from belated.space import Array, Candidates, Space

# Pairs of context and point that are scored in one call: enough for matrix products, and little memory.
PAIRS = 1 << 12
# Summits that are looked at more closely, step by step.
LEADERS = (6, 2)
# Steps of a climb: to tell the summits apart, and to reach one. Where a minimum over contexts puts a ridge across the
# hill, a climb goes on for ever smaller gains.
STEPS = (8, 6)
# Two climbers so near each other are on the same hill.
NEAR = 1e-3
# Rows of a table of which at most this many pairs are scored need no closer look.
WHOLE = 1 << 16
# Of a table, this share goes on to the closer look, and at least this many rows.
SHARE, LEAST = 8, 64
# How often a climb with few of the contexts is repeated with others, if they turned out to be too few.
ROUNDS = 3
# What another order of a sum may change, as a share of it.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Across:
    """A score over (context, point), read as one over points alone."""

    score: Score
    view: View
    odds: Odds | None = None  # where something failed
    taken: Taken | None = None

    def values(self, points: Array) -> Array:
        """What some points are worth. (m,)"""
        return self._whole.values(points)

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """The same, and its gradient in the point. (m,), (m, d)"""
        return self._whole.slopes(points)

    def everywhere(self, points: Array) -> Array:
        """The score at some points in each context of the view. (m, k)"""
        contexts = self.view.contexts
        return self.score.values(pairs(contexts, points)).reshape(len(points), len(contexts))

    def narrowed(self, points: Array) -> Across:
        """The same at these points with fewer contexts; elsewhere no less than it."""
        return replace(self, view=self.view.narrowed(self.everywhere(points)))

    @cached_property
    def _whole(self) -> Score:
        """What points are worth, less what the chance of success takes away, and −∞ where they are taken."""
        weighed = Worth(self) if self.odds is None else self.odds.promise(Worth(self), self.score)
        return weighed if self.taken is None else Elsewhere(weighed, self.taken)


@dataclass(frozen=True)
class Worth:
    """What a score across contexts comes to, were an answer sure and no point taken."""

    across: Across

    def values(self, points: Array) -> Array:
        """What some points are worth. (m,)"""
        across = self.across
        parts = [across.view.weigh(across.everywhere(block)).value for block in self._blocks(points)]
        return np.concatenate(parts) if parts else np.empty(0)

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """The same, and its gradient in the point. (m,), (m, d)"""
        parts = [self._slopes(block) for block in self._blocks(points)]
        return np.concatenate([value for value, _ in parts]), np.concatenate([gradient for _, gradient in parts])

    def _slopes(self, points: Array) -> tuple[Array, Array]:
        contexts = self.across.view.contexts
        values, gradients = self.across.score.slopes(pairs(contexts, points))
        weighed = self.across.view.weigh(values.reshape(len(points), len(contexts)))
        by_pair = gradients[:, contexts.shape[1] :].reshape(len(points), len(contexts), -1)
        return weighed.value, np.asarray(np.einsum("mk,mkd->md", weighed.shares, by_pair))

    def _blocks(self, points: Array) -> list[Array]:
        step = max(1, PAIRS // max(1, len(self.across.view.contexts)))
        return [points[start : start + step] for start in range(0, len(points), step)]


def pairs(contexts: Array, points: Array) -> Array:
    """Every point in every context, point by point. (m k, c + d)"""
    return np.concatenate([np.tile(contexts, (len(points), 1)), np.repeat(points, len(contexts), axis=0)], axis=1)


def maximise_across(
    score: Score,
    views: Sequence[View],
    domain: Space | Candidates,
    rng: np.random.Generator,
    anchors: Array,
    *,
    odds: Odds | None = None,
    taken: Taken | None = None,
) -> Array:
    """The point that is worth most across the contexts of the last view. (d,)"""
    levels = [Across(score, view, odds, taken) for view in views]
    if isinstance(domain, Candidates):
        return _best_row(levels, domain.table, rng)
    if len(levels) == 1:
        return maximise_box(levels[0], domain, rng, anchors=anchors)
    few = views[0].glance()
    glance = None if few is views[0] else replace(levels[0], view=few)
    points = leading_box(levels[0], domain, rng, LEADERS[0], anchors=anchors, glance=glance)
    for level in levels[1:-1]:
        points, _ = _refined(level, domain, points, STEPS[0])
    return _climbed(levels[-1], domain, points)


def _climbed(level: Across, domain: Space, points: Array) -> Array:
    """The best point of a climb from these, with no more contexts than it takes."""
    for _ in range(ROUNDS):
        narrow = level.narrowed(points)
        points, promised = _refined(narrow, domain, points, STEPS[1])
        # With fewer contexts nothing is worth less: a first point that keeps its promise is the best.
        if narrow.view is level.view or _kept(level, points[:1], promised[:1]):
            break
        points = points[np.argsort(-level.values(points), kind="stable")]
    best: Array = points[0]
    return best


def _kept(level: Across, points: Array, promised: Array) -> bool:
    """Whether points are worth what was promised."""
    return np.allclose(level.values(points), promised, rtol=ROUNDING, atol=0.0)


def _refined(level: Across, domain: Space, points: Array, steps: int) -> tuple[Array, Array]:
    """Where a climb from a few points gets in a number of steps: the best of each hill, best first. (k, d), (k,)"""
    if any(number is not None for number in domain.levels):
        points = refined_box(level, domain, points, LEADERS[1])
        return points, level.values(points)
    points, values = ascend(level, points, rounds=steps, patience=PATIENCE)
    order = np.argsort(-values, kind="stable")
    points, values = points[order], values[order]
    apart = np.abs(points[:, None] - points).max(axis=2) > NEAR
    first = [place for place in range(len(points)) if apart[place, :place].all()][: LEADERS[1]]
    return points[first], values[first]


def _best_row(levels: Sequence[Across], table: Array, rng: np.random.Generator) -> Array:
    """The best row of a table: all of its rows with few contexts, then a share of them with more."""
    rows = np.arange(len(table))
    for level in levels[:-1]:
        if len(rows) * len(levels[-1].view.contexts) <= WHOLE:
            break
        kept = max(LEAST, len(rows) // SHARE)
        rows = np.sort(rows[np.argsort(-level.values(table[rows]), kind="stable")[:kept]])
    best: Array = table[rows[maximise_table(levels[-1], table[rows], rng)]]
    return best
