"""The search of a box against brute force: continuous, mixed and discrete, with anchors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from belated.search import ascend, maximise_box
from belated.space import Choice, Float, Int, Space
from belated.space.arrays import Array
from tests.pairs import first
from tests.unit.search.counted import Counted, Slopes
from tests.unit.search.paths import sample_path

# The search may miss the best of brute force by this share of the score's range, in one case of twenty;
SMALL_MISS = 1e-3
# and never by more than this.
GREATEST_MISS = 0.03

# The same point in batches of different sizes: sums in another order, through a matrix of condition 1e5.
BATCH_ROUNDING = 1e-10


def upper_bound(dimension: int, seed: int, count: int, beta: float, lengthscale: float = 0.3) -> Slopes:
    """mean + β deviation of a plain GP (Matérn 5/2, or the square exponential for odd seeds)."""
    rng = np.random.default_rng(seed)
    data, answers = rng.random((count, dimension)), rng.standard_normal(count)
    lengths = lengthscale * rng.uniform(0.6, 1.6, dimension)

    def kernel(points: Array) -> tuple[Array, Array]:
        offsets = (points[:, None] - data) / lengths
        q = np.sqrt(5.0 * np.sum(offsets**2, axis=2))
        if seed % 2:
            values = np.exp(-0.1 * q**2)
            return values, -values[:, :, None] * offsets / lengths
        slopes = -5.0 / 3.0 * (1.0 + q) * np.exp(-q)
        return (1.0 + q + q**2 / 3.0) * np.exp(-q), slopes[:, :, None] * offsets / lengths

    inverse = np.linalg.inv(kernel(data)[0] + 1e-4 * np.eye(count))
    weights = inverse @ answers

    def function(points: Array) -> tuple[Array, Array]:
        cross, slopes = kernel(points)
        pulls = cross @ inverse
        deviation = np.sqrt(np.maximum(1.0 - np.sum(pulls * cross, axis=1), 1e-12))
        tilt = weights - beta * pulls / deviation[:, None]
        return cross @ weights + beta * deviation, np.einsum("mn,mnd->md", tilt, slopes)

    return function


def floats(dimension: int) -> Space:
    return Space.from_parameters([(f"x{column}", Float(0, 1)) for column in range(dimension)])


def value_at(function: Slopes, point: Array) -> float:
    return float(function(point[None])[0][0])


def brute_force(function: Slopes, dimension: int, seed: int, runs: int) -> tuple[float, float]:
    """The best of so many runs of L-BFGS-B from the best of 5000 points, and the range of the score."""
    raw = np.random.default_rng(seed).random((5000, dimension))
    values = np.concatenate([function(part)[0] for part in np.split(raw, 10)])

    def negative(point: Array) -> tuple[float, Array]:
        value, gradient = function(point[None])
        return -float(value[0]), -gradient[0]

    bounds = [(0.0, 1.0)] * dimension
    tops = raw[np.argsort(-values)[:runs]]
    ends = [minimize(negative, top, jac=True, method="L-BFGS-B", bounds=bounds) for top in tops]
    best = max(-float(end.fun) for end in ends)
    return best, best - float(values.min())


def misses(functions: list[tuple[Slopes, int]], runs: int) -> Array:
    """By how much the search falls short of brute force, in shares of the range."""
    shares = []
    for seed, (function, dimension) in enumerate(functions):
        point = maximise_box(Counted(function), floats(dimension), np.random.default_rng(seed))
        best, extent = brute_force(function, dimension, 1000 + seed, runs)
        shares.append((best - value_at(function, point)) / extent)
    return np.array(shares)


# From how many of the best points brute force climbs.
each_effort = pytest.mark.parametrize("runs", first(1, 40, 100))


@each_effort
def test_upper_bounds_of_gps_are_maximised_as_well_as_by_brute_force(runs: int) -> None:
    cases = [
        (upper_bound(2 + k % 5, 40 + k, 10 + 2 * k, 0.5 + k % 3, 0.2 + 0.05 * (k % 4)), 2 + k % 5) for k in range(30)
    ]
    shares = misses(cases, runs)
    assert np.mean(shares <= SMALL_MISS) >= 0.95
    assert shares.max() <= GREATEST_MISS


@each_effort
def test_paths_with_dozens_of_hills_are_maximised_as_well_as_by_brute_force(runs: int) -> None:
    shares = misses([(sample_path(2 + k % 5, k, 0.3 + 0.1 * (k % 3)), 2 + k % 5) for k in range(20)], runs)
    assert np.mean(shares <= SMALL_MISS) >= 0.95
    assert shares.max() <= GREATEST_MISS


@pytest.mark.parametrize("seed", [3, 17, 91])
def test_a_search_of_six_columns_needs_few_calls_and_keeps_its_best_evaluation(seed: int) -> None:
    score = Counted(upper_bound(6, seed, 30, 2.0))
    point = maximise_box(score, floats(6), np.random.default_rng(seed))
    assert_allclose(value_at(score.function, point), score.highest, rtol=BATCH_ROUNDING)
    assert len(score.batches) <= 62
    assert sum(score.batches) <= 2000


MIXED = {
    "choices": Space(a=Float(0, 1), b=Choice("u", "v", "w", "x"), c=Float(0, 1), d=Choice(*range(5))),
    "integers": Space(a=Int(1, 6), b=Float(-3, 3), c=Int(1, 12), d=Float(0, 1)),
    "logarithmic": Space(a=Int(1, 40, log=True), b=Float(1e-3, 1, log=True), c=Choice(True, False)),
    "many levels": Space(a=Float(0, 1), b=Int(0, 199), c=Float(0, 1)),
}


def level_centres(space: Space, column: int) -> Array:
    raster = np.repeat(np.linspace(0.0, 1.0, 4001)[:, None], space.dimension, axis=1)
    return np.unique(space.snap(raster)[:, column])


def shuffled(function: Slopes, space: Space, seed: int) -> Slopes:
    """The function with the options of every choice in an arbitrary order."""
    rng = np.random.default_rng(seed)
    orders = {j: rng.permutation(space.levels[j] or 1) for j in np.flatnonzero(space.categorical)}

    def mixed(points: Array) -> tuple[Array, Array]:
        inner = points.copy()
        for column, order in orders.items():
            inner[:, column] = (order[np.floor(points[:, column] * len(order)).astype(np.intp)] + 0.5) / len(order)
        return function(inner)

    return mixed


@pytest.mark.parametrize("seed", first(1, 3, 17, 91))
@pytest.mark.parametrize("name", MIXED)
def test_mixed_spaces_are_maximised_as_well_as_by_trying_every_combination(name: str, seed: int) -> None:
    space = MIXED[name]
    score = Counted(shuffled(upper_bound(space.dimension, seed, 25, 1.0), space, seed))
    point = maximise_box(score, space, np.random.default_rng(seed))
    assert_array_equal(space.snap(point[None])[0], point)
    free = np.array([levels is None for levels in space.levels])
    discrete = np.flatnonzero(~free)
    begin = np.random.default_rng(seed).random((40, space.dimension))
    bests, lows = [], []
    for combination in itertools.product(*(level_centres(space, int(column)) for column in discrete)):
        begin[:, discrete] = combination
        bests.append(ascend(score, begin, free)[1].max())
        lows.append(score.function(begin)[0].min())
    assert value_at(score.function, point) >= max(bests) - SMALL_MISS * (max(bests) - min(lows))


@pytest.mark.parametrize("shape", [(12, 12, 12), (20, 20, 10), (5, 5, 5, 5, 5), (500, 300)])
def test_the_best_of_a_large_grid_is_found(shape: tuple[int, ...]) -> None:
    space = Space.from_parameters([(f"x{column}", Int(1, count)) for column, count in enumerate(shape)])
    function = upper_bound(len(shape), 6, 30, 1.0)
    grid = np.stack(np.meshgrid(*[(np.arange(n) + 0.5) / n for n in shape], indexing="ij"), axis=-1)
    rows = grid.reshape(-1, len(shape))
    best = max(function(part)[0].max() for part in np.array_split(rows, 64))
    point = maximise_box(Counted(function), space, np.random.default_rng(2))
    assert_allclose(value_at(function, point), best, rtol=BATCH_ROUNDING)


def test_a_grid_no_larger_than_the_pool_is_searched_whole_in_one_call() -> None:
    space = Space(a=Int(1, 20), b=Choice("u", "v", "w"), c=Int(1, 9, log=True))
    rng = np.random.default_rng(5)
    seen: list[Array] = []

    def function(points: Array) -> tuple[Array, Array]:
        seen.append(points)
        return rng.standard_normal(len(points)), np.zeros_like(points)

    maximise_box(Counted(function), space, np.random.default_rng(0))
    assert [len(np.unique(points, axis=0)) for points in seen] == [20 * 3 * 9]
    assert_array_equal(space.snap(seen[0]), seen[0])


def needle(peak: Array, width: float) -> Slopes:
    """A broad hill at 0.7, and on it a higher peak that is hard to hit."""

    def function(points: Array) -> tuple[Array, Array]:
        broad, sharp = points - 0.7, (points - peak) / width
        low, high = np.exp(-2.0 * np.sum(broad**2, axis=1)), 3.0 * np.exp(-0.5 * np.sum(sharp**2, axis=1))
        return low + high, -4.0 * low[:, None] * broad - high[:, None] * sharp / width

    return function


@pytest.mark.parametrize("coordinate", [0.0, 5e-4, 1.0])
def test_an_anchor_leads_to_the_narrow_peak_beside_it(coordinate: float) -> None:
    peak = np.array([coordinate, 0.31, 0.52])
    anchors = np.array([[0.5, 0.5, 0.5], np.clip(peak + 1e-3, 0.0, 1.0)])
    point = maximise_box(Counted(needle(peak, 1e-3)), floats(3), np.random.default_rng(1), anchors=anchors)
    assert_allclose(point, peak, atol=1e-5)


def test_a_maximum_in_a_corner_is_found_exactly() -> None:
    direction = np.array([1.0, -2.0, 0.5, -0.1, 3.0])
    score = Counted(lambda x: (x @ direction, np.broadcast_to(direction, x.shape)))
    assert_array_equal(maximise_box(score, floats(5), np.random.default_rng(3)), [1.0, 0.0, 1.0, 0.0, 1.0])


@pytest.mark.parametrize("space", [floats(3), *MIXED.values()])
def test_the_same_generator_state_gives_the_same_point(space: Space) -> None:
    function = upper_bound(space.dimension, 9, 20, 2.0)
    anchors = space.sample(3, np.random.default_rng(8))
    first, second = (
        maximise_box(Counted(function), space, np.random.default_rng(7), anchors=anchors) for _ in range(2)
    )
    assert_array_equal(first, second)


@pytest.mark.parametrize("space", [floats(3), *MIXED.values()])
@pytest.mark.parametrize("level", [0.0, 1e12, np.nan, -np.inf, np.inf])
def test_on_a_plateau_or_without_any_finite_value_the_first_sample_is_taken(space: Space, level: float) -> None:
    score = Counted(lambda x: (np.full(len(x), level), np.zeros_like(x)))
    point = maximise_box(score, space, np.random.default_rng(7), anchors=np.full((1, space.dimension), 0.5))
    assert_array_equal(point, space.sample(1024, np.random.default_rng(7))[0])


def test_points_without_a_finite_value_are_not_chosen() -> None:
    plain = upper_bound(3, 14, 20, 2.0)

    def function(points: Array) -> tuple[Array, Array]:
        values, gradients = plain(points)
        return np.where(points[:, 0] > 0.3, np.nan, values), gradients

    assert maximise_box(Counted(function), floats(3), np.random.default_rng(1))[0] <= 0.3


@pytest.mark.parametrize(("raw", "starts"), [(1, 1), (2, 1), (16, 4), (100, 40)])
def test_small_pools_and_few_starts_work(raw: int, starts: int) -> None:
    for space in (floats(1), floats(2), *MIXED.values()):
        score = Counted(upper_bound(space.dimension, 3, 10, 1.0))
        point = maximise_box(score, space, np.random.default_rng(1), raw=raw, starts=starts)
        assert_array_equal(space.snap(point[None])[0], point)
        assert_allclose(value_at(score.function, point), score.highest, rtol=BATCH_ROUNDING)
