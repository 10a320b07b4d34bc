"""The kernel density of contexts against plain loops and dense quadrature."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from belated.contexts import KernelDensity, Sample, bandwidths, density
from belated.errors import ContextError, ParameterError
from belated.policies import sbo_kde
from belated.space import Array, Choice, Context, Float, Int, Space
from belated.study import Study
from tests.tolerance import ROUNDING
from tests.unit.contexts.blurred import plain_bandwidths, plain_density, plain_expectation

LINE = Space(c=Float(-3, 11))
SQUARE = Space(c=Float(-3, 11), d=Float(0.1, 10, log=True))

# The root mean squared error of a mean over k contexts, in units of that of independent draws, σ/√k. Over 400 samples
# it was 0.23, 0.08 and 0.05 in one column, 0.46, 0.23 and 0.14 in two; 40 samples were at most 1.2 times as far off.
SHARE_OF_CHANCE = {(1, 32): 0.35, (1, 256): 0.12, (1, 1024): 0.07, (2, 32): 0.68, (2, 256): 0.34, (2, 1024): 0.21}
# Five root mean squared errors of samples of 2¹⁴, over 60 samples, of a function whose values have deviation one half.
FINE = {1: 5e-4, 2: 3e-3}


def contexts(seed: int, count: int, dimension: int = 1, deviation: float = 0.15) -> Array:
    return np.clip(0.5 + deviation * np.random.default_rng(seed).standard_normal((count, dimension)), 0.0, 1.0)


def sampled(seen: Array, space: Space, count: int = 1024, seed: int = 1) -> Sample:
    return KernelDensity().sample(seen, space, count, np.random.default_rng(seed))


def smooth(points: Array) -> Array:
    wave = np.cos(points @ np.array([6.0, 4.0])[: points.shape[1]])
    values: Array = wave + np.exp(-8.0 * np.sum((points - 0.4) ** 2, axis=1))
    return values


@pytest.mark.parametrize("count, dimension", [(2, 1), (10, 1), (37, 2), (350, 4)])
def test_bandwidths_follow_the_rule_of_thumb(count: int, dimension: int) -> None:
    seen = contexts(3, count, dimension) * np.array([1.0, 100.0, 1e-3, 7.0])[:dimension] - 5.0
    assert_allclose(bandwidths(seen), plain_bandwidths(seen), rtol=1e-9)


def test_the_bandwidth_for_a_normal_law_is_the_textbooks() -> None:
    seen = np.array([[-1.0], [1.0]] * 50)
    assert_allclose(bandwidths(seen), [1.0592238410488122 * 100**-0.2], rtol=ROUNDING)


@pytest.mark.parametrize("count, dimension", [(2, 1), (37, 2), (350, 4)])
def test_scotts_rule_is_silvermans_without_its_first_factor(count: int, dimension: int) -> None:
    seen = contexts(3, count, dimension)
    factor = (4 / (dimension + 2)) ** (1 / (dimension + 4))
    expected = [width / factor for width in plain_bandwidths(seen)]
    assert_allclose(bandwidths(seen, "scott"), expected, rtol=1e-9)
    if dimension < 3:
        assert factor >= 1.0
    else:
        assert factor < 1.0


@pytest.mark.parametrize("given", [0.07, (0.07, 0.02), [0.07, 0.02]])
def test_bandwidths_of_ones_own_are_those_of_the_density_whatever_was_seen(given: float | list[float]) -> None:
    seen = np.array([[0.3, 0.4], [0.3, 0.5], [0.3, 0.9]])  # the first column does not vary
    h, k = (given, given) if isinstance(given, float) else given
    assert_array_equal(bandwidths(seen, given), [h, k])
    assert_array_equal(bandwidths(seen[:1], given), [h, k])
    point = [0.35, 0.45]
    expected = sum(
        math.exp(-(((point[0] - a) / h) ** 2) / 2 - ((point[1] - b) / k) ** 2 / 2) / (2 * math.pi * h * k)
        for a, b in seen
    ) / len(seen)
    assert_allclose(density(seen, np.array([point]), given), [expected], rtol=1e-10)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_sample_has_the_scatter_of_a_bandwidth_of_ones_own(seed: int) -> None:
    law = KernelDensity(bandwidth=(0.05, 0.01))
    seen = np.array([[0.5, 0.5]])
    points = law.sample(seen, SQUARE, 1024, np.random.default_rng(seed)).points
    # A quasi-random sample is nearer to its moments than one by chance, whose deviation is off by 2.2 % at 1024.
    assert_allclose(points.std(axis=0), [0.05, 0.01], rtol=5.0 * 0.022)
    assert_allclose(points.mean(axis=0), [0.5, 0.5], atol=5.0 * 0.05 / 32)


def test_categories_have_no_bandwidth() -> None:
    mixed = Space(c=Float(0, 1), kind=Choice("a", "b"), d=Float(0, 1))
    seen = mixed.sample(5, np.random.default_rng(3))
    points = KernelDensity((1e-3, 2e-3)).sample(seen, mixed, 256, np.random.default_rng(4)).points
    assert set(points[:, 1]) <= set(seen[:, 1])
    assert len(np.unique(points[:, 0])) > 5


@pytest.mark.parametrize("given", [0.0, -0.1, math.nan, math.inf, True, "normal", (), (0.1, 0.0), (0.1, "scott"), None])
def test_what_is_no_bandwidth_is_refused(given: Any) -> None:
    with pytest.raises(ParameterError, match=r"^KernelDensity\(bandwidth="):
        KernelDensity(given)


def test_bandwidths_of_ones_own_must_be_as_many_as_numeric_columns() -> None:
    policy = sbo_kde(law=KernelDensity(bandwidth=(0.1, 0.2)))
    with pytest.raises(ParameterError, match=r"^KernelDensity\(\): got 2 bandwidths for 1 numeric columns; give one"):
        Study.in_memory(LINE, policy=policy, context=Context(d=Float(0, 1), kind=Choice("a", "b"), seen="after"))


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_the_density_is_the_mean_of_normal_densities(dimension: int) -> None:
    seen = 10.0 * contexts(5, 40, dimension) - 2.0
    points = 10.0 * np.random.default_rng(6).random((30, dimension)) - 2.0
    assert_allclose(density(seen, points), [plain_density(seen, point) for point in points], rtol=1e-10)


def test_the_density_has_integral_one() -> None:
    seen = contexts(7, 25)
    grid = np.linspace(-1.0, 2.0, 3001)
    assert_allclose(np.trapezoid(density(seen, grid[:, None]), grid), 1.0, atol=1e-9)


@pytest.mark.parametrize(
    "seen, column",
    [(np.empty((0, 2)), 0), (np.array([[0.3, 0.4]]), 0), (np.array([[0.3, 0.1], [0.4, 0.1], [0.5, 0.1]]), 1)],
    ids=["none", "one", "constant"],
)
def test_there_is_no_density_across_a_column_that_does_not_vary(seen: Array, column: int) -> None:
    with pytest.raises(ContextError) as caught:
        density(seen, np.array([[0.3, 0.1]]))
    assert str(caught.value) == (
        f"density(): column {column} of the {len(seen)} contexts seen has no two different values; there is no density "
        f"across it; leave the column out, or wait for more contexts."
    )


def test_a_column_of_equal_values_has_no_bandwidth_whatever_rounding_makes_of_its_mean() -> None:
    seen = np.full((3, 1), 0.1)
    assert seen.std(axis=0) > 0.0  # by rounding
    assert bandwidths(seen) == 0.0


@pytest.mark.parametrize("dimension", [1, 2])
@pytest.mark.parametrize("seed", [3, 17, 91])
def test_the_sample_has_the_mean_and_the_variance_of_the_mixture(seed: int, dimension: int) -> None:
    seen = contexts(seed, 60, dimension, 0.05)  # far from the ends
    points = sampled(seen, (LINE, SQUARE)[dimension - 1], 2**14, seed).points
    widths = np.array(plain_bandwidths(seen))
    assert_allclose(points.mean(axis=0), seen.mean(axis=0), atol=1e-4)
    assert_allclose(points.var(axis=0), seen.var(axis=0) + widths**2, rtol=5e-3)


@pytest.mark.parametrize("dimension", [1, 2])
@pytest.mark.parametrize("seed", [3, 17, 91])
@pytest.mark.parametrize("deviation", [0.15, 0.6], ids=["inside", "clipped"])
def test_sampled_expectations_equal_dense_quadrature(seed: int, dimension: int, deviation: float) -> None:
    seen = contexts(seed, 45, dimension, deviation)
    sample = sampled(seen, (LINE, SQUARE)[dimension - 1], 2**14, seed)
    exact = plain_expectation(seen, smooth)
    assert_allclose(sample.weights @ smooth(sample.points), exact, atol=FINE[dimension])


@pytest.mark.parametrize("dimension", [1, 2])
@pytest.mark.parametrize("count", [32, 256, 1024])
def test_beginnings_of_a_sample_stand_for_the_law_too(count: int, dimension: int) -> None:
    seen = contexts(8, 120, dimension)
    exact = plain_expectation(seen, smooth)
    samples = [sampled(seen, (LINE, SQUARE)[dimension - 1], 1024, seed).points for seed in range(40)]
    errors = [float(np.mean(smooth(points[:count]))) - exact for points in samples]
    chance = float(np.std(smooth(samples[0]))) / math.sqrt(count)
    assert math.sqrt(np.mean(np.square(errors))) < SHARE_OF_CHANCE[dimension, count] * chance


def test_more_of_a_sample_begin_with_the_same_contexts() -> None:
    seen = contexts(4, 30, 2)
    assert_array_equal(sampled(seen, SQUARE, 1000).points[:64], sampled(seen, SQUARE, 64).points)


def test_the_order_in_which_contexts_came_does_not_matter() -> None:
    seen = contexts(4, 30, 2)
    shuffled = np.random.default_rng(2).permutation(seen)
    # The deviation of a column may differ by a rounding.
    assert_allclose(sampled(shuffled, SQUARE).points, sampled(seen, SQUARE).points, atol=ROUNDING)


def test_numbers_beyond_their_bounds_are_moved_to_them() -> None:
    seen = np.array([[0.0], [0.02], [0.98], [1.0]])
    points = sampled(seen, LINE).points
    width = plain_bandwidths(seen)[0]
    below = np.mean([0.5 * math.erfc(float(row[0]) / width / math.sqrt(2.0)) for row in seen])
    assert points.min() == 0.0
    assert points.max() == 1.0
    # As many as the normal laws have beyond 0, up to some of the 1024 at the edges of the strata.
    assert_allclose(np.mean(points == 0.0), below, atol=0.01)


def test_integers_are_whole_and_distinct_ones_have_the_weight_of_all_their_draws() -> None:
    space = Space(day=Int(1, 31))
    seen = space.snap(contexts(5, 80))
    sample = sampled(seen, space, 2**14)
    width = plain_bandwidths(seen)[0]
    assert len(np.unique(sample.points)) == len(sample.points)
    for (unit,), weight in zip(sample.points, sample.weights, strict=True):
        assert isinstance(space.decode(np.array([unit]))["day"], int)
        low = -math.inf if unit < 1 / 31 else unit - 0.5 / 31
        high = math.inf if unit > 30 / 31 else unit + 0.5 / 31
        ends = [[math.erf((end - float(row[0])) / width / math.sqrt(2.0)) for end in (low, high)] for row in seen]
        assert weight == pytest.approx(np.mean([0.5 * (above - below) for below, above in ends]), abs=2e-3)


def test_categories_alone_have_exactly_the_frequencies_seen() -> None:
    space = Space(kind=Choice("a", "b", "c"), up=Choice(True, False))
    rows = [{"kind": "a", "up": True}] * 3 + [{"kind": "c", "up": True}] * 2 + [{"kind": "a", "up": False}] * 2
    sample = sampled(np.stack([space.encode(row) for row in rows]), space)
    found = {tuple(space.decode(point).values()): weight for point, weight in zip(*sample, strict=True)}
    assert found == pytest.approx({("a", True): 3 / 7, ("c", True): 2 / 7, ("a", False): 2 / 7}, abs=ROUNDING)


def test_categories_beside_numbers_have_the_frequencies_seen_up_to_the_edges_of_the_strata() -> None:
    space = Space(kind=Choice("a", "b", "c"), number=Float(0, 1))
    kinds = np.array([0] * 13 + [1] * 29 + [2] * 8)
    seen = np.stack([(kinds + 0.5) / 3, contexts(3, 50)[:, 0]], axis=1)
    for count in (64, 1024):
        points = sampled(seen, space, count).points
        assert len(points) == count
        counts = np.bincount(np.rint(3 * points[:, 0] - 0.5).astype(int), minlength=3)
        # A category's contexts may lie in several stretches of the curve, each with two ends.
        assert_allclose(counts, count * np.array([13, 29, 8]) / 50, atol=4.0)


def test_a_number_that_goes_with_a_category_stays_with_it() -> None:
    space = Space(number=Float(0, 1), kind=Choice("low", "high"), day=Int(0, 99))
    rng = np.random.default_rng(4)
    high = rng.random(60) < 0.3
    number = np.where(high, 0.9, 0.1) + 0.01 * rng.standard_normal(60)
    seen = space.snap(np.stack([number, np.where(high, 0.75, 0.25), number], axis=1))
    points = sampled(seen, space).points
    widths = plain_bandwidths(seen[:, [0, 2]])
    for unit, mean in ((0.25, seen[~high]), (0.75, seen[high])):
        mine = points[points[:, 1] == unit]
        assert_allclose(mine[:, [0, 2]].mean(axis=0), mean[:, [0, 2]].mean(axis=0), atol=0.03)
        assert_allclose(mine[:, 0].std(), np.sqrt(mean[:, 0].var() + widths[0] ** 2), rtol=0.3)


def test_without_contexts_all_are_as_likely() -> None:
    space = Space(c=Float(-3, 11), kind=Choice("a", "b"))
    points, weights = sampled(np.empty((0, 2)), space)
    assert_allclose(weights, 1 / 1024)
    shares = np.histogram2d(points[:, 0], points[:, 1], bins=(8, 2), range=((0, 1), (0, 1)))[0] / 1024
    assert_allclose(shares, 1 / 16, atol=0.01)
    coarse = sampled(np.empty((0, 1)), Space(kind=Choice("a", "b", "c")))
    assert len(coarse.points) == 3
    assert_allclose(coarse.weights, 1 / 3, atol=0.01)


def test_one_context_seen_is_all_there_is() -> None:
    space = Space(c=Float(-3, 11), kind=Choice("a", "b"))
    seen = np.array([[0.3, 0.75]])
    points, weights = sampled(seen, space)
    assert_array_equal(points, seen)
    assert_array_equal(weights, [1.0])


def test_a_column_that_does_not_vary_stays_as_it_is() -> None:
    seen = np.stack([contexts(3, 20, deviation=0.05)[:, 0], np.full(20, 0.1)], axis=1)
    points = sampled(seen, SQUARE).points
    assert_array_equal(points[:, 1], np.full(1024, 0.1))
    assert len(np.unique(points[:, 0])) == 1024


@pytest.mark.parametrize("shape", [lambda x: 2.0 * x + 3.0, lambda x: 0.5 - 0.5 * x], ids=["wider", "mirrored"])
def test_the_density_moves_with_its_contexts(shape: Callable[[Array], Array]) -> None:
    seen, points = contexts(3, 20, 2), contexts(4, 9, 2)
    scale = abs(float(shape(np.array(1.0)) - shape(np.array(0.0)))) ** 2
    assert_allclose(scale * density(shape(seen), shape(points)), density(seen, points), rtol=1e-9)
