"""Balls of the mean discrepancy: against other solvers, a transcription, and the bounds that hold for every law."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from belated.beliefs import FORMS, Belief, GaussianProcess, Memory, Mixture, Setting, SimpleKernel
from belated.beliefs.mixtures.members import Exact
from belated.contexts import MeanDiscrepancyBall, MinimaxDiscrepancy, Observed
from belated.contexts.discrepancy import (
    RIDGE,
    Approximate,
    Ball,
    Worst,
    ball_around,
    context_kernel,
)
from belated.contexts.grid import interpolated, ladders
from belated.errors import MissingPackageError, ParameterError, UnsupportedError
from belated.space import Array, Choice, Float, Int, Space
from tests.builders import processes_of
from tests.reference.kernels import gram
from tests.tolerance import CONIC_TOLERANCE, ROUNDING, SLOPE_TOLERANCE, SOLVE_TOLERANCE, STEP

clarabel = pytest.importorskip("clarabel", reason="needs clarabel, of the extra `robust`")

LINE = Space(demand=Float(10.0, 90.0))
RNG = np.random.default_rng(0)
# What the solvers that we compare with leave: SLSQP with its finest setting, on values of order one.
OTHER_SOLVER = 2e-6


def belief_over(contexts: Space, form: str = "matern52") -> GaussianProcess:
    """A process over (context, point)."""
    pairs = zip(contexts.names, contexts.parameters, strict=True)
    return processes_of(Space.from_parameters([*pairs, ("heat", Float(0.0, 1.0))]), form)[0]


def small_ball(seed: int, size: int, radius: float) -> Ball:
    """A ball of laws on a few random contexts, with a kernel that tells them apart well."""
    rng = np.random.default_rng(seed)
    contexts = np.sort(rng.random((size, 1)), axis=0)
    matrix = gram("matern52", 1.0, (0.15,), (), (False,), contexts, contexts) + 1e-3 * np.eye(size)
    return Ball(contexts, rng.dirichlet(np.full(size, 0.6)), matrix, radius)


def worst(ball: Ball) -> Worst:
    return Worst(ball, clarabel)


def discrepancy(ball: Ball, law: Array) -> float:
    """MMD(w, ŵ), summed up."""
    gap, size = law - ball.centre, len(law)
    square = sum(gap[i] * ball.matrix[i, j] * gap[j] for i in range(size) for j in range(size))
    return float(np.sqrt(max(square, 0.0)))


# The ball by a conic solver.


def least_by_slsqp(ball: Ball, row: Array) -> tuple[float, bool]:
    """The lowest expectation by SciPy's general solver, and whether it says that it got there."""

    def cost(law: Array) -> float:
        return float(law @ row)

    def room(law: Array) -> float:
        return float(ball.radius**2 - (law - ball.centre) @ ball.matrix @ (law - ball.centre))

    constraints: Any = [{"type": "eq", "fun": lambda law: law.sum() - 1.0}, {"type": "ineq", "fun": room}]
    solver: Any = minimize
    settings = {"ftol": 1e-14, "maxiter": 1000}
    bounds = [(0.0, 1.0)] * len(row)
    solved = solver(cost, ball.centre, method="SLSQP", bounds=bounds, constraints=constraints, options=settings)
    return float(solved.fun), bool(solved.success)


@pytest.mark.parametrize("radius", [1e-3, 0.1, 0.3, 0.7])
@pytest.mark.parametrize("seed", [3, 17, 91])
def test_the_lowest_expectation_is_that_of_another_solver(seed: int, radius: float) -> None:
    ball = small_ball(seed, 6, radius)
    values = np.random.default_rng(seed + 1).normal(size=(5, 6))
    value, shares = worst(ball).weigh(values)
    arrivals = 0
    for row, found, law in zip(values, value, shares, strict=True):
        other, arrived = least_by_slsqp(ball, row)
        arrivals += arrived
        # SLSQP may stop early, and is then too high.
        assert found <= other + OTHER_SOLVER
        if arrived:
            assert found == pytest.approx(other, abs=OTHER_SOLVER)
        assert law.min() >= 0.0
        assert law.sum() == pytest.approx(1.0, abs=ROUNDING)
        assert discrepancy(ball, law) <= radius + CONIC_TOLERANCE
        assert law @ row == pytest.approx(found, abs=ROUNDING)
    assert arrivals >= 3


