"""Regressions on random features agree with the dense formulas, in whatever pieces and order the answers came."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from belated.beliefs import Memory, Regressions
from belated.beliefs.features.regressions import BLOCK, KEPT, FeaturePath
from belated.evidence import Data
from belated.space import Array
from tests.builders import DOMAINS, box, mixed, probes_of
from tests.tolerance import ROUNDING, SLOPE_TOLERANCE, SOLVE_TOLERANCE, STANDARD_ERRORS, STEP
from tests.unit.beliefs.features.regressed import FORMS, MEANS, NOISES, Regressed, regressed

each_domain = pytest.mark.parametrize("domain", ["box", "mixed"])
# Sums of up to 10⁶ terms of size one, divided by a noise of a hundredth at least, and a solve.
LONG_SUM = 1e-6


def data_of(domain: str, n: int, seed: int = 3) -> tuple[Array, Array]:
    """Points of a domain and values for them."""
    rng = np.random.default_rng(seed)
    return DOMAINS[domain]().sample(n, rng), 2.0 * rng.standard_normal(n) + 1.0


def check_posterior(case: Regressed, belief: Regressions, points: Array, values: Array, probes: Array) -> None:
    """Everything that is read is what the dense formulas give; values (n,), or (M, n) if each has its own."""
    mean, deviation = belief.moments(probes)
    evidence, precision = belief.log_evidence(), belief.precision()
    for place, plain in enumerate(case.plain):
        own = values[place] if values.ndim == 2 else values
        features, at = case.features(place, points), case.features(place, probes)
        expected = plain.moments(features, own, at)
        assert_allclose(mean[place], expected[0], atol=SOLVE_TOLERANCE)
        assert_allclose(deviation[place], expected[1], atol=SOLVE_TOLERANCE)
        assert_allclose(precision[place], plain.precision(features), rtol=SOLVE_TOLERANCE, atol=SOLVE_TOLERANCE)
        assert evidence[place] == pytest.approx(plain.log_likelihood(features, own), rel=SOLVE_TOLERANCE)


def everything(belief: Regressions, probes: Array) -> list[Array]:
    """All that is read from regressions, for comparing bit by bit."""
    incline = belief.incline(probes)
    slopes = incline.gradient(np.ones_like(incline.mean), np.ones_like(incline.mean))
    draws = [belief.draw(place, np.random.default_rng(1)).values(probes) for place in range(belief.count)]
    return [*belief.moments(probes), belief.precision(), belief.log_evidence(), belief.gains(probes), slopes, *draws]


def assert_same_bits(first: Regressions, second: Regressions, probes: Array) -> None:
    for one, other in zip(everything(first, probes), everything(second, probes), strict=True):
        assert_array_equal(one, other)


# Against the dense formulas.


@pytest.mark.parametrize("n", [1, 2, 14, 30, BLOCK, 150])
@each_domain
def test_the_posterior_and_the_evidence_equal_the_dense_formulas(domain: str, n: int) -> None:
    case = regressed(DOMAINS[domain]())
    points, values = data_of(domain, n)
    check_posterior(case, case.prior.condition(points, values), points, values, probes_of(DOMAINS[domain]()))


@each_domain
def test_before_any_answer_the_belief_is_the_prior(domain: str) -> None:
    case = regressed(DOMAINS[domain]())
    probes = probes_of(DOMAINS[domain]())
    none = np.empty((0, probes.shape[1]))
    for belief in (case.prior, case.prior.condition(none, np.empty(0))):
        assert_array_equal(belief.moments(probes).mean, np.repeat(np.array(MEANS)[:, None], 7, axis=1))
        for place in range(4):
            norms = np.linalg.norm(case.features(place, probes), axis=1)
            assert_allclose(belief.moments(probes).deviation[place], norms, rtol=ROUNDING)
            if domain == "box":
                assert_allclose(norms, case.prior.scales[place], rtol=ROUNDING)
        assert_allclose(case.prior.scales**2, [1.7 * (1.0 + 0.3 * place) for place in range(4)], rtol=ROUNDING)
        assert_array_equal(belief.log_evidence(), np.zeros(4))
        assert_array_equal(belief.precision(), np.broadcast_to(np.eye(24), (4, 24, 24)))
        assert belief.gains(none).shape == (4, 0)
        assert belief.moments(none).mean.shape == (4, 0)
        assert belief.jitter == 0.0


@each_domain
def test_predictive_likelihoods_one_answer_at_a_time_multiply_to_the_evidence(domain: str) -> None:
    case = regressed(DOMAINS[domain]())
    points, values = data_of(domain, 25)
    found = case.prior.condition(points, values).log_evidence()
    growing = case.prior
    evidence = np.zeros(4)
    for t in range(25):
        expected = [
            plain.predictive_log_likelihoods(case.features(place, points[: t + 1]), values[: t + 1])[-1]
            for place, plain in enumerate(case.plain)
        ]
        growing = growing.condition(points[t : t + 1], values[t : t + 1])
        assert_allclose(growing.log_evidence() - evidence, expected, atol=SOLVE_TOLERANCE)
        evidence = growing.log_evidence()
    assert_allclose(evidence, found, rtol=SOLVE_TOLERANCE)


@pytest.mark.parametrize("n", [20, 140])
@each_domain
def test_one_answer_at_a_time_all_at_once_and_any_order_are_the_same(domain: str, n: int) -> None:
    case = regressed(DOMAINS[domain]())
    points, values = data_of(domain, n)
    probes = probes_of(DOMAINS[domain]())
    one_by_one = case.prior
    for point, value in zip(points, values, strict=True):
        one_by_one = one_by_one.condition(point[None], np.array([value]))
    orders = [np.random.default_rng(seed).permutation(n) for seed in (1, 2, 3)]
    for belief in [one_by_one, *(case.prior.condition(points[order], values[order]) for order in orders)]:
        check_posterior(case, belief, points, values, probes)


@each_domain
def test_each_regression_may_have_values_of_its_own(domain: str) -> None:
    case = regressed(DOMAINS[domain]())
    points, values = data_of(domain, 30)
    own = np.random.default_rng(4).standard_normal((4, 12))
    first, rest = points[:18], points[18:]
    together = np.concatenate([np.broadcast_to(values[:18], (4, 18)), own], axis=1)
    probes = probes_of(DOMAINS[domain]())
    check_posterior(case, case.prior.condition(first, values[:18]).condition(rest, own), points, together, probes)
    check_posterior(case, case.prior.condition(rest, own), rest, own, probes)


@each_domain
def test_another_prior_mean_moves_the_values_with_it(domain: str) -> None:
    case = regressed(DOMAINS[domain]())
    moved = regressed(DOMAINS[domain](), means=(5.3,) * 4)
    points, values = data_of(domain, 20)
    probes = probes_of(DOMAINS[domain]())
    before = case.prior.with_mean(5.3).condition(points, values)
    after = case.prior.condition(points, values).with_mean(5.3)
    between = case.prior.condition(points[:7], values[:7]).with_mean(5.3).condition(points[7:], values[7:])
    there_and_back = case.prior.with_mean(-40.0).condition(points, values).with_mean(2.0).with_mean(5.3)
    for belief in (before, after, between, there_and_back):
        assert_array_equal(belief.prior_means, np.full(4, 5.3))
        check_posterior(moved, belief, points, values, probes)


@each_domain
def test_one_of_the_regressions_is_the_same_alone_and_goes_on_alone(domain: str) -> None:
    case = regressed(DOMAINS[domain]())
    points, values = data_of(domain, 30)
    probes = probes_of(DOMAINS[domain]())
    together = case.prior.condition(points, values)
    for place in range(4):
        alone = case.prior.condition(points[:20], values[:20]).only(place).condition(points[20:], values[20:])
        for belief in (together.only(place), case.prior.only(place).condition(points, values), alone):
            assert belief.count == 1
            assert_allclose(belief.moments(probes).mean[0], together.moments(probes).mean[place], atol=SOLVE_TOLERANCE)
            deviation = together.moments(probes).deviation[place]
            assert_allclose(belief.moments(probes).deviation[0], deviation, atol=SOLVE_TOLERANCE)
            assert belief.log_evidence()[0] == pytest.approx(together.log_evidence()[place], rel=SOLVE_TOLERANCE)


def test_imagined_answers_are_those_that_each_regression_expects() -> None:
    case = regressed(box())
    points, values = data_of("box", 16)
    probes = probes_of(box())
    missing = np.arange(16) % 3 == 1
    known = case.prior.condition(points[~missing], values[~missing])
    hidden = np.where(missing, np.nan, values)
    full = case.prior.completed(known, Data(points, hidden), missing, lambda some, at: some.moments(at).mean)
    assert_allclose(full.moments(probes).mean, known.moments(probes).mean, atol=SOLVE_TOLERANCE)
    for place, plain in enumerate(case.plain):
        _, deviation = plain.moments(case.features(place, points), np.zeros(16), case.features(place, probes))
        assert_allclose(full.moments(probes).deviation[place], deviation, atol=SOLVE_TOLERANCE)


@each_domain
def test_many_points_are_read_in_pieces(domain: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = regressed(DOMAINS[domain]())
    belief = case.prior.condition(*data_of(domain, 20))
    probes = probes_of(DOMAINS[domain](), 50)
    whole, path = belief.moments(probes), belief.draw(2, np.random.default_rng(1))
    drawn = path.values(probes)
    monkeypatch.setattr("belated.beliefs.features.regressions.PIECE", 7 * 4 * 24)
    assert_allclose(belief.moments(probes).mean, whole.mean, atol=ROUNDING)
    assert_allclose(belief.moments(probes).deviation, whole.deviation, atol=ROUNDING)
    assert_allclose(path.values(probes), drawn, atol=ROUNDING)


# Information.


@pytest.mark.parametrize("n", [0, 9])
@each_domain
def test_gains_equal_the_dense_determinants(domain: str, n: int) -> None:
    case = regressed(DOMAINS[domain]())
    points, values = data_of(domain, n)
    probes = probes_of(DOMAINS[domain]())
    gains = case.prior.condition(points, values).gains(probes)
    for place, plain in enumerate(case.plain):
        features, at = case.features(place, points), case.features(place, probes)
        assert_allclose(gains[place], plain.gains(features, at), atol=SOLVE_TOLERANCE)
        assert gains[place].sum() == pytest.approx(plain.information(features, at), abs=SOLVE_TOLERANCE)


@each_domain
def test_greedy_gains_are_those_of_uncertainty_sampling_before_any_answer(domain: str) -> None:
    case = regressed(DOMAINS[domain]())
    candidates = probes_of(DOMAINS[domain](), 25)
    for belief in (case.prior, case.prior.condition(*data_of(domain, 9))):
        gains = belief.greedy_gains(candidates, 6)
        for place, plain in enumerate(case.plain):
            expected = plain.greedy_gains(case.features(place, candidates), 6)
            assert_allclose(gains[place], expected, atol=SOLVE_TOLERANCE)


# Slopes and draws.


@pytest.mark.parametrize("n", [0, 12])
@each_domain
def test_gradients_equal_central_differences(domain: str, n: int) -> None:
    space = DOMAINS[domain]()
    case = regressed(space, forms=("se", "matern32", "matern52"))
    belief = case.prior.condition(*data_of(domain, n))
    probes = probes_of(space)
    incline = belief.incline(probes)
    assert_allclose(incline.mean, belief.moments(probes).mean, atol=ROUNDING)
    assert_allclose(incline.deviation, belief.moments(probes).deviation, atol=ROUNDING)
    rng = np.random.default_rng(2)
    by_mean, by_deviation = rng.standard_normal((3, 7)), rng.standard_normal((3, 7))
    expected = np.zeros_like(probes)
    for column in np.flatnonzero(~np.array(space.categorical)):
        step = np.zeros(space.dimension)
        step[column] = STEP
        up, down = belief.moments(probes + step), belief.moments(probes - step)
        rise = by_mean * (up.mean - down.mean) + by_deviation * (up.deviation - down.deviation)
        expected[:, column] = rise.sum(axis=0) / (2 * STEP)
    found = incline.gradient(by_mean, by_deviation)
    assert_allclose(found, expected, atol=SLOPE_TOLERANCE * (1 + np.abs(expected).max()))


@pytest.mark.parametrize("n", [0, 10])
@each_domain
def test_draws_have_the_posterior_mean_and_covariance(domain: str, n: int) -> None:
    case = regressed(DOMAINS[domain]())
    points, values = data_of(domain, n)
    probes = probes_of(DOMAINS[domain](), 6)
    belief = case.prior.condition(points, values)
    rng, n_draws = np.random.default_rng(12), 3000
    for place, plain in enumerate(case.plain):
        drawn = np.array([belief.draw(place, rng).values(probes) for _ in range(n_draws)])
        mean, covariance = plain.posterior(case.features(place, points), values, case.features(place, probes))
        variance = np.diagonal(covariance)
        assert np.all(np.abs(drawn.mean(axis=0) - mean) <= STANDARD_ERRORS * np.sqrt(variance / n_draws))
        found = (drawn - mean).T @ (drawn - mean) / n_draws
        # Var(ab) = Σ_aa Σ_bb + Σ_ab² for a Gaussian pair.
        error = np.sqrt((np.outer(variance, variance) + covariance**2) / n_draws)
        assert np.all(np.abs(found - covariance) <= STANDARD_ERRORS * error)


@each_domain
def test_the_gradients_of_draws_equal_central_differences(domain: str) -> None:
    space = DOMAINS[domain]()
    belief = regressed(space, forms=("se", "matern32", "matern52")).prior.condition(*data_of(domain, 6))
    probes = probes_of(space)
    for place in range(3):
        path = belief.draw(place, np.random.default_rng(place))
        assert isinstance(path, FeaturePath)
        at, slopes = path.slopes(probes)
        assert_allclose(at, path.values(probes), atol=ROUNDING)
        for column in range(space.dimension):
            step = np.zeros(space.dimension)
            step[column] = 0.0 if space.categorical[column] else STEP
            expected = (path.values(probes + step) - path.values(probes - step)) / (2 * STEP)
            assert_allclose(slopes[:, column], expected, atol=SLOPE_TOLERANCE * (1 + np.abs(expected).max()))


# What is remembered.

SIZES = [0, 1, 5, BLOCK - 1, BLOCK, BLOCK + 1, 90, 2 * BLOCK - 1, 2 * BLOCK, 2 * BLOCK + 1, 200, 3 * BLOCK, 333]


@each_domain
def test_a_warm_memory_gives_the_bits_of_a_cold_one_in_whatever_pieces_the_answers_came(domain: str) -> None:
    points, values = data_of(domain, 400)
    probes = probes_of(DOMAINS[domain]())
    rng = np.random.default_rng(5)
    paths = [SIZES, SIZES[::-1], rng.permutation(SIZES).tolist(), sorted(rng.integers(0, 400, 30).tolist()), [400]]
    for sizes in paths:
        warm = Memory()
        for size in sizes:
            known = regressed(DOMAINS[domain](), memory=warm).prior.condition(points[:size], values[:size])
            # Copies, as another process has them.
            afresh = regressed(DOMAINS[domain]()).prior.condition(points[:size].copy(), values[:size].copy())
            assert_same_bits(known, afresh, probes)


def test_growing_by_an_answer_at_a_time_remembers_whole_blocks_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    points, values = data_of("box", 300)
    memory = Memory()
    rows = 0
    plain = type(regressed(box()).prior.maps).__call__

    def counted(self: object, at: Array) -> Array:
        nonlocal rows
        rows += len(at)
        return plain(self, at)  # type: ignore[arg-type]

    case = regressed(box(), memory=memory)
    monkeypatch.setattr(type(case.prior.maps), "__call__", counted)
    for size in range(301):
        rows = 0
        case.prior.condition(points[:size], values[:size])
        assert rows < 2 * BLOCK


@each_domain
def test_two_data_sets_through_one_memory_do_not_disturb_each_other(domain: str) -> None:
    probes = probes_of(DOMAINS[domain]())
    points, values = data_of(domain, 300)
    other = points[::-1].copy(), values[::-1].copy()
    branch = points.copy(), values.copy()
    branch[1][100] += 1.0  # the same beginning, then another answer
    moved = points.copy(), values.copy()
    moved[0][BLOCK + 3] = probes[0]
    memory = Memory()
    for size in (70, 130, 64, 200, 300, 128):
        for some in ((points, values), other, branch, moved):
            for mean in (None, 0.4):
                warm, cold = (regressed(DOMAINS[domain](), memory=kept).prior for kept in (memory, Memory()))
                if mean is not None:
                    warm, cold = warm.with_mean(mean), cold.with_mean(mean)
                known = warm.condition(some[0][:size], some[1][:size])
                assert_same_bits(known, cold.condition(some[0][:size].copy(), some[1][:size].copy()), probes)
    assert len(memory.shelf("sums of answers")) <= KEPT
    assert len(memory.shelf("regressions given answers")) <= KEPT


def test_other_strides_over_the_same_rows_are_other_answers() -> None:
    points, values = data_of("box", 4 * BLOCK)
    probes = probes_of(box())
    memory = Memory()
    for step in (1, 2, 1, 3):
        some = points[::step][:BLOCK], values[::step][:BLOCK]
        known = regressed(box(), memory=memory).prior.condition(*some)
        assert_same_bits(known, regressed(box()).prior.condition(some[0].copy(), some[1].copy()), probes)


def test_imagined_answers_leave_the_memory_as_it_was() -> None:
    points, values = data_of("box", 200)
    probes = probes_of(box())
    memory = Memory()
    case = regressed(box(), memory=memory)
    known = case.prior.condition(points[:130], values[:130])
    before, held = everything(known, probes), list(memory.shelf("sums of answers"))
    known.condition(points[130:], np.random.default_rng(1).standard_normal((4, 70))).moments(probes)
    known.condition(points[130:], values[130:]).moments(probes)
    assert memory.shelf("sums of answers") == held
    for now, then in zip(everything(case.prior.condition(points[:130], values[:130]), probes), before, strict=True):
        assert_array_equal(now, then)


def test_another_memory_gives_the_same_regressions() -> None:
    points, values = data_of("box", 150)
    case = regressed(box())
    case.prior.condition(points, values)
    memory = Memory()
    assert_same_bits(
        case.prior.remembering(memory).condition(points, values), case.prior.condition(points, values), probes_of(box())
    )
    assert len(memory.shelf("sums of answers")) == 1


# Endurance.


def endured(domain: str, n: int) -> None:
    """After n answers one at a time, the precision is sound and the posterior that of the sums written out."""
    space = DOMAINS[domain]()
    case = regressed(space, 5)
    rng = np.random.default_rng(6)
    points = space.sample(64, rng)
    values = np.sin(5.0 * points.sum(axis=1)) + rng.standard_normal(64)
    maps = case.prior.maps
    belief = case.prior
    rows = rng.integers(0, 64, n)
    for row in rows:
        belief = belief.condition(points[row : row + 1], values[row : row + 1])
    counts = np.bincount(rows, minlength=64).astype(float)
    probes = probes_of(space)
    features, at = maps(points), maps(probes)
    precision = belief.precision()
    assert_array_equal(precision, precision.swapaxes(1, 2))
    assert np.all(np.linalg.eigvalsh(precision) >= 1.0 - 1e-6)
    assert belief.jitter == 0.0
    for place, (noise, mean) in enumerate(zip(NOISES, MEANS, strict=True)):
        dense = np.eye(maps.width) + (features[place] * counts[:, None]).T @ features[place] / noise
        right = features[place].T @ (counts * (values - mean)) / noise
        assert_allclose(precision[place], dense, rtol=LONG_SUM, atol=LONG_SUM * n)
        expected = mean + at[place] @ np.linalg.solve(dense, right)
        assert_allclose(belief.moments(probes).mean[place], expected, atol=LONG_SUM)
        variance = np.sum(at[place].T * np.linalg.solve(dense, at[place].T), axis=0)
        assert_allclose(belief.moments(probes).deviation[place], np.sqrt(variance), rtol=1e-5)
        energy = (counts * (values - mean) ** 2).sum() / noise - right @ np.linalg.solve(dense, right)
        evidence = -0.5 * (n * np.log(2 * np.pi * noise) + np.linalg.slogdet(dense)[1] + energy)
        # n additions in a row are off by n eps at most, of sums up to fifty times as large as the evidence.
        assert belief.log_evidence()[place] == pytest.approx(evidence, rel=50.0 * n * np.finfo(float).eps)


def test_fifty_thousand_answers_one_at_a_time_leave_the_posterior_sound() -> None:
    endured("box", 50_000)


@pytest.mark.slow
@each_domain
def test_a_million_answers_one_at_a_time_leave_the_posterior_sound(domain: str) -> None:
    endured(domain, 1_000_000)


# Almost no noise.


@each_domain
@pytest.mark.parametrize("n", [3, 40, 200])
def test_almost_no_noise_and_duplicates_leave_the_posterior_sound(domain: str, n: int) -> None:
    space = DOMAINS[domain]()
    case = regressed(space, noises=tuple(1e-9 * 1.7 * (1.0 + 0.3 * place) for place in range(4)))
    points = np.repeat(space.sample(n, np.random.default_rng(3)), 5, axis=0)
    values = np.repeat(np.random.default_rng(4).standard_normal(n), 5)
    belief = case.prior.condition(points, values)
    probes = np.concatenate([probes_of(space), points[::5]])
    mean, deviation = belief.moments(probes)
    assert np.all(np.isfinite(mean))
    assert np.all(deviation > 0.0)
    assert np.all(np.isfinite(belief.log_evidence()))
    assert np.all(np.isfinite(belief.incline(probes).gradient(np.ones_like(mean), np.ones_like(mean))))
    assert np.all(np.isfinite(belief.draw(0, np.random.default_rng(1)).values(probes)))
    assert np.all(belief.gains(points) >= 0.0)
    if n == 3:
        # Fewer points than features: f passes through them.
        for place in range(4):
            features = case.features(place, points[::5])
            if np.linalg.cond(features @ features.T) < 1e4:
                assert_allclose(mean[place, 7:], values[::5], atol=1e-3)


def test_a_precision_that_rounding_leaves_indefinite_is_steadied() -> None:
    case = regressed(box(), 30, forms=("se",), noises=(1e-16,))
    points = np.repeat(box().sample(4, np.random.default_rng(3)), 1000, axis=0)
    belief = case.prior.condition(points, np.sin(points.sum(axis=1)))
    mean, deviation = belief.moments(points[::1000])
    assert_allclose(mean[0], np.sin(points[::1000].sum(axis=1)), atol=1e-2)
    assert np.all(np.isfinite(deviation))
    assert belief.jitter > 0.0


def test_all_forms_are_regressed() -> None:
    assert len(FORMS) == len(NOISES) == len(MEANS) == regressed(mixed()).prior.count
