"""Kernels: every form against its formula, every slope against differences, every spectral law against its form."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from belated.beliefs.kernels.blocks import BLOCK
from belated.beliefs.kernels.form import Stationary
from belated.beliefs.kernels.forms import FORMS, form_named
from belated.beliefs.kernels.forms.linear import Linear
from belated.beliefs.kernels.forms.matern import Matern12, Matern52
from belated.beliefs.kernels.pairing import squared_distances
from belated.beliefs.kernels.simple import SimpleKernel
from belated.errors import ParameterError, UnknownNameError
from belated.space.arrays import Array
from tests.reference import kernels as reference
from tests.tolerance import ROUNDING, SLOPE_TOLERANCE, STANDARD_ERRORS, STEP
from tests.unit.beliefs.kernels.vectors import in_order, logarithms, names, simple, with_logarithms

# Squared distances by a product err by 1e-16 of the squared norms, and a Matérn 1/2 form by their root.
DISTANCE_ROUNDING = 1e-6

COLUMNS = 4
MASKS: dict[str, tuple[bool, ...] | None] = {
    "numeric": None,
    "mixed": (False, True, False, True),
    "categorical": (True,) * COLUMNS,
}
STATIONARY = [name for name in FORMS if name != "linear"]


def a_kernel(name: str, columns: str = "numeric", shared: bool = False) -> SimpleKernel:
    mask = MASKS[columns]
    nominal = sum(mask or ())
    numeric = COLUMNS - nominal
    lengthscales = (0.7,) if shared else (0.3, 0.9, 0.5, 1.4)[:numeric]
    return SimpleKernel(FORMS[name], 1.7, lengthscales, (0.4, 1.1, 0.2, 2.0)[:nominal], mask)


def some_points(seed: int, count: int, columns: str = "numeric") -> Array:
    points = np.random.default_rng(seed).random((count, COLUMNS))
    mask = np.array(MASKS[columns] or (False,) * COLUMNS)
    points[:, mask] = (np.floor(3.0 * points[:, mask]) + 0.5) / 3.0
    return points


def some_weights(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).standard_normal(shape)


every_kernel = pytest.mark.parametrize("name, columns, shared", list(itertools.product(FORMS, MASKS, (False, True))))


@every_kernel
@pytest.mark.parametrize("scale, shift", [(1.0, 0.0), (0.05, 0.9), (7.0, -3.0)])
def test_a_gram_matrix_is_what_the_formula_says_on_any_domain(
    name: str, columns: str, shared: bool, scale: float, shift: float
) -> None:
    kernel = a_kernel(name, columns, shared)
    first, second = (scale * some_points(seed, count, columns) + shift for seed, count in ((1, 9), (2, 6)))
    mask = kernel.categorical or (False,) * COLUMNS
    expected = reference.gram(name, kernel.variance, kernel.lengthscales, kernel.contrasts, mask, first, second)
    assert_allclose(kernel.gram(first, second), expected, rtol=1e-10, atol=ROUNDING)
    itself = reference.gram(name, kernel.variance, kernel.lengthscales, kernel.contrasts, mask, first, first)
    assert_allclose(kernel.gram(first, first), itself, rtol=1e-10, atol=ROUNDING)
    assert_allclose(kernel.diagonal(first), np.diag(itself), rtol=ROUNDING)


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("shape", [(1, 3 * BLOCK), (300, 250), (2, BLOCK // 2 + 1), (0, 5), (5, 0)])
def test_cutting_a_gram_matrix_into_blocks_changes_nothing(name: str, shape: tuple[int, int]) -> None:
    kernel = a_kernel(name, "mixed")
    first, second = (some_points(seed, count, "mixed") for seed, count in zip((3, 4), shape, strict=True))
    found = kernel.gram(first, second)
    assert found.shape == shape
    for row, column in np.random.default_rng(5).integers(0, max(1, min(shape)), (20, 2)) if found.size else ():
        single = kernel.gram(first[[row]], second[[-1 - column]])[0, 0]
        assert_allclose(found[row, -1 - column], single, rtol=1e-10)


@every_kernel
def test_slopes_in_the_points_are_those_of_differences(name: str, columns: str, shared: bool) -> None:
    kernel = a_kernel(name, columns, shared)
    first, second = some_points(6, 8, columns), some_points(7, 5, columns)
    weights = some_weights(8, 8, 5)
    mask = kernel.categorical or (False,) * COLUMNS
    expected = np.zeros(second.shape)
    for column in np.flatnonzero(~np.array(mask)):
        step = np.zeros(COLUMNS)
        step[column] = STEP
        change = kernel.gram(first, second + step) - kernel.gram(first, second - step)
        expected[:, column] = np.sum(weights * change, axis=0) / (2.0 * STEP)
    assert_allclose(kernel.crossing(first, second).slopes(weights), expected, atol=SLOPE_TOLERANCE)


@pytest.mark.parametrize("name", STATIONARY)
def test_a_stationary_form_is_level_where_two_points_meet(name: str) -> None:
    kernel, points = a_kernel(name), some_points(9, 6)
    assert_array_equal(kernel.crossing(points, points).slopes(np.eye(6)), np.zeros((6, COLUMNS)))
    copied = kernel.crossing(points, points.copy()).slopes(np.eye(6))
    assert_allclose(copied, np.zeros((6, COLUMNS)), atol=DISTANCE_ROUNDING)


@every_kernel
@pytest.mark.parametrize("count", [7, 230])  # within one strip of the triangle, and over several
def test_slopes_in_the_logarithms_are_those_of_differences(name: str, columns: str, shared: bool, count: int) -> None:
    kernel, points = a_kernel(name, columns, shared), some_points(10, count, columns)
    weights = some_weights(11, count, count) / count
    weights += weights.T
    logs = logarithms(kernel)
    expected = [
        np.sum(
            weights
            * (
                with_logarithms(kernel, logs + step).gram(points, points)
                - with_logarithms(kernel, logs - step).gram(points, points)
            )
        )
        / (2.0 * STEP)
        for step in STEP * np.eye(len(logs))
    ]
    found = in_order(kernel, kernel.tangent(points).log_slopes(weights))
    assert_allclose(found, expected, atol=SLOPE_TOLERANCE)


@every_kernel
def test_gram_matrices_of_many_parameters_at_once_are_what_the_formula_says(
    name: str, columns: str, shared: bool
) -> None:
    kernel, points = a_kernel(name, columns, shared), some_points(16, 9, columns)
    mask = kernel.categorical or (False,) * COLUMNS
    factors = np.exp(0.5 * some_weights(17, 5, len(logarithms(kernel))))
    logs = (logarithms(kernel) + np.log(factors)).T
    found = kernel.grams(points).at(dict(zip(names(kernel), logs, strict=True)))
    for gram, row in zip(found, factors * np.exp(logarithms(kernel)), strict=True):
        values = dict(zip(names(kernel), row.tolist(), strict=True))
        scales, contrasts = ([values[each] for each in own] for own in kernel.names)
        own = {each.name: values[each.name] for each in kernel.form.hyperparameters()}
        expected = reference.gram(name, values["variance"], scales, contrasts, mask, points, points, **own)
        assert_allclose(gram, expected, rtol=1e-10, atol=ROUNDING)


@every_kernel
def test_a_tangent_holds_the_gram_matrix_above_its_diagonal(name: str, columns: str, shared: bool) -> None:
    kernel, points = a_kernel(name, columns, shared), some_points(12, 230, columns)
    gram = kernel.gram(points, points)
    assert_allclose(np.triu(kernel.tangent(points).gram), np.triu(gram), rtol=1e-10, atol=ROUNDING)


@every_kernel
def test_a_gram_matrix_is_symmetric_and_positive_semidefinite(name: str, columns: str, shared: bool) -> None:
    kernel = a_kernel(name, columns, shared)
    points = some_points(13, 60, columns)
    points[30:40] = points[:10]
    gram = kernel.gram(points, points)
    assert_allclose(gram, gram.T, rtol=ROUNDING)
    smallest = float(np.linalg.eigvalsh(gram)[0])
    assert smallest > -DISTANCE_ROUNDING * kernel.variance * len(points)


@pytest.mark.parametrize("name", STATIONARY)
def test_a_point_has_the_whole_variance_with_itself_and_with_its_double(name: str) -> None:
    kernel = SimpleKernel(FORMS[name], 2.5, (0.005,))
    points = np.repeat(some_points(14, 5), 2, axis=0)
    gram = kernel.gram(points, points)
    assert_array_equal(np.diag(gram), np.full(10, 2.5))
    assert_allclose(gram[::2, 1::2].diagonal(), np.full(5, 2.5), rtol=1e-4)


def test_squared_distances_are_never_negative_and_zero_to_oneself() -> None:
    points = 1e3 + some_points(15, 50)
    squares = squared_distances(points, points)
    assert np.all(squares >= 0.0)
    assert_array_equal(np.diag(squares), np.zeros(50))


@pytest.mark.parametrize("name", STATIONARY)
@pytest.mark.parametrize("dimension", [1, 3])
def test_the_spectral_law_has_the_form_for_its_characteristic_function(name: str, dimension: int) -> None:
    rng = np.random.default_rng(16)
    form = FORMS[name]
    assert isinstance(form, Stationary)
    draws = form.frequencies(40_000, dimension, rng)
    assert draws.shape == (40_000, dimension)
    steps = rng.uniform(-1.5, 1.5, (8, dimension))
    waves = np.cos(draws @ steps.T)
    errors = waves.std(axis=0) / np.sqrt(len(waves))
    expected = form.at(form.pairing.numbers(np.zeros((1, dimension)), steps))[0]
    assert np.all(np.abs(waves.mean(axis=0) - expected) <= STANDARD_ERRORS * errors)


def test_the_linear_kernel_is_least_uncertain_in_the_middle_of_the_cube_and_alike_in_its_corners() -> None:
    kernel = SimpleKernel(Linear(), 1.5, (0.8,))
    corners = np.array(list(itertools.product((0.0, 1.0), repeat=3)))
    assert kernel.diagonal(np.full((1, 3), 0.5))[0] == 1.5
    assert_allclose(kernel.diagonal(corners), np.full(8, 1.5 * (1.0 + 0.75 / 0.64)))


def test_a_kernel_is_a_value() -> None:
    assert a_kernel("se", "mixed") == a_kernel("se", "mixed")
    assert hash(a_kernel("se", "mixed")) == hash(a_kernel("se", "mixed"))
    assert a_kernel("matern12") != a_kernel("matern32")
    assert a_kernel("se").scaled(2.0).variance == 3.4
    assert len({a_kernel(name, "mixed") for name in FORMS}) == len(FORMS)


@every_kernel
def test_logarithms_there_and_back_are_the_same_kernel(name: str, columns: str, shared: bool) -> None:
    kernel = a_kernel(name, columns, shared)
    again = simple(with_logarithms(kernel, logarithms(kernel)))
    assert_allclose(logarithms(again), logarithms(kernel), rtol=ROUNDING)
    assert (again.form, again.categorical) == (kernel.form, kernel.categorical)
    assert (len(again.lengthscales), len(again.contrasts)) == (len(kernel.lengthscales), len(kernel.contrasts))


@pytest.mark.parametrize(
    "variance, lengthscales, contrasts, categorical",
    [
        (0.0, (1.0,), (), None),
        (1.0, (-1.0,), (), None),
        (1.0, (np.nan,), (), None),
        (np.inf, (1.0,), (), None),
        (1.0, (1.0,), (0.0,), (False, True)),
        (1.0, (1.0,), (1.0,), None),
        (1.0, (1.0,), (), (False, True)),
        (1.0, (1.0, 2.0), (1.0,), (False, True)),
    ],
)
def test_a_kernel_refuses_parameters_that_make_none(
    variance: float,
    lengthscales: tuple[float, ...],
    contrasts: tuple[float, ...],
    categorical: tuple[bool, ...] | None,
) -> None:
    with pytest.raises(ParameterError, match=r"^SimpleKernel\('matern52'\): got"):
        SimpleKernel(Matern52(), variance, lengthscales, contrasts, categorical)


def test_forms_are_found_by_name_and_a_slip_is_answered_with_the_nearest() -> None:
    assert form_named("matern12", "GP()") == Matern12()
    with pytest.raises(UnknownNameError, match=r"GP\(\): no kernel form is named 'matern53'; did you mean"):
        form_named("matern53", "GP()")
