"""The quasi-random sequence: uniform, extensible, and more even than chance."""

from __future__ import annotations

import numpy as np
import pytest

from belated.space import Array
from belated.space.halton import halton


def squared_discrepancy(points: Array) -> float:
    """How unevenly the points fill boxes around the centre, Hickernell's centred L2 measure."""
    count, dimension = points.shape
    arm = np.abs(points - 0.5)
    gap = np.abs(points[:, None, :] - points[None, :, :])
    single = np.prod(1 + (arm - arm**2) / 2, axis=1).sum()
    pairs = np.prod(1 + (arm[:, None, :] + arm[None, :, :] - gap) / 2, axis=2).sum()
    return float((13 / 12) ** dimension - 2 * single / count + pairs / count**2)


@pytest.mark.parametrize("dimension, share", [(1, 0.1), (2, 0.2), (6, 0.4), (12, 0.7)])
@pytest.mark.parametrize("count", [37, 256])
def test_the_points_are_more_even_than_random_ones(dimension: int, share: float, count: int) -> None:
    rngs = [np.random.default_rng(seed) for seed in range(12)]
    spread = [squared_discrepancy(halton(count, dimension, rng)) for rng in rngs]
    chance = [squared_discrepancy(rng.random((count, dimension))) for rng in rngs]
    assert np.mean(spread) < share * np.mean(chance)


def test_each_base_fills_its_intervals_evenly() -> None:
    points = halton(2 * 3 * 5 * 6, 3, np.random.default_rng(3))
    for column, base in enumerate((2, 3, 5)):
        shares = np.bincount((points[:, column] * base).astype(int), minlength=base)
        assert set(shares) == {len(points) // base}


def test_more_points_begin_with_the_same_ones() -> None:
    few, many = (halton(count, 4, np.random.default_rng(17)) for count in (10, 100))
    assert np.array_equal(many[:10], few)


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
