"""Random features of sums and products: covariances on average, the variance exactly, slopes against differences."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import belated as bl
from belated.beliefs import GP, Features, Kernel, Memory, SimpleKernel
from belated.beliefs.features.likelihood import FeatureLikelihood
from belated.beliefs.features.maps import feature_maps
from belated.beliefs.features.spectrum import drawn_spectrum, terms_of
from belated.beliefs.kernels.composed import ColumnsKernel, ProductKernel, SumKernel
from belated.beliefs.kernels.forms import FORMS
from belated.errors import ParameterError
from tests.tolerance import ROUNDING, SLOPE_TOLERANCE, STANDARD_ERRORS, STEP
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
ROUGH = ColumnsKernel((2,), SimpleKernel(FORMS["matern32"], 0.8, (0.6,)))
LABELS = ColumnsKernel((1,), SimpleKernel(FORMS["se"], 1.3, (1.0,), (0.9,), (True,)))
KERNELS: dict[str, Kernel] = {
    "columns": ROUGH,
    "sum": SumKernel((SE, ROUGH)),
    "product": ProductKernel((SE, ROUGH, LABELS)),
    "sum of products": SumKernel((ProductKernel((ROUGH, LABELS)), SE, ROUGH)),
    "product of sums": ProductKernel((SumKernel((SE, ROUGH)), SumKernel((LABELS, ROUGH)))),
}
SPECTRAL = 40_000
every_kernel = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)


@every_kernel
def test_inner_products_are_the_covariances_on_average(kernel: Kernel) -> None:
    points = some_points(1, 5)
    spectrum = drawn_spectrum(kernel, LEVELS, SPECTRAL, np.random.default_rng(2))
    features = feature_maps([kernel], [spectrum], COLUMNS)(points)[0]
    n_terms = len(terms_of(kernel, COLUMNS))
    for i, j in np.ndindex(5, 5):
        products = features[i] * features[j]
        each = SPECTRAL * (products[:SPECTRAL] + products[SPECTRAL:])
        # Every product of the sum has draws of its own.
        spread = np.sqrt(np.mean([part.var() for part in np.array_split(each, n_terms)]))
        expected = kernel.gram(points, points)[i, j]
        assert abs(each.mean() - expected) <= STANDARD_ERRORS * spread / np.sqrt(SPECTRAL) + ROUNDING


def test_without_labels_the_squares_add_up_to_the_variance() -> None:
    kernel = SumKernel((ROUGH, ProductKernel((ColumnsKernel((0,), SimpleKernel(FORMS["se"], 2.0, (0.3,))), ROUGH))))
    spectrum = drawn_spectrum(kernel, LEVELS, 7, np.random.default_rng(3))
    maps = feature_maps([kernel, kernel.scaled(2.0)], [spectrum] * 2, COLUMNS)
    squares = np.sum(maps(some_points(4, 6)) ** 2, axis=2)
    assert_allclose(squares, np.outer([kernel.variance, 2.0 * kernel.variance], np.ones(6)), rtol=ROUNDING)
    assert_allclose(maps.only(1)(some_points(4, 6))[0], maps(some_points(4, 6))[1], rtol=ROUNDING)


@every_kernel
def test_slopes_in_the_points_are_those_of_differences(kernel: Kernel) -> None:
    spectrum = drawn_spectrum(kernel, LEVELS, 9, np.random.default_rng(5))
    maps = feature_maps([kernel], [spectrum], COLUMNS)
    points = some_points(6, 4)
    weights = np.random.default_rng(7).standard_normal((1, 4, 18))
    slopes = maps.slopes(maps(points), weights)
    for column in numeric():
        step = STEP * np.eye(COLUMNS)[column]
        expected = np.einsum("mif,mif->i", weights, maps(points + step) - maps(points - step)) / (2.0 * STEP)
        assert_allclose(slopes[:, column], expected, atol=SLOPE_TOLERANCE * (1.0 + np.abs(expected).max()))


@every_kernel
@pytest.mark.parametrize("mean", [None, 0.3])
def test_slopes_of_the_likelihood_are_those_of_differences(kernel: Kernel, mean: float | None) -> None:
    points = some_points(8, 14)
    values = np.sin(5.0 * points[:, 0])
    likelihood = FeatureLikelihood("tested", drawn_spectrum(kernel, LEVELS, 9, np.random.default_rng(9)))
    logs = logarithms(kernel)
    found = likelihood(points, values, kernel, 0.07, mean).slopes
    expected = []
    for step in STEP * np.eye(len(logs)):
        up, down = (
            likelihood(points, values, with_logarithms(kernel, logs + sign * step), 0.07, mean) for sign in (1, -1)
        )
        expected.append((up.value - down.value) / (2.0 * STEP))
    assert_allclose(
        in_order(kernel, found)[: len(names(kernel))], expected, atol=SLOPE_TOLERANCE * (1.0 + np.abs(expected).max())
    )


def test_a_policy_may_believe_in_features_of_a_composed_kernel() -> None:
    space = bl.Space(x=bl.Float(0, 1), y=bl.Float(0, 1), solvent=bl.Choice("DMF", "water"))
    belief = Features(GP(kernel="se[x] * matern52[y, solvent] + matern32"), 20)
    study = bl.Study.in_memory(space, policy=bl.policies.gp_ts(belief=belief), seed=3)
    rng = np.random.default_rng(4)
    for point in space.sample(15, rng):
        study.add(space.decode(point), float(np.sin(5.0 * point[0]) + point[1]))
    assert study.ask()
    prior = belief.prior(study.evidence(), Memory())
    assert prior.moments(space.sample(3, rng)).deviation.shape == (3,)


def test_every_term_of_a_sum_needs_a_draw() -> None:
    with pytest.raises(ParameterError, match="count must be a whole number of at least 3"):
        Features(GP(kernel="se + matern12 + matern32"), 2)
