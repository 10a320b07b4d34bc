"""A matrix that grows by rows keeps what it has, and forks share nothing that can change."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from belated.beliefs.process.growing_rows import BLOCK, GrowingRows
from belated.space import Array
from tests.tolerance import ROUNDING


def filled(n: int, width: int = 5, seed: int = 1) -> tuple[GrowingRows, Array]:
    matrix = np.random.default_rng(seed).standard_normal((n, width))
    rows = GrowingRows(width)
    for row in matrix:
        rows.append(row)
    return rows, matrix


@pytest.mark.parametrize("n", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 150])
def test_rows_come_back_as_they_went_in(n: int) -> None:
    rows, matrix = filled(n)
    assert rows.size == n
    for index in range(n):
        assert_array_equal(rows.row(index), matrix[index])
    for size in {0, n // 2, n}:
        assert_array_equal(rows.columns(np.array([4, 0]), size), matrix[:size][:, [4, 0]])


@pytest.mark.parametrize("n", [0, 1, BLOCK, BLOCK + 1, 150])
def test_weighted_sums_equal_the_matrix_product(n: int) -> None:
    rows, matrix = filled(n)
    weights = np.random.default_rng(2).standard_normal(n)
    for size in {0, n // 2, n}:
        assert_allclose(rows.weighted(weights[:size]), weights[:size] @ matrix[:size], atol=ROUNDING * 1e3)


@pytest.mark.parametrize("n", [1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 3])
def test_filling_at_once_equals_appending(n: int) -> None:
    rows, matrix = filled(n)
    at_once = GrowingRows(5)
    at_once.begin(n)
    at_once.fill(slice(0, 2), matrix[:, :2])
    at_once.fill(slice(2, 5), matrix[:, 2:])
    weights = np.random.default_rng(3).standard_normal(n)
    assert_array_equal(at_once.weighted(weights), rows.weighted(weights))


@pytest.mark.parametrize("size", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 100])
def test_a_fork_and_its_origin_grow_apart(size: int) -> None:
    rows, matrix = filled(100)
    fork = rows.fork(size)
    other = np.random.default_rng(4).standard_normal((BLOCK + 5, 5))
    for row in other:
        fork.append(row)
        rows.append(-row)
    for index in range(100):
        assert_array_equal(rows.row(index), matrix[index])
    for index in range(size):
        assert_array_equal(fork.row(index), matrix[index])
    for index, row in enumerate(other):
        assert_array_equal(fork.row(size + index), row)
        assert_array_equal(rows.row(100 + index), -row)
