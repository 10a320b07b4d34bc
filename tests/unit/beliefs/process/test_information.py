"""The greedy bound of information against dense uncertainty sampling and against all subsets."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

from belated.beliefs.process.information import GREEDY_RATIO, greedy_gains
from tests.builders import kernels_of, table
from tests.reference.gp import PlainGP
from tests.tolerance import SOLVE_TOLERANCE


@pytest.mark.parametrize("form", ["se", "matern52", "linear"])
def test_greedy_gains_equal_dense_uncertainty_sampling(form: str) -> None:
    domain = table(25)
    kernel, plain = kernels_of(domain, form)
    expected = PlainGP(plain, 0.1).greedy_gains(domain.table, 12)
    assert_allclose(greedy_gains(kernel, 0.1, domain.table, 12), expected, atol=SOLVE_TOLERANCE * 10)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_no_set_of_points_tells_more_than_the_bound(count: int) -> None:
    domain = table(12)
    kernel, plain = kernels_of(domain)
    gp = PlainGP(plain, 0.1)
    most = max(
        gp.information(domain.table[:0], domain.table[list(rows)])
        for rows in itertools.combinations_with_replacement(range(12), count)
    )
    gains = greedy_gains(kernel, 0.1, domain.table, count)
    assert gains.sum() <= most + SOLVE_TOLERANCE
    assert most <= min(GREEDY_RATIO * gains.sum(), gains[0] * count) + SOLVE_TOLERANCE


def test_more_steps_than_points_gain_less_and_less() -> None:
    domain = table(5)
    kernel, _ = kernels_of(domain)
    gains = greedy_gains(kernel, 0.1, domain.table, 40)
    assert np.all(np.diff(gains) <= SOLVE_TOLERANCE)
    assert np.all(gains > 0)
