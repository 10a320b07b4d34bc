"""Common random numbers: every policy meets the same chance with the same seed.

What happens to the n-th query depends on the seed, the purpose and n alone, never on what was asked before.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np


class Purpose(IntEnum):
    """What a source of randomness is for."""

    STUDY = 0
    FUNCTION = 1
    DELAY = 2
    NOISE = 3
    INITIAL = 4
    CONTEXT = 5
    FAILURE = 6


def key(seed: int, purpose: Purpose, number: int = 0) -> list[int]:
    """The key of a generator of its own."""
    return [seed, int(purpose), number]


def generator(seed: int, purpose: Purpose, number: int = 0) -> np.random.Generator:
    """The source of randomness for that purpose and that query."""
    return np.random.default_rng(key(seed, purpose, number))


def study_seed(seed: int) -> int:
    """The seed of the study itself, so that its draws are none of the simulation's."""
    return int(generator(seed, Purpose.STUDY).integers(2**32))
