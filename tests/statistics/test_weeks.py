"""A batch that is late: nothing is asked on top of it, for every policy that counts pending queries."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import fisher_exact

from benchmarks.weeks import DELAYS, POLICIES, Counted, Week, play
from tests.pairs import in_turn

SEEDS = 20
# All comparisons together fail once in ten thousand runs if the claim holds: there is one for each policy and window.
LEVEL = 1e-4 / (2 * len(POLICIES))


def counted(policy: str, window: str) -> Counted:
    """What the new batches of four have in common with the late ones, over all seeds."""
    weeks = [Week(policy, window, 4, delays, seed) for delays, seed in product(DELAYS, range(SEEDS))]
    return Counted(*map(sum, zip(*(each for week in weeks for each in play(week)[1]), strict=True)))


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES)
def test_nothing_is_asked_on_an_overdue_query_and_no_more_near_it_than_near_a_pending_one(policy: str) -> None:
    pending = counted(policy, "none")
    for window in ("passed", "learned"):
        overdue = counted(policy, window)
        assert overdue.same == 0
        rows = np.array([[each.near, each.asked - each.near] for each in (overdue, pending)])
        assert fisher_exact(rows, alternative="greater").pvalue > LEVEL


@in_turn(policy=POLICIES, window=["passed", "learned"])
def test_a_late_batch_is_not_asked_again(policy: str, window: str) -> None:
    for each in play(Week(policy, window, 4, "two days", 1))[1]:
        assert each.same == 0
