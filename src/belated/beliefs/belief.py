"""What a belief is: an opinion about f that can be conditioned, read, climbed and drawn from."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol, Self

import numpy as np

from belated.space import Array, Indices


class Moments(NamedTuple):
    """Mean and deviation of f at some points."""

    mean: Array  # (m,)
    deviation: Array  # (m,)


class Combined(NamedTuple):
    """A score made of the moments, and its partial derivatives in them."""

    value: Array  # (m,)
    by_mean: Array  # (m,)
    by_deviation: Array  # (m,)


Combine = Callable[[Array, Array], Combined]


class Function(Protocol):
    """One function over the unit cube, with gradients where it has them."""

    def values(self, points: Array) -> Array:
        """f at some points. (m, d) -> (m,)"""

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """f and its gradient at some points. (m,), (m, d)"""


class Belief(Protocol):
    """What we think f is. Conditioning a belief gives a belief."""

    def condition(self, points: Array, values: Array) -> Self:
        """The belief after these answers too, in this order."""

    def with_mean(self, prior_mean: float) -> Self:
        """The same belief around another prior mean."""

    def moments(self, points: Array) -> Moments:
        """Mean and deviation at some points."""

    def slopes(self, points: Array, combine: Combine) -> tuple[Array, Array]:
        """A score made of the moments, and its gradient, by the chain rule. (m,), (m, d)"""

    def draw(self, rng: np.random.Generator) -> Function:
        """One function drawn from the belief."""

    def information(self, points: Array) -> float:
        """What noisy answers at these points would tell about f, given what is known: I(f; y_A) in nats."""


class Tabled(Protocol):
    """A belief that keeps its moments on a table up to date; `chosen` picks rows of it."""

    def table_mean(self) -> Array:
        """The mean of every candidate. (N,)"""

    def table_bounds(self) -> Array:
        """Upper bounds of the deviations of every candidate. (N,)"""

    def table_deviation(self, chosen: Indices | None = None) -> Array:
        """The deviations of all candidates, or of some."""
