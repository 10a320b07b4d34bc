"""The laws of delays: their means, their kinds of numbers, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from belated import simulate
from belated.errors import ParameterError
from belated.simulate import DelayLaw, Occasion
from belated.space import Array
from tests.tolerance import ROUNDING, STANDARD_ERRORS

N_DRAWS = 4000


def occasion(number: int) -> Occasion:
    return Occasion(number, float(number), {"x": 0.5}, 1.0)


def draws(law: DelayLaw, seed: int = 11) -> Array:
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
        (simulate.pareto(2, 4), 8.0 / 3.0),
        (simulate.batch(5), 3.0),
        (simulate.lost(0.0, simulate.poisson(2)), 2.0),
        (simulate.mixture([0.75, 0.25], [simulate.poisson(2), simulate.exponential(8)]), 3.5),
        (simulate.mixture([0.0, 1.0, 0.0], [simulate.never(), simulate.poisson(2), simulate.never()]), 2.0),
        (simulate.replayed([1, 2, 6]), 3.0),
        (simulate.along("x", [0, 1], [1, 5], simulate.poisson(2)), 6.0),
        (simulate.sooner(0, 2, simulate.exponential(4), at_best=0.5), 3.0),
    ],
    ids=repr,
)
def test_the_mean_of_a_law_is_the_one_it_states(law: DelayLaw, mean: float) -> None:
    delays = draws(law)
    standard_error = delays.std() / np.sqrt(N_DRAWS)
    assert abs(delays.mean() - mean) <= STANDARD_ERRORS * standard_error + ROUNDING


@pytest.mark.parametrize(
    "law, later, share",
    [
        (simulate.exponential(3), 6.0, np.exp(-2.0)),
        (simulate.lognormal(4, 0.5), 4.0, 0.5),
        (simulate.pareto(2, 1.5), 8.0, 0.125),
        (simulate.pareto(1, 0.5), 100.0, 0.1),
        (simulate.mixture([0.9, 0.1], [simulate.constant(1), simulate.constant(9)]), 5.0, 0.1),
        (simulate.mixture([0.7, 0.2, 0.1], [simulate.none(), simulate.constant(2), simulate.never()]), 1e9, 0.1),
    ],
    ids=repr,
)
def test_as_many_answers_are_late_as_the_tail_of_a_law_says(law: DelayLaw, later: float, share: float) -> None:
    standard_error = np.sqrt(share * (1 - share) / N_DRAWS)
    assert abs(np.mean(draws(law) > later) - share) <= STANDARD_ERRORS * standard_error


def test_a_pareto_delay_is_never_below_its_minimum() -> None:
    assert draws(simulate.pareto(2, 30)).min() >= 2.0


@pytest.mark.parametrize("law", [simulate.poisson(10), simulate.geometric(0.2), simulate.batch(3)], ids=repr)
def test_laws_of_whole_rounds_draw_whole_numbers(law: DelayLaw) -> None:
    delays = draws(law)
    assert np.array_equal(delays, np.round(delays))


@pytest.mark.parametrize("law", [simulate.exponential(3), simulate.lognormal(4, 0.5), simulate.pareto(1, 2)], ids=repr)
def test_laws_of_time_draw_real_numbers(law: DelayLaw) -> None:
    delays = draws(law)
    assert np.mean(delays == np.round(delays)) < 0.01
    assert np.all(delays > 0)


def test_a_geometric_delay_has_the_stated_probabilities() -> None:
    delays = draws(simulate.geometric(0.3))
    for k in (1, 2, 3, 4):
        expected = 0.3 * 0.7 ** (k - 1)
        standard_error = np.sqrt(expected * (1 - expected) / N_DRAWS)
        assert abs(np.mean(delays == k) - expected) <= STANDARD_ERRORS * standard_error
    assert delays.min() == 1


def test_a_batch_is_answered_in_the_round_after_its_last_query() -> None:
    law, rng = simulate.batch(3), np.random.default_rng(0)
    arrivals = [number + law.draw(occasion(number), rng) for number in range(1, 8)]
    assert arrivals == [4, 4, 4, 7, 7, 7, 10]


def test_answers_are_lost_as_often_as_stated_and_the_others_keep_their_delays() -> None:
    some, none_lost = draws(simulate.lost(0.3, simulate.poisson(5))), draws(simulate.lost(0.0, simulate.poisson(5)))
    lost = np.isinf(some)
    assert abs(lost.mean() - 0.3) <= STANDARD_ERRORS * np.sqrt(0.3 * 0.7 / N_DRAWS)
    assert np.array_equal(some[~lost], none_lost[~lost])


def test_other_probabilities_of_a_mixture_change_no_delay_of_its_laws() -> None:
    laws = [simulate.poisson(5), simulate.exponential(3)]
    first, second, mixed = (draws(simulate.mixture([1 - p, p], laws)) for p in (0.0, 1.0, 0.3))
    assert np.all((mixed == first) | (mixed == second))


def test_delays_are_replayed_in_order_and_begin_again_or_go_on_by_another_law() -> None:
    again, ending = simulate.replayed([3, 0, np.inf]), simulate.replayed([3, 0.5], then=simulate.never())
    assert draws(again)[:5].tolist() == [3.0, 0.0, np.inf, 3.0, 0.0]
    assert draws(ending)[:4].tolist() == [3.0, 0.5, np.inf, np.inf]


def test_a_list_of_delays_may_be_an_array() -> None:
    assert simulate.replayed(np.array([1.0, 2.0])) == simulate.replayed([1.0, 2.0])  # type: ignore[arg-type]


def test_extreme_parameters_draw_late_answers_and_no_warnings() -> None:
    rng = np.random.default_rng(0)
    assert simulate.geometric(1e-320).draw(occasion(1), rng) > 1e15
    assert simulate.lognormal(1e300, 100.0).draw(occasion(1), np.random.default_rng(3)) > 1e15
    assert simulate.pareto(1e300, 1e-320).draw(occasion(1), rng) == np.inf
    assert simulate.exponential(1e308).draw(occasion(1), rng) > 1e305


@pytest.mark.parametrize(
    "make, arguments, message",
    [
        (simulate.constant, (-1,), "constant(delay=-1): delay must be a number of at least 0."),
        (simulate.constant, (np.nan,), "constant(delay=nan): delay must be a number of at least 0."),
        (
            simulate.constant,
            (np.inf,),
            "constant(delay=inf): delay must be a number of at least 0; for answers that never come use never() or "
            "lost().",
        ),
        (simulate.constant, ("3",), "constant(delay='3'): delay must be a number of at least 0."),
        (simulate.constant, (True,), "constant(delay=True): delay must be a number of at least 0."),
        (simulate.poisson, (-0.1,), "poisson(mean=-0.1): mean must be a number from 0 to 1e18."),
        (simulate.poisson, (1e30,), "poisson(mean=1e+30): mean must be a number from 0 to 1e18."),
        (simulate.geometric, (0.0,), "geometric(p=0.0): p must be a probability above 0."),
        (simulate.geometric, (1.5,), "geometric(p=1.5): p must be a probability above 0."),
        (simulate.exponential, (-2,), "exponential(mean=-2): mean must be a number of at least 0."),
        (simulate.lognormal, (0.0, 1.0), "lognormal(median=0.0): median must be a number above 0."),
        (simulate.lognormal, (1.0, -1.0), "lognormal(spread=-1.0): spread must be a number of at least 0."),
        (simulate.pareto, (0, 1), "pareto(minimum=0): minimum must be a number above 0."),
        (simulate.pareto, (1, np.nan), "pareto(shape=nan): shape must be a number above 0."),
        (simulate.batch, (0,), "batch(size=0): size must be a whole number of at least 1."),
        (simulate.batch, (2.0,), "batch(size=2.0): size must be a whole number of at least 1."),
        (simulate.adaptive_batch, (0,), "adaptive_batch(largest=0): largest must be a whole number of at least 1."),
        (simulate.lost, (1.1, simulate.none()), "lost(probability=1.1): probability must be a probability."),
        (
            simulate.lost,
            (0.1, 10),
            "lost(): got 10 as the law of delays; it must have a method draw(occasion, rng); give one of bl.simulate, "
            "as bl.simulate.poisson(10).",
        ),
        (
            simulate.lost,
            (0.1, simulate.adaptive_batch(3)),
            "lost(): got adaptive_batch(largest=3), whose answers come when the policy ends the batch and have no "
            "delays to change; give it alone, or batch() in its place.",
        ),
        (
            simulate.mixture,
            ([0.5, 0.6], [simulate.none(), simulate.none()]),
            "mixture(): got 2 probabilities that sum to 1.1 for 2 laws; give one for each law, with the sum 1.",
        ),
        (
            simulate.mixture,
            ([1.0], [simulate.none(), simulate.none()]),
            "mixture(): got 1 probabilities that sum to 1 for 2 laws; give one for each law, with the sum 1.",
        ),
        (
            simulate.mixture,
            ([-0.5, 1.5], [simulate.none(), simulate.none()]),
            "mixture(probabilities=-0.5): each of probabilities must be a probability.",
        ),
        (simulate.replayed, ([],), "replayed(delays=[]): delays must have at least one entry."),
        (simulate.replayed, (3,), "replayed(delays=3): delays must be a list, as [1, 2, 3]."),
        (
            simulate.replayed,
            ([1, -2],),
            "replayed(delays=-2): each of delays must be a number of at least 0, or inf for never.",
        ),
    ],
)
def test_impossible_parameters_are_refused_by_the_law_itself(
    make: Any, arguments: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(ParameterError) as refused:
        make(*arguments)
    assert str(refused.value) == message


def test_a_kind_of_law_is_no_law() -> None:
    with pytest.raises(ParameterError, match="as the law of delays"):
        simulate.lost(0.1, simulate.poisson)  # type: ignore[arg-type]
