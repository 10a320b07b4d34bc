"""Sobol's points against SciPy's direction numbers, and what every net of them has to be."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.stats import qmc

from belated.space import Array
from belated.space.sobol import BITS, MOST_COLUMNS, _directions, sobol

SEEDS = [3, 17, 91]


def rng_of(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_the_direction_numbers_are_those_of_joe_and_kuo() -> None:
    rows = []
    for i in range(256):
        digits = np.zeros(MOST_COLUMNS, dtype=np.uint64)
        for k in range(8):
            if i >> k & 1:
                digits ^= _directions()[:, k]
        rows.append(tuple(digits / 2.0**BITS))
    # SciPy has the same points in the order of Gray's code.
    assert sorted(rows) == sorted(map(tuple, qmc.Sobol(MOST_COLUMNS, scramble=False).random_base2(8)))


@pytest.mark.parametrize("seed", SEEDS)
def test_more_points_begin_with_the_same(seed: int) -> None:
    points = sobol(1000, 4, rng_of(seed))
    for count in (1, 2, 31, 32, 33, 999):
        assert_array_equal(sobol(count, 4, rng_of(seed)), points[:count])
    assert sobol(0, 4, rng_of(seed)).shape == (0, 4)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_column_has_one_point_in_each_interval(seed: int) -> None:
    points = sobol(1024, MOST_COLUMNS, rng_of(seed))
    for block in (points[:256], points[256:512], points):
        cells = np.sort(np.floor(points_in(block) * len(block)), axis=0)
        assert_array_equal(cells, np.tile(np.arange(len(block))[:, None], MOST_COLUMNS))


def points_in(block: Array) -> Array:
    assert np.all((block > 0.0) & (block < 1.0))
    return block


@pytest.mark.parametrize("seed", SEEDS)
def test_the_first_two_columns_have_one_point_in_each_box_of_its_volume(seed: int) -> None:
    points = sobol(1024, 2, rng_of(seed))
    for wide in range(11):
        cells = np.floor(points * [2.0**wide, 2.0 ** (10 - wide)])
        assert len(np.unique(cells, axis=0)) == 1024


def test_each_point_alone_is_uniform() -> None:
    n = 2000
    drawn = np.array([sobol(6, 3, rng_of(seed))[[0, 5]] for seed in range(n)])
    # Kolmogorov's distance is larger than 2.3/√n once in twenty thousand times, and there are six of them.
    for column in drawn.reshape(n, 6).T:
        above = np.abs(np.sort(column) - np.arange(1, n + 1) / n).max()
        assert above < 2.5 / np.sqrt(n)


def test_beyond_the_table_there_are_points_too() -> None:
    points = sobol(64, MOST_COLUMNS + 1, rng_of(3))
    assert points.shape == (64, MOST_COLUMNS + 1)
    assert np.all((points > 0.0) & (points < 1.0))
