"""Local ascents in the unit cube: exact at the faces, steady at the awkward places, as good as L-BFGS-B."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from belated.search import ascend
from belated.space.arrays import Array
from tests.unit.search.counted import Counted, Slopes
from tests.unit.search.paths import sample_path

# A converged ascent stands within this of its peak, relative to the peak's width.
PEAK_TOLERANCE = 1e-3
# Two methods that found the same peak agree to this share of the score's range.
SAME_PEAK = 1e-6
# The same point in batches of different sizes: sums in another order.
BATCH_ROUNDING = 1e-12


def bowl(peak: Array, width: Array | float = 1.0, height: float = 1.0) -> Slopes:
    """height · (1 − |(x − peak) / width|²)."""

    def function(points: Array) -> tuple[Array, Array]:
        offsets = (points - peak) / width
        return height * (1.0 - np.sum(offsets**2, axis=1)), -2.0 * height * offsets / width

    return function


def bump(peak: Array, width: float, height: float = 1.0) -> Slopes:
    """height · exp(−½ |(x − peak) / width|²)."""

    def function(points: Array) -> tuple[Array, Array]:
        offsets = (points - peak) / width
        values = height * np.exp(-0.5 * np.sum(offsets**2, axis=1))
        return values, -values[:, None] * offsets / width

    return function


def lowest_of(functions: list[Slopes]) -> Slopes:
    """The pointwise least of several functions: kinks where they cross."""

    def function(points: Array) -> tuple[Array, Array]:
        pairs = [each(points) for each in functions]
        values = np.array([pair[0] for pair in pairs])
        lowest = values.argmin(axis=0)
        gradients = np.array([pair[1] for pair in pairs])
        return values.min(axis=0), gradients[lowest, np.arange(len(points))]

    return function


def branin(points: Array) -> tuple[Array, Array]:
    """The negative of Branin's function, with its gradient in unit coordinates."""
    a, b = 15.0 * points[:, 0] - 5.0, 15.0 * points[:, 1]
    bend = b - 5.1 / (4.0 * np.pi**2) * a**2 + 5.0 / np.pi * a - 6.0
    wave = 10.0 * (1.0 - 1.0 / (8.0 * np.pi))
    slope = 2.0 * bend * (-5.1 / (2.0 * np.pi**2) * a + 5.0 / np.pi) - wave * np.sin(a)
    return -(bend**2 + wave * np.cos(a) + 10.0), -15.0 * np.column_stack([slope, 2.0 * bend])


def hartmann6(points: Array) -> tuple[Array, Array]:
    """The negative of Hartmann's six-dimensional function, with its gradient."""
    rates = np.array(
        [
            [10, 3, 17, 3.5, 1.7, 8],
            [0.05, 10, 17, 0.1, 8, 14],
            [3, 3.5, 1.7, 10, 17, 8],
            [17, 8, 0.05, 10, 0.1, 14],
        ]
    )
    centres = 1e-4 * np.array(
        [
            [1312, 1696, 5569, 124, 8283, 5886],
            [2329, 4135, 8307, 3736, 1004, 9991],
            [2348, 1451, 3522, 2883, 3047, 6650],
            [4047, 8828, 8732, 5743, 1091, 381],
        ]
    )
    offsets = points[:, None] - centres
    terms = np.array([1.0, 1.2, 3.0, 3.2]) * np.exp(-np.sum(rates * offsets**2, axis=2))
    return terms.sum(axis=1), -2.0 * np.einsum("mk,mkd->md", terms, rates * offsets)


def ackley(points: Array) -> tuple[Array, Array]:
    """The negative of Ackley's function with its peak at 0.37, on a tenth of its usual domain."""
    offsets = 4.0 * (points - 0.37)
    root = np.sqrt(np.mean(offsets**2, axis=1) + 1e-12)
    cone, waves = 20.0 * np.exp(-0.2 * root), np.exp(np.mean(np.cos(2.0 * np.pi * offsets), axis=1))
    dimension = points.shape[1]
    cone_slopes = -0.2 * (cone / root)[:, None] * offsets / dimension
    wave_slopes = -2.0 * np.pi * waves[:, None] * np.sin(2.0 * np.pi * offsets) / dimension
    return cone + waves, 4.0 * (cone_slopes + wave_slopes)


def starts(dimension: int, seed: int, count: int = 16) -> Array:
    return np.random.default_rng(seed).random((count, dimension))


def by_lbfgsb(function: Slopes, begin: Array) -> Array:
    """What L-BFGS-B reaches from each start."""

    def negative(point: Array) -> tuple[float, Array]:
        values, gradients = function(point[None])
        return -float(values[0]), -gradients[0]

    bounds = [(0.0, 1.0)] * begin.shape[1]
    runs = [minimize(negative, start, jac=True, method="L-BFGS-B", bounds=bounds) for start in begin]
    return np.array([-run.fun for run in runs])


