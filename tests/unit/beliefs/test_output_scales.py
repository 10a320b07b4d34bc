"""Answers read by their ranks: the formula, the way back, and what a study makes of it."""

from __future__ import annotations

import math
from statistics import NormalDist, median

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import multivariate_normal

import belated as bl
from belated.beliefs import GP, HalfRanks, Memory
from belated.beliefs.output_scales import NEIGHBOURHOOD, by_place, half_ranks, log_gain, log_slopes, sparsity, trust
from belated.errors import ParameterError
from belated.evidence import Data, Errors, Evidence, Scale
from belated.log import Added, Balk, Event, Record, Values
from belated.pacing import Always
from belated.pending import Hallucinate
from belated.policies import Policy
from belated.rules import Constant, UpperBound, point_of
from belated.space import Array
from tests.logbook import CREATED, signed, turned
from tests.unit.beliefs.kernels.vectors import simple

ALWAYS = HalfRanks(margin=-math.inf)
SPACE = bl.Space(x=bl.Float(0.0, 1.0), y=bl.Float(0.0, 1.0))
SCATTERED = np.random.default_rng(7).uniform(0.3, 0.6, (12, 3)).tolist()
PAIRS = [[(first, second) for second in SCATTERED] for first in SCATTERED]
LOSSES = np.array([3.0, -1.0e6, 2.0, -40.0, 2.5, -7.0, -40.0, 0.5, 1.0, -900.0])


def plain(answers: list[float]) -> list[float]:
    """Every answer as it is read, one by one."""
    n, middle = len(answers), median(answers)
    above = [answer - middle for answer in answers if answer >= middle]
    spread = math.sqrt(sum(each * each for each in above) / len(above))
    read = []
    for answer in answers:
        ranks = [place for place, other in enumerate(sorted(answers), start=1) if other == answer]
        rank = sum(ranks) / len(ranks)
        score = middle + spread * NormalDist().inv_cdf((rank - 0.5) / n)
        read.append(score if answer < middle else answer)
    return read


def scaled(answers: Array) -> Scale:
    scale = half_ranks(answers, np.ones(len(answers)))
    assert scale is not None
    return scale


def record(answers: Array, sign: float = 1.0) -> Record:
    """Answers from places of a grid, none near another."""
    places = np.random.default_rng(0).permutation(64)[: len(answers)]
    points = np.stack(np.divmod(places, 8), axis=1) / 8.0 + 0.05
    events = [Event(1, 0.0, CREATED)]
    for number, (answer, (x, y)) in enumerate(zip(answers.tolist(), points.tolist(), strict=True), start=1):
        events.append(Event(number + 1, 0.0, Added(number, Values({"x": x, "y": y}), sign * answer)))
    return Record.empty(SPACE, None, signed(sign)).extend(turned(events, sign))


def evidence(answers: Array, sign: float = 1.0) -> Evidence:
    """The same, for the mathematics."""
    return Evidence.of(record(answers, sign))


@pytest.mark.parametrize("n", [2, 3, 4, 7, 10])
def test_the_worse_half_is_read_by_its_ranks_and_the_better_half_as_it_is(n: int) -> None:
    answers = LOSSES[:n]
    assert_allclose(scaled(answers).inward(answers), plain(answers.tolist()), rtol=1e-12)


def test_both_halves_of_many_answers_spread_alike() -> None:
    answers = -np.random.default_rng(0).lognormal(0.0, 2.0, 1001)
    read = scaled(answers).inward(answers)
    middle = np.median(answers)
    below, above = middle - read[read < middle], read[read > middle] - middle
    assert math.sqrt(np.mean(below**2)) == pytest.approx(math.sqrt(np.mean(above**2)), rel=0.01)


def test_the_order_of_answers_stays_and_the_way_back_leads_to_them() -> None:
    scale = scaled(LOSSES)
    read = scale.inward(LOSSES)
    assert_array_equal(np.argsort(read, kind="stable"), np.argsort(LOSSES, kind="stable"))
    assert_allclose(scale.outward(read), LOSSES, rtol=1e-12)
    between = np.array([-500.0, -20.0, 0.9, 2.2, 5.0])
    assert_allclose(scale.outward(scale.inward(between)), between, rtol=1e-9)


