"""What has become of the goals of an entrant, against a plain reckoning."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from belated.experiments.league import Duel, Goals, goals, standings
from tests.league.leagues import Runs, flat, invented, plain

DRAWS = 50


def judged(runs: Runs, entrant: str = "good") -> Goals:
    found = goals(runs, standings(runs, DRAWS), entrant, DRAWS)
    assert found is not None
    return found


def shares(runs: Runs) -> dict[tuple[str, str], float]:
    """The share of every entrant in every case, by itself."""
    return {
        (case, name): share
        for case, by_entrant in runs.items()
        for name, (share, _, _) in plain({case: by_entrant}).items()
    }


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_leads_are_the_mean_differences_over_the_cases_that_both_played(seed: int) -> None:
    runs = invented(seed)
    found, own = judged(runs), shares(runs)
    expected = {}
    for name in ("random", "few", "absent"):
        apart = [own[case, name] - own[case, "good"] for case in runs if (case, name) in own]
        expected[name] = (len(apart), sum(apart) / len(apart))
    assert {lead.entrant for lead in found.leads} == set(expected)
    for lead in found.leads:
        assert (lead.cases, lead.ahead) == pytest.approx(expected[lead.entrant])
    assert [lead.ahead for lead in found.leads] == sorted(lead.ahead for lead in found.leads)
    assert all(lead.low <= lead.high for lead in found.leads)


def test_a_lead_that_is_the_same_in_every_case_is_certain_however_the_ranks_vary() -> None:
    regrets = {"first": (1.0, 1.01, 5.0, 7.0), "second": (5.0, 5.05, 2.0, 1.0), "third": (5.0, 5.05, 2.0, 7.0)}
    names = ("good", "rival", "random", "other")
    runs = {
        case: {name: {seed: flat(name, seed, own) for seed in range(4)} for name, own in zip(names, row, strict=True)}
        for case, row in regrets.items()
    }
    found = standings(runs, draws=200)
    lead = next(lead for lead in judged(runs).leads if lead.entrant == "rival")
    assert (lead.ahead, lead.low, lead.high) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    good = next(one for one in found if one.entrant == "good")
    assert good.high - good.low > 0.5


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_duels_are_with_the_best_of_the_others_over_the_seeds_of_both(seed: int) -> None:
    runs = invented(seed)
    found = {(duel.case, duel.measure): duel for duel in judged(runs, "random").duels}
    assert set(found) == {(case, measure) for case in runs for measure in ("cumulative", "simple")}
    for (case, measure), duel in found.items():
        table = {
            name: {number: getattr(run, measure)[-1] for number, run in own.items()} for name, own in runs[case].items()
        }
        ratios = {
            name: sum(own.values()) / sum(table["random"][number] for number in own)
            for name, own in table.items()
            if name != "random"
        }
        best = min(ratios, key=lambda name: ratios[name])
        apart = [table["random"][number] - own for number, own in table[best].items()]
        flips = [
            sum(sign * one for sign, one in zip(signs, apart, strict=True))
            for signs in product((1, -1), repeat=len(apart))
        ]
        p_value = sum(flip >= sum(apart) - 1e-9 for flip in flips) / len(flips)
        assert (duel.best, duel.seeds) == (best, len(apart))
        # The measure itself has 1, and the ratio is to the best.
        assert (duel.theirs, duel.own, duel.p_value) == pytest.approx((ratios[best], 1.0, p_value))
        assert duel.ratio == pytest.approx(1.0 / ratios[best])


def duel(own: float, theirs: float, seeds: int = 10, p_value: float = 0.01) -> Duel:
    return Duel("case", "simple", "best", theirs, own, seeds, p_value)


def test_the_goal_is_a_ratio_of_five_quarters_and_no_regret_on_both_sides_is_equal() -> None:
    assert duel(0.5, 0.4).met
    assert not duel(0.51, 0.4).met
    assert duel(0.0, 0.0).ratio == 1.0
    assert duel(0.0, 0.3).met
    assert not duel(0.001, 0.0).met


def test_a_difference_is_chance_once_in_twenty_times_and_four_seeds_cannot_tell() -> None:
    assert not duel(2.0, 1.0, p_value=0.05).chance
    assert duel(2.0, 1.0, p_value=0.051).chance
    assert duel(2.0, 1.0, seeds=5).telling
    assert not duel(2.0, 1.0, seeds=4).telling


def test_missed_cases_come_with_the_furthest_first() -> None:
    runs = invented(2)
    for scale, case in zip((4.0, 9.0, 0.1), runs, strict=True):
        runs[case]["good"] = {seed: flat("good", seed, scale, 0.01) for seed in range(6)}
        del runs[case]["few"]  # which has too few seeds to tell
    found = judged(runs)
    assert [one.case for one in found.missed("cumulative")] == ["second", "first"]
    assert found.missed("simple") == ()
    assert all(not one.chance for one in found.missed("cumulative"))


def test_the_rival_is_the_best_other_with_a_place() -> None:
    runs = invented(1)
    found = judged(runs)
    order = [one.entrant for one in standings(runs, DRAWS)]
    assert (order[0], found.place, found.places) == ("good", 1, 4)
    assert found.rival is not None
    assert found.rival.entrant == order[1]
    behind = judged(runs, order[2])
    assert (behind.place, behind.rival and behind.rival.entrant) == (3, "good")
    assert behind.rival is not None
    assert behind.rival.ahead < 0


def test_who_has_not_played_has_no_goals_yet() -> None:
    runs = invented(1)
    assert goals(runs, standings(runs, DRAWS), "auto") is None
    assert goals({}, (), "auto") is None


def test_alone_with_other_seeds_there_is_no_duel() -> None:
    runs = {
        "case": {"random": {0: flat("random", 0, 1.0), 1: flat("random", 1, 2.0)}, "good": {1: flat("good", 1, 1.0)}}
    }
    assert [(one.best, one.seeds, one.ratio) for one in judged(runs).duels] == [("random", 1, 0.5)] * 2
    del runs["case"]["good"]
    assert judged(runs, "random").duels == ()
    assert np.isclose(standings(runs, DRAWS)[0].share, 0.0)
