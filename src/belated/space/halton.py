"""Quasi-random points of the unit cube: Halton's sequence with its digits scrambled at random.

Chosen over Sobol's for points of a space because any number of them in any number of dimensions is as good: no powers
of two, no table of directions.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from belated.space.arrays import Array

Words = npt.NDArray[np.uint64]

# The constants of splitmix64 [steele2014]: the step of its counter, and the shifts and factors that mix a count.
STEP = np.uint64(0x9E3779B97F4A7C15)
SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))
FACTORS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def halton(count: int, dimension: int, rng: np.random.Generator) -> Array:
    """The first `count` points of a randomised Halton sequence, shape (count, dimension).

    With d_k the digits of i in the j-th prime base b, π_k a random permutation of 0, …, b − 1 that leaves 0 in its
    place, and t_k(p) the digits of a random number T_p for each p,
        u_ij = Σ_k ((π_k(d_k) + t_k(i mod b^k)) mod b) b^(−k−1),
    a nested scramble [owen1995] of the sequence in [owen2017]. Each point alone is uniform on the cube, any b^k in a
    row have one each in the k-th intervals of base b, and beyond the digits of i all are those of T_i, its own.
    More points from the same state of `rng` begin with the same.
    """
    columns = [_scrambled_inverse(count, base, rng) for base in _primes(dimension)]
    return np.stack(columns, axis=1)


def _scrambled_inverse(count: int, base: int, rng: np.random.Generator) -> Array:
    """One column: the digits of 0, …, count − 1 scrambled, and mirrored at the point."""
    n_digits = math.ceil(53 / math.log2(base))  # as many as a double can tell apart
    seed = rng.integers(2**64, dtype=np.uint64)
    permutations = rng.permuted(np.tile(np.arange(1, base, dtype=np.uint64), (n_digits, 1)), axis=1)
    # T_p has few enough bits that its product with the base fits in 64: its digits are exact.
    spare = np.uint64(base.bit_length())
    numbers = _hashed(seed, count) >> spare
    column = _tails(numbers, 1, spare)
    heads = np.zeros(min(count, 1))  # the scrambled digits of each i below b^k
    for level, moved in enumerate(permutations):
        size = base**level
        if size >= count:
            break
        n_blocks = min(base, -(-count // size))
        digits = (_remaining(numbers[:size], size, spare) * np.uint64(base)) >> (np.uint64(64) - spare)
        added = np.concatenate([[np.uint64(0)], moved])[:n_blocks, None] + digits
        heads = (heads + np.where(added < base, added, added - np.uint64(base)) / float(size * base)).ravel()[:count]
        # A point is finished with its last digit that is not 0, whatever the count: the same, however many follow.
        column[size : len(heads)] = heads[size:] + _tails(numbers[size : len(heads)], size * base, spare)
    return column


def _remaining(numbers: Words, scale: int, spare: np.uint64) -> Words:
    """The digits of the numbers from the place on that the scale, a power of the base, moves to the front."""
    return numbers * np.uint64(scale) & (np.uint64(2**64 - 1) >> spare)


def _tails(numbers: Words, scale: int, spare: np.uint64) -> Array:
    """The same digits at their own places."""
    return _remaining(numbers, scale, spare).astype(np.float64) * (2.0 ** (int(spare) - 64) / scale)


def _hashed(seed: np.uint64, count: int) -> Words:
    """Random words for 0, …, count − 1, by splitmix64."""
    words = np.arange(1, count + 1, dtype=np.uint64) * STEP + seed
    for shift, factor in zip(SHIFTS[:2], FACTORS, strict=True):
        words = (words ^ (words >> shift)) * factor
    return words ^ (words >> SHIFTS[2])


def _primes(count: int) -> list[int]:
    """The first `count` primes."""
    primes: list[int] = []
    candidate = 2
    while len(primes) < count:
        if all(candidate % prime for prime in primes if prime * prime <= candidate):
            primes.append(candidate)
        candidate += 1
    return primes