@pytest.mark.parametrize("seed", [4, 5])
def test_the_lowest_expectation_is_that_of_all_laws_on_three_contexts(seed: int) -> None:
    ball, fine = small_ball(seed, 3, 0.25), 1200
    first, second = np.meshgrid(np.arange(fine + 1), np.arange(fine + 1))
    laws = np.stack([first, second, fine - first - second], axis=-1)[first + second <= fine] / fine
    gaps = laws - ball.centre
    inside = laws[np.einsum("ij,jk,ik->i", gaps, ball.matrix, gaps) <= ball.radius**2]
    values = np.random.default_rng(seed).normal(size=(20, 3))
    least = (values @ inside.T).min(axis=1)
    value = worst(ball).weigh(values).value
    assert np.all(value <= least + CONIC_TOLERANCE)
    # Rounded to the grid, and drawn towards ŵ to be inside again, the least law loses no more than a few steps.
    assert np.all(value >= least - 20 * np.ptp(values, axis=1) / fine)


def test_the_value_falls_from_the_average_to_the_minimum_as_the_ball_grows() -> None:
    values = np.random.default_rng(8).normal(size=(6, 12))
    radii = [0.0, 1e-6, 1e-3, 0.05, 0.2, 0.5, 1.0, 2.0]
    ball = small_ball(2, 12, 0.0)
    value = np.array([worst(replace(ball, radius=radius)).weigh(values).value for radius in radii])
    assert_allclose(value[0], values @ ball.centre, atol=ROUNDING)
    assert_array_equal(value[-1], values.min(axis=1))
    assert np.all(np.diff(value, axis=0) <= CONIC_TOLERANCE)
    assert np.all(value >= values.min(axis=1) - ROUNDING)


def test_the_shares_of_the_ball_are_the_slopes() -> None:
    ball, step = small_ball(6, 7, 0.3), 1e-4
    values = np.random.default_rng(10).normal(size=(4, 7))
    shares = worst(ball).weigh(values).shares
    slopes = [
        (worst(ball).weigh(values + step * e).value - worst(ball).weigh(values - step * e).value) / (2 * step)
        for e in np.eye(7)
    ]
    assert_allclose(shares, np.transpose(slopes), atol=1e-3)


def test_a_solver_that_gives_up_leaves_the_mixture_that_touches_the_ball(monkeypatch: pytest.MonkeyPatch) -> None:
    ball = small_ball(3, 6, 0.2)
    view = worst(ball)
    monkeypatch.setattr(Worst, "_solved", lambda self, costs: None)
    values = np.random.default_rng(1).normal(size=(3, 6))
    value, shares = view.weigh(values)
    assert_allclose([discrepancy(ball, law) for law in shares], 0.2, atol=SOLVE_TOLERANCE)
    assert np.all(value <= values @ ball.centre)
    assert np.all(value >= worst(ball).weigh(values).value - ROUNDING)


# The closed form.


def plain_minimax(ball: Ball, row: Array) -> tuple[float, int]:
    """The approximation as it is printed, and which of its cases holds."""
    inverse, one = np.linalg.inv(ball.matrix), np.ones(len(row))
    average, low, place = float(ball.centre @ row), float(row.min()), int(row.argmin())
    spread = row @ inverse @ row - (one @ inverse @ row) ** 2 / (one @ inverse @ one)
    steepness = float(np.sqrt(spread))
    furthest = discrepancy(ball, np.eye(len(row))[place])
    slope = (low - average) / furthest
    if ball.radius <= (average - low) / steepness:
        return average + 0.5 * ball.radius * (-steepness + slope), 1
    if ball.radius <= furthest:
        return 0.5 * (average + ball.radius * slope + low), 2
    return low, 3


