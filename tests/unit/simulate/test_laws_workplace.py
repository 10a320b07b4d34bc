"""Delays made by busy workers and closed offices."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from belated import simulate
from belated.errors import ParameterError
from belated.simulate import DelayLaw, Occasion
from tests.tolerance import ROUNDING

DAY = 24.0


def delays(law: DelayLaw, times: Sequence[float], seed: int = 5) -> list[float]:
    """The delays of queries that are asked at these instants."""
    earlier: list[tuple[float, float]] = []
    for number, asked_at in enumerate(times, start=1):
        occasion = Occasion(number, asked_at, {"x": 0.5}, 0.0, tuple(earlier))
        earlier.append((asked_at, law.draw(occasion, np.random.default_rng([seed, number]))))
    return [delay for _, delay in earlier]


def arrivals(law: DelayLaw, times: Sequence[float]) -> list[float]:
    """When their answers come."""
    return [asked_at + delay for asked_at, delay in zip(times, delays(law, times), strict=True)]


@pytest.mark.parametrize(
    "speeds, work, times, expected",
    [
        ([1], 2, [1, 2, 3, 9], [3, 5, 7, 11]),
        ([1, 1], 2, [1, 2, 3, 4], [3, 4, 5, 6]),
        ([1, 2], 4, [1, 2, 3, 4, 4], [3, 6, 5, 7, 10]),
        ([2, 1], 4, [1, 1, 1, 1], [3, 5, 5, 7]),
        ([1, 1, 1], 10, [1, 1, 1, 1], [11, 11, 11, 21]),
    ],
)
def test_a_query_goes_to_who_can_begin_first_and_then_to_the_fastest(
    speeds: list[float], work: float, times: list[float], expected: list[float]
) -> None:
    assert arrivals(simulate.workers(speeds, simulate.constant(work)), times) == expected


def test_one_worker_makes_the_queue_of_lindley() -> None:
    times = np.arange(1.0, 201.0)
    work = delays(simulate.exponential(0.9), times.tolist())
    wait, expected = 0.0, []
    for amount in work:
        expected.append(wait + amount)
        wait = max(wait + amount - 1.0, 0.0)
    assert delays(simulate.workers([1.0], simulate.exponential(0.9)), times.tolist()) == pytest.approx(
        expected, abs=200 * ROUNDING
    )


def test_equal_workers_take_the_queries_in_turn_as_they_are_free() -> None:
    times = np.sort(np.random.default_rng(3).uniform(0, 100, 150)).tolist()
    free_at, expected = [0.0, 0.0, 0.0], []
    for asked_at, amount in zip(times, delays(simulate.lognormal(4, 1), times), strict=True):
        done_at = max(heapq.heappop(free_at), asked_at) + amount / 2
        heapq.heappush(free_at, done_at)
        expected.append(done_at - asked_at)
    law = simulate.workers([2, 2, 2], simulate.lognormal(4, 1))
    assert delays(law, times) == pytest.approx(expected, abs=1e3 * ROUNDING)


def test_with_enough_workers_nobody_waits() -> None:
    times = np.arange(1.0, 31.0).tolist()
    law = simulate.exponential(5)
    assert delays(simulate.workers([1] * 30, law), times) == delays(law, times)


def test_a_query_whose_answer_never_comes_keeps_nobody_busy() -> None:
    work = simulate.replayed([np.inf, 2])
    assert arrivals(simulate.workers([1], work), [1, 2, 3, 4]) == [np.inf, 4, np.inf, 6]
    outside = simulate.lost_below(9, simulate.workers([1], simulate.constant(2)))
    assert arrivals(outside, [1, 2, 3]) == [np.inf] * 3


def test_a_run_with_one_worker_has_his_queue() -> None:
    law = simulate.workers([0.5], simulate.constant(1))
    run = simulate.run("branin", "random", law, rounds=6, seed=1)
    assert [outcome.due_at for outcome in run.outcomes] == [3, 5, 7, 9, 11, 13]


@pytest.mark.parametrize(
    "due, comes",
    [
        (4.9, 4.9),  # Friday
        (5.0, 7.0),  # Saturday begins
        (6.5, 7.0),
        (7.0, 7.0),  # Monday begins
        (11.99, 11.99),
        (13.0, 14.0),
        (700.0, 700.0),
        (705.0, 707.0),
    ],
)
def test_answers_due_on_a_weekend_come_when_monday_begins(due: float, comes: float) -> None:
    law = simulate.business_days(simulate.constant(due - 0.5))
    assert arrivals(law, [0.5]) == [pytest.approx(comes, abs=ROUNDING)]


@pytest.mark.parametrize(
    "due, comes",
    [
        (8.0, 9.0),  # Monday, before the doors open
        (9.0, 9.0),
        (16.5, 16.5),
        (17.0, DAY + 9),  # the doors close: Tuesday
        (23.0, DAY + 9),
        (4 * DAY + 17.5, 7 * DAY + 9),  # Friday evening
        (5 * DAY + 12, 7 * DAY + 9),
        (6 * DAY + 23, 7 * DAY + 9),
        (7 * DAY + 8.5, 7 * DAY + 9),
    ],
)
def test_answers_due_out_of_hours_come_when_the_next_working_hours_begin(due: float, comes: float) -> None:
    hours = simulate.business_days(simulate.constant(due - 1), day=DAY, opens=9, closes=17)
    assert arrivals(hours, [1.0]) == [pytest.approx(comes, abs=ROUNDING)]
    days = simulate.business_days(simulate.constant((due - 1) / DAY), opens=9, closes=17)
    assert arrivals(days, [1 / DAY]) == [pytest.approx(comes / DAY, abs=ROUNDING)]


@pytest.mark.parametrize("monday", [0.0, 1.0, 7.0, -13.0, 3.25])
def test_the_week_begins_where_it_is_said_to(monday: float) -> None:
    law = simulate.business_days(simulate.constant(2), monday=monday)
    friday = monday + 4
    while friday < 0:
        friday += 7
    assert arrivals(law, [friday]) == [friday + 3]


def test_an_office_that_is_always_open_changes_no_delay_and_one_without_answers_none() -> None:
    times = np.arange(1.0, 60.0).tolist()
    open_ = simulate.business_days(simulate.exponential(3), workdays=7)
    assert delays(open_, times) == delays(simulate.exponential(3), times)
    assert delays(simulate.business_days(simulate.never()), [1.0]) == [np.inf]


def test_no_answer_comes_early_even_where_days_are_finer_than_doubles() -> None:
    for amount in (1e15, 1e17, 1e300, 1e308):
        law = simulate.business_days(simulate.constant(amount), day=1e-3, opens=9, closes=17)
        assert delays(law, [1.0])[0] >= amount


def test_in_a_run_with_a_round_every_hour_nothing_comes_at_night() -> None:
    law = simulate.business_days(simulate.exponential(6), day=24, opens=9, closes=17)
    run = simulate.run("branin", "random", law, rounds=24 * 10, seed=4)
    for outcome in run.outcomes:
        weekday, hour = divmod(outcome.due_at % (7 * DAY), DAY)
        assert weekday < 5
        assert 9 - 1e3 * ROUNDING <= hour < 17


@pytest.mark.parametrize(
    "make, arguments, message",
    [
        (simulate.workers, ([], simulate.none()), "workers(speeds=[]): speeds must have at least one entry."),
        (
            simulate.workers,
            ([1, 0], simulate.none()),
            "workers(speeds=0): each of speeds must be a finite number above 0.",
        ),
        (
            simulate.workers,
            ([np.inf], simulate.none()),
            "workers(speeds=inf): each of speeds must be a finite number above 0.",
        ),
        (simulate.workers, (2, simulate.none()), "workers(speeds=2): speeds must be a list, as [1, 2, 3]."),
        (simulate.business_days, (simulate.none(), 0), "business_days(day=0): day must be a number above 0."),
        (
            simulate.business_days,
            (simulate.none(), 1, 24),
            "business_days(opens=24): opens must be an hour from 0 to below 24.",
        ),
        (
            simulate.business_days,
            (simulate.none(), 1, 9, 9),
            "business_days(closes=9): closes must be an hour after opens=9, and 24 at most.",
        ),
        (
            simulate.business_days,
            (simulate.none(), 1, 9, 17, 8),
            "business_days(workdays=8): workdays must be at most 7.",
        ),
        (
            simulate.business_days,
            (simulate.none(), 1, 9, 17, 5, np.nan),
            "business_days(monday=nan): monday must be a finite number.",
        ),
    ],
)
def test_impossible_parameters_are_refused(make: Any, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ParameterError) as refused:
        make(*arguments)
    assert str(refused.value) == message
