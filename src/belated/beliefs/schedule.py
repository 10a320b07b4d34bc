"""With how many answers hyperparameters are fitted again, and factors are made afresh."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from belated.checks import require_count
from belated.evidence import Evidence

# With n answers: the number of them that was reached last, of those at which the work is done anew.
Milestones = Callable[[int], int]


def doubling(rows: int) -> int:
    """Factorise afresh at 64, 128, 256, … rows: for hyperparameters that stay."""
    return 0 if rows < 64 else 1 << (rows.bit_length() - 1)


# The largest initial design that a policy has by default. Up to there each answer tells much of the hyperparameters.
FIRST_FIT = 10


def spaced(count: int, step: int) -> int:
    """The last of 0, 1, 2, …, 10, 10 + step, 10 + 2 step, … not past `count`."""
    return count if count < FIRST_FIT else count - (count - FIRST_FIT) % step


def milestone(count: int) -> int:
    """The last of 0, 1, 2, …, 20, 22, 24, … not past `count`: steps of a tenth, so a refit costs little per answer."""
    reached = 0
    while (following := reached + max(1, reached // 10)) <= count:
        reached = following
    return reached


@dataclass(frozen=True)
class AfterQueries:
    """Hyperparameters are fitted with queries 1, count + 1, 2 count + 1, …, to the answers that had come by then.

    They then follow the iterations of a study, as many papers have it, however many answers those brought.
    """

    count: int

    def __post_init__(self) -> None:
        require_count("AfterQueries", "count", self.count)

    def answers(self, evidence: Evidence) -> int:
        """How many answers there were at the last fit."""
        asked = evidence.n_asked
        return evidence.answers_seen_by(asked - asked % self.count + 1)
