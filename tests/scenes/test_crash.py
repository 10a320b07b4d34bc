"""The crash: training diverges or runs out of memory beyond a border that nobody knew."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import belated as bl

QUERIES = 40
# Two settings that differ by less than 2e-3 of the range are the same, and so are losses this close to the lowest.
SAME = 2e-3**2
Point = Mapping[str, Any]


def diverged(point: Point) -> bool:
    return bool(point["x0"] > 0.7)


def loss(dimension: int, seed: int) -> Callable[[Point], float]:
    """Lowest at a random place; with every other seed, beyond the border."""
    place = np.random.default_rng([seed, dimension]).random(dimension)
    place[0] = 0.8 if seed % 2 else 0.7 * place[0]
    return lambda point: float(np.sum((np.array(list(point.values())) - place) ** 2))


def trained(policy: str, dimension: int, seed: int) -> tuple[bl.Study, int, float]:
    """The study, how many queries crashed, and the lowest loss."""
    space = bl.Space(**{f"x{column}": bl.Float(0, 1) for column in range(dimension)})
    objective = loss(dimension, seed)
    study = bl.Study.in_memory(space, goal="minimize", policy=policy, seed=seed, notices=False)
    for _ in range(QUERIES):
        query = study.ask()
        assert isinstance(query, bl.Query)
        if diverged(query.point):
            study.fail(query, "diverged")
        else:
            study.tell(query, objective(query.point))
    return study, study.record().counts.failed, study.best().value


@pytest.mark.parametrize("dimension", [1, 2, 5])
@pytest.mark.parametrize("seed", [0, 1])
def test_after_a_few_failures_it_stays_away_and_comes_back_only_near_the_border(dimension: int, seed: int) -> None:
    study, failed, lowest = trained("auto", dimension, seed)
    assert failed <= QUERIES / 4
    assert lowest <= trained("random", dimension, seed)[2] + SAME
    later = [query.point["x0"] for query in study.queries()[QUERIES // 2 :] if query.state == "failed"]
    assert all(x < 0.85 for x in later)
    assert not diverged(study.recommend().point)
    if seed % 2:
        # The lowest loss that can be had is at the border.
        assert study.best().point["x0"] > 0.6