@pytest.mark.parametrize("height", [1e-200, 1e-12, 1.0, 1e12, 1e200])
@pytest.mark.parametrize("dimension", [1, 3, 8])
def test_the_peak_of_a_parabola_is_found_at_any_scale_of_the_score(dimension: int, height: float) -> None:
    peak = np.linspace(0.2, 0.9, dimension)
    points, values = ascend(Counted(bowl(peak, np.linspace(0.1, 1.0, dimension), height)), starts(dimension, 3))
    assert_allclose(points, np.broadcast_to(peak, points.shape), atol=PEAK_TOLERANCE)
    assert_allclose(values, height, rtol=SAME_PEAK)


@pytest.mark.parametrize("factor", [2.0**-40, 2.0**40])
def test_multiplying_the_score_changes_no_step(factor: float) -> None:
    plain = sample_path(4, 5)

    def scaled(points: Array) -> tuple[Array, Array]:
        values, gradients = plain(points)
        return factor * values, factor * gradients

    assert_array_equal(ascend(Counted(scaled), starts(4, 8))[0], ascend(Counted(plain), starts(4, 8))[0])


def test_peaks_beyond_the_cube_end_exactly_on_its_faces_and_corners() -> None:
    corner, _ = ascend(Counted(bowl(np.array([-0.5, 1.5, -3.0, 1.001]))), starts(4, 1))
    assert_array_equal(corner, np.broadcast_to([0.0, 1.0, 0.0, 1.0], corner.shape))
    face, _ = ascend(Counted(bowl(np.array([0.3, 1.2, 0.6]), np.array([0.2, 0.5, 1.0]))), starts(3, 2))
    assert_array_equal(face[:, 1], 1.0)
    assert_allclose(face[:, [0, 2]], np.broadcast_to([0.3, 0.6], (16, 2)), atol=PEAK_TOLERANCE)


def test_a_tilted_plane_is_climbed_to_its_corner() -> None:
    direction = np.array([1.0, -1e-4, 1e-2])
    points, _ = ascend(Counted(lambda x: (x @ direction, np.broadcast_to(direction, x.shape))), starts(3, 4))
    assert_array_equal(points, np.broadcast_to([1.0, 0.0, 1.0], points.shape))


def test_a_start_in_the_wrong_corner_leaves_it() -> None:
    begin = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    points, _ = ascend(Counted(bowl(np.array([0.4, 0.7]))), begin)
    assert_allclose(points, np.broadcast_to([0.4, 0.7], points.shape), atol=PEAK_TOLERANCE)


def test_a_strongly_tilted_valley_against_a_face_is_followed_to_its_end() -> None:
    hessian = np.array([[1.0, 0.999], [0.999, 1.0]])
    peak = np.array([-0.2, 0.5])

    def function(points: Array) -> tuple[Array, Array]:
        pulls = (points - peak) @ hessian
        return -0.5 * np.sum((points - peak) * pulls, axis=1), -pulls

    points, _ = ascend(Counted(function), starts(2, 6))
    # On the face x₀ = 0 the best x₁ is 0.5 − 0.999 · 0.2.
    assert_array_equal(points[:, 0], 0.0)
    assert_allclose(points[:, 1], 0.5 - 0.999 * 0.2, atol=PEAK_TOLERANCE)


@pytest.mark.parametrize("peak", [0.0, 1e-4, 5e-4, 5.9e-4, 1.0 - 5e-4, 1.0])
def test_a_peak_a_thousandth_wide_beside_a_face_is_kept(peak: float) -> None:
    centre = np.array([peak, 0.5, 0.25])
    begin = np.clip(centre + 1e-3 * np.random.default_rng(3).standard_normal((16, 3)), 0.0, 1.0)
    points, values = ascend(Counted(bump(centre, 1e-3)), begin)
    assert_allclose(points, np.broadcast_to(centre, points.shape), atol=1e-3 * PEAK_TOLERANCE)
    assert_allclose(values, 1.0, atol=SAME_PEAK)


def test_a_plateau_keeps_its_starts_after_one_evaluation() -> None:
    begin = starts(3, 1)
    score = Counted(lambda x: (np.full(len(x), 7.0), np.zeros_like(x)))
    points, values = ascend(score, begin)
    assert_array_equal(points, begin)
    assert_array_equal(values, 7.0)
    assert score.batches == [16]


@pytest.mark.parametrize("hole", [np.nan, -np.inf, np.inf])
def test_points_without_a_finite_value_are_never_chosen(hole: float) -> None:
    def function(points: Array) -> tuple[Array, Array]:
        values, gradients = bowl(np.array([0.9, 0.5]))(points)
        forbidden = points[:, 0] > 0.6
        return np.where(forbidden, hole, values), np.where(forbidden[:, None], np.nan, gradients)

    begin = starts(2, 9)
    points, values = ascend(Counted(function), begin)
    lost = begin[:, 0] > 0.6
    assert lost.any()
    assert_array_equal(points[lost], begin[lost])
    assert_array_equal(values[lost], -np.inf)
    assert np.all(points[~lost, 0] <= 0.6)
    assert np.all(points[~lost, 0] > 0.59)


