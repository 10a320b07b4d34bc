"""The quasi-random sequence: uniform, extensible, and more even than chance."""

from __future__ import annotations

import numpy as np
import pytest

from belated.space import Float, Space
from belated.space.halton import halton
from tests.reference.discrepancy import squared_discrepancy
from tests.tolerance import STANDARD_ERRORS


@pytest.mark.parametrize("dimension, share", [(1, 0.1), (2, 0.2), (6, 0.4), (12, 0.7)])
@pytest.mark.parametrize("count", [37, 256])
def test_the_points_are_more_even_than_random_ones(dimension: int, share: float, count: int) -> None:
    rngs = [np.random.default_rng(seed) for seed in range(12)]
    spread = [squared_discrepancy(halton(count, dimension, rng)) for rng in rngs]
    chance = [squared_discrepancy(rng.random((count, dimension))) for rng in rngs]
    assert np.mean(spread) < share * np.mean(chance)


@pytest.mark.parametrize("column, base", [(0, 2), (1, 3), (2, 5)])
def test_of_any_points_in_a_row_one_lies_in_each_interval_of_the_base(column: int, base: int) -> None:
    points = halton(700, 3, np.random.default_rng(3))[:, column]
    for size in (base**level for level in range(1, 10) if base**level <= 256):
        for first in (0, 1, 17, 700 - size):
            shares = np.bincount((points[first : first + size] * size).astype(int), minlength=size)
            assert np.all(shares == 1)


@pytest.mark.parametrize("count", [1, 2, 3, 10, 64, 99])
def test_more_points_begin_with_the_same_ones(count: int) -> None:
    few, many = (halton(number, 12, np.random.default_rng(17)) for number in (count, 100))
    assert np.array_equal(many[:count], few)


def test_no_two_points_end_alike() -> None:
    # What a chemist sees: temperatures in a row whose decimals are all the same ask for a reason.
    space = Space(temperature=Float(20, 120), loading=Float(1e-3, 1e-1, log=True))
    points = [space.decode(row) for row in space.sample(64, np.random.default_rng(7))]
    decimals = [f"{point['temperature']:.4f}".partition(".")[2] for point in points]
    assert len(set(decimals)) > 60
    within = halton(512, 10, np.random.default_rng(7)) * 512 % 1.0
    assert all(len(np.unique(np.round(column, 6))) > 500 for column in within.T)


def test_every_point_of_the_sequence_is_uniform_and_not_the_first_alone() -> None:
    drawn = np.array([halton(40, 6, np.random.default_rng(seed)) for seed in range(600)])
    five_errors = STANDARD_ERRORS * np.sqrt(1 / 12 / len(drawn))
    assert np.all(np.abs(drawn.mean(axis=0) - 0.5) < five_errors)
    # The squares of the distances to the middle have the mean 1/12 and the variance 1/180.
    assert np.all(np.abs(((drawn - 0.5) ** 2).mean(axis=0) - 1 / 12) < STANDARD_ERRORS * np.sqrt(1 / 180 / len(drawn)))


def test_another_seed_gives_other_points_and_every_single_point_is_uniform() -> None:
    firsts = np.array([halton(1, 3, np.random.default_rng(seed))[0] for seed in range(400)])
    five_errors = 5 * np.sqrt(1 / 12 / len(firsts))
    assert np.all(np.abs(firsts.mean(axis=0) - 0.5) < five_errors)
    assert len(np.unique(firsts[:, 2])) == len(firsts)


def test_all_points_lie_in_the_cube_and_none_may_be_asked_for() -> None:
    points = halton(1000, 40, np.random.default_rng(0))
    assert points.shape == (1000, 40)
    assert points.min() >= 0
    assert points.max() <= 1
    assert halton(0, 3, np.random.default_rng(0)).shape == (0, 3)
