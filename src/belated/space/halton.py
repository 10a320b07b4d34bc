"""Quasi-random points of the unit cube: Halton's sequence with its digits scrambled at random.

Chosen over Sobol's because `scipy.stats` takes longer to import than all the rest of Belated, and because
any number of points in any number of dimensions is as good: no powers of two, no table of directions.
"""

from __future__ import annotations

import math

import numpy as np

from belated.space.arrays import Array


def halton(count: int, dimension: int, rng: np.random.Generator) -> Array:
    """The first `count` points of a randomised Halton sequence, shape (count, dimension).

    With d_k the digits of i in the j-th prime base b and π_k random permutations of 0, …, b − 1,
        u_ij = Σ_k π_k(d_k) b^(−k−1)   [owen2017].
    Each point alone is uniform on the cube. More points from the same state of `rng` begin with the same.
    """
    columns = [_scrambled_inverse(count, base, rng) for base in _primes(dimension)]
    return np.stack(columns, axis=1)


def _scrambled_inverse(count: int, base: int, rng: np.random.Generator) -> Array:
    """One column: the digits of 0, …, count − 1 permuted, and mirrored at the point."""
    n_digits = math.ceil(53 / math.log2(base))  # as many as a double can tell apart
    permutations = rng.permuted(np.tile(np.arange(base), (n_digits, 1)), axis=1)
    remaining = np.arange(count)
    column = np.zeros(count)
    for place, permutation in enumerate(permutations, start=1):
        if base ** (place - 1) < count:
            remaining, digit = np.divmod(remaining, base)
            column += permutation[digit] * float(base) ** -place
        else:  # all further digits are 0
            column += permutation[0] * float(base) ** -place
    return column


def _primes(count: int) -> list[int]:
    """The first `count` primes."""
    primes: list[int] = []
    candidate = 2
    while len(primes) < count:
        if all(candidate % prime for prime in primes if prime * prime <= candidate):
            primes.append(candidate)
        candidate += 1
    return primes