def test_held_coordinates_do_not_move() -> None:
    begin = starts(4, 2)
    free = np.array([True, False, True, False])
    points, _ = ascend(Counted(bowl(np.array([0.3, 0.4, 1.6, 0.6]))), begin, free)
    assert_array_equal(points[:, ~free], begin[:, ~free])
    assert_allclose(points[:, free], np.broadcast_to([0.3, 1.0], (16, 2)), atol=PEAK_TOLERANCE)


def test_nothing_to_climb_is_no_error() -> None:
    points, values = ascend(Counted(bowl(np.array([0.5, 0.5]))), np.zeros((0, 2)))
    assert points.shape == (0, 2)
    assert values.shape == (0,)
    begin = starts(2, 5)
    points, values = ascend(Counted(bowl(np.array([0.5, 0.5]))), begin, np.zeros(2, np.bool_))
    assert_array_equal(points, begin)
    assert_array_equal(values, bowl(np.array([0.5, 0.5]))(begin)[0])


def test_the_starts_given_are_not_altered() -> None:
    begin = starts(3, 7)
    kept = begin.copy()
    ascend(Counted(sample_path(3, 1)), begin)
    assert_array_equal(begin, kept)


@pytest.mark.parametrize("seed", [3, 17, 91])
def test_the_best_result_is_the_best_of_all_that_was_evaluated(seed: int) -> None:
    score = Counted(sample_path(5, seed))
    begin = starts(5, seed)
    points, values = ascend(score, begin)
    assert_array_equal(values.max(), score.highest)
    assert np.all(values >= score.function(begin)[0])
    assert_allclose(score.function(points)[0], values, rtol=BATCH_ROUNDING)


def test_finished_starts_are_not_evaluated_again() -> None:
    score = Counted(sample_path(6, 2))
    ascend(score, starts(6, 2))
    assert score.batches == sorted(score.batches, reverse=True)
    assert len(score.batches) <= 40
    assert sum(score.batches) <= 16 * 25


SMOOTH: dict[str, tuple[Slopes, int]] = {
    "branin": (branin, 2),
    "hartmann6": (hartmann6, 6),
    "path1": (sample_path(1, 11), 1),
    "path3": (sample_path(3, 12), 3),
    "path6": (sample_path(6, 13, 0.6), 6),
    "path10": (sample_path(10, 14, 0.8), 10),
    "ackley": (ackley, 3),
    "kinked": (lowest_of([sample_path(3, seed, 0.6) for seed in (5, 6, 7)]), 3),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_the_ascents_are_as_good_as_those_of_lbfgsb(name: str) -> None:
    function, dimension = SMOOTH[name]
    begin = starts(dimension, 21, 32)
    values, peers = ascend(Counted(function), begin)[1], by_lbfgsb(function, begin)
    extent = max(values.max(), peers.max()) - function(begin)[0].min()
    # Either may slip to the next hill; on average neither does better, and the best peak is the same.
    slack = 5.0 * np.std(values - peers) / np.sqrt(len(begin)) + SAME_PEAK * extent
    assert np.mean(values - peers) >= -slack
    assert values.max() >= peers.max() - (1e-2 if name == "kinked" else SAME_PEAK) * extent


SPOILERS: dict[str, Callable[[Array, Array], tuple[Array, Array]]] = {
    "holes": lambda values, slopes: (np.where(values > 0.5, np.nan, values), slopes),
    "steps": lambda values, slopes: (np.round(values, 1), slopes),
    "wrong slopes": lambda values, slopes: (values, -slopes),
    "missing slopes": lambda values, slopes: (values, np.where(slopes > 1.0, np.nan, slopes)),
    "steep slopes": lambda values, slopes: (np.sign(values) * np.abs(values) ** 0.25, 1e8 * slopes),
    "offset": lambda values, slopes: (1e12 + values, slopes),
    "enormous": lambda values, slopes: (1e250 * values, 1e250 * slopes),
    "minute": lambda values, slopes: (1e-250 * values, 1e-250 * slopes),
}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", SPOILERS)
def test_awkward_scores_end_in_time_without_warning_and_with_the_best_seen(name: str, seed: int) -> None:
    plain = sample_path(1 + seed, seed, 0.02 * 3.0**seed)
    score = Counted(lambda points: SPOILERS[name](*plain(points)))
    points, values = ascend(score, starts(1 + seed, seed))
    assert_array_equal(values.max(), score.highest)
    assert np.all((points >= 0.0) & (points <= 1.0))
    assert len(score.batches) <= 61
