"""Who is where, against a plain reckoning that shares no code."""

from __future__ import annotations

import numpy as np
import pytest

from belated.experiments.league import standings
from belated.experiments.league.tables import Tables
from tests.league.leagues import Runs, flat, invented, plain

# Intervals of two bootstraps with different draws: at 4000 draws the ends of a 95 % interval of numbers between 0 and 1
# with a deviation of 0.15 have errors of about 0.01 each.
ENDS = 0.05


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_standings_agree_with_a_plain_reckoning(seed: int) -> None:
    runs = invented(seed)
    found, expected = standings(runs, draws=50), plain(runs)
    assert [one.share for one in found] == sorted(one.share for one in found)
    assert {one.entrant for one in found} == set(expected)
    for one in found:
        assert (one.share, one.cumulative, one.simple) == pytest.approx(expected[one.entrant])
        assert one.low <= one.high
    assert {one.entrant: (one.cases, one.runs) for one in found} == {
        "good": (3, 18),
        "random": (3, 18),
        "few": (3, 9),
        "absent": (2, 12),
    }


def test_who_is_best_everywhere_has_share_0_and_an_interval_of_nothing() -> None:
    runs = invented(4)
    for case, by_entrant in runs.items():
        runs[case]["good"] = {seed: flat("good", seed, 0.01) for seed in by_entrant["good"]}
    best = standings(runs, draws=50)[0]
    assert (best.entrant, best.share, best.low, best.high) == ("good", 0.0, 0.0, 0.0)


def test_ties_share_their_rank_and_no_regret_at_all_is_a_tie() -> None:
    zero = {seed: flat("", seed, 1.0, 0.0) for seed in range(3)}
    found = standings({"only": {"one": zero, "random": zero, "two": zero}}, draws=20)
    assert [(one.share, one.cumulative, one.simple) for one in found] == [(0.5, 1.0, 1.0)] * 3


def test_who_has_no_regret_is_level_with_all_who_have_none_whatever_seeds_they_played() -> None:
    played = {
        "few": {seed: flat("few", seed, 1.0, 0.0) for seed in range(3)},
        "many": {seed: flat("many", seed, 1.0, 0.0) for seed in range(6)},
        "random": {seed: flat("random", seed, 1.0, 0.5) for seed in range(6)},
    }
    # By one regret all three are level, by the other the two before random.
    assert {one.entrant: one.share for one in standings({"only": played}, draws=20)} == {
        "few": (0.5 + 0.25) / 2,
        "many": (0.5 + 0.25) / 2,
        "random": (0.5 + 1.0) / 2,
    }


def test_the_order_of_the_seeds_in_a_sum_breaks_no_tie() -> None:
    assert 0.1 + 0.2 + 0.3 != 0.3 + 0.2 + 0.1
    played = {
        "one": {seed: flat("one", seed, value) for seed, value in enumerate((0.1, 0.2, 0.3))},
        "two": {seed: flat("two", seed, value) for seed, value in enumerate((0.3, 0.2, 0.1))},
        "random": {seed: flat("random", seed, 1.0) for seed in range(3)},
    }
    assert [one.share for one in standings({"only": played}, draws=20)] == [0.25, 0.25, 1.0]


def test_without_runs_there_are_no_standings() -> None:
    assert standings({}) == ()


def test_who_played_fewer_than_half_of_the_cases_has_no_place_and_comes_last() -> None:
    runs = invented(5)
    for case in ("second", "third"):
        del runs[case]["good"]
    found = standings(runs, draws=50)
    assert (found[-1].entrant, found[-1].place, found[-1].cases) == ("good", None, 1)
    assert [one.place for one in found[:-1]] == [1, 2, 3]
    # Of three cases two are more than half.
    assert {one.entrant: one.cases for one in found[:-1]} == {"few": 3, "random": 3, "absent": 2}


def test_intervals_agree_with_a_plain_bootstrap_over_cases_and_seeds() -> None:
    runs = invented(6)
    for by_entrant in runs.values():
        by_entrant["few"] = {seed: flat("few", seed, 1.1) for seed in range(6)}
        by_entrant.pop("absent", None)
    found = {one.entrant: (one.low, one.high) for one in standings(runs, draws=4000)}
    rng, drawn = np.random.default_rng(1), []
    for _ in range(4000):
        chosen: Runs = {}
        for place, case in enumerate(rng.choice(list(runs), len(runs))):
            seeds = rng.choice(6, 6)
            chosen[str(place)] = {
                name: {number: own[int(seed)] for number, seed in enumerate(seeds)} for name, own in runs[case].items()
            }
        drawn.append({name: share for name, (share, _, _) in plain(chosen).items()})
    for name, ends in found.items():
        expected = np.quantile([draw[name] for draw in drawn], [0.025, 0.975])
        assert ends == pytest.approx(expected, abs=ENDS)


def test_a_case_that_is_drawn_twice_has_its_seeds_drawn_twice() -> None:
    rng = np.random.default_rng(3)
    by_entrant = {
        name: {seed: flat(name, seed, rng.random()) for seed in range(6)} for name in ("random", "few", "good")
    }
    drawn = Tables.of({"one": by_entrant, "another": by_entrant}).drawn(4000)
    first, second = drawn[:, :, Tables.of({"one": by_entrant}).names.index("good")]
    assert first.std() > 0.1
    # Were the draws of a case used again, they would agree every other time.
    assert abs(np.corrcoef(first, second)[0, 1]) < 5.0 / np.sqrt(4000)
