"""Aims: what a point is worth when its context is seen only after the decision.

A score reads a point x together with a context c. With g_j = score(c_j, x) for some contexts c_j, an aim makes one
number of them: their expectation under the law of contexts, or the lowest expectation under any law near it. It also
says what share each context has in that number, ∂value/∂g_j, so that by the chain rule
    ∂value/∂x = Σ_j share_j ∂g_j/∂x;
for a minimum over laws these shares are the law that attains it (the envelope theorem).
An aim looks through views: coarse ones first, with few contexts, to find where to look; the last is the aim itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from belated.beliefs import Belief
from belated.checks import require_count, require_number
from belated.contexts.density import KernelDensity
from belated.contexts.empirical import Observed
from belated.contexts.law import EACH_SCORED, MOST_CONTEXTS, ContextLaw, Described, Sample
from belated.errors import ParameterError
from belated.space import Array, Indices, Space
from belated.space.halton import halton

# Contexts of the coarse views. Beginnings of quasi-random sequences are as even as the whole.
COARSE = (32, 256)
# Contexts of a glance.
FEW = 8
# A narrowed view keeps this many contexts among which the lowest value is sought.
KEPT = 64

Entry = TypeVar("Entry")


class Weighed(NamedTuple):
    """What m points are worth, and the share of each of k contexts in that."""

    value: Array  # (m,)
    shares: Array  # (m, k), ∂value_i/∂values_ij


class View(Protocol):
    """An aim seen through finitely many contexts."""

    @property
    def contexts(self) -> Array:
        """The contexts in which a point has to be scored. (k, c)"""

    def weigh(self, values: Array) -> Weighed:
        """What m points with these values in the k contexts are worth. (m, k)"""

    def narrowed(self, values: Array) -> View:
        """A view with fewer contexts that weighs these rows alike and others never lower, or itself. (m, k)

        Whether it weighs another row alike can be seen only by weighing that in both.
        """

    def glance(self) -> View:
        """A view with few contexts, that tells which of many points are not worth a closer look; or itself."""


class Aim(Protocol):
    """What a policy makes of a score in all contexts: a description, that a log can keep."""

    @property
    def law(self) -> ContextLaw:
        """The law of contexts that have not been seen."""

    def views(self, seen: Array, space: Space, belief: Belief, rng: np.random.Generator) -> tuple[View, ...]:
        """Views from coarse to fine, given the contexts seen (n, c); the last is the aim itself."""


@dataclass(frozen=True)
class Expectation:
    """Σ_j w_j g_j, the expectation under the law of contexts, from a sample of it [huang2024, algorithm 1].

    Unlike the paper's, the sample is quasi-random: as the law says.
    """

    law: ContextLaw = KernelDensity()
    samples: int = 1024

    def __post_init__(self) -> None:
        require_law("Expectation", self.law)
        require_count("Expectation", "samples", self.samples, most=MOST_CONTEXTS, reason=EACH_SCORED)

    def describe(self) -> str:
        """Over which contexts, in words."""
        return f"on average over {contexts_of(self.law)}"

    def views(self, seen: Array, space: Space, belief: Belief, rng: np.random.Generator) -> tuple[Average, ...]:
        """Averages over beginnings of one sample."""
        sample = self.law.sample(seen, space, self.samples, rng)
        counts = distinct([*(min(count, len(sample.points)) for count in COARSE), len(sample.points)])
        return tuple(Average(*beginning(sample, count)) for count in counts)


@dataclass(frozen=True)
class WithinDeviation:
    """min over c in Π_i [mean_i ± deviation_i] of g, with the moments of the contexts seen: StableOpt [bogunovic2018].

    The region is that of [huang2024, appendix B.1], in unit coordinates and within the box; a whole number is one whose
    bin meets it, and of a categorical column the options seen are meant. The minimum is sought among `samples`
    quasi-random contexts. Where no context has been seen, the region is the whole box.
    """

    samples: int = 1024

    def __post_init__(self) -> None:
        require_count("WithinDeviation", "samples", self.samples, most=MOST_CONTEXTS, reason=EACH_SCORED)

    def describe(self) -> str:
        """Over which contexts, in words."""
        return "in the worst context within a deviation of the mean of those seen"

    @property
    def law(self) -> ContextLaw:
        """The contexts seen: no other law is assumed."""
        return Observed()

    def views(self, seen: Array, space: Space, belief: Belief, rng: np.random.Generator) -> tuple[Lowest, ...]:
        """The minima over beginnings of one quasi-random sequence."""
        units = halton(self.samples, space.dimension, rng)
        points = distinct_rows(space.snap(units if not len(seen) else _between(units, seen, space)))
        counts = distinct([*(min(count, len(points)) for count in COARSE), len(points)])
        return tuple(Lowest(points[:count]) for count in counts)


@dataclass(frozen=True)
class LeftOut:
    """In place of an aim: contexts seen after the decision are left out, and to the belief they are noise."""


@dataclass(frozen=True, eq=False)
class Average:
    """The average Σ_j w_j g_j over the contexts."""

    contexts: Array  # (k, c)
    weights: Array  # (k,), they sum to one

    def weigh(self, values: Array) -> Weighed:
        """The weighted averages."""
        return Weighed(values @ self.weights, np.broadcast_to(self.weights, values.shape))

    def narrowed(self, values: Array) -> Average:
        """Itself: every context counts."""
        return self

    def glance(self) -> Average:
        """The average over the first contexts."""
        if len(self.contexts) <= FEW:
            return self
        return Average(*beginning(Sample(self.contexts, self.weights), FEW))


@dataclass(frozen=True, eq=False)
class Lowest:
    """The minimum min_j g_j over the contexts."""

    contexts: Array  # (k, c)

    def weigh(self, values: Array) -> Weighed:
        """The minima, each the whole share of the first context that attains it."""
        places = values.argmin(axis=1)[:, None]
        shares = np.zeros(values.shape)
        np.put_along_axis(shares, places, 1.0, axis=1)
        return Weighed(np.take_along_axis(values, places, axis=1)[:, 0], shares)

    def narrowed(self, values: Array) -> Lowest:
        """The minima over the contexts with the lowest values."""
        kept = lowest_columns(values)
        return self if len(kept) == len(self.contexts) else Lowest(self.contexts[kept])

    def glance(self) -> Lowest:
        """The minima over the first contexts."""
        return self if len(self.contexts) <= FEW else Lowest(self.contexts[:FEW])


def contexts_of(law: ContextLaw) -> str:
    """The contexts of a law, in words."""
    return law.describe() if isinstance(law, Described) else "the contexts to come"


def beginning(sample: Sample, count: int) -> Sample:
    """The first points of a sample, with weights that sum to one again."""
    weights = sample.weights[:count]
    return Sample(sample.points[:count], weights / weights.sum())


def lowest_columns(values: Array) -> Indices:
    """KEPT columns, in order, that are lowest in some row; with each row's lowest there may be more. (m, k)"""
    n_rows, n_columns = values.shape
    if n_columns <= KEPT or not n_rows:
        return np.arange(n_columns)
    ranks = np.empty(values.shape, dtype=np.intp)
    np.put_along_axis(ranks, np.argsort(values, axis=1, kind="stable"), np.arange(n_columns)[None], axis=1)
    best = ranks.min(axis=0)
    return np.sort(np.argsort(best, kind="stable")[: max(KEPT, np.count_nonzero(best == 0))])


