"""Aims in closed form: against a linear program, a dense grid and sums written out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linprog

from belated.beliefs import Combined
from belated.contexts import (
    Aim,
    DensityBall,
    Expectation,
    KernelDensity,
    MinimaxDiscrepancy,
    Observed,
    Sample,
    WithinDeviation,
)
from belated.contexts.aims import KEPT
from belated.contexts.divergences import MovedMass
from belated.errors import ParameterError
from belated.search import MomentScore
from belated.space import Array, Choice, Float, Int, Space
from tests.builders import processes_of
from tests.tolerance import ROUNDING, SOLVE_TOLERANCE, STEP

PLANE = Space(demand=Float(10.0, 90.0), price=Float(1e-3, 1.0, log=True))
BELIEF, _ = processes_of(PLANE)


@dataclass(frozen=True)
class Given:
    """A law with these points and weights, of which it gives the first."""

    points: tuple[tuple[float, ...], ...]
    weights: tuple[float, ...]

    def sample(self, seen: Array, space: Space, count: int, rng: np.random.Generator) -> Sample:
        """The points, whatever was seen."""
        return Sample(np.array(self.points[:count]), np.array(self.weights[:count]) / sum(self.weights[:count]))


def given(count: int, seed: int = 0, dimension: int = 2) -> Given:
    """A law of so many random points with uneven weights."""
    rng = np.random.default_rng(seed)
    weights = rng.random(count) + 0.1
    return Given(tuple(map(tuple, rng.random((count, dimension)).tolist())), tuple((weights / weights.sum()).tolist()))


def rng_of(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def moved(ball: DensityBall, seen: Array, space: Space) -> list[MovedMass]:
    """The views of a ball by the total variation."""
    views = [view for view in ball.views(seen, space, BELIEF, rng_of()) if isinstance(view, MovedMass)]
    assert len(views) == len(ball.views(seen, space, BELIEF, rng_of()))
    return views


def least_by_linear_program(values: Array, law: Array, radius: float) -> float:
    """min qᵀg subject to q ≥ 0, Σq = 1, −u ≤ q − p ≤ u and Σu ≤ δ."""
    k = len(values)
    eye, zero, one = np.eye(k), np.zeros(k), np.ones(k)
    above = np.vstack([np.hstack([eye, -eye]), np.hstack([-eye, -eye]), np.concatenate([zero, one])])
    solved = linprog(
        np.concatenate([values, zero]),
        A_ub=above,
        b_ub=np.concatenate([law, -law, [radius]]),
        A_eq=np.concatenate([one, zero])[None],
        b_eq=[1.0],
        bounds=(0.0, None),
    )
    assert solved.success
    assert solved.fun is not None
    return float(solved.fun)


# The L1 ball.


@pytest.mark.parametrize("radius", [0.0, 1e-3, 0.3, 1.0, 1.7, 2.0, 5.0])
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", [3, 17, 91])
def test_moving_mass_is_the_linear_program_of_the_ball(seed: int, ties: bool, radius: float) -> None:
    rng = np.random.default_rng(seed)
    n_law, n_further = 12, 7
    weights = rng.dirichlet(np.full(n_law, 0.5))
    values = rng.normal(2.0, 3.0, (8, n_law + n_further))
    if ties:
        values = np.round(values)
        weights = np.full(n_law, 1.0 / n_law)
    value, shares = MovedMass(rng.random((19, 2)), weights, radius / 2).weigh(values)
    law = np.concatenate([weights, np.zeros(n_further)])
    expected = [least_by_linear_program(row, law, radius) for row in values]
    assert_allclose(value, expected, atol=SOLVE_TOLERANCE)
    # The shares are themselves a law in the ball.
    assert shares.min() >= 0.0
    assert_allclose(shares.sum(axis=1), 1.0, atol=ROUNDING)
    assert np.abs(shares - law).sum(axis=1).max() <= radius + ROUNDING


def test_mass_leaves_the_largest_values_first_and_the_last_of_them_in_part() -> None:
    view = MovedMass(np.zeros((5, 1)), np.array([0.1, 0.4, 0.3, 0.2]), 0.25)
    value, shares = view.weigh(np.array([[9.0, 5.0, 7.0, 1.0, -2.0], [9.0, 5.0, 7.0, -3.0, -2.0]]))
    assert_allclose(shares, [[0.0, 0.4, 0.15, 0.2, 0.25], [0.0, 0.4, 0.15, 0.45, 0.0]], atol=ROUNDING)
    assert_allclose(value, [2.0 + 1.05 + 0.2 - 0.5, 2.0 + 1.05 - 1.35], atol=ROUNDING)


@pytest.mark.parametrize("mass", [0.03, 0.4, 0.93])
def test_the_shares_of_the_ball_are_the_slopes_away_from_ties(mass: float) -> None:
    rng, step = np.random.default_rng(5), 1e-6
    weights = rng.dirichlet(np.ones(9))
    view = MovedMass(np.zeros((13, 1)), weights, mass)
    values = rng.permutation(np.arange(13.0))[None]
    shares = view.weigh(values).shares[0]
    slopes = [
        (view.weigh(values + step * e).value[0] - view.weigh(values - step * e).value[0]) / (2 * step)
        for e in np.eye(13)
    ]
    assert_allclose(shares, slopes, atol=SOLVE_TOLERANCE)


@pytest.mark.parametrize("mass", [1.0, 1.0 - 1e-16, 3.0])
def test_all_mass_moved_leaves_the_minimum(mass: float) -> None:
    weights = np.random.default_rng(2).dirichlet(np.ones(1024))
    values = np.random.default_rng(3).normal(size=(3, 1100))
    value, shares = MovedMass(np.zeros((1100, 1)), weights, mass).weigh(values)
    assert_allclose(value, values.min(axis=1), rtol=ROUNDING)
    assert_array_equal(np.count_nonzero(shares > ROUNDING, axis=1), [1, 1, 1])


@pytest.mark.parametrize(
    "n_seen, space, expected",
    [
        (0, PLANE, 1.0),
        (1, PLANE, 1.0),
        (100, PLANE, 100 ** (-1 / 3)),
        (100, Space(a=Float(0, 1)), 100 ** (-2 / 5)),
        (100, Space(a=Int(0, 5), b=Choice("x", "y")), 100 ** (-2 / 5)),
        (100, Space(b=Choice("x", "y")), 0.1),
    ],
)
def test_the_radius_shrinks_with_the_contexts_seen_by_the_numeric_columns(
    n_seen: int, space: Space, expected: float
) -> None:
    assert DensityBall(given(3)).distance(n_seen, space) == pytest.approx(expected, rel=1e-12)
    assert DensityBall(given(3), radius=0.7).distance(n_seen, space) == 0.7
    seen = space.sample(n_seen, rng_of())
    (*_, view) = moved(DensityBall(given(3, dimension=space.dimension)), seen, space)
    assert view.mass == pytest.approx(expected / 2, rel=1e-12)


def test_the_ball_looks_at_the_laws_sample_and_at_an_even_one_for_the_infimum() -> None:
    views = moved(DensityBall(given(1024), samples=1024, infimum=1024), np.empty((0, 2)), PLANE)
    assert [(len(view.weights), len(view.contexts)) for view in views] == [(24, 32), (192, 256), (1024, 2048)]
    whole = views[-1].contexts
    assert_array_equal(whole[:1024], given(1024).points)
    assert_array_equal(whole[1024:], PLANE.sample(1024, rng_of()))
    for view, count in zip(views, (24, 192, 1024), strict=True):
        assert_array_equal(view.contexts[:count], whole[:count])
        assert_allclose(view.weights.sum(), 1.0, atol=ROUNDING)


def test_a_ball_of_no_radius_is_the_expectation_and_seeks_no_infimum() -> None:
    law = given(40)
    (*_, ball) = DensityBall(law, radius=0.0).views(np.empty((0, 2)), PLANE, BELIEF, rng_of())
    (*_, average) = Expectation(law).views(np.empty((0, 2)), PLANE, BELIEF, rng_of())
    assert_array_equal(ball.contexts, average.contexts)
    values = np.random.default_rng(4).normal(size=(5, 40))
    assert_allclose(ball.weigh(values).value, average.weigh(values).value, atol=ROUNDING)


def test_an_infimum_over_finitely_many_contexts_sees_each_once() -> None:
    space = Space(supplier=Choice("north", "south", "sea"), open=Choice(True, False))
    law = Given(((1 / 6, 0.25),), (1.0,))
    (*_, view) = DensityBall(law).views(np.empty((0, 2)), space, BELIEF, rng_of())
    assert len(view.contexts) == 1 + 6


def test_a_narrowed_ball_keeps_the_law_and_every_lowest_context() -> None:
    rng = np.random.default_rng(6)
    for n_rows in (1, 16, 200):
        view = MovedMass(rng.random((1500, 2)), np.full(500, 1 / 500), 0.1)
        values = rng.normal(size=(n_rows, 1500))
        narrowed = view.narrowed(values)
        assert_array_equal(narrowed.contexts[:500], view.contexts[:500])
        assert len(narrowed.contexts) - 500 <= max(KEPT, n_rows)
        columns = [int(np.flatnonzero((view.contexts == row).all(axis=1))[0]) for row in narrowed.contexts]
        assert_array_equal(narrowed.weigh(values[:, columns]).shares, view.weigh(values).shares[:, columns])
        assert_array_equal(narrowed.weigh(values[:, columns]).value, view.weigh(values).value)
    one = values[:1]
    lowest = np.sort(500 + np.argsort(one[0, 500:])[:KEPT])
    narrowed = view.narrowed(one)
    assert_array_equal(narrowed.contexts[500:], view.contexts[lowest])
    assert narrowed.narrowed(values[:, : len(narrowed.contexts)]) is narrowed


# The expectation.


def test_the_expectation_is_the_weighted_sum_and_its_coarse_views_are_beginnings() -> None:
    law = given(400)
    views = Expectation(law, samples=300).views(np.empty((0, 2)), PLANE, BELIEF, rng_of())
    for view, count in zip(views, (32, 256, 300), strict=True):
        weights = np.array(law.weights[:count]) / sum(law.weights[:count])
        values = np.random.default_rng(count).normal(size=(4, count))
        value, shares = view.weigh(values)
        assert_array_equal(view.contexts, law.points[:count])
        assert_allclose(value, [sum(w * g for w, g in zip(weights, row, strict=True)) for row in values], atol=ROUNDING)
        assert_allclose(shares, np.tile(weights, (4, 1)), atol=ROUNDING)
        assert view.narrowed(values) is view


def test_a_law_with_few_contexts_has_one_view() -> None:
    (view,) = Expectation(given(5)).views(np.empty((0, 2)), PLANE, BELIEF, rng_of())
    assert len(view.contexts) == 5


def test_the_expectation_under_a_kernel_density_is_that_of_dense_quadrature() -> None:
    space = Space(demand=Float(10.0, 90.0))
    seen = np.random.default_rng(12).normal(0.75, 0.2, (50, 1)).clip(0.0, 1.0)

    def g(contexts: Array) -> Array:
        return np.asarray(np.stack([np.sin(7.0 * contexts[:, 0]), np.exp(contexts[:, 0]), contexts[:, 0] ** 2]))

    (*_, view) = Expectation(KernelDensity()).views(seen, space, BELIEF, rng_of())
    width = (4 / 3) ** (1 / 5) * seen.std() * 50 ** (-1 / 5)
    dense = np.linspace(-1.0, 2.0, 6001)
    density = np.exp(-0.5 * ((dense[:, None] - seen[:, 0]) / width) ** 2).mean(axis=1) / (width * np.sqrt(2 * np.pi))
    # A context beyond the box is moved to its end.
    expected = (g(dense.clip(0.0, 1.0)[:, None]) * density).sum(axis=1) * 3.0 / 6000
    # 1024 quasi-random points of two coordinates; independent ones would be off by about 0.02.
    assert_allclose(view.weigh(g(view.contexts)).value, expected, atol=4e-3)


@pytest.mark.parametrize("make", [Expectation, DensityBall, WithinDeviation, MinimaxDiscrepancy])
def test_the_slope_of_a_point_follows_from_the_shares(make: Callable[[], Aim]) -> None:
    contexts = Space(demand=Float(10.0, 90.0))
    prior, _ = processes_of(Space(demand=Float(10.0, 90.0), heat=Float(0.0, 1.0)))
    rng = np.random.default_rng(3)
    belief = prior.condition(rng.random((15, 2)), rng.normal(size=15))

    def combine(mean: Array, deviation: Array) -> Combined:
        return Combined(mean + 1.5 * deviation, np.ones_like(mean), np.full_like(mean, 1.5))

    score = MomentScore(belief, combine)
    (*_, view) = make().views(rng.normal(0.5, 0.1, (60, 1)), contexts, belief, rng_of())

    def pairs(heat: float) -> Array:
        return np.column_stack([view.contexts, np.full(len(view.contexts), heat)])

    for heat in (0.21, 0.48, 0.83):
        values, gradients = score.slopes(pairs(heat))
        found = view.weigh(values[None]).shares[0] @ gradients[:, 1]
        above, below = (view.weigh(score.values(pairs(heat + step))[None]).value[0] for step in (STEP, -STEP))
        assert found == pytest.approx((above - below) / (2 * STEP), abs=1e-3)


# Within a deviation.


def test_the_minimum_within_a_deviation_is_that_of_a_dense_grid() -> None:
    seen = np.random.default_rng(9).normal([0.9, 0.3], [0.05, 0.1], (40, 2)).clip(0.0, 1.0)
    seen[::6, 0] = 0.0
    low, high = seen.mean(axis=0) - seen.std(axis=0), seen.mean(axis=0) + seen.std(axis=0)
    low, high = low.clip(0.0, 1.0), high.clip(0.0, 1.0)
    assert high[0] == 1.0  # the box cuts the region

    def g(contexts: Array) -> Array:
        return np.asarray(np.stack([np.sin(5 * contexts[:, 0] + k) * np.cos(4 * contexts[:, 1] - k) for k in range(6)]))

    (*_, view) = WithinDeviation().views(seen, PLANE, BELIEF, rng_of())
    assert np.all(view.contexts >= low)
    assert np.all(view.contexts <= high)
    axes = [np.linspace(a, b, 400) for a, b in zip(low, high, strict=True)]
    dense = np.stack([axis.ravel() for axis in np.meshgrid(*axes)], axis=1)
    least = g(dense).min(axis=1)
    value = view.weigh(g(view.contexts)).value
    # 1024 quasi-random points leave no square of a hundredth of the area empty; slopes are below 5.
    widest = 0.1 * float((high - low).max()) * 5
    assert np.all(value >= least - SOLVE_TOLERANCE - widest / 400)
    assert np.all(value <= least + widest)


def test_the_region_holds_the_options_seen_and_the_nearest_whole_numbers() -> None:
    space = Space(shift=Int(1, 10), supplier=Choice("north", "south", "sea"), load=Float(0, 1))
    visits = [{"shift": 4, "supplier": "sea", "load": 0.5}, {"shift": 6, "supplier": "north", "load": 0.5}]
    seen = np.array([space.encode(visit) for visit in visits])
    (*_, view) = WithinDeviation(200).views(seen, space, BELIEF, rng_of())
    points = [space.decode(row) for row in view.contexts]
    assert {point["shift"] for point in points} == {4, 5, 6}
    assert {point["supplier"] for point in points} == {"north", "sea"}
    assert {point["load"] for point in points} == {0.5}
    assert len(points) == 6


@pytest.mark.parametrize("n_seen", [1, 5])
def test_contexts_that_never_changed_are_the_only_ones_looked_at(n_seen: int) -> None:
    seen = np.tile([0.1, 0.7], (n_seen, 1))
    (view,) = WithinDeviation().views(seen, PLANE, BELIEF, rng_of())
    assert_allclose(view.contexts, [[0.1, 0.7]], atol=ROUNDING)


def test_before_any_context_the_region_is_the_box() -> None:
    views = WithinDeviation().views(np.empty((0, 2)), PLANE, BELIEF, rng_of())
    assert [len(view.contexts) for view in views] == [32, 256, 1024]
    assert_array_equal(views[-1].contexts, PLANE.sample(1024, rng_of()))
    assert WithinDeviation().law == Observed()


# What is refused.


@pytest.mark.parametrize(
    "make, message",
    [
        (
            lambda: Expectation("kde"),  # type: ignore[arg-type]
            "Expectation(law='kde'): law must be a law of contexts, as KernelDensity().",
        ),
        (
            lambda: DensityBall(Given),  # type: ignore[arg-type]
            f"DensityBall(law={Given!r}): law must be a law of contexts, as KernelDensity().",
        ),
        (
            lambda: Expectation(samples=0),
            "Expectation(samples=0): samples must be a whole number of at least 1.",
        ),
        (
            lambda: DensityBall(samples=2.5),  # type: ignore[arg-type]
            "DensityBall(samples=2.5): samples must be a whole number of at least 1.",
        ),
        (
            lambda: DensityBall(infimum=0),
            "DensityBall(infimum=0): infimum must be a whole number of at least 1.",
        ),
        (
            lambda: DensityBall(radius=-0.1),
            "DensityBall(radius=-0.1): radius must be a finite number of at least 0.",
        ),
        (
            lambda: DensityBall(radius=float("nan")),
            "DensityBall(radius=nan): radius must be a finite number of at least 0.",
        ),
        (
            lambda: WithinDeviation(True),
            "WithinDeviation(samples=True): samples must be a whole number of at least 1.",
        ),
    ],
)
def test_bad_parameters_are_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        make()
    assert str(caught.value) == message