@pytest.mark.parametrize("seed", [3, 17, 91])
def test_the_approximation_is_its_formula_in_each_of_its_cases(seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=(10, 8))
    cases = set()
    for radius in (0.01, 0.05, 0.15, 0.4, 0.7, 1.3):
        ball = small_ball(seed, 8, radius)
        expected = [plain_minimax(ball, row) for row in values]
        assert_allclose(Approximate(ball).weigh(values).value, [value for value, _ in expected], atol=SOLVE_TOLERANCE)
        cases |= {case for _, case in expected}
    assert cases == {1, 2, 3}


@pytest.mark.parametrize("radius, cases", [(0.01, {1}), (0.05, {1, 2}), (0.5, {2}), (1.3, {3})])
def test_the_shares_of_the_approximation_are_the_slopes(radius: float, cases: set[int]) -> None:
    ball = small_ball(17, 8, radius)
    view, values = Approximate(ball), np.random.default_rng(17).normal(size=(10, 8))
    assert {plain_minimax(ball, row)[1] for row in values} == cases
    slopes = [
        (view.weigh(values + STEP * e).value - view.weigh(values - STEP * e).value) / (2 * STEP) for e in np.eye(8)
    ]
    assert_allclose(view.weigh(values).shares, np.transpose(slopes), atol=SLOPE_TOLERANCE)


def test_the_approximation_is_continuous_in_the_radius() -> None:
    ball = small_ball(5, 8, 0.0)
    for row in np.random.default_rng(5).normal(size=(6, 8)):
        inverse, one = np.linalg.inv(ball.matrix), np.ones(8)
        spread = row @ inverse @ row - (one @ inverse @ row) ** 2 / (one @ inverse @ one)
        first = float((ball.centre @ row - row.min()) / np.sqrt(spread))
        second = discrepancy(ball, np.eye(8)[row.argmin()])
        assert first <= second
        for limit in (first, second):
            below, above = (
                Approximate(replace(ball, radius=limit * factor)).weigh(row[None]).value[0]
                for factor in (1 - 1e-10, 1 + 1e-10)
            )
            assert below == pytest.approx(above, abs=SOLVE_TOLERANCE)


@pytest.mark.parametrize("seed", [3, 17, 91])
def test_the_approximation_is_midway_between_bounds_of_the_lowest_expectation(seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=(10, 8))
    for radius in (0.05, 0.15, 0.4, 0.7, 1.3):
        ball = small_ball(seed, 8, radius)
        lowest, approximation = worst(ball).weigh(values).value, Approximate(ball).weigh(values).value
        low, average = values.min(axis=1), values @ ball.centre
        reach = np.array([discrepancy(ball, np.eye(8)[row.argmin()]) for row in values])
        above = average + np.minimum(radius / reach, 1.0) * (low - average)
        assert np.all(lowest <= above + CONIC_TOLERANCE)
        # The other bound is as far below the approximation as this one is above.
        assert np.all(2 * approximation - above <= lowest + CONIC_TOLERANCE)
        assert np.all(approximation >= low - ROUNDING)
        assert np.all(approximation <= average + ROUNDING)


def test_the_approximation_may_jump_where_the_minimiser_does() -> None:
    # What the papers do not say: ε_max is that of the minimiser, and two minimisers need not be as far from ŵ.
    ball = replace(small_ball(3, 6, 0.3), centre=np.array([0.5, 0.5, 0.0, 0.0, 0.0, 0.0]))
    row = np.array([0.0, 1.0, 1.0, 1.0, 1.0, 0.0])
    tip = 1e-9 * np.eye(6)
    near, far = Approximate(ball).weigh(np.stack([row - tip[0], row - tip[5]])).value
    assert near < far - 1e-3


