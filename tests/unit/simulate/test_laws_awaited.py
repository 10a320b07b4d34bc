"""The laws of those who are waited for: their whole distribution, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from belated import simulate
from belated.errors import ParameterError
from belated.simulate import DelayLaw, Occasion
from belated.space import Array
from belated.space.arrays import Mask
from tests.tolerance import STANDARD_ERRORS

N_DRAWS = 4000


def draws(law: DelayLaw, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    return np.array([law.draw(Occasion(n, float(n), {"x": 0.5}, 1.0), rng) for n in range(1, N_DRAWS + 1)])


def assert_share(seen: Mask, share: float) -> None:
    """A share among independent draws is within five standard errors of its probability."""
    assert abs(float(np.mean(seen)) - share) <= STANDARD_ERRORS * np.sqrt(share * (1.0 - share) / N_DRAWS)


@pytest.mark.parametrize("early, late, first, second", [(10.0, 25.0, 0.5, 5.0), (3.0, 8.0, 0.8, 1.5)])
def test_a_bathtub_has_its_distribution_function(early: float, late: float, first: float, second: float) -> None:
    delays = draws(simulate.bathtub(early, late, first, second), 5)
    for x in (0.01 * early, 0.1 * early, 0.5 * early, early, 0.8 * late, late, 1.2 * late):
        assert_share(delays > x, float(np.exp(-((x / early) ** first) - (x / late) ** second)))


def test_answers_of_a_bathtub_come_at_the_ends_rather_than_between() -> None:
    delays = draws(simulate.bathtub(20, 25, 0.4, 12), 5)
    early, between, late = (np.mean((delays >= low) & (delays < low + 5)) for low in (0, 10, 22))
    assert min(early, late) > 3 * between


@pytest.mark.parametrize("dropout", [0.0, 0.2])
def test_visits_read_what_is_ready_and_lose_who_drops_out_before(dropout: float) -> None:
    delays = draws(simulate.visits(simulate.exponential(10), every=7, dropout=dropout), 6)
    ready = [np.exp(-0.7 * (k - 1)) - np.exp(-0.7 * k) for k in range(1, 60)]
    for k in range(1, 5):
        assert_share(delays == 7 * k, float(ready[k - 1] * (1 - dropout) ** k))
    come = float(sum(share * (1 - dropout) ** k for k, share in enumerate(ready, 1)))
    assert_share(delays < np.inf, min(come, 1.0))


def test_a_dropout_changes_no_other_delay_and_nothing_is_read_at_once() -> None:
    some, everyone = (draws(simulate.visits(simulate.poisson(4), 3, dropout), 7) for dropout in (0.3, 0.0))
    assert np.array_equal(some[some < np.inf], everyone[some < np.inf])
    assert draws(simulate.visits(simulate.none(), 3), 7).tolist() == [3.0] * N_DRAWS


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("bathtub", (0, 5)),
        ("bathtub", (5, -1)),
        ("bathtub", (5, 5, 1.0)),
        ("bathtub", (5, 5, 0.5, 1.0)),
        ("visits", (simulate.poisson(2), 0)),
        ("visits", (simulate.poisson(2), 7, 1.1)),
        ("visits", (3.0,)),
        ("visits", (simulate.adaptive_batch(3),)),
    ],
)
def test_a_law_with_impossible_numbers_is_refused(name: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(ParameterError, match=name):
        getattr(simulate, name)(*arguments)
