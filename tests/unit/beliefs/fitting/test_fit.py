"""The fit: its gradient, what it recovers, what it keeps, and that degenerate answers do not break it."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from belated.beliefs.fitting.climb import climb
from belated.beliefs.fitting.fit import (
    FINE,
    LARGEST_FIT,
    LOWEST_RUNG,
    Density,
    FixedHyperparameters,
    Hyperparameters,
    Prior,
    Task,
    fit,
    rungs,
    spaced,
    standard,
)
from belated.beliefs.fitting.likelihood import log_marginal_likelihood
from belated.beliefs.fitting.parameters import Parameters
from belated.beliefs.kernels.forms import FORMS
from belated.beliefs.kernels.hyperparameters import NOISE, LogNormal
from belated.beliefs.kernels.kernel import Kernel
from belated.beliefs.kernels.simple import SimpleKernel
from belated.errors import NoAnswerError
from belated.space.arrays import Array
from tests.pairs import every_pair
from tests.reference import kernels as reference
from tests.tolerance import ROUNDING, SLOPE_TOLERANCE, SOLVE_TOLERANCE, STANDARD_ERRORS, STEP
from tests.unit.beliefs.kernels.vectors import logarithms, simple

MIXED = (False, True, False)
PRIORS = [None, Prior()]

# Where a climb ends hangs on rounding by about the root of its tolerance, in units of log θ.
PLACE_TOLERANCE = 10.0 * FINE**0.5


def a_kernel(name: str = "matern52", columns: int = 3, mixed: bool = False) -> SimpleKernel:
    if mixed:
        return SimpleKernel(FORMS[name], 1.0, (0.4, 0.8), (0.7,), MIXED)
    return SimpleKernel(FORMS[name], 1.0, (0.3, 0.6, 0.9, 1.2)[:columns])


def some_points(seed: int, count: int, columns: int = 3, mixed: bool = False) -> Array:
    points = np.random.default_rng(seed).random((count, columns))
    if mixed:
        points[:, 1] = (np.floor(3.0 * points[:, 1]) + 0.5) / 3.0
    return points


def draw(seed: int, points: Array, kernel: Kernel, noise: float, mean: float = 0.0) -> Array:
    covariance = kernel.gram(points, points) + noise * np.eye(len(points))
    return mean + np.linalg.cholesky(covariance) @ np.random.default_rng(seed).standard_normal(len(points))


def likelihood(points: Array, values: Array, found: Hyperparameters) -> float:
    return log_marginal_likelihood(points, values, found.kernel, found.noise, found.mean).value


def assert_sound(found: Hyperparameters) -> None:
    """All parameters positive and finite: a kernel refuses others by itself."""
    assert np.isfinite(found.mean)
    assert 0.0 < found.noise < np.inf
    assert np.all(np.isfinite(logarithms(found.kernel)))


@pytest.mark.parametrize("name, mixed", list(itertools.product(FORMS, (False, True))))
@pytest.mark.parametrize("mean", [None, -0.4])
def test_the_likelihood_is_that_of_the_formula(name: str, mixed: bool, mean: float | None) -> None:
    kernel, points = a_kernel(name, mixed=mixed), some_points(1, 25, mixed=mixed)
    values = draw(2, points, kernel, 0.05, mean=1.0)
    evidence = log_marginal_likelihood(points, values, kernel, 0.05, mean)
    gram = reference.gram(
        name,
        kernel.variance,
        kernel.lengthscales,
        kernel.contrasts,
        kernel.categorical or (False,) * 3,
        points,
        points,
    )
    assert mean is None or evidence.mean == mean
    expected = reference.log_likelihood(gram, 0.05, evidence.mean, values)
    assert_allclose(evidence.value, expected, rtol=SOLVE_TOLERANCE)
    if mean is None:
        for other in (evidence.mean - 1e-3, evidence.mean + 1e-3):
            assert reference.log_likelihood(gram, 0.05, other, values) < evidence.value


@pytest.mark.parametrize("name, mixed", list(itertools.product(FORMS, (False, True))))
@pytest.mark.parametrize("prior, mean", list(itertools.product(PRIORS, (None, 0.0))))
@pytest.mark.parametrize("count", [12, 230])
def test_the_gradient_of_the_objective_is_that_of_differences(
    name: str, mixed: bool, prior: Prior | None, mean: float | None, count: int
) -> None:
    kernel, points = a_kernel(name, mixed=mixed), some_points(3, count, mixed=mixed)
    objective = Task(
        points,
        draw(4, points, kernel, 0.1),
        Parameters.of(kernel, points.shape[1]),
        prior,
        mean,
        log_marginal_likelihood,
    ).objective()
    logs = np.append(logarithms(kernel), np.log(0.2))
    steps = STEP * np.eye(len(logs))
    differences = [(objective(logs + step)[0] - objective(logs - step)[0]) / (2.0 * STEP) for step in steps]
    assert_allclose(objective(logs)[1], differences, rtol=SLOPE_TOLERANCE, atol=SLOPE_TOLERANCE)


def test_the_prior_is_the_density_of_the_parameter_and_not_of_its_logarithm() -> None:
    density = Density(np.array([0.3]), np.array([0.7]))
    theta = np.linspace(1e-4, 60.0, 400_001)
    heights = np.exp([density.log_density(np.log(theta[[i]]))[0] for i in range(1, len(theta), 100)])
    assert_allclose(heights.sum() * (theta[100] - theta[0]), 1.0, atol=1e-3)
    top = np.array([0.3 - 0.7**2])
    assert_allclose(density.log_density(top)[1], [0.0], atol=ROUNDING)


def test_the_prior_on_lengthscales_grows_with_the_root_of_the_numeric_columns() -> None:
    over = Prior().over(Parameters.of(a_kernel(mixed=True), 3))
    assert_allclose(over.locations, [0.0, *[2.0**0.5 + 0.5 * np.log(2.0)] * 2, 0.0, -4.0])
    assert_allclose(over.spreads, [1.0, *[3.0**0.5] * 2, 1.0, 1.0])
    assert_allclose(
        Prior().over(Parameters.of(SimpleKernel(FORMS["se"], 1.0, (1.0,)), 9)).locations[1], 2.0**0.5 + np.log(3.0)
    )


@pytest.mark.parametrize("prior", PRIORS)
def test_hyperparameters_of_a_drawn_function_are_recovered(prior: Prior | None) -> None:
    truth = Hyperparameters(SimpleKernel(FORMS["matern52"], 4.0, (0.3, 0.8)), 0.04, 10.0)
    points = some_points(5, 300, columns=2)
    values = draw(6, points, truth.kernel, truth.noise, truth.mean)
    found = fit(points, values, SimpleKernel(FORMS["matern52"], 1.0, (1.0, 1.0)), prior=prior)
    # The noise is seen 300 times, a variance or a lengthscale only as often as the function bends.
    assert abs(np.log(found.noise / truth.noise)) < STANDARD_ERRORS * (2.0 / 300) ** 0.5
    assert np.all(np.abs(logarithms(found.kernel) - logarithms(truth.kernel)) < np.log(3.0))
    assert abs(found.mean - truth.mean) < STANDARD_ERRORS * truth.kernel.variance**0.5


@pytest.mark.parametrize("name, mixed", list(itertools.product(FORMS, (False, True))))
@pytest.mark.parametrize("count", [30, 120])
def test_maximum_likelihood_is_likelier_than_the_truth(name: str, mixed: bool, count: int) -> None:
    kernel, points = a_kernel(name, mixed=mixed), some_points(7, count, mixed=mixed)
    values = draw(8, points, kernel, 0.01)
    found = fit(points, values, kernel, prior=None)
    assert likelihood(points, values, found) >= likelihood(points, values, Hyperparameters(kernel, 0.01, 0.0))


@pytest.mark.parametrize("prior, mean", list(itertools.product(PRIORS, (None, 0.0))))
@pytest.mark.parametrize("count", [40, 200])
def test_no_small_change_of_the_fit_is_better(prior: Prior | None, mean: float | None, count: int) -> None:
    kernel, points = a_kernel(), some_points(9, count)
    values = draw(10, points, kernel, 0.02)
    found = fit(points, values, kernel, prior=prior, known=FixedHyperparameters(mean))
    shift, unit = standard(values, mean)
    objective = Task(
        points, (values - shift) / unit, Parameters.of(kernel, points.shape[1]), prior, mean, log_marginal_likelihood
    ).objective()
    logs = np.append(logarithms(found.kernel.scaled(unit**-2)), np.log(found.noise / unit**2))
    top = objective(logs)[0]
    for step in 0.05 * np.vstack((np.eye(len(logs)), -np.eye(len(logs)))):
        assert objective(logs + step)[0] <= top + 10.0 * FINE


@pytest.mark.parametrize("count", [20, 150])
@pytest.mark.parametrize("prior", PRIORS)
def test_a_fit_is_a_function_of_the_data_to_the_last_bit(count: int, prior: Prior | None) -> None:
    kernel, points = a_kernel(mixed=True), some_points(11, count, mixed=True)
    values = draw(12, points, kernel, 0.01)
    once = fit(points, values, kernel, prior=prior)
    other = replace(kernel, variance=9.0, lengthscales=(5.0, 0.1), contrasts=(3.0,))
    assert fit(points.copy(), values.copy(), other, prior=prior) == once


@pytest.mark.parametrize("factor, shift", [(1e-12, 0.0), (1e12, 3e12), (-3.0, 50.0)])
@pytest.mark.parametrize("prior", PRIORS)
def test_rescaling_and_shifting_the_values_rescales_and_shifts_the_fit(
    factor: float, shift: float, prior: Prior | None
) -> None:
    kernel, points = a_kernel(), some_points(13, 90)
    values = draw(14, points, kernel, 0.01)
    plain = fit(points, values, kernel, prior=prior)
    moved = fit(points, factor * values + shift, kernel, prior=prior)
    assert_allclose(logarithms(moved.kernel.scaled(factor**-2)), logarithms(plain.kernel), atol=PLACE_TOLERANCE)
    assert_allclose(np.log(moved.noise / factor**2), np.log(plain.noise), atol=PLACE_TOLERANCE)
    assert_allclose((moved.mean - shift) / factor, plain.mean, atol=PLACE_TOLERANCE)


@pytest.mark.parametrize("prior", PRIORS)
def test_a_known_mean_and_a_known_noise_are_kept(prior: Prior | None) -> None:
    kernel, points = a_kernel(), some_points(15, 60)
    values = draw(16, points, kernel, 0.01, mean=5.0)
    found = fit(points, values, kernel, prior=prior, known=FixedHyperparameters(4.0, 0.3))
    assert (found.mean, found.noise) == (4.0, 0.3)
    free = fit(points, values, kernel, prior=prior, known=FixedHyperparameters(4.0))
    assert likelihood(points, values, free) > likelihood(points, values, found)


@pytest.mark.parametrize("noise", [0.0, 1e-14])
def test_a_noise_known_to_be_nothing_is_kept_and_does_no_harm(noise: float) -> None:
    points = some_points(17, 60)
    found = fit(
        points, np.sin(3.0 * points).sum(axis=1), a_kernel("se"), prior=Prior(), known=FixedHyperparameters(noise=noise)
    )
    assert found.noise == noise
    assert np.all(np.isfinite(logarithms(found.kernel)))


DEGENERATE = {
    "one value": (some_points(18, 1), np.array([3.0])),
    "one zero": (some_points(18, 1), np.array([0.0])),
    "two values": (some_points(18, 2), np.array([3.0, 3.1])),
    "constant": (some_points(19, 20), np.full(20, 0.1)),
    "all zero": (some_points(19, 20), np.zeros(20)),
    "nearly constant": (some_points(19, 20), 1.0 + 1e-15 * np.arange(20)),
    "tiny": (some_points(20, 20), 1e-12 * np.arange(20.0)),
    "huge": (some_points(20, 20), 1e12 * np.arange(20.0)),
    "duplicates": (np.repeat(some_points(21, 1), 15, axis=0), np.arange(15.0)),
    "equal duplicates": (np.repeat(some_points(22, 5), 4, axis=0), np.repeat(np.arange(5.0), 4)),
    "one outlier": (some_points(23, 20), np.append(np.zeros(19), 1e6)),
    "a line": (np.linspace(0.0, 1.0, 60)[:, None] * np.ones(3), np.linspace(0.0, 1.0, 60)),
}


@every_pair(case=DEGENERATE, name=FORMS, prior=PRIORS)
def test_degenerate_answers_are_fitted_soundly(case: str, name: str, prior: Prior | None) -> None:
    points, values = DEGENERATE[case]
    for place, kernel in enumerate(
        (a_kernel(name), SimpleKernel(FORMS[name], 1.0, (1.0,)), a_kernel(name, mixed=True))
    ):
        # So that any two of kernel, prior and mean meet.
        mean = None if (place % 2 == 0) == (prior is None) else 0.0
        assert_sound(fit(points, values, kernel, prior=prior, known=FixedHyperparameters(mean)))


@pytest.mark.parametrize("lengthscales", [(), (1.0,)])
def test_categorical_columns_alone_are_fitted(lengthscales: tuple[float, ...]) -> None:
    points = (np.floor(3.0 * some_points(24, 40)) + 0.5) / 3.0
    template = SimpleKernel(FORMS["matern52"], 1.0, lengthscales, (1.0,) * 3, (True,) * 3)
    values = points[:, 0] + 0.01 * points[:, 1]
    found = fit(points, values, template, prior=Prior())
    assert_sound(found)
    assert simple(found.kernel).contrasts[0] > simple(found.kernel).contrasts[2]


def test_no_answers_are_refused() -> None:
    with pytest.raises(NoAnswerError, match=r"^fit\(values=\[\]\)"):
        fit(np.empty((0, 3)), np.empty(0), a_kernel(), prior=None)


def test_past_the_largest_fit_an_even_subset_stands_for_all() -> None:
    rows = spaced(10 * LARGEST_FIT, LARGEST_FIT)
    assert len(set(rows.tolist())) == LARGEST_FIT
    assert (rows[0], rows[-1]) == (0, 10 * LARGEST_FIT - 1)
    assert_array_equal(spaced(7, LARGEST_FIT), np.arange(7))
    assert_array_equal(spaced(1, 5), [0])


@pytest.mark.parametrize("n", [1, LOWEST_RUNG, LOWEST_RUNG + 1, 200, LARGEST_FIT])
def test_rungs_climb_from_few_rows_to_all(n: int) -> None:
    sizes = rungs(n)
    assert sizes[-1] == n
    assert sizes == sorted(set(sizes))
    assert sizes[0] <= LOWEST_RUNG


def test_noise_is_never_fitted_below_its_bound() -> None:
    points = some_points(25, 50)
    values = points.sum(axis=1)
    found = fit(points, values, a_kernel("linear"), prior=None)
    assert found.noise >= (1.0 - 1e-9) * NOISE.bounds[0] * standard(values, None)[1] ** 2


def test_a_stronger_prior_pulls_harder() -> None:
    kernel, points = a_kernel(), some_points(26, 30)
    values = draw(27, points, kernel, 0.01)
    strong = Prior(lengthscale=LogNormal(np.log(0.01), 1e-3))
    found = fit(points, values, kernel, prior=strong)
    assert_allclose(simple(found.kernel).lengthscales, np.full(3, 0.01 * 3.0**0.5), rtol=0.05)


@pytest.mark.parametrize("seed", [3, 17, 91])
def test_a_climb_finds_the_top_of_a_hill_in_a_box_and_reaches_its_faces(seed: int) -> None:
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((5, 5))
    hessian = root @ root.T + 0.1 * np.eye(5)
    centre = rng.uniform(-2.0, 2.0, 5)

    def hill(place: Array) -> tuple[float, Array]:
        offset = place - centre
        return float(-0.5 * offset @ hessian @ offset), -hessian @ offset

    low, high = np.full(5, -1.0), np.full(5, 1.0)
    free = climb(hill, np.zeros(5), np.full(5, -5.0), np.full(5, 5.0), tolerance=1e-12)
    assert_allclose(free.place, centre, atol=1e-4)
    boxed = climb(hill, np.zeros(5), low, high, tolerance=1e-12)
    gradient = hill(boxed.place)[1]
    assert np.all((boxed.place >= low) & (boxed.place <= high))
    inside = (boxed.place > low) & (boxed.place < high)
    assert_allclose(gradient[inside], 0.0, atol=1e-4)
    assert np.all(gradient[boxed.place == low] <= 0.0)
    assert np.all(gradient[boxed.place == high] >= 0.0)


def test_a_signal_that_few_rows_do_not_show_is_found_with_more() -> None:
    # Of 45 columns each explains a little; on the lowest rung of the ladder this sample is as good as noise.
    rng = np.random.default_rng(3)
    points = rng.random((600, 45))
    values = (points - 0.5) @ (0.25 * rng.standard_normal(45)) + rng.standard_normal(600)
    found = fit(points, values, SimpleKernel(FORMS["linear"], 1.0, (1.0,)), prior=None)
    assert found.noise == pytest.approx(1.0, abs=0.15)
    assert found.kernel.variance / simple(found.kernel).lengthscales[0] ** 2 == pytest.approx(0.25**2, rel=0.5)
