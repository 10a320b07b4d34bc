"""A law of contexts: which of them come, and how often.

A law is a description that a log can keep. From the contexts seen so far it makes a sample: finitely many contexts with
weights, so that an expectation is a weighted mean. Everything is in unit coordinates, one column per parameter.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from belated.space import Array, Indices, Space

# Points are scored in every context of a sample, and an ask takes seconds with this many. A law that is learned from
# some hundreds gains nothing by more.
MOST_CONTEXTS = 10_000
EACH_SCORED = "points are scored in every context"


class Sample(NamedTuple):
    """Contexts that stand for a law. Where weights are equal, their beginnings stand for it too, if more coarsely."""

    points: Array  # (k, c), encodings of contexts
    weights: Array  # (k,), positive, with sum one


class ContextLaw(Protocol):
    """Which contexts come."""

    def sample(self, seen: Array, space: Space, count: int, rng: np.random.Generator) -> Sample:
        """About `count` contexts that stand for the law, given those seen (n, c); fewer where the law has fewer."""


@runtime_checkable
class Described(Protocol):
    """A law with words of its own."""

    def describe(self) -> str:
        """Which contexts, in words."""


def even(points: Array) -> Sample:
    """These contexts with equal weights."""
    return Sample(points, np.full(len(points), 1.0 / len(points)))


def merged(sample: Sample) -> Sample:
    """The distinct points of a sample in the order of their first appearance, with the sums of their weights."""
    points, first, places = np.unique(sample.points, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    # NumPy 2.0 gives the places the shape of a column.
    weights = np.bincount(places.reshape(-1), sample.weights, minlength=len(points))
    return Sample(points[order], weights[order] / weights.sum())


def picked(weights: Array, uniforms: Array) -> Indices:
    """The row for each number u of [0, 1): the first whose cumulated weight is above u, so that row j has share w_j."""
    cumulated = np.cumsum(weights / weights.sum())
    rows = np.searchsorted(cumulated, uniforms, side="right")
    # Rounding may leave the last sum, which is one, at or below u.
    found: Indices = np.minimum(rows, np.flatnonzero(weights)[-1])
    return found
