"""How much queries could tell, against all subsets and the formulas of the paper."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement

import numpy as np
import pytest

from belated.beliefs import GP
from belated.errors import ParameterError
from belated.policies import information
from belated.space import Float, Space
from tests.builders import known_gp, table
from tests.reference.policies import information_bound


@pytest.mark.parametrize("lengthscale", [0.1, 0.6, 3.0])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_no_queries_on_a_table_tell_more(count: int, lengthscale: float) -> None:
    domain = table(7)
    belief, plain = known_gp("se", lengthscale, 1.0, 0.05)
    bound = information(domain, belief, count)
    most = max(
        plain.information(domain.table[:0], domain.table[list(rows)])
        for rows in combinations_with_replacement(range(7), count)
    )
    assert most <= bound * (1 + 1e-9)
    assert bound <= math.e / (math.e - 1) * most * (1 + 1e-9)
    assert bound == pytest.approx(information_bound(plain, domain.table, count), rel=1e-9)


def test_nothing_tells_nothing() -> None:
    assert information(table(7), known_gp()[0], 0) == 0.0


def test_past_the_points_that_stand_for_a_box_no_queries_tell_more() -> None:
    belief, plain = known_gp("se", 0.3, 1.0, 0.5)
    box = Space(**{f"x{column}": Float(0.0, 1.0) for column in range(6)})
    points = np.random.default_rng(3).random((600, 6))
    bound = information(box, belief, 600)
    assert bound == pytest.approx(600 * 0.5 * math.log1p(1.0 / 0.5))
    assert plain.information(points[:0], points) <= bound


@pytest.mark.parametrize("belief", [GP(), GP(lengthscale=0.3), "gp"])
def test_what_is_to_be_fitted_tells_nothing_yet(belief: object) -> None:
    with pytest.raises(ParameterError):
        information(table(7), belief, 3)  # type: ignore[arg-type]


def test_a_count_past_what_is_computed_is_refused() -> None:
    with pytest.raises(ParameterError, match="step by step"):
        information(table(7), known_gp()[0], 10_000)