def test_what_is_worse_than_the_worst_is_read_like_it() -> None:
    scale = scaled(LOSSES)
    assert scale.inward(np.array(-1e9)) == scale.inward(np.array(-1e6))
    assert scale.outward(np.array(-1e9)) == -1e6


@pytest.mark.parametrize("answers", [[], [1.0], [2.0, 2.0, 2.0], [0.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 1.0]])
def test_answers_that_have_no_two_halves_are_read_as_they_are(answers: list[float]) -> None:
    assert half_ranks(np.array(answers), np.ones(len(answers))) is None
    told = evidence(np.array(answers))
    assert ALWAYS(told, Memory()) is told


def test_another_unit_is_read_in_that_unit() -> None:
    read, moved = scaled(LOSSES).inward(LOSSES), 3.0 * LOSSES + 20.0
    assert_allclose(scaled(moved).inward(moved), 3.0 * read + 20.0, rtol=1e-9)


def test_ranks_are_those_among_the_answers_up_to_a_milestone() -> None:
    answers = np.arange(47.0)[::-1].copy()  # 46 is the last milestone up to 47
    assert_array_equal(ALWAYS(evidence(answers), Memory()).arrivals().values, scaled(answers[:46]).inward(answers))


def test_answers_from_one_place_count_as_one_their_mean() -> None:
    points = np.array([[0.5, 0.1], [0.2, 0.3], [0.5, 0.1], [0.9, 0.9], [0.2, 0.3], [0.5, 0.1]])
    found = by_place(Data(points, np.array([1.0, 4.0, 2.0, -1e308, 6.0, 6.0])))
    assert_array_equal(found.points, [[0.5, 0.1], [0.2, 0.3], [0.9, 0.9]])
    assert_allclose(found.values, [3.0, 5.0, -1e308])
    assert by_place(Data(points[:0], np.empty(0))).points.shape == (0, 2)


def test_asking_the_best_place_again_and_again_changes_no_scale() -> None:
    """The median of all answers would soon be the best one."""
    told = evidence(LOSSES)
    x, y = told.points[0].tolist()
    again = [Event(12 + n, 0.0, Added(11 + n, Values({"x": x, "y": y}), LOSSES[0])) for n in range(10)]
    more = Evidence.of(record(LOSSES).extend(again))
    assert half_ranks(more.values, np.ones(20)) is None
    once, often = (ALWAYS(each, Memory()).scale for each in (told, more))
    assert once is not None
    assert often is not None
    assert_allclose(often.knots, once.knots)
    assert_allclose(often.images, once.images)


def plainly_weighted(answers: list[float], weights: list[float]) -> list[float]:
    """Every answer as it is read, by its own weight and those of the answers below it."""
    total, pairs = sum(weights), sorted(zip(answers, weights, strict=True))
    middles = [sum(weight for _, weight in pairs[:place]) + pairs[place][1] / 2 for place in range(len(pairs))]
    after = next(place for place, middle in enumerate(middles) if middle >= total / 2)
    (low, _), (high, _) = pairs[max(after - 1, 0)], pairs[after]
    step = (total / 2 - middles[after - 1]) / (middles[after] - middles[after - 1]) if after else 1.0
    median_of_all = low + step * (high - low)
    above = [(answer - median_of_all, weight) for answer, weight in pairs if answer >= median_of_all]
    spread = math.sqrt(sum(weight * each * each for each, weight in above) / sum(weight for _, weight in above))
    read = []
    for answer in answers:
        below = sum(weight for other, weight in pairs if other < answer)
        equal = sum(weight for other, weight in pairs if other == answer)
        score = median_of_all + spread * NormalDist().inv_cdf((below + equal / 2) / total)
        read.append(score if answer < median_of_all else answer)
    return read


@pytest.mark.parametrize("seed", range(8))
def test_answers_count_by_their_weights(seed: int) -> None:
    weights = np.random.default_rng(seed).uniform(0.1, 1.0, len(LOSSES))
    scale = half_ranks(LOSSES, weights)
    assert scale is not None
    assert_allclose(scale.inward(LOSSES), plainly_weighted(LOSSES.tolist(), weights.tolist()), rtol=1e-9)
    assert_allclose(plainly_weighted(LOSSES.tolist(), [0.5] * 10), plain(LOSSES.tolist()), rtol=1e-12)


