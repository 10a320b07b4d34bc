"""What every belief must make of answers with errors of their own: n repeats are n answers, a told error is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from belated.beliefs import GP, Belief, Ensemble, Features, GaussianProcess, Memory, Mixture
from belated.evidence import Data, Errors, Evidence
from belated.space import Array, Float, Space
from tests.builders import DOMAINS, box, probes_of, processes_of, table
from tests.reference import noisy
from tests.tolerance import ROUNDING, SOLVE_TOLERANCE
from tests.unit.beliefs.features.regressed import MEANS, NOISES, regressed

SPACE = Space(x=Float(0.0, 1.0), y=Float(0.0, 1.0))
ROUGH = GP(kernel="matern32", lengthscale=0.2, variance=1.3, noise=0.07, mean="zero")
SMOOTH = GP(kernel="se", lengthscale=0.4, variance=2.0, noise=0.05, mean="zero")
BELIEFS: dict[str, Callable[[], Belief]] = {
    "process": lambda: ROUGH.prior(Evidence.none(SPACE), Memory()),
    "features": lambda: Features(ROUGH, 30).prior(Evidence.none(SPACE), Memory()),
    "ensemble": lambda: Ensemble((ROUGH, Features(ROUGH, 25), Features(SMOOTH, 25), SMOOTH)).prior(
        Evidence.none(SPACE), Memory()
    ),
}
every_belief = pytest.mark.parametrize("name", BELIEFS)
# One Gaussian belief; the members of an ensemble have noises of their own.
each_gaussian = pytest.mark.parametrize("name", ["process", "features"])
each_seed = pytest.mark.parametrize("seed", [3, 17, 91])
PROBES = probes_of(box())
# What is told with this deviation is known, beside answers of size one, and what with this one says nothing.
NEARLY_NOTHING, HUGE = 1e-6, 1e9
# Answers with so small an error press on a belief until its condition is 1e9.
PRESSED = 1e-5


def groups_of(seed: int, n: int = 12) -> tuple[Array, list[list[float]]]:
    """Points, and one to five measurements at each."""
    rng = np.random.default_rng(seed)
    return rng.random((n, 2)), [rng.normal(rng.normal(), 0.3, rng.integers(1, 6)).tolist() for _ in range(n)]


def repeated(points: Array, groups: list[list[float]]) -> Data:
    """One answer for each group: the mean of its measurements."""
    means, counts = np.array([np.mean(group) for group in groups]), np.array([float(len(group)) for group in groups])
    scatter = np.array([np.sum((np.array(group) - np.mean(group)) ** 2) for group in groups])
    return Data(points, means, Errors(np.full(len(groups), np.nan), counts, scatter))


def separate(points: Array, groups: list[list[float]]) -> Data:
    """One answer for each measurement."""
    places, values = noisy.one_by_one(groups)
    return Data(points[places], values)


def mixed(seed: int, n: int = 14) -> Data:
    """Of every three answers one with a standard error, one with repeats, one of which nothing was told."""
    rng, kinds = np.random.default_rng(seed), np.arange(n) % 3
    scatter = np.where(kinds == 1, rng.random(n), 0.0)
    errors = Errors(np.where(kinds == 0, 0.05 + rng.random(n), np.nan), np.where(kinds == 1, 4.0, 1.0), scatter)
    return Data(rng.random((n, 2)), rng.normal(size=n), errors)


def sure(n: int, sd: float = NEARLY_NOTHING) -> Errors:
    """Of single measurements with this standard error."""
    return Errors(np.full(n, sd), np.ones(n), np.zeros(n))


def log_evidence(belief: Belief) -> Array:
    if isinstance(belief, GaussianProcess):
        return np.array([belief.log_evidence()])
    assert isinstance(belief, Mixture)
    return belief.log_evidence


def assert_same(one: Belief, other: Belief, tolerance: float = SOLVE_TOLERANCE) -> None:
    assert_allclose(one.moments(PROBES).mean, other.moments(PROBES).mean, atol=tolerance)
    assert_allclose(one.moments(PROBES).deviation, other.moments(PROBES).deviation, atol=tolerance)
    assert_allclose(one.gains(PROBES), other.gains(PROBES), atol=tolerance)


# Repeats are answers.


@each_seed
@every_belief
def test_repeats_told_as_one_answer_are_as_many_answers_at_one_point(name: str, seed: int) -> None:
    prior, (points, groups) = BELIEFS[name](), groups_of(seed)
    together, alone = (prior.condition(*data(points, groups)) for data in (repeated, separate))
    assert_same(together, alone)
    assert_allclose(log_evidence(together), log_evidence(alone), rtol=SOLVE_TOLERANCE, atol=SOLVE_TOLERANCE)


@every_belief
def test_repeats_told_before_and_after_others_are_too(name: str) -> None:
    prior, (points, groups) = BELIEFS[name](), groups_of(5)
    first = prior.condition(*separate(points[:5], groups[:5])).condition(*repeated(points[5:], groups[5:]))
    last = prior.condition(*repeated(points[:5], groups[:5])).condition(*separate(points[5:], groups[5:]))
    alone = prior.condition(*separate(points, groups))
    for belief in (first, last):
        assert_same(belief, alone)
        assert_allclose(log_evidence(belief), log_evidence(alone), rtol=SOLVE_TOLERANCE)


# Against the plain reference.


@each_seed
@pytest.mark.parametrize("domain", DOMAINS)
def test_a_process_equals_the_dense_formulas_with_a_diagonal_of_noises(domain: str, seed: int) -> None:
    prior, plain = processes_of(DOMAINS[domain]())
    data = mixed(seed)._replace(points=DOMAINS[domain]().sample(14, np.random.default_rng(seed)))
    assert data.errors is not None
    probes, noises = probes_of(DOMAINS[domain]()), noises_of(data.errors, prior.noise)
    belief = prior.condition(*data)
    kernel = plain.kernel.matrix
    among, across, at = kernel(data.points, data.points), kernel(data.points, probes), kernel(probes, probes)
    mean, deviation = noisy.posterior(among, across, at, plain.mean, data.values, noises)
    assert_allclose(belief.moments(probes).mean, mean, atol=SOLVE_TOLERANCE)
    assert_allclose(belief.moments(probes).deviation, deviation, atol=SOLVE_TOLERANCE)
    of_means = noisy.log_density(among, plain.mean, data.values, noises)
    assert belief.log_evidence() == pytest.approx(of_means + scattered(data.errors, prior.noise), abs=SOLVE_TOLERANCE)


@pytest.mark.parametrize("lazy_from", [0, 10**9], ids=["lazy", "whole"])
def test_a_table_that_is_kept_up_to_date_equals_them_too(lazy_from: int) -> None:
    prior, plain = processes_of(table())
    rows, memory = table().table, Memory(lazy_from)
    data = mixed(3, 70)._replace(points=table().sample(70, np.random.default_rng(3)))
    for size in (1, 30, 70, 20):
        some = data.first(size)
        assert some.errors is not None
        noises = noises_of(some.errors, prior.noise)
        own = prior.remembering(memory).condition(*some).on(rows)
        assert own is not None
        kernel = plain.kernel.matrix
        among, across = kernel(some.points, some.points), kernel(some.points, rows)
        mean, deviation = noisy.posterior(among, across, kernel(rows, rows), plain.mean, some.values, noises)
        assert_allclose(own.mean(), mean, atol=SOLVE_TOLERANCE)
        assert_allclose(own.deviation(np.array([3, 17, 4])), deviation[[3, 17, 4]], atol=SOLVE_TOLERANCE)
        assert_allclose(own.deviation(), deviation, atol=SOLVE_TOLERANCE)
        assert np.all(own.bounds() >= deviation - SOLVE_TOLERANCE)


@each_seed
def test_regressions_equal_the_dense_formulas_with_a_diagonal_of_noises(seed: int) -> None:
    case, data = regressed(box()), mixed(seed)
    assert data.errors is not None
    belief = case.prior.condition(*data)
    found, evidence = belief.moments(PROBES), belief.log_evidence()
    for place, (noise, prior_mean) in enumerate(zip(NOISES, MEANS, strict=True)):
        rows, at = case.features(place, data.points), case.features(place, PROBES)
        noises = noises_of(data.errors, noise)
        mean, deviation = noisy.posterior(rows @ rows.T, rows @ at.T, at @ at.T, prior_mean, data.values, noises)
        assert_allclose(found.mean[place], mean, atol=SOLVE_TOLERANCE)
        assert_allclose(found.deviation[place], deviation, atol=SOLVE_TOLERANCE)
        of_means = noisy.log_density(rows @ rows.T, prior_mean, data.values, noises)
        expected = of_means + scattered(data.errors, noise)
        assert evidence[place] == pytest.approx(expected, abs=SOLVE_TOLERANCE, rel=SOLVE_TOLERANCE)


def noises_of(errors: Errors, noise: float) -> Array:
    told = [None if np.isnan(sd) else float(sd) for sd in errors.sd]
    return noisy.noise_variances(told, [[0.0] * int(count) for count in errors.repeats], noise)


def scattered(errors: Errors, noise: float) -> float:
    """log Π p(measurements)/p(their mean) of all repeats, measurement by measurement."""
    total = 0.0
    for count, scatter in zip(errors.repeats.astype(int), errors.scatter, strict=True):
        if count > 1:
            # Any measurements with this mean and this sum of squares have this density; f is at the mean.
            values = np.zeros(count)
            values[:2] = (scatter / 2.0) ** 0.5, -((scatter / 2.0) ** 0.5)
            each = noisy.log_density(np.zeros((count, count)), 0.0, values, np.full(count, noise))
            total += each - noisy.log_density(np.zeros((1, 1)), 0.0, np.zeros(1), np.array([noise / count]))
    return total


# What errors mean.


@every_belief
def test_a_told_error_of_nearly_nothing_interpolates(name: str) -> None:
    data = mixed(3)
    belief = BELIEFS[name]().condition(data.points[:6], data.values[:6], sure(6))
    assert_allclose(belief.moments(data.points[:6]).mean, data.values[:6], atol=1e-3)
    assert np.all(belief.moments(data.points[:6]).deviation < 1e-3)


@every_belief
def test_an_answer_with_a_huge_error_says_nothing(name: str) -> None:
    prior, data = BELIEFS[name](), mixed(7)
    assert data.errors is not None
    row = 3
    others = np.arange(14) != row
    for value in (data.values[row], 1e4):
        values, sd = data.values.copy(), data.errors.sd.copy()
        values[row], sd[row] = value, HUGE
        whole = prior.condition(data.points, values, replace(data.errors, sd=sd))
        assert_same(whole, prior.condition(*data.of(others)))


@each_gaussian
def test_an_error_of_the_noise_itself_changes_nothing(name: str) -> None:
    prior, data = BELIEFS[name](), mixed(11)._replace(errors=None)
    assert_same(prior.condition(*data), prior.condition(data.points, data.values, sure(14, prior.noise**0.5)))


@each_gaussian
def test_what_all_others_say_of_an_answer_is_what_they_say_without_it(name: str) -> None:
    prior, data = BELIEFS[name](), mixed(13)
    assert data.errors is not None
    found = prior.condition(*data).left_out(data)
    variances = data.errors.variances(prior.noise)
    for row in range(14):
        others = np.arange(14) != row
        without = prior.condition(*data.of(others)).moments(data.points[row : row + 1])
        assert found.mean[row] == pytest.approx(without.mean[0], abs=1e-7)
        assert found.deviation[row] ** 2 == pytest.approx(without.deviation[0] ** 2 + variances[row], rel=1e-7)


@every_belief
def test_functions_that_are_drawn_pass_through_what_is_known_and_not_through_what_is_not(name: str) -> None:
    data = mixed(3).first(4)
    errors = Errors(np.array([NEARLY_NOTHING, NEARLY_NOTHING, 3.0, 3.0]), np.ones(4), np.zeros(4))
    belief, rng = BELIEFS[name]().condition(data.points, data.values, errors), np.random.default_rng(2)
    drawn = np.array([belief.draw(rng).values(data.points) for _ in range(60)])
    assert_allclose(drawn[:, :2], np.broadcast_to(data.values[:2], (60, 2)), atol=5e-3)
    assert np.all(drawn[:, 2:].std(axis=0) > 0.1)


def test_joint_draws_on_a_table_know_errors_too() -> None:
    prior, plain = processes_of(table())
    assert prior.setting.table is not None
    rows = prior.setting.table.rows
    errors = Errors(np.array([NEARLY_NOTHING, 2.0]), np.ones(2), np.zeros(2))
    belief, rng = prior.condition(rows[[3, 8]], np.array([1.0, 5.0]), errors), np.random.default_rng(2)
    drawn = np.array([belief.draw(rng).values(rows)[[3, 8]] for _ in range(2000)])
    kernel = plain.kernel.matrix(rows[[3, 8]], rows[[3, 8]])
    mean, deviation = noisy.posterior(kernel, kernel, kernel, plain.mean, np.array([1.0, 5.0]), errors.variances(0.0))
    assert_allclose(drawn[:, 0], 1.0, atol=1e-3)
    assert drawn[:, 1].mean() == pytest.approx(mean[1], abs=5.0 * deviation[1] / 2000**0.5)
    assert drawn[:, 1].std() == pytest.approx(deviation[1], rel=5.0 / 4000**0.5)


# However they came.


@every_belief
def test_answers_with_errors_may_come_one_by_one_and_in_any_order(name: str) -> None:
    prior, data = BELIEFS[name](), mixed(19, 30)
    whole = prior.condition(*data)
    one_by_one = prior
    for row in range(30):
        one_by_one = one_by_one.condition(*data.of(slice(row, row + 1)))
    shuffled = prior.condition(*data.of(np.random.default_rng(1).permutation(30)))
    for belief in (one_by_one, shuffled):
        assert_same(belief, whole)
        assert_allclose(log_evidence(belief), log_evidence(whole), rtol=SOLVE_TOLERANCE)
    earlier = whole.earlier(prior, data, 17)
    assert_same(earlier, prior.condition(*data.first(17)))
    assert_allclose(log_evidence(earlier), log_evidence(prior.condition(*data.first(17))), rtol=SOLVE_TOLERANCE)


@every_belief
def test_a_warm_memory_gives_the_bits_of_a_cold_one_and_never_the_factor_of_other_errors(name: str) -> None:
    data, warm, rng = mixed(23, 140), BELIEFS[name](), np.random.default_rng(4)
    assert data.errors is not None
    for size in (5, 20, 63, 66, 70, 130, 140, 140):
        some = data.first(size)
        assert some.errors is not None
        sd = some.errors.sd.copy()
        sd[rng.integers(size)] = rng.random()
        changed = some._replace(errors=replace(some.errors, sd=sd))
        for each in (some, changed, some._replace(errors=None)):
            known, cold = (prior.condition(*each) for prior in (warm, BELIEFS[name]()))
            assert_array_equal(known.moments(PROBES).mean, cold.moments(PROBES).mean)
            assert_array_equal(known.moments(PROBES).deviation, cold.moments(PROBES).deviation)
            assert_array_equal(log_evidence(known), log_evidence(cold))


@each_gaussian
def test_imagined_answers_have_the_noise_of_one_measurement_and_told_ones_keep_theirs(name: str) -> None:
    prior, data = BELIEFS[name](), mixed(29)
    missing = np.isin(np.arange(14), [2, 6, 9])
    known = prior.condition(*data.of(~missing))
    full = prior.completed(known, data, missing, lambda some, at: some.moments(at).mean)
    assert_allclose(full.moments(PROBES).mean, known.moments(PROBES).mean, atol=SOLVE_TOLERANCE)
    imagined = data.filled(missing, known.moments(data.points[missing]).mean)
    # The deviation does not depend on what is imagined.
    deviation = prior.condition(*imagined).moments(PROBES).deviation
    assert_allclose(full.moments(PROBES).deviation, deviation, atol=SOLVE_TOLERANCE)
    assert imagined.errors is not None
    assert_array_equal(imagined.errors.variances(0.3)[missing], 0.3)


@pytest.mark.parametrize("sd", [1e-12, 1e-6, 1.0, 1e6, 1e12, 1e200])
@pytest.mark.parametrize("values", [1e-12, 1.0, 1e12])
@every_belief
def test_errors_of_any_size_leave_finite_moments(name: str, values: float, sd: float) -> None:
    data = mixed(31)
    points = np.concatenate([data.points, data.points])
    belief = BELIEFS[name]().condition(points, values * np.tile(data.values, 2), sure(28, sd))
    read: list[Any] = [*belief.moments(PROBES), *belief.moments(points), log_evidence(belief), belief.left_out(data)]
    assert all(np.all(np.isfinite(part)) for part in read)
    if sd < 1e-3:
        assert_allclose(belief.moments(data.points).mean, values * data.values, rtol=PRESSED, atol=PRESSED * values)


def test_answers_that_contradict_each_other_far_beyond_their_errors_are_averaged() -> None:
    for name in BELIEFS:
        belief = BELIEFS[name]().condition(np.full((2, 2), 0.4), np.array([0.5, 0.6]), sure(2, 1e-12))
        assert belief.moments(np.full((1, 2), 0.4)).mean[0] == pytest.approx(0.55, abs=1e-6)


@every_belief
def test_answers_of_which_nothing_was_told_are_single_measurements(name: str) -> None:
    prior, data = BELIEFS[name](), mixed(37)._replace(errors=None)
    plain, untold = (prior.condition(data.points, data.values, errors) for errors in (None, Errors.untold(14)))
    assert_same(plain, untold, ROUNDING)
    assert_allclose(log_evidence(plain), log_evidence(untold), rtol=ROUNDING)
