"""The cost of a regret, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from belated.experiments import Arm, Experiment, Results, Runs
from belated.experiments.papers import verdict
from belated.experiments.papers.costs import CheapestClaim, CostCurve, cost_curve, costs, levels_of, shares
from belated.policies import gp_bucb, random
from belated.space import Array


def runs(*regrets: list[float]) -> Runs:
    rows = np.array(regrets)
    nothing: Array = np.zeros(rows.shape)
    return Runs(np.arange(len(rows), dtype=np.uint64), rows, nothing, nothing, np.zeros(len(rows)))


# Average regrets 4, 4, 3, 2 and 2, 2, 2, 2; after each round 1, 1, 2, 3 and 1, 1, 1, 2 queries.
BALKING = runs([4.0, np.nan, 2.0, 0.0], [2.0, np.nan, np.nan, 2.0])


@pytest.mark.parametrize("weight", [0.0, 0.25, 1.0])
def test_a_regret_costs_the_rounds_until_it_is_reached_and_by_the_weight_the_actions(weight: float) -> None:
    found = costs(cost_curve(BALKING, "regret per action"), np.array([3.0, 2.9, 2.5, 2.0, 1.9]), weight)
    rounds, actions = np.array([1.0, 3.0, 3.0, 4.0]), np.array([1.0, 1.5, 1.5, 2.5])
    assert found[:4].tolist() == ((1.0 - weight) * rounds + weight * actions).tolist()
    assert found[4] == np.inf


def test_average_regret_is_over_actions_or_over_rounds() -> None:
    assert cost_curve(BALKING, "regret per action").regret.tolist() == [3.0, 3.0, 2.5, 2.0]
    # Sums 4, 4, 6, 6 and 2, 2, 2, 4 over 1, 2, 3, 4 rounds.
    assert cost_curve(BALKING, "regret per round").regret == pytest.approx([3.0, 1.5, 8 / 6, 1.25])
    assert cost_curve(BALKING, "regret per round").actions.tolist() == [1.0, 1.0, 1.5, 2.5]


def test_the_levels_go_from_what_all_fall_below_to_what_one_reaches() -> None:
    both = {"balking": BALKING, "better": runs([2.5, 0.5])}
    levels = levels_of({label: cost_curve(some, "regret per action") for label, some in both.items()}, 5)
    assert levels == pytest.approx(np.geomspace(2.5, 1.5, 5))


def plain_shares(curves: dict[str, CostCurve], levels: Array, weights: Array) -> dict[str, float]:
    """The shares of the grid, cell by cell; a cell with several cheapest ones is shared out."""
    won = dict.fromkeys(curves, 0.0)
    cells = 0
    for level in levels:
        for w in weights:
            price = {}
            for label, (regret, actions) in curves.items():
                for place, value in enumerate(regret):
                    if value <= level:
                        price[label] = (1 - w) * (place + 1) + w * actions[place]
                        break
            if price:
                cells += 1
                cheapest = [label for label in price if price[label] <= min(price.values()) + 1e-9]
                for label in cheapest:
                    won[label] += 1 / len(cheapest)
    return {label: count / cells for label, count in won.items()}


def falling(seed: int, balking: float) -> Runs:
    rng = np.random.default_rng(seed)
    regrets = rng.exponential(1.0, (8, 30)) / np.arange(1, 31)
    regrets[:, 1:][rng.random((8, 29)) < balking] = np.nan
    return runs(*regrets.tolist())


def test_each_cell_of_the_trade_off_goes_to_the_cheapest() -> None:
    curves = {
        label: cost_curve(falling(seed, balking), "regret per action")
        for seed, (label, balking) in enumerate({"never": 0.0, "often": 0.7, "at times": 0.3}.items())
    }
    levels, weights = levels_of(curves, 20), np.linspace(0.0, 1.0, 11)
    found = shares(curves, levels, weights)
    assert found == pytest.approx(plain_shares(curves, levels, weights))
    assert sum(found.values()) == pytest.approx(1.0)
    few = shares(curves, levels, weights[:1])
    assert few["never"] > shares(curves, levels, weights[-1:])["never"], "whoever never balks is ahead if rounds count"


def test_the_share_of_a_trade_off_is_judged_by_leaving_each_trial_out() -> None:
    arms = (Arm("often", "branin", random(), rounds=30), Arm("never", "branin", gp_bucb(), rounds=30))
    some = {"often": falling(1, 0.7), "never": falling(2, 0.0)}
    results = Results(Experiment("made up", arms, tuple(range(8))), some)
    claim = CheapestClaim("often", "never", "regret per action", most=0.1)
    weights = np.linspace(0.0, 0.1, 6)
    whole = {label: cost_curve(one, claim.reading) for label, one in some.items()}
    levels, expected = levels_of(whole), []
    for out in range(8):
        left = {
            label: cost_curve(runs(*np.delete(one.regrets, out, axis=0).tolist()), claim.reading)
            for label, one in some.items()
        }
        expected.append(plain_shares(left, levels, weights)["never"])
    share = plain_shares(whole, levels, weights)["never"]
    found = claim.numbers(results, claim.span)[1]
    assert found == pytest.approx(share + 7 * (np.mean(expected) - np.array(expected)))
    assert found.mean() == pytest.approx(share)
    assert verdict(claim, results).judged.trials == 8
    assert "for w from 0 to 0.1" in claim.words