# The grid, the law on it, and the kernel.


@pytest.mark.parametrize(
    "grid, columns, expected",
    [(100, 1, 100), (100, 2, 10), (100, 3, 5), (100, 4, 4), (1024, 2, 32), (1024, 4, 6), (1024, 5, 4), (243, 5, 3)],
)
def test_the_grid_has_the_root_of_its_size_in_each_column(grid: int, columns: int, expected: int) -> None:
    space = Space.from_parameters([(f"c{j}", Float(-3.0, 5.0)) for j in range(columns)])
    (*_, view) = MinimaxDiscrepancy(grid).views(np.empty((0, columns)), space, belief_over(space), RNG)
    assert len(view.contexts) == expected**columns
    for column in view.contexts.T:
        assert_allclose(np.unique(column), np.linspace(0.0, 1.0, expected), atol=ROUNDING)


def test_whole_numbers_and_options_are_on_the_grid_themselves() -> None:
    space = Space(shift=Int(1, 3), supplier=Choice("north", "south"), lot=Int(1, 10**6, log=True))
    view = MeanDiscrepancyBall(100).views(np.empty((0, 3)), space, belief_over(space), RNG)[-1]
    points = [space.decode(row) for row in view.contexts]
    assert {point["shift"] for point in points} == {1, 2, 3}
    assert {point["supplier"] for point in points} == {"north", "south"}
    assert len({point["lot"] for point in points}) == 10
    assert len(points) == 60
    assert_array_equal(space.snap(view.contexts), view.contexts)


def test_contexts_count_at_the_nearest_of_the_grid_and_all_alike_before_the_first() -> None:
    space = Space(load=Float(0.0, 1.0), supplier=Choice("north", "south"))
    seen = np.array([[0.04, 0.25], [0.06, 0.25], [0.98, 0.75], [0.98, 0.25]])
    (approximate, exact) = MeanDiscrepancyBall(11).views(seen, space, belief_over(space), RNG)
    assert isinstance(exact, Worst)
    weights = {
        tuple(row): weight for row, weight in zip(np.round(exact.contexts, 9).tolist(), exact.ball.centre, strict=True)
    }
    assert {place: weight for place, weight in weights.items() if weight} == {
        (0.0, 0.25): 0.25,
        (0.1, 0.25): 0.25,
        (1.0, 0.75): 0.25,
        (1.0, 0.25): 0.25,
    }
    (_, before) = MeanDiscrepancyBall(11).views(np.empty((0, 2)), space, belief_over(space), RNG)
    assert isinstance(before, Worst)
    assert_allclose(before.ball.centre, 1 / 22)
    assert isinstance(approximate, Approximate)
    assert approximate.ball is exact.ball


@pytest.mark.parametrize("n_seen, expected", [(0, 4.1460), (1, 4.1460), (100, 0.41460)])
def test_the_radius_shrinks_with_the_root_of_the_contexts_seen(n_seen: int, expected: float) -> None:
    for aim in (MeanDiscrepancyBall(10), MinimaxDiscrepancy(10)):
        view = aim.views(np.full((n_seen, 1), 0.3), LINE, belief_over(LINE), RNG)[-1]
        assert isinstance(view, Worst | Approximate)
        assert view.ball.radius == pytest.approx(expected, rel=1e-4)
        assert aim.law == Observed()


def test_the_closed_form_has_coarser_grids_first() -> None:
    views = MinimaxDiscrepancy().views(np.empty((0, 1)), LINE, belief_over(LINE), RNG)
    assert [len(view.contexts) for view in views] == [32, 256, 1024]
    four = Space.from_parameters([(f"c{j}", Float(0.0, 1.0)) for j in range(4)])
    views = MinimaxDiscrepancy(200).views(np.empty((0, 4)), four, belief_over(four), RNG)
    assert [len(view.contexts) for view in views] == [81, 256]
    choice = Space(supplier=Choice("north", "south", "sea"))
    assert len(MinimaxDiscrepancy().views(np.empty((0, 1)), choice, belief_over(choice), RNG)) == 1


