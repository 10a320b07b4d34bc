"""Delays that depend on the query's point or value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import belated as bl
from belated import simulate
from belated.errors import ParameterError, UnsupportedError
from belated.simulate import DelayLaw, Occasion
from tests.tolerance import ROUNDING


def delay(law: DelayLaw, point: Mapping[str, Any] | None = None, value: float = 0.0, seed: int = 5) -> float:
    return law.draw(Occasion(1, 1.0, point or {"x": 0.0}, value), np.random.default_rng(seed))


@pytest.mark.parametrize("x, factor", [(-9, 1.0), (0, 1.0), (1, 2.0), (2, 3.0), (3, 2.0), (4, 1.0), (99, 1.0)])
def test_along_a_parameter_the_factor_is_linear_between_values_and_constant_beyond(x: float, factor: float) -> None:
    law = simulate.along("x", [0, 2, 4], [1, 3, 1], simulate.constant(10))
    assert delay(law, {"x": x}) == pytest.approx(10 * factor, abs=ROUNDING)


@pytest.mark.parametrize("value, factor", [(-9, 1.0), (0, 1.0), (5, 0.6), (10, 0.2), (99, 0.2)])
def test_good_outcomes_come_sooner_whichever_way_is_good(value: float, factor: float) -> None:
    maximise = simulate.sooner(0, 10, simulate.constant(4), at_best=0.2)
    minimise = simulate.sooner(0, -10, simulate.constant(4), at_best=0.2)
    assert delay(maximise, value=value) == pytest.approx(4 * factor, abs=ROUNDING)
    assert delay(minimise, value=-value) == pytest.approx(4 * factor, abs=ROUNDING)


def test_an_answer_that_never_comes_does_not_come_at_once_where_the_factor_is_0() -> None:
    assert delay(simulate.sooner(0, 1, simulate.never()), value=1.0) == np.inf
    assert delay(simulate.along("x", [0], [0], simulate.never())) == np.inf


@pytest.mark.parametrize("value", [-1.5, 0.0, 2.0])
def test_bad_outcomes_never_come_and_the_threshold_itself_does(value: float) -> None:
    inner = simulate.poisson(7)
    below, above = simulate.lost_below(0.0, inner), simulate.lost_above(0.0, inner)
    assert delay(below, value=value) == (np.inf if value < 0 else delay(inner))
    assert delay(above, value=value) == (np.inf if value > 0 else delay(inner))


def slow_at_the_right(point: Mapping[str, Any]) -> DelayLaw:
    return simulate.constant(10 * point["x"])


def test_a_function_names_the_law_at_a_point_or_for_a_value() -> None:
    assert delay(simulate.by_point(slow_at_the_right), {"x": 0.3}) == pytest.approx(3.0, abs=ROUNDING)
    by_value = simulate.by_value(lambda value: simulate.never() if value < 0 else simulate.none())
    assert [delay(by_value, value=value) for value in (-1.0, 1.0)] == [np.inf, 0.0]


def test_a_function_that_names_no_law_is_refused_with_the_point() -> None:
    law = simulate.by_point(lambda point: 3)  # type: ignore[arg-type, return-value]
    with pytest.raises(ParameterError, match=r"by_point\(\): at \{'x': 0.3\}: got 3 as the law of delays"):
        delay(law, {"x": 0.3})


def test_a_function_that_names_negative_delays_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"constant\(delay=-10\): delay must be a number of at least 0"):
        delay(simulate.by_point(slow_at_the_right), {"x": -1})


@pytest.mark.parametrize(
    "law",
    [
        simulate.along("z", [0, 1], [1, 2], simulate.none()),
        simulate.lost(0.1, simulate.mixture([1.0], [simulate.along("kind", [0, 1], [1, 2], simulate.none())])),
    ],
    ids=repr,
)
def test_a_law_along_what_is_no_number_of_the_space_is_refused_before_anything_runs(law: DelayLaw) -> None:
    asked: list[object] = []

    def objective(point: object) -> float:
        asked.append(point)
        return 0.0

    space = bl.Space(x=bl.Float(0, 1), kind=bl.Choice("a", "b"))
    problem = simulate.Problem("mine", space, objective, 0.0, "maximize", 0.0, {"x": 0, "kind": "a"})
    with pytest.raises(UnsupportedError, match="it must be a number of the point, and those are 'x'; name one of them"):
        simulate.run(problem, "random", law, rounds=3)
    assert not asked


def test_in_a_run_the_law_sees_the_point_and_the_value_without_noise() -> None:
    law = simulate.along("x", [-5, 10], [0, 1], simulate.sooner(300, 0, simulate.constant(20)))
    run = simulate.run("branin", "random", law, rounds=20, seed=2)
    for outcome in run.outcomes:
        badness = min(outcome.value / 300, 1.0)
        expected = 20 * badness * (outcome.query.point["x"] + 5) / 15
        assert outcome.delay == pytest.approx(expected, abs=20 * ROUNDING)


@pytest.mark.parametrize(
    "make, arguments, message",
    [
        (
            simulate.along,
            ("x", [0, 1], [1, -1], simulate.none()),
            "along(factors=-1): each of factors must be a finite number of at least 0.",
        ),
        (
            simulate.along,
            ("x", [0, np.nan], [1, 1], simulate.none()),
            "along(values=nan): each of values must be a finite number.",
        ),
        (
            simulate.along,
            ("x", [1, 0], [1, 1], simulate.none()),
            "along(values=[1, 0], factors=[1, 1]): give one factor for each value, and the values in increasing order.",
        ),
        (
            simulate.along,
            ("x", [0, 1], [1], simulate.none()),
            "along(values=[0, 1], factors=[1]): give one factor for each value, and the values in increasing order.",
        ),
        (
            simulate.along,
            (3, [0], [1], simulate.none()),
            "along(parameter=3): parameter must be the name of one of the point's numbers.",
        ),
        (
            simulate.sooner,
            (1, 1, simulate.none()),
            "sooner(best=1): best must be a finite number other than worst=1.",
        ),
        (
            simulate.sooner,
            (0, 1, simulate.none(), -0.5),
            "sooner(at_best=-0.5): at_best must be a number from 0 to 1.",
        ),
        (
            simulate.lost_below,
            (np.nan, simulate.none()),
            "lost_below(threshold=nan): threshold must be a finite number.",
        ),
        (
            simulate.lost_above,
            ("0", simulate.none()),
            "lost_above(threshold='0'): threshold must be a finite number.",
        ),
        (simulate.by_point, (3,), "by_point(function=3): function must be one, and return a law of delays."),
        (simulate.by_value, (None,), "by_value(function=None): function must be one, and return a law of delays."),
    ],
)
def test_impossible_parameters_are_refused(make: Any, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ParameterError) as refused:
        make(*arguments)
    assert str(refused.value) == message
