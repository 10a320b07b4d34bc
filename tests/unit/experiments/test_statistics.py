"""Statistics over seeds agree with plain formulas, with SciPy and with examples worked by hand."""

from __future__ import annotations

import subprocess
import sys
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from belated.errors import ParameterError
from belated.experiments.statistics import below, comparisons, estimate, sign_flip, t_test
from belated.space import Array
from tests.tolerance import ROUNDING, STANDARD_ERRORS

NAN = np.nan


def skewed(n: int, seed: int, shift: float = 0.0) -> Array:
    return np.random.default_rng(seed).exponential(1.0, n) - 1.0 + shift


def test_the_mean_and_its_error_are_those_of_the_formulas() -> None:
    values = np.random.default_rng(3).normal(5.0, 2.0, (7, 4))
    found = estimate(values)
    assert_allclose(found.mean, values.mean(axis=0), rtol=ROUNDING)
    assert_allclose(found.error, values.std(axis=0, ddof=1) / np.sqrt(7), rtol=ROUNDING)
    assert found.n.tolist() == [7] * 4


def test_seeds_without_a_value_are_left_out_round_by_round() -> None:
    found = estimate(np.array([[1.0, NAN, NAN], [3.0, 2.0, NAN], [NAN, NAN, NAN]]))
    np.testing.assert_array_equal(found.mean, [2.0, 2.0, NAN])
    np.testing.assert_array_equal(found.error, [1.0, NAN, NAN])
    assert found.n.tolist() == [2, 1, 0]


def test_the_band_is_that_of_student() -> None:
    from scipy import stats

    values = np.random.default_rng(4).normal(0.0, 1.0, (6, 3))
    low, high = estimate(values).band(0.9)
    wanted = stats.t.interval(0.9, 5, loc=values.mean(axis=0), scale=stats.sem(values, axis=0))
    assert_allclose(np.array([low, high]), wanted, rtol=1e-9)  # SciPy's two ways to the quantile of Student's law
    assert np.isnan(estimate(values[:1]).band()[0]).all()
    with pytest.raises(ParameterError, match="level must be"):
        estimate(values).band(1.0)


def test_the_band_covers_the_true_mean_as_often_as_it_says() -> None:
    low, high = estimate(np.random.default_rng(5).normal(1.0, 3.0, (5, 4000))).band(0.95)
    covered = np.mean((low <= 1.0) & (high >= 1.0))
    assert abs(covered - 0.95) <= STANDARD_ERRORS * np.sqrt(0.95 * 0.05 / 4000)


@pytest.mark.parametrize("n", [2, 5, 40])
def test_the_t_test_is_that_of_scipy(n: int) -> None:
    from scipy import stats

    differences = skewed(n, seed=n, shift=0.3)
    assert t_test(differences) == pytest.approx(stats.ttest_1samp(differences, 0.0).pvalue, rel=1e-9)


@pytest.mark.parametrize("n", [1, 2, 6, 11])
def test_all_changes_of_signs_are_tried_where_they_are_few(n: int) -> None:
    differences = skewed(n, seed=n, shift=0.2)
    observed = differences.sum()
    sums = [float(np.dot(signs, differences)) for signs in product((1.0, -1.0), repeat=n)]
    slack = ROUNDING * np.abs(differences).sum()
    assert sign_flip(differences) == np.mean([abs(total) >= abs(observed) - slack for total in sums])
    assert sign_flip(differences, one_sided=True) == np.mean([total <= observed + slack for total in sums])


def test_five_differences_of_one_sign_have_the_p_values_of_five_coins() -> None:
    worse = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    assert sign_flip(worse) == 2 / 32
    assert below(np.zeros(5), worse) == 1 / 32
    assert below(worse, np.zeros(5)) == 1.0


def test_for_many_seeds_a_sample_of_signs_comes_close_to_all_of_them() -> None:
    differences = skewed(16, seed=2, shift=0.35)
    signs = 1.0 - 2.0 * (np.arange(2**16)[:, None] >> np.arange(16) & 1)
    exact = np.mean(np.abs(signs @ differences) >= abs(differences.sum()) - ROUNDING)
    found = sign_flip(differences)
    assert 0.01 < exact < 0.5
    assert abs(found - exact) <= STANDARD_ERRORS * np.sqrt(exact * (1 - exact) / 2**14) + 2**-14
    assert sign_flip(differences) == found, "the sample is always the same"


def test_a_sample_of_signs_never_gives_a_p_value_of_zero() -> None:
    assert sign_flip(np.ones(100)) == 2**-14


def test_policies_that_are_interchangeable_are_told_apart_no_more_often_than_promised() -> None:
    rng = np.random.default_rng(6)
    p_values = [sign_flip(rng.exponential(1.0, 9) - rng.exponential(1.0, 9)) for _ in range(600)]
    for level in (0.05, 0.2):
        rate = np.mean(np.array(p_values) <= level)
        assert rate <= level + STANDARD_ERRORS * np.sqrt(level * (1 - level) / 600)


def test_equal_arms_differ_in_nothing() -> None:
    assert (sign_flip(np.zeros(6)), t_test(np.zeros(6)), below(np.ones(6), np.ones(6))) == (1.0, 1.0, 1.0)
    assert (sign_flip(np.empty(0)), t_test(np.array([3.0]))) == (1.0, 1.0)
    assert t_test(np.full(4, 2.0)) == 0.0


def test_scaling_both_arms_changes_no_p_value() -> None:
    first, second = skewed(10, 1), skewed(10, 2, 0.5)
    for scale in (1e-12, 1e12):
        assert below(first * scale, second * scale) == below(first, second)


def test_every_pair_is_compared_seed_by_seed() -> None:
    rng = np.random.default_rng(7)
    luck = rng.normal(0.0, 10.0, 12)  # of the seed, which both arms share
    finals = {"a": luck + rng.normal(0, 0.1, 12), "b": luck + 1.0, "c": luck + rng.normal(0, 0.1, 12)}
    first, second, third = comparisons(finals)
    assert [(found.first, found.second) for found in (first, second, third)] == [("a", "b"), ("a", "c"), ("b", "c")]
    differences = finals["a"] - finals["b"]
    assert first.difference == pytest.approx(differences.mean())
    assert first.error == pytest.approx(differences.std(ddof=1) / np.sqrt(12))
    assert (first.n, first.sign_flip, first.lower) == (12, 2**-11, "a")
    assert (first.adjusted, third.adjusted) == pytest.approx((3 * 2**-11, 3 * 2**-11))
    assert second.adjusted > 0.05
    assert third.lower == "c"


def test_seeds_that_lack_one_of_the_values_are_left_out_and_other_lengths_refused() -> None:
    (found,) = comparisons({"a": np.array([1.0, NAN, 3.0]), "b": np.array([2.0, 2.0, NAN])})
    assert (found.n, found.difference, np.isnan(found.error)) == (1, -1.0, True)
    with pytest.raises(ParameterError, match="seed by seed"):
        below(np.zeros(3), np.zeros(4))


def test_importing_statistics_does_not_import_the_slow_part_of_scipy() -> None:
    code = "import sys, belated.experiments.statistics; sys.exit('scipy.stats' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