def test_a_neighbourhood_shares_a_weight_of_one() -> None:
    points = np.array([[0.5, 0.5], [0.54, 0.47], [0.5, 0.53], [0.9, 0.5], [0.5, 0.56]])
    # The last is near the third alone, and the second is too far from it in the second column.
    assert_allclose(sparsity(points), [1 / 3, 1 / 2, 1 / 3, 1, 1 / 2])
    near = [[max(abs(a - b) for a, b in zip(*pair, strict=True)) <= NEIGHBOURHOOD for pair in row] for row in PAIRS]
    assert_allclose(sparsity(np.array(SCATTERED)), [1 / sum(row) for row in near])
    assert sparsity(points[:0]).shape == (0,)


def test_gathering_on_a_hill_leaves_the_others_some_hope() -> None:
    """Forty answers within a hundredth of the best place: by plain ranks, no other could be far below the best."""
    rng = np.random.default_rng(4)
    told, (x, y) = evidence(LOSSES), evidence(LOSSES).points[0].tolist()
    hill = [
        Added(11 + n, Values({"x": x + dx, "y": y + dy}), 3.0 - 100.0 * (dx * dx + dy * dy))
        for n, (dx, dy) in enumerate(rng.uniform(-0.01, 0.01, (40, 2)).tolist())
    ]
    gathered = Evidence.of(record(LOSSES).extend([Event(12 + n, 0.0, body) for n, body in enumerate(hill)]))
    before, after = (ALWAYS(each, Memory()).scale for each in (told, gathered))
    plainly = half_ranks(gathered.values, np.ones(50))
    depth, kept, lost = (scale.images[-1] - scale.images[0] for scale in (before, after, plainly) if scale is not None)
    assert kept == pytest.approx(depth, rel=0.5)
    assert lost < 0.02 * depth


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_evidence_on_a_scale_has_all_answers_on_it(sign: float) -> None:
    told = evidence(LOSSES, sign)
    read = ALWAYS(told, Memory())
    expected = plain(LOSSES.tolist())
    assert_allclose(read.values, expected, rtol=1e-12)
    assert_allclose(read.arrivals().values, expected, rtol=1e-12)
    assert_array_equal(read.best_rows(10), told.best_rows(10))
    assert [read.inward(sign * answer) for answer in LOSSES] == pytest.approx(expected)
    assert_array_equal(told.values, LOSSES)
    # What is imagined after it stands on the same scale.
    more = read.imagined(np.array([0.5, 0.5]), read.inward(sign * -40.0))
    assert more.values[-1] == pytest.approx(expected[3])
    assert_array_equal(more.values[:-1], read.values)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_means_and_deviations_come_back_in_the_units_of_the_answers(sign: float) -> None:
    told = evidence(LOSSES, sign)
    mean, deviation = np.array([2.0, 10.0]), np.array([0.25, 3.0])
    for each in (told, ALWAYS(told, Memory())):
        found = each.outward(mean, deviation)
        assert_allclose(found[0], sign * mean)
        assert_allclose(found[1], deviation)
    scale, low = scaled(LOSSES), np.array([-2.0])
    found = ALWAYS(told, Memory()).outward(low, np.array([0.5]))
    assert_allclose(found[0], sign * scale.outward(low))
    assert_allclose(found[1], (scale.outward(low + 0.5) - scale.outward(low - 0.5)) / 2.0)


def test_a_policy_that_reads_by_ranks_does_not_care_how_bad_bad_answers_are() -> None:
    parts = GP(refit=1), Hallucinate(), UpperBound(Constant(2.0)), Always()
    worse = np.where(LOSSES < -8.0, 10.0 * LOSSES, LOSSES)
    ranked, plainly = Policy(*parts, reading=ALWAYS), Policy(*parts)

    def asked(policy: Policy, answers: Array) -> Array:
        outcome = policy.decide(evidence(answers), 1.0, 0, Memory()).outcome
        assert not isinstance(outcome, Balk)
        return point_of(outcome)

    assert_array_equal(asked(ranked, LOSSES), asked(ranked, worse))
    assert np.any(asked(plainly, LOSSES) != asked(plainly, worse))


# Where ranks are likelier.


