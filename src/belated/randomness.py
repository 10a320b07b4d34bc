"""Where the randomness of a study comes from: every number it draws is a function of its seed and of the purpose.

Two purposes never share a generator, whatever their numbers are.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np


class Stream(IntEnum):
    """Independent sources of randomness: of an ask, and of what stays the same over many of them."""

    CHOICE = 0
    SEARCH = 1
    DESIGN = 2
    MEMBER = 3
    CONTEXT = 4
    UNSEEN = 5  # contexts of pending queries
    SPECTRUM = 6  # of random features
    HYPERPARAMETERS = 7
    CHANCE = 8  # that a recommended point is the best


def entropy(seed: int, stream: Stream, number: int, *within: int) -> list[int]:
    """The numbers that a generator is made of, for the ask or the thing `number` and, if need be, for parts within."""
    # NumPy takes [3, 0] for [3]; how many parts there are keeps the first of them apart from the whole.
    return [seed, number, stream, *([len(within), *within] if within else [])]


def generator(seed: int, stream: Stream, number: int, *within: int) -> np.random.Generator:
    """The generator of a stream."""
    return np.random.default_rng(entropy(seed, stream, number, *within))
