"""The curve of delays: the product-limit estimate, its band, and what is read from it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from belated.delays import Curve, curve
from belated.errors import ParameterError
from belated.space import Array, Mask
from tests.tolerance import ROUNDING

Waits = list[tuple[float, bool]]

# Few distinct lengths, so that answers and waits without one often last equally long.
WAITS = st.lists(st.tuples(st.integers(0, 12).map(float), st.booleans()), min_size=1, max_size=40)


def arrays(waits: Waits) -> tuple[Array, Mask]:
    return np.array([length for length, _ in waits], dtype=float), np.array([came for _, came in waits], dtype=bool)


def of(waits: Waits) -> Curve:
    return curve(*arrays(waits))


def slow_survival(waits: Waits, time: float) -> float:
    """The product-limit estimate as its definition says it, one answer time after the other."""
    left = 1.0
    for moment in sorted({length for length, came in waits if came and length <= time}):
        waiting = sum(length >= moment for length, _ in waits)
        answered = sum(length == moment and came for length, came in waits)
        left *= 1.0 - answered / waiting
    return left


@given(waits=WAITS)
@example(waits=[(3.0, True)])
@example(waits=[(3.0, False)])
def test_the_curve_is_the_product_limit_estimate(waits: Waits) -> None:
    found = of(waits)
    assert found.times.tolist() == sorted({length for length, came in waits if came})
    for time in (0.0, 0.5, 3.0, 6.5, 12.0, 40.0):
        assert found.answered_by(time) == pytest.approx(1.0 - slow_survival(waits, time), abs=ROUNDING)
    assert found.at_risk.tolist() == [sum(length >= time for length, _ in waits) for time in found.times]


@pytest.mark.parametrize("seed", [3, 17, 91])
@pytest.mark.parametrize("n", [2, 30, 400])
def test_the_curve_and_its_band_are_those_of_scipy(seed: int, n: int) -> None:
    from scipy.stats import CensoredData, ecdf

    rng = np.random.default_rng(seed)
    # Rounded, so that there are ties; the longest wait is without an answer, so that the curve stays above 0.
    # The shortest one is answered: before the first answer SciPy has no band, and warns.
    delays, followed = np.round(rng.exponential(10.0, n), 1), np.round(rng.uniform(0.0, 30.0, n), 1)
    lengths, answered = 0.1 + np.minimum(delays, followed), delays <= followed
    lengths[0], answered[0], lengths[1], answered[1] = 40.0, False, 0.05, True
    found = curve(lengths, answered)
    theirs = ecdf(CensoredData(uncensored=lengths[answered], right=lengths[~answered])).sf
    assert_allclose(found.survived(theirs.quantiles), theirs.probabilities, atol=ROUNDING)
    band: Any = theirs.confidence_interval(method="log-log")
    assert_allclose(found.low, band.low.evaluate(found.times), atol=1e-10)
    assert_allclose(found.high, band.high.evaluate(found.times), atol=1e-10)


@given(waits=WAITS, seed=st.integers(0, 99))
def test_the_order_of_the_queries_does_not_matter(waits: Waits, seed: int) -> None:
    shuffled = [waits[place] for place in np.random.default_rng(seed).permutation(len(waits))]
    one, other = of(waits), of(shuffled)
    for name in ("times", "survival", "low", "high", "at_risk"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()
    assert one.never == other.never


@given(waits=WAITS)
def test_the_band_holds_the_curve_and_stays_between_0_and_1(waits: Waits) -> None:
    found = of(waits)
    assert np.all(found.low >= 0.0)
    assert np.all(found.low <= found.survival)
    assert np.all(found.survival <= found.high)
    assert np.all(found.high <= 1.0)


@given(waits=WAITS)
def test_one_who_waits_longer_only_lifts_the_curve(waits: Waits) -> None:
    longer = [*waits, (50.0, False)]
    grid = np.arange(0.0, 14.0)
    assert np.all(of(longer).survived(grid) >= of(waits).survived(grid) - ROUNDING)


@pytest.mark.parametrize("n", [1, 2, 10, 1000])
def test_where_all_took_equally_long_the_band_is_the_exact_one(n: int) -> None:
    found = of([(3.0, True)] * n)
    assert (found.survival.tolist(), found.low.tolist()) == ([0.0], [0.0])
    # The chance with which none of n takes longer is 0.025.
    assert (1.0 - found.high[0]) ** n == pytest.approx(0.025)


def test_a_curve_that_reaches_0_has_no_wider_band_at_its_end_than_before() -> None:
    found = of([(1.0, True), (2.0, True), (3.0, True), (4.0, True)])
    assert found.survival[-1] == 0.0
    assert 0.0 < found.high[-1] < found.high[-2]


# A share of R runs in which a band of level 0.95 covers has the deviation √(0.95 · 0.05 / R); four of them are exceeded
# once in 16,000 runs. The band is an approximation: 0.02 is what it may miss its level by with sixty queries.
RUNS, OFF = 2000, 0.02


@pytest.mark.parametrize("time", [2.0, 5.0, 10.0, 20.0])
def test_the_band_covers_the_truth_as_often_as_it_says(time: float) -> None:
    rng = np.random.default_rng(20)
    covered = 0
    for _ in range(RUNS):
        delays, followed = rng.exponential(10.0, 60), rng.uniform(0.0, 40.0, 60)
        found = curve(np.minimum(delays, followed), delays <= followed)
        step = int(np.searchsorted(found.times, time, side="right")) - 1
        covered += step >= 0 and found.low[step] <= math.exp(-time / 10.0) <= found.high[step]
    assert abs(covered / RUNS - 0.95) < OFF + 4.0 * math.sqrt(0.95 * 0.05 / RUNS)


def test_quantiles_are_times_of_answers_and_none_where_the_curve_does_not_reach() -> None:
    found = of([(1.0, True), (2.0, True), (3.0, True), (9.0, False)])
    assert [found.quantile(share) for share in (0.01, 0.25, 0.26, 0.5, 0.75)] == [1.0, 1.0, 2.0, 2.0, 3.0]
    assert found.quantile(0.76) is None
    assert of([(5.0, True)]).quantile(1.0) == 5.0


@pytest.mark.parametrize("n", [3, 7, 10, 30])
def test_a_share_that_is_reached_exactly_is_reached(n: int) -> None:
    found = of([(float(time), True) for time in range(1, n + 1)])
    assert [found.quantile(k / n) for k in range(1, n + 1)] == [float(k) for k in range(1, n + 1)]


@given(waits=WAITS, share=st.floats(0.01, 1.0))
def test_a_quantile_is_the_first_time_by_which_the_share_is_answered(waits: Waits, share: float) -> None:
    found = of(waits)
    time = found.quantile(share)
    if time is None:
        assert found.answered_by(1e9) < share
    else:
        assert found.answered_by(time) >= share - 1e-9
        assert time == 0.0 or found.answered_by(np.nextafter(time, 0.0)) < share


def test_without_an_answer_nothing_is_known_and_nothing_is_refused() -> None:
    for found in (of([(4.0, False), (0.0, False)]), curve(np.empty(0), np.empty(0, dtype=bool))):
        assert found.times.size == 0
        assert found.quantile(0.5) is None
        assert (found.answered_by(7.0), found.still(7.0)) == (0.0, None)
        assert found.chances(np.array([0.0, 7.0])).tolist() == [1.0, 1.0]
        assert (found.never.estimate, found.never.low, found.never.high) == (None, 0.0, 1.0)


def test_one_that_has_waited_will_still_be_answered_unless_it_is_one_of_those_that_never_are() -> None:
    # Eight of ten are answered after 1 to 8, two have waited for 100.
    found = of([*((float(time), True) for time in range(1, 9)), (100.0, False), (100.0, False)])
    assert found.never.estimate == pytest.approx(0.2)
    assert found.still(0.0) == pytest.approx(0.8)
    assert found.still(4.0) == pytest.approx((0.6 - 0.2) / 0.6)
    assert found.still(8.0) == pytest.approx(0.0)
    assert found.still(1e6) == pytest.approx(0.0)


@given(waits=WAITS)
def test_the_chance_of_an_answer_only_falls_with_age(waits: Waits) -> None:
    chances = of(waits).chances(np.arange(0.0, 20.0))
    assert np.all((chances >= -ROUNDING) & (chances <= 1.0))
    assert np.all(np.diff(chances) <= ROUNDING)


def test_impossible_times_and_shares_are_refused() -> None:
    found = of([(1.0, True)])
    with pytest.raises(ParameterError, match=r"^answered_by\(time=-1\): time must be a finite number of at least 0\.$"):
        found.answered_by(-1)
    with pytest.raises(ParameterError, match=r"^still\(age='old'\): age must be a finite number of at least 0\.$"):
        found.still("old")  # type: ignore[arg-type]
    with pytest.raises(
        ParameterError, match=r"^quantile\(share=0\): share must be a finite number at most 1 and more than 0\.$"
    ):
        found.quantile(0)


def test_as_json_a_curve_has_at_most_200_steps_with_both_ends() -> None:
    rng = np.random.default_rng(4)
    lengths = rng.exponential(10.0, 5000)
    found = curve(lengths, lengths < 30.0)
    data = found.to_json()
    columns = [data[name] for name in ("times", "survival", "low", "high", "at_risk")]
    assert {len(column) for column in columns} == {200}
    assert (
        (data["times"][0], data["times"][-1])
        == (found.times[0], found.times[-1])
        == (data["times"][0], data["longest"])
    )
    assert (data["median"], data["nine_in_ten"]) == (found.quantile(0.5), found.quantile(0.9))
    few = of([(1.0, True), (2.0, False)]).to_json()
    assert (few["times"], few["survival"], few["at_risk"]) == ([1.0], [0.5], [2.0])


def test_nobody_can_change_a_curve() -> None:
    found = of([(1.0, True), (2.0, False)])
    with pytest.raises(ValueError, match="read-only"):
        found.survival[0] = 0.0