def test_the_ball_is_seen_from_fewer_contexts_first_where_they_are_dense_enough() -> None:
    for columns, expected in ((1, [32, 100, 100]), (2, [36, 100, 100]), (3, [125, 125]), (4, [256, 256])):
        space = Space.from_parameters([(f"c{j}", Float(0.0, 1.0)) for j in range(columns)])
        views = MeanDiscrepancyBall().views(np.empty((0, columns)), space, belief_over(space), RNG)
        assert [len(view.contexts) for view in views] == expected
    assert len(MeanDiscrepancyBall(30).views(np.empty((0, 1)), LINE, belief_over(LINE), RNG)) == 2


def test_between_few_contexts_values_are_linear_in_each_column() -> None:
    space = Space(load=Float(0.0, 1.0), shift=Int(1, 3), supplier=Choice("north", "south"))
    fine = ladders("test", space, 100)
    ball = ball_around(np.empty((0, 3)), fine, belief_over(space), space, 0.05)
    view = interpolated("test", Approximate(ball), fine, space, 36)
    assert view is not None

    def plane(contexts: Array) -> Array:
        return np.asarray((1.0 + 2.0 * contexts[:, 0] * (1.0 + contexts[:, 1])) * (1.0 + (contexts[:, 2] > 0.5)))

    assert len(view.contexts) < len(ball.contexts)
    assert_allclose(plane(view.contexts) @ view.weights, plane(ball.contexts), atol=SOLVE_TOLERANCE)
    values = np.random.default_rng(4).normal(size=(3, len(view.contexts)))
    weighed = view.weigh(values)
    assert_allclose(weighed.value, Approximate(ball).weigh(values @ view.weights).value, atol=ROUNDING)
    ahead, behind = (
        np.transpose([view.weigh(values + sign * STEP * unit).value for unit in np.eye(len(view.contexts))])
        for sign in (1.0, -1.0)
    )
    assert_allclose(weighed.shares, (ahead - behind) / (2.0 * STEP), atol=SLOPE_TOLERANCE)


@pytest.mark.parametrize("form", ["matern52", "se", "matern12"])
def test_the_kernel_of_contexts_is_the_beliefs_own_with_variance_one(form: str) -> None:
    space = Space(load=Float(0.0, 1.0), supplier=Choice("north", "south"))
    (_, view) = MeanDiscrepancyBall(5).views(np.empty((0, 2)), space, belief_over(space, form), RNG)
    assert isinstance(view, Worst)
    expected = gram(form, 1.0, (0.35,), (0.6,), (False, True), view.contexts, view.contexts)
    assert_allclose(view.ball.matrix, expected + RIDGE * np.eye(10), atol=1e-10)


@pytest.mark.parametrize("beliefs", ["mixture", "linear"])
def test_other_beliefs_have_a_plain_kernel_of_contexts(beliefs: str) -> None:
    space = Space(load=Float(0.0, 1.0), supplier=Choice("north", "south"))
    belief: Belief = belief_over(space, "linear" if beliefs == "linear" else "se")
    if beliefs == "mixture":
        member = Exact(belief_over(space))
        belief = Mixture((member, member), np.array([0.5, 0.5]))
    assert context_kernel(belief, space) == SimpleKernel(FORMS["matern52"], 1.0, (0.5,), (1.0,), (False, True))


