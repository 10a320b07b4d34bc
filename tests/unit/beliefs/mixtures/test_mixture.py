"""A mixture of Gaussian beliefs is read as the plain formulas say, whatever its members are."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from belated.beliefs import Combined, GaussianProcess, Memory, Mixture, Moments, Regressions
from belated.beliefs.mixtures.members import Exact, Members
from belated.evidence import Data
from belated.search import MomentScore, log_expectation
from belated.space import Array
from tests.builders import DOMAINS, box, probes_of, processes_of
from tests.pairs import first
from tests.reference.combines import COMBINES, improvement
from tests.tolerance import ROUNDING, SLOPE_TOLERANCE, SOLVE_TOLERANCE, STANDARD_ERRORS, STEP
from tests.unit.beliefs.features.regressed import regressed

SMOOTH = ("se", "matern32", "matern52")
WEIGHTS = {
    "features": [0.5, 0.2, 0.3],
    "exact": [0.35, 0.65],
    "mixed": [0.1, 0.25, 0.15, 0.3, 0.2],
    "one": [1.0],
    "one of three": [0.0, 1.0, 0.0],
}


def exact(domain: str, form: str, noise: float, mean: float) -> Exact:
    return Exact(processes_of(DOMAINS[domain](), form, noise=noise, mean=mean)[0])


def mixture(kind: str, domain: str = "box") -> Mixture:
    """A mixture before any answer."""
    features = regressed(DOMAINS[domain](), forms=SMOOTH).prior
    processes = (exact(domain, "se", 0.05, 0.2), exact(domain, "matern52", 0.2, -0.4))
    parts: dict[str, tuple[Members, ...]] = {
        "features": (features,),
        "exact": processes,
        "mixed": (processes[0], features, processes[1]),
        "one": (features.only(1),),
        "one of three": (features,),
    }
    return Mixture(parts[kind], np.array(WEIGHTS[kind]))


def members(belief: Mixture) -> list[Regressions | GaussianProcess]:
    """The members one by one."""
    found: list[Regressions | GaussianProcess] = []
    for part in belief.parts:
        if isinstance(part, Exact):
            found.append(part.process)
        else:
            assert isinstance(part, Regressions)
            found += [part.only(place) for place in range(part.count)]
    return found


def moments_of(belief: Mixture, probes: Array) -> tuple[Array, Array]:
    """Means and deviations of the members, each read by itself. (M, m)"""
    read = [np.reshape(np.array(member.moments(probes)), (2, len(probes))) for member in members(belief)]
    means, deviations = np.array(read).swapaxes(0, 1)
    return means, deviations


def data_of(domain: str, n: int, seed: int = 3) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    return DOMAINS[domain]().sample(n, rng), rng.standard_normal(n) + 0.5


every_kind = pytest.mark.parametrize("kind", WEIGHTS)
each_domain = pytest.mark.parametrize("domain", ["box", "mixed"])


# Moments.


@pytest.mark.parametrize("n", [0, 9])
@each_domain
@every_kind
def test_mean_and_deviation_are_those_of_the_weighted_members(kind: str, domain: str, n: int) -> None:
    belief = mixture(kind, domain).condition(*data_of(domain, n))
    probes = probes_of(DOMAINS[domain]())
    means, deviations = moments_of(belief, probes)
    for i in range(len(probes)):
        mean = sum(w * m for w, m in zip(WEIGHTS[kind], means[:, i], strict=True))
        square = sum(w * (s**2 + m**2) for w, m, s in zip(WEIGHTS[kind], means[:, i], deviations[:, i], strict=True))
        assert belief.moments(probes).mean[i] == pytest.approx(mean, abs=SOLVE_TOLERANCE)
        assert belief.moments(probes).deviation[i] == pytest.approx(math.sqrt(square - mean**2), abs=SOLVE_TOLERANCE)
    assert_array_equal(belief.deviation(probes), belief.moments(probes).deviation)
    assert_allclose(belief.member_moments(probes).mean, means, atol=SOLVE_TOLERANCE)
    assert_allclose(belief.member_moments(probes).deviation, deviations, atol=SOLVE_TOLERANCE)


@every_kind
def test_before_any_answer_mean_scale_and_noise_are_the_moments_of_the_prior(kind: str) -> None:
    belief = mixture(kind)
    mean, deviation = belief.moments(probes_of(box(), 3))
    assert_allclose(mean, belief.prior_mean)
    assert_allclose(deviation, belief.scale)  # in a space of numbers; with categories, on average
    noises = np.concatenate([part.noises for part in belief.parts])
    assert belief.noise == pytest.approx(float(np.dot(WEIGHTS[kind], noises)))
    assert belief.jitter == 0.0


def test_a_deviation_far_from_zero_keeps_its_digits() -> None:
    points, values = data_of("box", 9)
    near, far = (mixture("mixed").with_mean(mean).condition(points, values + mean) for mean in (0.0, 1e7))
    probes = probes_of(box())
    assert_allclose(far.moments(probes).deviation, near.moments(probes).deviation, rtol=1e-6)


@pytest.mark.parametrize("kind", ["features", "exact", "mixed"])
def test_draws_have_the_moments_of_the_mixture(kind: str) -> None:
    belief = mixture(kind).condition(*data_of("box", 7))
    probes = probes_of(box(), 5)
    rng, n = np.random.default_rng(8), 1500
    drawn = np.array([belief.draw(rng).values(probes) for _ in range(n)])
    mean, deviation = belief.moments(probes)
    assert np.all(np.abs(drawn.mean(axis=0) - mean) <= STANDARD_ERRORS * deviation / np.sqrt(n))
    squares = (drawn - mean) ** 2
    error = squares.std(axis=0) / np.sqrt(n)
    assert np.all(np.abs(squares.mean(axis=0) - deviation**2) <= STANDARD_ERRORS * error)


def check_frequencies(counts: Array, weights: list[float]) -> None:
    n = counts.sum()
    expected = np.array(weights)
    error = np.sqrt(expected * (1 - expected) / n)
    assert np.all(np.abs(counts / n - expected) <= STANDARD_ERRORS * error)


@pytest.mark.parametrize("count", first(1, 500, 2000))
@every_kind
def test_experts_are_drawn_by_their_weights_and_are_members_alone(kind: str, count: int) -> None:
    belief = mixture(kind).condition(*data_of("box", 7))
    probes = probes_of(box(), 4)
    alone = moments_of(belief, probes)
    rng = np.random.default_rng(3)
    counts = np.zeros(len(WEIGHTS[kind]))
    for _ in range(count):
        expert = belief.expert(rng)
        mean, deviation = expert.moments(probes)
        place = int(np.argmin(np.abs(alone[0] - mean).sum(axis=1)))
        assert_allclose(mean, alone[0][place], atol=SOLVE_TOLERANCE)
        assert_allclose(deviation, alone[1][place], atol=SOLVE_TOLERANCE)
        counts[place] += 1
    check_frequencies(counts, WEIGHTS[kind])


@pytest.mark.parametrize("kind", ["features", "exact", "mixed", "one of three"])
def test_functions_are_drawn_from_members_by_their_weights(kind: str) -> None:
    belief = mixture(kind)
    # Members so far apart that a draw tells whose it is.
    means = np.array([1000.0 * place for place in range(len(belief.weights))])
    parts: list[Members] = []
    start = 0
    for part in belief.parts:
        own = means[start : start + part.count]
        start += part.count
        if isinstance(part, Exact):
            parts.append(part.with_mean(float(own[0])))
        else:
            assert isinstance(part, Regressions)
            parts.append(Regressions(part.maps, part.noises, own, part.key))
    apart = Mixture(tuple(parts), belief.weights)
    rng = np.random.default_rng(4)
    probe = np.array([[0.4, 0.6]])
    counts = np.zeros(len(means))
    for _ in range(1500):
        counts[round(float(apart.draw(rng).values(probe)[0]) / 1000.0)] += 1
    check_frequencies(counts, WEIGHTS[kind])


# Scores and slopes.


def check_slopes(values: Callable[[Array], Array], found: Array, probes: Array, domain: str) -> None:
    expected = np.zeros_like(probes)
    for column in np.flatnonzero(~np.array(DOMAINS[domain]().categorical)):
        step = np.zeros(probes.shape[1])
        step[column] = STEP
        expected[:, column] = (values(probes + step) - values(probes - step)) / (2 * STEP)
    assert_allclose(found, expected, atol=SLOPE_TOLERANCE * (1 + np.abs(expected).max()))


@pytest.mark.parametrize("n", [0, 9])
@pytest.mark.parametrize("combine", COMBINES.values(), ids=COMBINES)
@each_domain
@every_kind
def test_slopes_of_scores_equal_central_differences(
    kind: str, domain: str, combine: Callable[[Array, Array], Combined], n: int
) -> None:
    belief = mixture(kind, domain).condition(*data_of(domain, n))
    score = MomentScore(belief, combine)
    probes = probes_of(DOMAINS[domain]())
    at, slopes = score.slopes(probes)
    assert_allclose(at, score.values(probes), atol=SOLVE_TOLERANCE)
    check_slopes(score.values, slopes, probes, domain)


def expected_improvement(mean: float, deviation: float, best: float) -> float:
    z = (mean - best) / deviation
    tail = 0.5 * math.erfc(-z / math.sqrt(2.0))
    return deviation * (math.exp(-0.5 * z * z) / math.sqrt(2 * math.pi) + z * tail)


@pytest.mark.parametrize("n", [0, 9])
@each_domain
@every_kind
def test_expected_improvement_is_the_weighted_sum_of_the_members(kind: str, domain: str, n: int) -> None:
    belief = mixture(kind, domain).condition(*data_of(domain, n))
    probes = probes_of(DOMAINS[domain]())
    score = log_expectation(belief, improvement)
    means, deviations = moments_of(belief, probes)
    for i, found in enumerate(score.values(probes)):
        each = [expected_improvement(m, s, 0.8) for m, s in zip(means[:, i], deviations[:, i], strict=True)]
        assert found == pytest.approx(math.log(np.dot(WEIGHTS[kind], each)), abs=1e-6)
    at, slopes = score.slopes(probes)
    assert_allclose(at, score.values(probes), atol=SOLVE_TOLERANCE)
    check_slopes(score.values, slopes, probes, domain)


def test_improvement_of_one_member_is_that_of_the_process_itself() -> None:
    points, values = data_of("box", 9)
    process = processes_of(box())[0].condition(points, values)
    alone = log_expectation(process, improvement)
    one = log_expectation(Mixture((Exact(process),), np.ones(1)), improvement)
    probes = probes_of(box())
    assert_allclose(one.values(probes), alone.values(probes), rtol=ROUNDING)
    assert_allclose(one.slopes(probes)[1], alone.slopes(probes)[1], rtol=1e-9, atol=ROUNDING)


def test_drawing_from_one_member_leaves_the_answers_of_the_others_alone_and_draws_the_same_function() -> None:
    points, values = data_of("box", 40)
    lazy = mixture("exact").condition(points[:30], values[:30]).condition(points[30:], values[30:])
    drawn = lazy.draw(np.random.default_rng(3))
    assert ["process" in vars(part) for part in lazy.parts].count(True) == 1
    eager = mixture("exact")
    processes = [part.process.condition(points, values) for part in eager.parts if isinstance(part, Exact)]
    again = Mixture(tuple(map(Exact, processes)), eager.weights).draw(np.random.default_rng(3))
    probes = probes_of(box())
    assert_array_equal(drawn.values(probes), again.values(probes))


def test_a_member_that_has_read_nothing_yet_knows_its_prior_and_takes_a_mean_and_a_memory() -> None:
    points, values = data_of("box", 12)
    process = processes_of(box(), noise=0.1)[0]
    member = Exact(process).condition(points, values).with_mean(0.7).remembering(Memory())
    assert member.prior_means.tolist() == [0.7]
    assert member.scales.tolist() == [process.scale]
    assert member.noises.tolist() == [0.1]
    assert member.key == process.with_mean(0.7).key
    assert "process" not in vars(member)
    probes = probes_of(box())
    expected = process.condition(points, values).with_mean(0.7).moments(probes)
    assert_array_equal(member.moments(probes).mean[0], expected.mean)
    assert_array_equal(member.moments(probes).deviation[0], expected.deviation)


def test_a_member_without_weight_does_not_hide_the_others_however_hopeless_they_are() -> None:
    points, values = data_of("box", 9)
    process = processes_of(box(), noise=1e-4)[0].condition(points, values)
    hopeless, hopeful = Exact(process.with_mean(-1e4)), Exact(process.with_mean(1e4))
    score = log_expectation(Mixture((hopeless, hopeful), np.array([1.0, 0.0])), improvement)
    alone = log_expectation(hopeless.process, improvement)
    probes = probes_of(box())
    assert alone.values(probes).min() < -1e6
    assert_allclose(score.values(probes), alone.values(probes), rtol=ROUNDING)
    at, slopes = score.slopes(probes)
    assert_allclose(at, alone.values(probes), rtol=ROUNDING)
    assert_allclose(slopes, alone.slopes(probes)[1], rtol=1e-9)


# Information.


@pytest.mark.parametrize("n", [0, 9])
@every_kind
def test_information_is_the_weighted_mean_of_the_members(kind: str, n: int) -> None:
    belief = mixture(kind).condition(*data_of("box", n))
    probes = probes_of(box(), 6)
    each = [np.atleast_2d(member.gains(probes))[0] for member in members(belief)]
    assert_allclose(belief.gains(probes), np.dot(WEIGHTS[kind], each), atol=SOLVE_TOLERANCE)
    totals = [gains.sum() for gains in each]
    assert belief.information(probes) == pytest.approx(float(np.dot(WEIGHTS[kind], totals)), abs=SOLVE_TOLERANCE)
    exacts = [member.information(probes) for member in members(belief) if isinstance(member, GaussianProcess)]
    sums = [total for total, member in zip(totals, members(belief), strict=True) if isinstance(member, GaussianProcess)]
    assert_allclose(sums, exacts, atol=SOLVE_TOLERANCE)
    greedy = [np.atleast_2d(member.greedy_gains(probes, 4))[0] for member in members(belief)]
    assert_allclose(belief.greedy_gains(probes, 4), np.dot(WEIGHTS[kind], greedy), atol=SOLVE_TOLERANCE)


@every_kind
def test_no_points_tell_nothing(kind: str) -> None:
    belief = mixture(kind).condition(*data_of("box", 4))
    none = np.empty((0, 2))
    assert belief.information(none) == 0.0
    assert belief.gains(none).shape == (0,)
    assert belief.moments(none).mean.shape == (0,)


# Completing, other means, keys.


@each_domain
@every_kind
def test_imagining_the_mean_keeps_every_members_mean_and_widens_no_deviation(kind: str, domain: str) -> None:
    prior = mixture(kind, domain)
    points, values = data_of(domain, 14)
    missing = np.arange(14) % 3 == 0
    known = prior.condition(points[~missing], values[~missing])

    def own_mean(some: object, at: Array) -> Array:
        read = some.moments(at)  # type: ignore[attr-defined]
        assert isinstance(read, Moments)
        return read.mean

    full = prior.completed(known, Data(points, np.where(missing, np.nan, values)), missing, own_mean)
    probes = probes_of(DOMAINS[domain]())
    assert_array_equal(full.weights, prior.weights)
    before, after = moments_of(known, probes), moments_of(full, probes)
    assert_allclose(after[0], before[0], atol=SOLVE_TOLERANCE)
    assert np.all(after[1] <= before[1] + SOLVE_TOLERANCE)
    assert_allclose(full.moments(probes).mean, known.moments(probes).mean, atol=SOLVE_TOLERANCE)
    assert np.all(full.moments(probes).deviation <= known.moments(probes).deviation + SOLVE_TOLERANCE)
    # The deviations are those of all points, whatever the values.
    everywhere = moments_of(prior.condition(points, values), probes)
    assert_allclose(after[1], everywhere[1], atol=SOLVE_TOLERANCE)


@every_kind
def test_another_prior_mean_is_that_of_every_member(kind: str) -> None:
    points, values = data_of("box", 8)
    probes = probes_of(box())
    moved = mixture(kind).with_mean(5.3)
    assert moved.prior_mean == pytest.approx(5.3)
    centred = mixture(kind).with_mean(0.3).condition(points, values).moments(probes)
    found = moved.condition(points, values + 5.0).moments(probes)
    assert_allclose(found.mean, centred.mean + 5.0, atol=SOLVE_TOLERANCE)
    assert_allclose(found.deviation, centred.deviation, atol=SOLVE_TOLERANCE)


@every_kind
def test_conditioning_keeps_the_weights_and_other_weights_keep_the_members(kind: str) -> None:
    belief = mixture(kind).condition(*data_of("box", 8))
    assert_array_equal(belief.weights, WEIGHTS[kind])
    even = belief.weighted(np.full(len(WEIGHTS[kind]), 1.0 / len(WEIGHTS[kind])))
    probes = probes_of(box())
    assert_array_equal(even.member_moments(probes).mean, belief.member_moments(probes).mean)
    assert_allclose(even.moments(probes).mean, belief.member_moments(probes).mean.mean(axis=0), atol=ROUNDING)


@every_kind
def test_the_key_tells_priors_apart_that_differ_in_mean_or_weights(kind: str) -> None:
    belief = mixture(kind)
    assert belief.key == mixture(kind).key
    assert hash(belief.key) == hash(mixture(kind).key)
    assert belief.with_mean(0.25).key != belief.with_mean(0.75).key
    if len(WEIGHTS[kind]) > 1:
        assert belief.weighted(np.array(WEIGHTS[kind][::-1]) * 0.5 + 0.5 / len(WEIGHTS[kind])).key != belief.key


def test_log_evidence_has_one_number_for_each_member() -> None:
    points, values = data_of("box", 8)
    belief = mixture("mixed").condition(points, values)
    each = [np.atleast_1d(member.log_evidence())[0] for member in members(belief)]
    assert_allclose(belief.log_evidence, each, rtol=SOLVE_TOLERANCE)
