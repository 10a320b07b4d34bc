"""What is random in the features of a kernel: frequencies and signs, drawn before its hyperparameters come in.

A kernel that is made of others is a sum of products of simple ones. Every product has a share of the draws; within it
frequencies add up and signs multiply, for a product of cosines is the mean of two cosines of sums.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from belated.beliefs.kernels.composed import ColumnsKernel, ProductKernel, SumKernel, name_of
from belated.beliefs.kernels.form import is_spectral
from belated.beliefs.kernels.kernel import Kernel
from belated.beliefs.kernels.simple import SimpleKernel
from belated.space import Array


@dataclass(frozen=True)
class Leaf:
    """A simple kernel within another one."""

    prefix: str  # what stands before the names of its hyperparameters
    kernel: SimpleKernel
    columns: tuple[int, ...]  # those of the points that it looks at

    @cached_property
    def nominal(self) -> tuple[int, ...]:
        """The categorical columns."""
        return tuple(itertools.compress(self.columns, self.kernel.categorical or ()))

    @cached_property
    def numeric(self) -> tuple[int, ...]:
        """The other columns."""
        mask = self.kernel.categorical
        return (
            tuple(column for column, nominal in zip(self.columns, mask, strict=True) if not nominal)
            if mask
            else self.columns
        )


Term = tuple[Leaf, ...]


def terms_of(kernel: Kernel, dimension: int) -> tuple[Term, ...]:
    """The kernel as a sum of products of simple ones, over points of this many columns."""
    match kernel:
        case SumKernel(parts):
            return tuple(itertools.chain(*(_within(place, part, dimension) for place, part in enumerate(parts))))
        case ProductKernel(parts):
            each = [_within(place, part, dimension) for place, part in enumerate(parts)]
            return tuple(tuple(itertools.chain(*chosen)) for chosen in itertools.product(*each))
        case ColumnsKernel(columns, inner):
            terms = terms_of(inner, len(columns))
            return tuple(
                tuple(replace(leaf, columns=tuple(columns[place] for place in leaf.columns)) for leaf in term)
                for term in terms
            )
    assert isinstance(kernel, SimpleKernel)
    return ((Leaf("", kernel, tuple(range(dimension))),),)


def _within(place: int, part: Kernel, dimension: int) -> tuple[Term, ...]:
    return tuple(
        tuple(replace(leaf, prefix=name_of(place, leaf.prefix)) for leaf in term) for term in terms_of(part, dimension)
    )


@dataclass(frozen=True, eq=False)
class Draws:
    """What is random in the features of a simple kernel."""

    frequencies: Array  # (D, number of numeric columns), for lengthscales of one
    common: Array  # (number of categorical columns, D), signs that all levels share
    own: tuple[Array, ...]  # per categorical column: (levels, D), signs of each level

    @property
    def count(self) -> int:
        return len(self.frequencies)

    def signs(self, kernel: SimpleKernel) -> list[Array]:
        """s(level) = √q common + √(1 − q) own with q = exp(−contrast): then E s(a) s(b) = q. [(levels, D)]"""
        shares = np.exp(-np.array(kernel.contrasts))
        return [
            np.sqrt(share) * common + np.sqrt(1.0 - share) * own
            for share, common, own in zip(shares, self.common, self.own, strict=True)
        ]

    def sign_slopes(self, kernel: SimpleKernel) -> list[Array]:
        """∂s/∂log c of every contrast c: −c q (common/√q − own/√(1 − q))/2. [(levels, D)]"""
        columns = zip(kernel.contrasts, self.common, self.own, strict=True)
        slopes = []
        for contrast, common, own in columns:
            share = np.exp(-contrast)
            slopes.append(-0.5 * contrast * share * (common / np.sqrt(share) - own / np.sqrt(1.0 - share)))
        return slopes


@dataclass(frozen=True, eq=False)
class Placed:
    """A simple kernel with its draws, and where they stand among all."""

    leaf: Leaf
    draws: Draws
    stretch: slice

    dimension: int

    @cached_property
    def frequencies(self) -> Array:
        """Divided by the lengthscales; zero in columns that it does not look at, or are categorical. (D, d)"""
        frequencies = np.zeros((self.draws.count, self.dimension))
        frequencies[:, self.leaf.numeric] = self.draws.frequencies / np.array(self.leaf.kernel.lengthscales)
        return frequencies

    def signs(self) -> dict[int, Array]:
        """The signs of every categorical column. {column: (levels, D)}"""
        return dict(zip(self.leaf.nominal, self.draws.signs(self.leaf.kernel), strict=True))

    def sign_slopes(self) -> dict[int, Array]:
        """Their slopes in the logarithm of the column's contrast. {column: (levels, D)}"""
        return dict(zip(self.leaf.nominal, self.draws.sign_slopes(self.leaf.kernel), strict=True))


@dataclass(frozen=True, eq=False)
class Spectrum:
    """What is random in the features of a kernel: the draws of every simple kernel in every product."""

    terms: tuple[tuple[Draws, ...], ...]

    @property
    def count(self) -> int:
        """D, of all products together."""
        return sum(draws[0].count for draws in self.terms)

    def placed(self, kernel: Kernel, dimension: int) -> list[tuple[Placed, ...]]:
        """The draws beside the simple kernels that they are of, product by product."""
        ends = itertools.accumulate((draws[0].count for draws in self.terms), initial=0)
        stretches = [slice(start, end) for start, end in itertools.pairwise(ends)]
        return [
            tuple(Placed(leaf, draws, stretch, dimension) for leaf, draws in zip(term, drawn, strict=True))
            for term, drawn, stretch in zip(terms_of(kernel, dimension), self.terms, stretches, strict=True)
        ]


def drawn_spectrum(kernel: Kernel, levels: tuple[int | None, ...], count: int, rng: np.random.Generator) -> Spectrum:
    """So many spectral draws for a kernel of these forms over columns with these levels."""
    terms = terms_of(kernel, len(levels))
    each, more = divmod(count, len(terms))
    return Spectrum(
        tuple(
            tuple(_draws(leaf, levels, each + (place < more), rng) for leaf in term) for place, term in enumerate(terms)
        )
    )


def _draws(leaf: Leaf, levels: Sequence[int | None], count: int, rng: np.random.Generator) -> Draws:
    form, numeric = leaf.kernel.form, len(leaf.numeric)
    assert is_spectral(form), "Features() refuses other forms"
    frequencies = form.frequencies(count, numeric, rng) if numeric else np.zeros((count, 0))
    common = rng.choice([-1.0, 1.0], size=(len(leaf.nominal), count))
    own = tuple(rng.choice([-1.0, 1.0], size=(levels[column] or 1, count)) for column in leaf.nominal)
    return Draws(frequencies, common, own)
