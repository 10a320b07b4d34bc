"""Sums, products and kernels of some columns: each against the formula of its parts, slopes against differences."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from belated.beliefs import GaussianProcess, Kernel, Memory, Prior, Setting, SimpleKernel, fit
from belated.beliefs.fitting.fit import Task
from belated.beliefs.fitting.hyperlaws import Intervals
from belated.beliefs.fitting.likelihood import log_marginal_likelihood
from belated.beliefs.fitting.parameters import Parameters
from belated.beliefs.fitting.posterior import hyperparameter_draws
from belated.beliefs.kernels.composed import ColumnsKernel, ProductKernel, SumKernel
from belated.beliefs.kernels.forms import FORMS
from belated.space import Array
from tests.pairs import first
from tests.reference import kernels as reference
from tests.tolerance import ROUNDING, SLOPE_TOLERANCE, SOLVE_TOLERANCE, STANDARD_ERRORS, STEP
from tests.unit.beliefs.kernels.vectors import (
    COLUMNS,
    LEVELS,
    MASK,
    in_order,
    logarithms,
    names,
    numeric,
    some_points,
    with_logarithms,
)

SE = SimpleKernel(FORMS["se"], 1.7, (0.4, 0.9), (0.6,), MASK)
ROUGH = ColumnsKernel((2,), SimpleKernel(FORMS["matern32"], 0.8, (0.3,)))
PLANE = ColumnsKernel((0, 2), SimpleKernel(FORMS["linear"], 1.0, (0.7,)))
SPREAD = ColumnsKernel(
    (1, 2), SimpleKernel(FORMS["rq"].with_values({"alpha": 0.6}), 1.3, (0.5,), (0.9,), (True, False))
)
KERNELS: dict[str, Kernel] = {
    "columns": SPREAD,
    "sum": SumKernel((SE, ROUGH)),
    "product": ProductKernel((SE, PLANE)),
    "three": ProductKernel((SE, PLANE, SimpleKernel(FORMS["matern52"], 1.0, (0.8,), (1.1,), MASK))),
    "sum of products": SumKernel((ProductKernel((ROUGH, PLANE)), SPREAD, SE)),
    "product of sums": ProductKernel((SumKernel((SE, ROUGH)), SumKernel((PLANE, SPREAD)))),
}
every_kernel = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)


def plain(kernel: Kernel, first: Array, second: Array) -> Array:
    """The formula, read off the parts."""
    match kernel:
        case SumKernel(parts):
            return np.asarray(np.sum([plain(part, first, second) for part in parts], axis=0))
        case ProductKernel(parts):
            return np.asarray(np.prod([plain(part, first, second) for part in parts], axis=0))
        case ColumnsKernel(columns, part):
            return plain(part, first[:, columns], second[:, columns])
    assert isinstance(kernel, SimpleKernel)
    mask = kernel.categorical or (False,) * first.shape[1]
    own = {each.name: each.value for each in kernel.form.hyperparameters()}
    return reference.gram(
        kernel.form.name, kernel.variance, kernel.lengthscales, kernel.contrasts, mask, first, second, **own
    )


@every_kernel
def test_a_gram_matrix_is_made_of_those_of_the_parts(kernel: Kernel) -> None:
    first, second = some_points(1, 9), some_points(2, 7)
    assert_allclose(kernel.gram(first, second), plain(kernel, first, second), rtol=1e-10)
    assert_allclose(kernel.gram(first, first), plain(kernel, first, first), rtol=1e-10)
    assert_allclose(kernel.diagonal(first), np.diag(plain(kernel, first, first)), rtol=1e-10)
    assert_allclose(kernel.crossing(first, second).gram, plain(kernel, first, second), rtol=1e-10)
    assert_allclose(np.triu(kernel.tangent(first).gram), np.triu(plain(kernel, first, first)), rtol=1e-10)
    middle = np.full((1, COLUMNS), 0.5)
    assert_allclose(kernel.variance, kernel.diagonal(middle)[0])
    assert_allclose(kernel.scaled(3.0).gram(first, second), 3.0 * kernel.gram(first, second))


def test_a_kernel_is_stationary_where_all_its_parts_are() -> None:
    assert {name for name, kernel in KERNELS.items() if kernel.stationary} == {"columns", "sum"}


@every_kernel
def test_slopes_in_the_points_are_those_of_differences(kernel: Kernel) -> None:
    first, second = some_points(3, 8), some_points(4, 5)
    weights = np.random.default_rng(5).standard_normal((8, 5))
    expected, diagonal = np.zeros(second.shape), np.zeros(second.shape)
    for column in numeric():
        step = STEP * np.eye(COLUMNS)[column]
        change = kernel.gram(first, second + step) - kernel.gram(first, second - step)
        expected[:, column] = np.sum(weights * change, axis=0) / (2.0 * STEP)
        diagonal[:, column] = (kernel.diagonal(second + step) - kernel.diagonal(second - step)) / (2.0 * STEP)
    assert_allclose(kernel.crossing(first, second).slopes(weights), expected, atol=SLOPE_TOLERANCE)
    assert_allclose(kernel.diagonal_slopes(second), diagonal, atol=SLOPE_TOLERANCE)


@every_kernel
@pytest.mark.parametrize("count", [7, 230])
def test_slopes_in_the_hyperparameters_are_those_of_differences(kernel: Kernel, count: int) -> None:
    points, logs = some_points(6, count), logarithms(kernel)
    weights = np.random.default_rng(7).standard_normal((count, count)) / count
    weights += weights.T
    steps = STEP * np.eye(len(logs))
    grams = [[with_logarithms(kernel, logs + sign * step).gram(points, points) for step in steps] for sign in (1, -1)]
    expected = [np.sum(weights * (up - down)) / (2.0 * STEP) for up, down in zip(*grams, strict=True)]
    found = kernel.tangent(points).log_slopes(weights)
    assert set(found) == set(names(kernel))
    assert_allclose(in_order(kernel, found), expected, atol=SLOPE_TOLERANCE)


@every_kernel
def test_gram_matrices_of_many_hyperparameters_at_once_are_those_of_one_at_a_time(kernel: Kernel) -> None:
    points, logs = some_points(8, 9), logarithms(kernel)
    rows = logs + 0.5 * np.random.default_rng(9).standard_normal((4, len(logs)))
    found = kernel.grams(points).at(dict(zip(names(kernel), rows.T, strict=True)))
    expected = [with_logarithms(kernel, row).gram(points, points) for row in rows]
    assert_allclose(found, expected, rtol=1e-10)


def test_names_tell_parts_apart_and_a_product_has_one_variance() -> None:
    assert names(KERNELS["sum"]) == [
        *("1.variance", "1.lengthscale.0", "1.lengthscale.1", "1.contrast.0"),
        *("2.variance", "2.lengthscale"),
    ]
    assert names(KERNELS["product"]) == [
        *("1.variance", "1.lengthscale.0", "1.lengthscale.1", "1.contrast.0", "2.lengthscale"),
    ]
    assert names(SPREAD) == ["variance", "lengthscale", "contrast.0", "alpha"]
    changed = KERNELS["sum"].with_values({"2.variance": 9.0})
    assert {each.name: each.value for each in changed.hyperparameters(COLUMNS)}["2.variance"] == 9.0
    assert changed == SumKernel((SE, ROUGH.with_values({"variance": 9.0})))
    assert hash(changed) == hash(SumKernel((SE, ROUGH.with_values({"variance": 9.0}))))


@pytest.mark.parametrize("count", first(1, 1_500, 6_000))
@every_kernel
def test_waves_have_the_covariance_of_the_kernel(kernel: Kernel, count: int) -> None:
    points = some_points(10, 5)
    rng = np.random.default_rng(11)
    drawn = np.array(
        [sum(each.values(points) for each in kernel.waves(LEVELS, COLUMNS, 16, rng)) for _ in range(count)]
    )
    products = drawn[:, :, None] * drawn[:, None, :]
    errors = products.std(axis=0) / np.sqrt(len(drawn))
    assert np.all(np.abs(products.mean(axis=0) - kernel.gram(points, points)) <= STANDARD_ERRORS * errors)


@every_kernel
def test_slopes_of_waves_are_those_of_differences(kernel: Kernel) -> None:
    points = some_points(12, 6)
    waves = kernel.waves(LEVELS, COLUMNS, 64, np.random.default_rng(13))
    for each in waves:
        values, slopes = each.slopes(points)
        assert_allclose(values, each.values(points), rtol=ROUNDING, atol=ROUNDING)
        # A rough form has frequencies of every size, and a difference must be short beside the shortest wave.
        short = STEP / max(1.0, *(np.abs(factor.frequencies).max() for factor in each.factors))
        for column in numeric():
            step = short * np.eye(COLUMNS)[column]
            expected = (each.values(points + step) - each.values(points - step)) / (2.0 * short)
            assert_allclose(slopes[:, column], expected, atol=SLOPE_TOLERANCE * (1.0 + np.abs(expected).max()))


@every_kernel
def test_conditioning_is_that_of_the_formula(kernel: Kernel) -> None:
    points, probes = some_points(14, 20), some_points(15, 6)
    values = np.sin(5.0 * points[:, 0])
    prior = GaussianProcess(kernel, 0.05, 0.2, Setting(COLUMNS, LEVELS, memory=Memory()))
    moments = prior.condition(points, values).moments(probes)
    inverse = np.linalg.inv(plain(kernel, points, points) + 0.05 * np.eye(20))
    across = plain(kernel, points, probes)
    assert_allclose(moments.mean, 0.2 + across.T @ inverse @ (values - 0.2), atol=SOLVE_TOLERANCE)
    variance = np.diag(plain(kernel, probes, probes) - across.T @ inverse @ across)
    assert_allclose(moments.deviation, np.sqrt(variance), atol=SOLVE_TOLERANCE)


@every_kernel
@pytest.mark.parametrize("prior", [None, Prior()])
def test_the_gradient_of_a_fit_is_that_of_differences(kernel: Kernel, prior: Prior | None) -> None:
    points = some_points(16, 30)
    objective = Task(
        points, np.sin(5.0 * points[:, 0]), Parameters.of(kernel, points.shape[1]), prior, None, log_marginal_likelihood
    ).objective()
    logs = np.append(logarithms(kernel), np.log(0.2))
    steps = STEP * np.eye(len(logs))
    differences = [(objective(logs + step)[0] - objective(logs - step)[0]) / (2.0 * STEP) for step in steps]
    assert_allclose(objective(logs)[1], differences, rtol=SLOPE_TOLERANCE, atol=SLOPE_TOLERANCE)


def test_a_sum_explains_a_trend_and_a_wiggle_better_than_either_part() -> None:
    points = some_points(17, 60)
    values = 4.0 * points[:, 2] + 0.5 * np.sin(20.0 * points[:, 0]) + 0.01 * np.cos(99.0 * points[:, 2])
    wiggle, trend = (
        ColumnsKernel((column,), SimpleKernel(FORMS[form], 1.0, (1.0,))) for column, form in ((0, "se"), (2, "linear"))
    )
    evidences = []
    for template in (SumKernel((wiggle, trend)), wiggle, trend):
        found = fit(points, values, template, prior=Prior())
        evidences.append(log_marginal_likelihood(points, values, found.kernel, found.noise, found.mean).value)
    assert evidences[0] > max(evidences[1:]) + 20.0


def test_alpha_is_learned_where_there_are_many_lengthscales() -> None:
    points = np.sort(np.random.default_rng(18).random((150, 1)), axis=0)
    truth = SimpleKernel(FORMS["rq"].with_values({"alpha": 0.3}), 1.0, (0.05,))
    root = np.linalg.cholesky(truth.gram(points, points) + 1e-6 * np.eye(150))
    values = root @ np.random.default_rng(19).standard_normal(150)
    found = fit(points, values, SimpleKernel(FORMS["rq"], 1.0, (1.0,)), prior=Prior())
    (alpha,) = (each.value for each in found.kernel.hyperparameters(1) if each.name == "alpha")
    assert 0.1 <= alpha < 1.5


def test_hyperparameters_of_a_composed_kernel_are_drawn_within_their_bounds() -> None:
    points = some_points(20, 12)
    values = np.sin(5.0 * points[:, 0])
    law = Intervals(variance=(0.5, 2.0), lengthscale=(0.1, 1.0), noise=(1e-3, 1e-1))
    draws = hyperparameter_draws(points, values, SumKernel((SPREAD, ROUGH)), law=law, mean=0.0, count=4, seed=21)
    for draw in draws:
        found = {each.name: each.value for each in draw.kernel.hyperparameters(COLUMNS)}
        assert all(0.5 <= value <= 2.0 for name, value in found.items() if "variance" in name)
        assert all(0.1 <= value <= 1.0 for name, value in found.items() if "lengthscale" in name)
        assert 0.1 <= found["1.alpha"] <= 100.0
        assert 1e-3 <= draw.noise <= 1e-1
