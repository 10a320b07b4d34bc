"""The order of contexts along a curve, in which neighbours are near each other."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from belated.contexts.curve import along_curve
from belated.contexts.law import picked


def test_one_column_is_sorted() -> None:
    values = 100.0 * np.random.default_rng(3).random((300, 1)) - 40.0
    assert_array_equal(values[along_curve(values), 0], np.sort(values[:, 0]))


def test_a_square_is_passed_quarter_by_quarter() -> None:
    corners = np.array([[x, y] for x in (0.0, 1.0, 2.0, 3.0) for y in (0.0, 10.0, 20.0, 30.0)])
    order = along_curve(np.random.default_rng(4).permutation(corners))
    walked = np.random.default_rng(4).permutation(corners)[order]
    assert_array_equal(walked[:4], [[0, 0], [0, 10], [1, 0], [1, 10]])
    assert_array_equal(walked[-4:], [[2, 20], [2, 30], [3, 20], [3, 30]])


@pytest.mark.parametrize("dimension", [1, 2, 4, 62, 70])
def test_every_row_comes_once_and_neighbours_are_nearer_than_chance(dimension: int) -> None:
    rows = np.random.default_rng(5).random((400, dimension))
    order = along_curve(rows)
    assert_array_equal(np.sort(order), np.arange(400))
    step, chance = (np.linalg.norm(np.diff(walk, axis=0), axis=1).mean() for walk in (rows[order], rows))
    assert step < chance


def test_equal_rows_stay_in_their_order() -> None:
    assert_array_equal(along_curve(np.full((5, 2), 0.3)), np.arange(5))


def test_a_number_picks_the_row_in_whose_share_it_lies() -> None:
    weights = np.array([0.0, 1.0, 0.0, 3.0, 0.0])
    assert_array_equal(picked(weights, np.array([0.0, 0.2499, 0.25, 0.9999999, 1.0])), [1, 1, 3, 3, 3])
