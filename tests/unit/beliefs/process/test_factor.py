"""The growing factor: its schedules, its rows against a dense Cholesky, and its jitter."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose

from belated.beliefs import Memory
from belated.beliefs.process.cholesky import LARGEST_JITTER, steadied
from belated.beliefs.process.factor import factorised
from belated.beliefs.schedule import doubling, milestone
from belated.errors import BelatedError
from tests.builders import box, kernels_of
from tests.tolerance import SOLVE_TOLERANCE


def test_doubling_factorises_afresh_at_powers_of_two_from_64() -> None:
    assert [doubling(n) for n in (0, 1, 63, 64, 65, 127, 128, 255, 256, 1000, 1024)] == [
        *(0, 0, 0, 64, 64, 64, 128, 128, 256, 512, 1024)
    ]


def test_milestones_come_one_by_one_and_then_by_a_tenth() -> None:
    assert [milestone(n) for n in (0, 1, 2, 19, 20, 21, 22, 23, 24, 30, 32, 33, 36)] == [
        *(0, 1, 2, 19, 20, 20, 22, 22, 24, 30, 30, 33, 36)
    ]


@pytest.mark.parametrize("growth", [doubling, milestone], ids=["doubling", "milestone"])
def test_a_schedule_never_falls_and_never_overtakes(growth: object) -> None:
    assert callable(growth)
    reached = [growth(n) for n in range(3000)]
    assert reached == sorted(reached)
    assert all(base <= n for n, base in enumerate(reached))
    assert all(growth(base) == base for base in reached)


@pytest.mark.parametrize("n", [0, 1, 5, 63, 64, 80, 130])
@pytest.mark.parametrize("form", ["se", "matern12", "linear"])
def test_a_factor_equals_the_dense_cholesky(form: str, n: int) -> None:
    kernel, plain = kernels_of(box(), form)
    points = np.random.default_rng(n).random((n, 2))
    factor = factorised(kernel, np.full(len(points), 0.1), points, doubling)
    lower = np.linalg.cholesky(plain.matrix(points, points) + 0.1 * np.eye(n)) if n else np.empty((0, 0))
    assert_allclose(factor.pivots, np.diagonal(lower), atol=SOLVE_TOLERANCE * 10)
    assert_allclose(factor.inverse @ lower, np.eye(n), atol=SOLVE_TOLERANCE * 10)
    for index in range(n):
        assert_allclose(factor.row(index), lower[index, :index], atol=SOLVE_TOLERANCE * 10)
    assert factor.jitter == 0.0


def test_a_singular_matrix_gets_a_jitter_and_says_how_much() -> None:
    kernel, _ = kernels_of(box(), "se")
    points = np.repeat(np.random.default_rng(1).random((3, 2)), 30, axis=0)
    factor = factorised(kernel, np.full(len(points), 0.0), points, doubling)
    assert 0.0 < factor.jitter <= 1e-2 * kernel.variance
    assert np.all(np.isfinite(factor.inverse))


def test_a_singular_covariance_of_any_size_is_saved_by_a_jitter_that_is_reported() -> None:
    kernel, _ = kernels_of(box(), "linear")
    points = np.repeat([[1e9, -1e9]], 80, axis=0)
    factor = factorised(kernel, np.full(len(points), 0.0), points, doubling)
    covariance = kernel.gram(points, points)
    assert 0.0 < factor.jitter <= LARGEST_JITTER * covariance[0, 0]
    root, jitter = steadied("condition()", covariance[:64, :64], 0.0)
    assert factor.jitter == jitter
    assert np.array_equal(factor.inverse[:64, :64], root.inverse_lower)
    ridged = covariance[:64, :64] + jitter * np.eye(64)
    assert_allclose(root.lower @ root.lower.T, ridged, rtol=SOLVE_TOLERANCE)


def test_a_matrix_that_no_jitter_saves_is_refused_with_a_way_out() -> None:
    with pytest.raises(BelatedError, match=r"^condition\(\): the covariance of 2 points is singular .* larger noise"):
        steadied("condition()", np.array([[1.0, 2.0], [2.0, 1.0]]), 0.0)


def test_a_memory_finds_the_longest_beginning_again() -> None:
    kernel, _ = kernels_of(box())
    points = np.random.default_rng(1).random((20, 2))
    memory = Memory()
    first = memory.factor(kernel, np.full(len(points[:10]), 0.1), points[:10], doubling)
    second = memory.factor(kernel, np.full(len(points), 0.1), points, doubling)
    assert second.store is first.store
    assert memory.factor(kernel, np.full(len(points[:15]), 0.1), points[:15], doubling).store is first.store
    other = memory.factor(kernel, np.full(len(points[::-1]), 0.1), points[::-1], doubling)
    assert other.store is not first.store
    assert memory.factor(kernel, np.full(len(points), 0.2), points, doubling).store is not first.store
    assert memory.factor(kernel.scaled(2.0), np.full(len(points), 0.1), points, doubling).store is not first.store


def test_a_memory_recalls_one_result_to_a_slot() -> None:
    memory = Memory()
    computed: list[int] = []

    def compute() -> int:
        computed.append(len(computed))
        return computed[-1]

    assert [memory.recall("slot", key, compute) for key in ("a", "a", "b", "b", "a")] == [0, 0, 1, 1, 2]
    assert memory.recall("other", "a", compute) == 3
    assert memory.aside().recall("slot", "a", compute) == 4


def test_a_factor_of_n_points_keeps_their_square_of_numbers_and_an_eighth_of_room_on_either_side() -> None:
    kernel, _ = kernels_of(box())
    n = 1200
    points = np.random.default_rng(2).random((n, 2))
    factorised(kernel, np.full(len(points[:70]), 0.1), points[:70], milestone)  # whatever is imported comes first
    tracemalloc.start()
    factor = factorised(kernel, np.full(len(points), 0.1), points, milestone)
    kept, most = (taken / (8 * n**2) for taken in tracemalloc.get_traced_memory())
    tracemalloc.stop()
    assert factor.size == n
    assert 1.0 < kept < 1.3
    assert most < 2.4, "the square once more, while it is made"


def test_a_factor_that_grows_row_by_row_has_room_for_an_eighth_more_and_the_bits_of_one_made_at_once() -> None:
    kernel, _ = kernels_of(box(), "se")
    points = np.random.default_rng(3).random((250, 2))
    memory = Memory()
    for n in range(1, len(points) + 1):
        grown = memory.factor(kernel, np.full(len(points[:n]), 0.1), points[:n], doubling)
        assert len(grown.store.pivots) <= max(64, n + n // 8)
    afresh = factorised(kernel, np.full(len(points), 0.1), points, doubling)
    assert np.array_equal(grown.inverse, afresh.inverse)
    assert all(np.array_equal(grown.row(index), afresh.row(index)) for index in range(len(points)))
