"""Random features: on average their inner products are the kernel's covariances, and their slopes are their slopes."""

from __future__ import annotations

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from belated.beliefs import GP, Features
from belated.beliefs.features.maps import FeatureKernel, feature_maps
from belated.beliefs.features.spectrum import drawn_spectrum
from belated.errors import UnsupportedError
from belated.space import Array, Choice, Space
from tests.builders import DOMAINS, kernels_of, probes_of
from tests.reference.features import plain_features
from tests.reference.gp import PlainKernel
from tests.tolerance import ROUNDING, SLOPE_TOLERANCE, STANDARD_ERRORS, STEP
from tests.unit.beliefs.features.regressed import FORMS, kernels_in, maps_of

# Enough for a standard error of less than a hundredth of the variance; ten pairs in each of 16 cases at five standard
# errors are off once in ten thousand.
SPECTRAL = 20_000

every_form = pytest.mark.parametrize("form", FORMS)
each_domain = pytest.mark.parametrize("domain", ["box", "mixed"])
each_ard = pytest.mark.parametrize("ard", [True, False], ids=["ard", "shared"])


@each_ard
@each_domain
@every_form
def test_inner_products_are_the_covariances_on_average(form: str, domain: str, ard: bool) -> None:
    space = DOMAINS[domain]()
    kernel, plain = kernels_of(space, form, ard)
    spectrum = drawn_spectrum(kernel, space.levels, SPECTRAL, np.random.default_rng(4))
    points = probes_of(space, 4)
    check_covariances(feature_maps([kernel], [spectrum], space.dimension)(points)[0], plain, points)


def check_covariances(features: Array, plain: PlainKernel, points: Array) -> None:
    """Every inner product is the mean of as many terms as spectral draws, and within its standard error."""
    for i in range(len(points)):
        for j in range(i + 1):
            products = features[i] * features[j]
            terms = SPECTRAL * (products[:SPECTRAL] + products[SPECTRAL:])
            error = terms.std() / np.sqrt(SPECTRAL)
            covariance = plain(points[i].tolist(), points[j].tolist())
            assert abs(terms.mean() - covariance) <= STANDARD_ERRORS * error + ROUNDING


@each_ard
@each_domain
def test_the_features_of_several_kernels_are_those_written_out(domain: str, ard: bool) -> None:
    space = DOMAINS[domain]()
    maps = maps_of(space, 9, ard=ard)
    points = probes_of(space)
    features = maps(points)
    assert (maps.count, maps.width, features.shape) == (4, 18, (4, 7, 18))
    for place, kernel in enumerate(kernels_in(space, ard=ard)):
        signs = {column: table[place] for column, table in maps.signs}
        for row, point in enumerate(points.tolist()):
            expected = plain_features(point, maps.frequencies[place], np.sqrt(kernel.variance / 9), signs)
            assert_allclose(features[place, row], expected, atol=1e-9)


def test_the_squares_of_the_features_add_up_to_the_variance() -> None:
    space = DOMAINS["box"]()
    maps = maps_of(space, 50)
    points = probes_of(space, 30)
    variances = [kernel.variance for kernel in kernels_in(space)]
    squares = np.einsum("mif,mif->mi", maps(points), maps(points))
    assert_allclose(squares, np.repeat(np.array(variances)[:, None], 30, axis=1), rtol=ROUNDING)


@each_domain
def test_the_covariance_of_a_map_is_that_of_its_inner_products(domain: str) -> None:
    space = DOMAINS[domain]()
    maps = maps_of(space, 9)
    first, second = probes_of(space, 6), probes_of(space, 4, seed=1)
    for place in range(4):
        kernel = FeatureKernel(maps.only(place))
        products = [[sum(maps(a[None])[place, 0] * maps(b[None])[place, 0]) for b in second] for a in first]
        assert_allclose(kernel.gram(first, second), products, atol=1e-9)
        assert_allclose(kernel.diagonal(first), np.diagonal(kernel.gram(first, first)), rtol=ROUNDING)


@each_domain
def test_slopes_equal_central_differences(domain: str) -> None:
    space = DOMAINS[domain]()
    # Matérn 1/2 has frequencies of every size, for which no step is small.
    maps = maps_of(space, 11, ("se", "matern32", "matern52"))
    points = 0.05 + 0.9 * probes_of(space)
    points[:, list(space.categorical)] = probes_of(space)[:, list(space.categorical)]
    weights = np.random.default_rng(1).standard_normal((3, 7, 22))
    expected = np.zeros_like(points)
    for column in np.flatnonzero(~np.array(space.categorical)):
        step = np.zeros(space.dimension)
        step[column] = STEP
        rise = (maps(points + step) - maps(points - step)) / (2 * STEP)
        expected[:, column] = np.einsum("mif,mif->i", weights, rise)
    slopes = maps.slopes(maps(points), weights)
    assert_allclose(slopes, expected, atol=SLOPE_TOLERANCE * (1 + np.abs(expected).max()))
    assert np.all(slopes[:, list(space.categorical)] == 0.0)


@each_domain
def test_one_map_of_several_is_the_same_alone(domain: str) -> None:
    space = DOMAINS[domain]()
    maps, points = maps_of(space, 8), probes_of(space)
    for place in range(4):
        assert maps.only(place).count == 1
        assert_allclose(maps.only(place)(points)[0], maps(points)[place], atol=ROUNDING)


def test_a_kernel_draws_the_same_features_whatever_stands_beside_it() -> None:
    space = DOMAINS["mixed"]()
    kernels = kernels_in(space)
    together = maps_of(space, 8)
    for place, kernel in enumerate(kernels):
        spectrum = drawn_spectrum(kernel, space.levels, 8, np.random.default_rng([0, place]))
        alone = feature_maps([kernel], [spectrum], space.dimension)
        assert_array_equal(alone.frequencies[0], together.frequencies[place])
        for (_, own), (_, shared) in zip(alone.signs, together.signs, strict=True):
            assert_array_equal(own[0], shared[place])


def test_a_space_of_labels_alone_has_features_too() -> None:
    space = Space(solvent=Choice("DMF", "THF", "water"), fast=Choice(True, False))
    kernel, plain = kernels_of(space, "se", ard=False)
    spectrum = drawn_spectrum(kernel, space.levels, SPECTRAL, np.random.default_rng(2))
    points = probes_of(space, 6)
    check_covariances(feature_maps([kernel], [spectrum], 2)(points)[0], plain, points)


def test_no_points_have_no_features() -> None:
    maps = maps_of(DOMAINS["mixed"](), 8)
    none = np.empty((0, 4))
    assert maps(none).shape == (4, 0, 16)
    assert maps.slopes(maps(none), np.empty((4, 0, 16))).shape == (0, 4)


def test_a_linear_kernel_is_refused() -> None:
    said = (
        "Features(): got the kernel 'linear'; random features need a stationary one, whose frequencies are drawn; "
        "give 'se' or a Matérn kernel, or use bl.GP itself."
    )
    with pytest.raises(UnsupportedError, match="^" + re.escape(said) + "$"):
        Features(GP(kernel="linear"))