def test_the_slopes_of_a_straight_scale_are_known_but_for_the_gaps_of_draws() -> None:
    """Over m gaps log Δz/Δy is log 3, less log m − ψ(m), with ψ(2) = 1 − γ, ψ(3) = ψ(2) + ½ and ψ(4) = ψ(3) + ⅓."""
    knots = np.arange(6.0)
    scale = Scale(knots, 3.0 * knots - 10.0)  # the highest knot, where both are the same
    gamma = 0.5772156649015329
    psi = {2: 1.0 - gamma, 3: 1.5 - gamma, 4: 1.5 + 1.0 / 3.0 - gamma}
    gaps = [2, 3, 4, 4, 3]  # two knots on either side, fewer at the ends
    expected = sum(math.log(3.0) + psi[m] - math.log(m) for m in gaps)
    assert log_slopes(scale, knots) == pytest.approx(expected, rel=1e-12)
    assert log_slopes(scale, np.append(knots, 0.0)) == pytest.approx(
        expected + math.log(3.0) + psi[2] - math.log(2.0), rel=1e-12
    )


def test_the_slopes_of_many_draws_are_those_of_their_law() -> None:
    """Losses y = −exp(x), x normal, are read by ranks nearly as z = −x, so that dz/dy = −1/y."""
    draws = np.sort(-np.exp(np.random.default_rng(1).standard_normal(4000)))
    scores = [NormalDist().inv_cdf((rank - 0.5) / 4000) for rank in range(1, 4001)]
    scale, worse = Scale(draws, np.array(scores)), draws[:-1]
    # Each logarithm of four gaps scatters by √ψ′(4) ≈ 0.53, and four neighbours share them: twice that, and 4 of those.
    expected = float(np.sum(-np.log(-worse)))
    assert log_slopes(scale, draws) == pytest.approx(expected, abs=4.0 * 1.06 * math.sqrt(len(draws)))


def test_the_gain_is_the_ratio_of_two_densities_of_the_answers() -> None:
    told = evidence(LOSSES)
    data, template = told.arrivals(), GP().template(told)
    scale = scaled(LOSSES)

    def log_density(values: Array) -> float:
        found = GP(refit=1).hyperparameters(evidence(values), Memory())
        points = data.points
        squared = np.sum(((points[:, None] - points[None]) / np.array(simple(found.kernel).lengthscales)) ** 2, axis=2)
        root = np.sqrt(5.0 * squared)
        covariance = found.kernel.variance * (1.0 + root + 5.0 * squared / 3.0) * np.exp(-root)
        return float(
            multivariate_normal(
                np.full(len(values), found.mean), covariance + found.noise * np.eye(len(values))
            ).logpdf(values)
        )

    expected = log_density(scale.inward(LOSSES)) + log_slopes(scale, LOSSES) - log_density(LOSSES)
    assert log_gain(data, template, Memory()) == pytest.approx(expected, rel=1e-6)


def test_losses_over_orders_of_magnitude_are_read_by_ranks_and_draws_of_a_process_as_they_are() -> None:
    """Of draws, about one in ten is taken for another; that more than half of 20 are is not one chance in a million."""
    rng = np.random.default_rng(0)
    points = evidence(np.zeros(40)).points
    squared = np.sum((points[:, None] - points[None]) ** 2, axis=2) / 0.2**2
    root = np.linalg.cholesky(np.exp(-0.5 * squared) + 0.04 * np.eye(40))
    draws = [root @ rng.standard_normal(40) for _ in range(20)]
    assert sum(HalfRanks()(evidence(draw), Memory()).scale is not None for draw in draws) <= 10
    assert all(HalfRanks()(evidence(-np.exp(3.0 * draw)), Memory()).scale is not None for draw in draws[:5])


def test_the_margin_is_by_how_much_likelier_ranks_must_be() -> None:
    told = evidence(LOSSES)
    gain = log_gain(told.arrivals(), GP().template(told), Memory())
    assert HalfRanks(gain - 0.01)(told, Memory()).scale is not None
    assert HalfRanks(gain + 0.01)(told, Memory()).scale is None


