"""The fraction that never answers is said only where the log can tell."""

from __future__ import annotations

import math

import numpy as np
import pytest

from belated.delays import Curve, curve


def watched(seed: int, n: int, lost: float, mean: float = 10.0, tail: float = 0.0) -> Curve:
    """n queries, one in each unit of time, as they stand one unit after the last; answers that come have an exponential
    delay or, with a `tail`, a heavy-tailed one."""
    rng = np.random.default_rng(seed)
    delays = mean * rng.pareto(tail, n) if tail else rng.exponential(mean, n)
    delays[rng.random(n) < lost] = np.inf
    followed = np.arange(n, 0.0, -1.0)
    return curve(np.minimum(delays, followed), delays <= followed)


def test_a_plateau_that_lasts_is_the_fraction_with_its_band() -> None:
    waits = [*(float(time) for time in range(1, 9)), 100.0, 100.0]
    found = curve(np.array(waits), np.array([True] * 8 + [False] * 2))
    assert found.never.estimate == pytest.approx(0.2)
    assert (found.never.low, found.never.high) == (found.low[-1], found.high[-1])


def test_a_plateau_that_has_just_begun_says_only_how_high_the_fraction_can_be() -> None:
    waits = [*(float(time) for time in range(1, 9)), 8.5, 8.5]
    found = curve(np.array(waits), np.array([True] * 8 + [False] * 2))
    assert found.never.estimate is None
    assert (found.never.low, found.never.high) == (0.0, found.high[-1])
    assert found.still(8.5) is None
    assert found.chances(np.array([8.5])).tolist() == [1.0]


@pytest.mark.parametrize("silence, known", [(163.0, False), (166.0, True)])
def test_a_silence_counts_once_chance_would_leave_it_less_often_than_once_in_twenty(
    silence: float, known: bool
) -> None:
    """Beyond 50, by which the earlier half had come, five answers waited 10, 20, …, 50, and one query 50 until then.

    That makes 200 until the last answer, to which the silence adds: (200 / (200 + s))⁵ is 1/20 where s is 164.1.
    """
    waits = np.array([*(10.0 * step for step in range(1, 11)), 100.0 + silence])
    found = curve(waits, np.array([True] * 10 + [False]))
    assert (found.never.estimate is not None) is known


def test_answers_that_all_took_equally_long_have_a_pace_too() -> None:
    found = curve(np.array([10.0] * 20 + [40.0] * 5), np.array([True] * 20 + [False] * 5))
    assert found.never.estimate == pytest.approx(0.2)


def test_two_answers_have_no_pace() -> None:
    found = curve(np.array([1.0, 1.0, 1e6]), np.array([True, True, False]))
    assert (found.never.estimate, found.never.low) == (None, 0.0)


def test_where_every_wait_as_long_as_the_longest_was_answered_there_is_no_sign_of_any() -> None:
    found = curve(np.array([1.0, 2.0, 5.0, 1.5]), np.array([True, True, True, False]))
    assert found.never.estimate == 0.0
    assert found.never.low == 0.0
    assert 0.0 < found.never.high < 1.0
    assert found.still(100.0) == 1.0


RUNS = 1000


@pytest.mark.parametrize("lost", [0.1, 0.3, 0.6])
def test_the_interval_of_the_fraction_covers_it(lost: float) -> None:
    found = [watched(seed, 150, lost).never for seed in range(RUNS)]
    told = [never for never in found if never.estimate is not None]
    assert len(told) > 0.9 * RUNS
    # Four deviations of the share of runs, and what the approximate band may miss its level by.
    slack = 0.03 + 4.0 * math.sqrt(0.95 * 0.05 / len(told))
    assert np.mean([never.low <= lost <= never.high for never in told]) > 0.95 - slack
    assert abs(np.mean([never.estimate for never in told if never.estimate is not None]) - lost) < 0.01


def test_where_everything_is_answered_in_the_end_the_fraction_is_seldom_taken_for_more() -> None:
    found = [watched(seed, 100, 0.0).never for seed in range(RUNS)]
    assert np.mean([never.low > 0.02 for never in found]) < 0.02
    heavy = [watched(seed, 100, 0.0, mean=2.0, tail=1.0).never for seed in range(RUNS)]
    # A tail so heavy that one answer in twenty takes longer than forty queries looks like a loss, but not a large one.
    assert np.mean([never.low > 0.1 for never in heavy]) < 0.02


def test_before_the_longest_delays_can_have_come_nothing_is_said() -> None:
    for lost in (0.0, 0.3):
        found = [watched(seed, 15, lost, mean=30.0).never for seed in range(RUNS)]
        # The test has the level 0.05, and four deviations of the share of runs.
        assert np.mean([never.low > 0.0 for never in found]) < 0.05 + 4.0 * math.sqrt(0.05 * 0.95 / RUNS)
