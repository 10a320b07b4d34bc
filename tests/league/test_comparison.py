"""Who is where, and by how much, against a plain reckoning that shares no code with it."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from scipy.stats import t as student

from belated.experiments.league.comparison import MEASURES, RegretTables, pairs, standings
from tests.league.made_up import ROUNDS, level, tables, uneven
from tests.reference import league as plain
from tests.tolerance import ROUNDING, STANDARD_ERRORS

League = dict[str, dict[str, dict[int, float]]]


def scales_of(league: League) -> dict[str, float]:
    """What a random point misses: the regret of `random`, whose queries are random points."""
    return {case: plain.average(list(found["random"].values())) for case, found in league.items()}


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("measure", MEASURES)
def test_mean_ranks_agree_with_a_plain_reckoning(seed: int, measure: str) -> None:
    league = uneven(seed)
    scales, found = scales_of(league), standings(tables(league), measure, draws=50)
    assert [one.share for one in found] == sorted(one.share for one in found)
    assert {one.entrant: one.share for one in found} == pytest.approx(
        {name: plain.mean_rank(league, scales, name) for name in league["case-0"]}, rel=ROUNDING
    )
    assert {one.entrant: one.cases for one in found} == {
        "random": 7,
        "good": 7,
        "few": 7,
        "some": 4,
        "often-level": 7,
    }


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_differences_of_every_two_agree_with_a_plain_reckoning_over_what_both_played(seed: int) -> None:
    league = uneven(seed)
    made, scales = tables(league), scales_of(league)
    for first in made.entrants:
        for second, pair in pairs(made, first, "found", draws=50).items():
            expected = plain.difference(league, scales, first, second)
            assert (pair.rank.value, pair.ratio.value) == pytest.approx(expected, rel=1e-9, abs=ROUNDING)
            assert pair.cases == (4 if "some" in (first, second) else 7)


def test_a_pair_seen_from_the_other_side_is_its_mirror() -> None:
    made = tables(uneven(4))
    one, other = pairs(made, "good", "found")["some"], pairs(made, "some", "found")["good"]
    assert other.rank.value == pytest.approx(-one.rank.value)
    assert other.ratio.value == pytest.approx(1.0 / one.ratio.value)
    assert (other.rank.low, other.rank.high) == pytest.approx((-one.rank.high, -one.rank.low))


def test_intervals_agree_with_a_plain_bootstrap_over_cases_and_seeds_within() -> None:
    league, draws, redraws = uneven(5), 4000, 2000
    made = tables(league)
    shares = {case: plain.shares(found) for case, found in plain.bounded(league, scales_of(league)).items()}
    tail = plain.tail(len(league), float(student.ppf(0.975, len(league) - 1)))
    # By how much the shares of draws below a quantile may differ between two bootstraps.
    slack = STANDARD_ERRORS * math.sqrt(tail * (1 - tail) * (1 / draws + 1 / redraws))
    standing = {one.entrant: one for one in standings(made, "found", draws=draws)}["good"]
    pair = pairs(made, "good", "found", draws=draws)["often-level"]
    ranks = [list(of_case["good"].values()) for of_case in shares.values()]
    between = [
        [of_case["good"][seed] - of_case["often-level"][seed] for seed in of_case["good"]]
        for of_case in shares.values()
    ]
    for low, high, parts in ((standing.low, standing.high, ranks), (pair.rank.low, pair.rank.high, between)):
        redrawn = np.array(plain.redrawn(parts, np.random.default_rng(1), redraws))
        assert abs(np.mean(redrawn < low) - tail) < slack + np.mean(redrawn == low)
        assert abs(np.mean(redrawn > high) - tail) < slack + np.mean(redrawn == high)


def test_who_is_best_everywhere_has_rank_0_and_is_ahead_of_all() -> None:
    league = uneven(6)
    for found in league.values():
        found["good"] = dict.fromkeys(found["good"], 0.0)
        found["often-level"] = dict.fromkeys(found["often-level"], 1e9)
    first, last = standings(tables(league), "found")[:: len(league["case-0"]) - 1]
    assert (first.entrant, first.share, first.low, first.high) == ("good", 0.0, 0.0, 0.0)
    assert (last.entrant, last.share) == ("often-level", 1.0)
    assert {pair.ahead for pair in pairs(tables(league), "good", "found").values()} == {"good"}
    assert pairs(tables(league), "often-level", "found")["good"].ahead == "good"


def test_twins_are_level_and_nobody_is_ahead() -> None:
    league = uneven(7)
    for found in league.values():
        found["twin"] = found["good"]
    pair = pairs(tables(league), "good", "found")["twin"]
    assert (pair.rank.value, pair.rank.low, pair.rank.high, pair.ahead) == (0.0, 0.0, 0.0, None)
    assert pair.ratio.value == pytest.approx(1.0)


def test_less_than_a_thousandth_of_what_a_random_point_misses_is_level() -> None:
    league = {
        "only": {"random": {0: 10.0, 1: 30.0}, "near": {0: 0.019, 1: 1e-9}, "there": {0: 0.0, 1: 0.0}},
        "again": {"random": {0: 1.0, 1: 3.0}, "near": {0: 0.0, 1: 0.001}, "there": {0: 0.0, 1: 0.0}},
    }
    assert {one.entrant: one.share for one in standings(tables(league), "found")} == {
        "near": 0.25,
        "random": 1.0,
        "there": 0.25,
    }
    assert pairs(tables(league), "near", "found")["there"].ratio.value == 1.0
    assert pairs(tables(league), "there", "found")["random"].ratio.value == pytest.approx(0.001)


def test_a_case_in_which_random_finds_the_best_at_once_outweighs_no_other() -> None:
    runs = {f"case-{number}": [level("random", 0, 1.0), level("good", 0, 0.5)] for number in range(9)}
    lucky = level("random", 0, 1.0)
    runs["lucky"] = [type(lucky)("random", 0, (0.0,) * 3, (0.0,) * 3, lucky.cumulative), level("good", 0, 0.5)]
    ratio = pairs(RegretTables.of(runs, dict.fromkeys(runs, ROUNDS)), "good", "found")["random"].ratio.value
    # Without a bound it would be infinite; a bound of a thousandth lets one case of ten weigh 500^0.1.
    assert ratio == pytest.approx(0.5**0.9 * 500**0.1)


def test_a_case_without_random_search_is_left_out_and_one_case_alone_has_no_interval() -> None:
    league = uneven(8, cases=2)
    del league["case-1"]["random"]
    made = tables(league)
    assert made.cases == ("case-0",)
    assert all(math.isnan(one.low) and math.isnan(one.high) for one in standings(made, "found"))
    assert pairs(made, "good", "found")["random"].ahead is None


def test_some_of_the_cases_have_the_entrants_that_play_them() -> None:
    league = uneven(9)
    part = tables(league).only({"case-1", "case-3"})
    assert part.cases == ("case-1", "case-3")
    assert part.entrants == ("few", "good", "often-level", "random")
    expected = tables({case: league[case] for case in part.cases})
    assert standings(part, "found") == standings(expected, "found")


@pytest.mark.longest
def test_a_thousand_draws_of_36_cases_and_40_entrants_take_seconds() -> None:
    rng = np.random.default_rng(0)
    names = ["random", *(f"entrant-{number}" for number in range(39))]
    league = {
        f"case-{case}": {name: dict(enumerate(rng.lognormal(0.0, 1.0, 10).tolist())) for name in names}
        for case in range(36)
    }
    made, began = tables(league), time.process_time()
    assert len(standings(made, "found")) == 40
    assert all(len(pairs(made, name, "found")) == 39 for name in names)
    # Five seconds on a slow core; a loop over draws would take minutes.
    assert time.process_time() - began < 60.0