def distinct_rows(points: Array) -> Array:
    """The rows without repetitions, in the order in which they first come."""
    return np.asarray(points[np.sort(np.unique(points, axis=0, return_index=True)[1])])


def distinct(entries: Iterable[Entry]) -> list[Entry]:
    """The entries without repetitions, in the order in which they first come."""
    return list(dict.fromkeys(entries))


def n_numeric(space: Space) -> int:
    """D_c, the number of numeric columns."""
    return space.dimension - sum(space.categorical)


def require_law(call: str, law: object) -> None:
    """Refuse what is no law of contexts."""
    if not callable(getattr(law, "sample", None)) or isinstance(law, type):
        raise ParameterError(f"{call}(law={law!r}): law must be a law of contexts, as KernelDensity().")


def require_radius(call: str, radius: object) -> None:
    """Refuse a radius that is neither None nor a number of at least zero."""
    if radius is not None:
        require_number(call, "radius", radius, low=0)


def _between(units: Array, seen: Array, space: Space) -> Array:
    """Points of the unit cube moved into the region mean ± deviation, and to the options seen. (m, c)"""
    mean, deviation = seen.mean(axis=0), seen.std(axis=0)
    low, high = np.maximum(mean - deviation, 0.0), np.minimum(mean + deviation, 1.0)
    moved: Array = low + units * (high - low)
    for column in np.flatnonzero(space.categorical):
        options = np.unique(seen[:, column])
        moved[:, column] = options[(units[:, column] * len(options)).astype(np.intp)]
    return moved