@pytest.mark.parametrize(
    "answers",
    [
        [1.0 / 3.0, 5e-324, 0.125, 1e100, -1e-300, -0.0],
        [-1e100, 1e100, -1e-300, 0.0, 1e-300, 1.0],
        [1e16, 1e16 + 2.0, 1e16 + 4.0, 1e16 + 6.0, 1e16 + 8.0, 1e16 + 10.0],
        [-1e99, 1e16, 1e16 + 2.0, 1e16 + 4.0, 1e16 + 6.0, 1e16 + 8.0, 1e16 + 10.0],
    ],
)
def test_extreme_answers_are_read_without_a_warning(answers: list[float]) -> None:
    told = evidence(np.array(answers))
    assert np.all(np.isfinite(HalfRanks()(told, Memory()).values))


@pytest.mark.parametrize("margin", [math.nan, "2", None])
def test_a_margin_is_a_number(margin: object) -> None:
    with pytest.raises(ParameterError, match=r"HalfRanks\(margin="):
        HalfRanks(margin)  # type: ignore[arg-type]


def test_a_memory_changes_nothing() -> None:
    memory, answers = Memory(), -np.random.default_rng(3).lognormal(0.0, 3.0, 60)
    for n in (5, 6, 30, 31, 60, 12):
        told = evidence(answers[:n])
        remembered, anew = HalfRanks()(told, memory), HalfRanks()(told, Memory())
        assert_array_equal(remembered.values, anew.values)


# Errors of answers.


def test_repeats_told_as_one_answer_are_as_many_answers_of_one_place() -> None:
    rng = np.random.default_rng(6)
    points, groups = rng.random((5, 2)), [rng.normal(size=size) for size in (1, 4, 2, 3, 5)]
    means = np.array([group.mean() for group in groups])
    counts = np.array([float(len(group)) for group in groups])
    scatter = np.array([np.sum((group - group.mean()) ** 2) for group in groups])
    together = by_place(Data(points, means, Errors(np.full(5, np.nan), counts, scatter)))
    alone = by_place(Data(np.repeat(points, counts.astype(int), axis=0), np.concatenate(groups)))
    assert together.errors is None
    assert_array_equal(together.points, alone.points)
    assert_allclose(together.values, alone.values)


def test_answers_of_one_place_are_weighted_by_their_errors() -> None:
    points = np.array([[0.2], [0.7], [0.2], [0.7], [0.9]])
    sd = np.array([0.1, 1.0, 0.2, 1e-3, np.nan])
    told = by_place(Data(points, np.array([1.0, 5.0, 2.0, 6.0, 9.0]), Errors(sd, np.ones(5), np.zeros(5))))
    assert_array_equal(told.points, [[0.2], [0.7], [0.9]])
    assert_allclose(told.values, [(100.0 * 1.0 + 25.0 * 2.0) / 125.0, 6.0, 9.0], rtol=1e-5)
    assert told.errors is not None
    assert_allclose(told.errors.sd, [125.0**-0.5, 1e-3, np.nan], rtol=1e-5)


def test_the_rank_of_an_answer_that_may_be_anything_says_nothing() -> None:
    rng = np.random.default_rng(8)
    points, values, rough = rng.random((12, 3)), rng.normal(size=12), np.arange(12) == 4
    values[rough] = -300.0
    data = Data(points, values, Errors(np.where(rough, 1e4, 0.01), np.ones(12), np.zeros(12)))
    weights = trust(data)
    assert np.all(weights[~rough] > 0.99)
    assert weights[rough] < 1e-6
    with_it = half_ranks(values, weights)
    without = half_ranks(values[~rough], weights[~rough])
    assert with_it is not None
    assert without is not None
    assert_allclose(with_it.inward(values[~rough]), without.inward(values[~rough]), atol=1e-5)
    assert_array_equal(trust(data._replace(errors=None)), 1.0)


def test_the_gain_reads_errors_by_the_slope_of_the_scale() -> None:
    """Losses over orders of magnitude, each known to a hundredth of itself, are read by their ranks."""
    rng = np.random.default_rng(1)
    points = rng.random((40, 2))
    values = -np.exp(5.0 * np.sin(6.0 * points[:, 0]))
    errors = Errors(0.01 * np.abs(values), np.ones(40), np.zeros(40))
    template = GP().template(evidence(values))
    gains = [log_gain(Data(points, values, known), template, Memory()) for known in (errors, None)]
    assert all(gain > 1.0 for gain in gains)
