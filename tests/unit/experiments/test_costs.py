"""The cost of a regret, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from belated.experiments import Runs
from belated.experiments.papers.costs import costs, levels_of
from belated.space import Array


def runs(*regrets: list[float]) -> Runs:
    rows = np.array(regrets)
    nothing: Array = np.zeros(rows.shape)
    return Runs(np.arange(len(rows), dtype=np.uint64), rows, nothing, nothing, np.zeros(len(rows)))


# Average regrets 4, 4, 3, 2 and 2, 2, 2, 2; after each round 1, 1, 2, 3 and 1, 1, 1, 2 queries.
BALKING = runs([4.0, np.nan, 2.0, 0.0], [2.0, np.nan, np.nan, 2.0])


@pytest.mark.parametrize("weight", [0.0, 0.25, 1.0])
def test_a_regret_costs_the_rounds_until_it_is_reached_and_by_the_weight_the_actions(weight: float) -> None:
    found = costs(BALKING, np.array([3.0, 2.9, 2.5, 2.0, 1.9]), weight)
    rounds, actions = np.array([1.0, 3.0, 3.0, 4.0]), np.array([1.0, 1.5, 1.5, 2.5])
    assert found[:4].tolist() == ((1.0 - weight) * rounds + weight * actions).tolist()
    assert found[4] == np.inf


def test_the_levels_go_from_what_all_fall_below_to_what_one_reaches() -> None:
    levels = levels_of({"balking": BALKING, "better": runs([2.5, 0.5])}, 5)
    assert levels == pytest.approx(np.geomspace(2.5, 1.5, 5))
