"""With how many answers hyperparameters are fitted again, and factors are made afresh."""

from __future__ import annotations

from collections.abc import Callable

# With n answers: the number of them that was reached last, of those at which the work is done anew.
Milestones = Callable[[int], int]


def doubling(rows: int) -> int:
    """Factorise afresh at 64, 128, 256, … rows: for hyperparameters that stay."""
    return 0 if rows < 64 else 1 << (rows.bit_length() - 1)


def milestone(count: int) -> int:
    """The last of 0, 1, 2, …, 20, 22, 24, … not past `count`: steps of a tenth, so a refit costs little per answer."""
    reached = 0
    while (following := reached + max(1, reached // 10)) <= count:
        reached = following
    return reached