@pytest.mark.parametrize(
    "space, lengthscales, contrasts, mask, expected",
    [
        (LINE, (0.3,), (), None, SimpleKernel(FORMS["se"], 1.0, (0.3,))),
        (LINE, (0.3, 0.7, 0.8), (), None, SimpleKernel(FORMS["se"], 1.0, (0.3,))),
        (
            Space(supplier=Choice("north", "south")),
            (0.3, 0.7),
            (0.4, 0.9),
            (True, False, False, True),
            SimpleKernel(FORMS["se"], 1.0, (0.5,), (0.4,), (True,)),
        ),
        (LINE, (0.3, 0.7), (0.9,), (False, False, True), SimpleKernel(FORMS["se"], 1.0, (0.3,))),
    ],
)
def test_the_kernel_of_contexts_has_the_parameters_of_their_columns(
    space: Space, lengthscales: tuple[float, ...], contrasts: tuple[float, ...], mask: Any, expected: SimpleKernel
) -> None:
    kernel = SimpleKernel(FORMS["se"], 2.5, lengthscales, contrasts, mask)
    levels = (None,) * len(mask or lengthscales)
    belief = GaussianProcess(kernel, 0.1, 0.0, Setting(len(levels), levels, memory=Memory()))
    found = context_kernel(belief, space)
    assert found == expected
    points = space.sample(4, np.random.default_rng(1))
    assert np.linalg.eigvalsh(found.gram(points, points)).min() > -ROUNDING


def test_a_fine_grid_and_a_smooth_kernel_still_have_sound_slopes() -> None:
    # M is singular to rounding here; the ridge leaves a problem whose slopes can be checked along smooth directions.
    kernel = SimpleKernel(FORMS["se"], 1.0, (0.5, 0.5))
    belief = GaussianProcess(kernel, 0.1, 0.0, Setting(2, (None, None), memory=Memory()))
    (*_, view) = MinimaxDiscrepancy(radius=0.05).views(np.full((40, 1), 0.3), LINE, belief, RNG)
    contexts = view.contexts[:, 0]
    values = np.stack([np.exp(-0.5 * ((contexts - m) / 0.5) ** 2) for m in (0.1, 0.8)])
    direction = np.cos(3.0 * contexts)
    above, below = (view.weigh(values + sign * STEP * direction).value for sign in (1.0, -1.0))
    assert_allclose(view.weigh(values).shares @ direction, (above - below) / (2 * STEP), atol=1e-4)


# What is refused.


@pytest.mark.parametrize(
    "make, message",
    [
        (
            lambda: MeanDiscrepancyBall(1),
            "MeanDiscrepancyBall(grid=1): grid must be a whole number of at least 2.",
        ),
        (
            lambda: MeanDiscrepancyBall(radius="wide"),  # type: ignore[arg-type]
            "MeanDiscrepancyBall(radius='wide'): radius must be a finite number of at least 0.",
        ),
        (
            lambda: MinimaxDiscrepancy(2.5),  # type: ignore[arg-type]
            "MinimaxDiscrepancy(grid=2.5): grid must be a whole number of at least 2.",
        ),
        (
            lambda: MinimaxDiscrepancy(radius=-1),
            "MinimaxDiscrepancy(radius=-1): radius must be a finite number of at least 0.",
        ),
    ],
)
def test_bad_parameters_are_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        make()
    assert str(caught.value) == message


def test_a_grid_that_would_be_too_large_is_refused() -> None:
    space = Space.from_parameters([(f"c{j}", Choice(*range(9))) for j in range(4)])
    with pytest.raises(UnsupportedError) as caught:
        MinimaxDiscrepancy().views(np.empty((0, 4)), space, belief_over(space), RNG)
    assert str(caught.value) == (
        "MinimaxDiscrepancy(grid=1024): the grid would have 6561 contexts; it may have 4096; "
        "give a smaller grid, or use DensityBall(), which has none."
    )


def test_without_clarabel_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "clarabel", None)
    with pytest.raises(MissingPackageError) as caught:
        MeanDiscrepancyBall().views(np.empty((0, 1)), LINE, belief_over(LINE), RNG)
    assert str(caught.value) == (
        "MeanDiscrepancyBall(): needs the package clarabel, which is not installed; Belated's extra 'robust' brings it."
    )
    MinimaxDiscrepancy(10).views(np.empty((0, 1)), LINE, belief_over(LINE), RNG)
