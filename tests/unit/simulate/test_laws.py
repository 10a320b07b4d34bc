"""The laws of delays: their means, their kinds of numbers, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from belated import simulate
from belated.errors import ParameterError
from belated.simulate import Law, Occasion
from belated.space import Array

N_DRAWS = 4000


def occasion(number: int) -> Occasion:
    return Occasion(number, float(number), {"x": 0.5}, 1.0)


def draws(law: Law, seed: int = 11) -> Array:
    rng = np.random.default_rng(seed)
    return np.array([law.draw(occasion(number), rng) for number in range(1, N_DRAWS + 1)])


@pytest.mark.parametrize(
    "law, mean",
    [
        (simulate.none(), 0.0),
        (simulate.constant(2.5), 2.5),
        (simulate.poisson(10), 10.0),
        (simulate.poisson(0), 0.0),
        (simulate.geometric(0.2), 5.0),
        (simulate.geometric(1), 1.0),
        (simulate.exponential(3), 3.0),
        (simulate.lognormal(4, 0.5), 4.0 * np.exp(0.125)),
        (simulate.batch(5), 3.0),
        (simulate.lost(0.0, simulate.poisson(2)), 2.0),
    ],
    ids=repr,
)
def test_the_mean_of_a_law_is_the_one_it_states(law: Law, mean: float) -> None:
    delays = draws(law)
    five_standard_errors = 5.0 * delays.std() / np.sqrt(N_DRAWS)
    assert abs(delays.mean() - mean) <= five_standard_errors + 1e-12


@pytest.mark.parametrize("law", [simulate.poisson(10), simulate.geometric(0.2), simulate.batch(3)], ids=repr)
def test_laws_of_whole_rounds_draw_whole_numbers(law: Law) -> None:
    delays = draws(law)
    assert np.array_equal(delays, np.round(delays))


@pytest.mark.parametrize("law", [simulate.exponential(3), simulate.lognormal(4, 0.5)], ids=repr)
def test_laws_of_time_draw_real_numbers(law: Law) -> None:
    delays = draws(law)
    assert np.mean(delays == np.round(delays)) < 0.01
    assert np.all(delays > 0)


def test_a_geometric_delay_has_the_stated_probabilities() -> None:
    delays = draws(simulate.geometric(0.3))
    for k in (1, 2, 3, 4):
        expected = 0.3 * 0.7 ** (k - 1)
        five_standard_errors = 5.0 * np.sqrt(expected * (1 - expected) / N_DRAWS)
        assert abs(np.mean(delays == k) - expected) <= five_standard_errors
    assert delays.min() == 1


def test_a_batch_is_answered_in_the_round_after_its_last_query() -> None:
    law, rng = simulate.batch(3), np.random.default_rng(0)
    arrivals = [number + law.draw(occasion(number), rng) for number in range(1, 8)]
    assert arrivals == [4, 4, 4, 7, 7, 7, 10]


def test_answers_are_lost_as_often_as_stated_and_the_others_keep_their_delays() -> None:
    some, none_lost = draws(simulate.lost(0.3, simulate.poisson(5))), draws(simulate.lost(0.0, simulate.poisson(5)))
    lost = np.isinf(some)
    assert abs(lost.mean() - 0.3) <= 5.0 * np.sqrt(0.3 * 0.7 / N_DRAWS)
    assert np.array_equal(some[~lost], none_lost[~lost])


def test_extreme_parameters_draw_late_answers_and_no_warnings() -> None:
    rng = np.random.default_rng(0)
    assert simulate.geometric(1e-320).draw(occasion(1), rng) > 1e15
    assert simulate.lognormal(1e300, 100.0).draw(occasion(1), np.random.default_rng(3)) > 1e15


@pytest.mark.parametrize(
    "make, arguments",
    [
        (simulate.constant, (-1,)),
        (simulate.constant, (np.inf,)),
        (simulate.constant, (np.nan,)),
        (simulate.constant, ("3",)),
        (simulate.constant, (True,)),
        (simulate.poisson, (-0.1,)),
        (simulate.poisson, (1e30,)),
        (simulate.geometric, (0.0,)),
        (simulate.geometric, (1.5,)),
        (simulate.exponential, (-2,)),
        (simulate.lognormal, (0.0, 1.0)),
        (simulate.lognormal, (1.0, -1.0)),
        (simulate.batch, (0,)),
        (simulate.batch, (2.0,)),
        (simulate.lost, (1.1, simulate.none())),
        (simulate.lost, (0.1, 10)),
        (simulate.lost, (0.1, simulate.laws.Poisson)),
    ],
)
def test_impossible_parameters_are_refused_by_the_law_itself(make: Any, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(ParameterError, match=make.__name__):
        make(*arguments)
