"""Points that cannot be done: what the study is told of them, when, and what they cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from belated import simulate
from belated.errors import ParameterError
from belated.log import Answered, Failed, State
from belated.simulate import Problem, problems


def left(point: Mapping[str, Any]) -> bool:
    """Branin's box goes from −5 to 10 in x; two of its three optima are at −π and π."""
    return bool(point["x"] < 0)


def hilly(worst: float | None = 310.0) -> Problem:
    branin = problems.build("branin")
    return replace(branin, fails=left, optimum_point={"x": np.pi, "y": 2.275}, worst=worst)


def test_a_failure_is_told_as_late_as_an_answer_would_be_and_no_answer_with_it() -> None:
    run = simulate.run(hilly(), "random", simulate.poisson(4), rounds=40, seed=3)
    failed = {outcome.query.id for outcome in run.outcomes if outcome.failed}
    assert failed == {outcome.query.id for outcome in run.outcomes if left(outcome.query.point)}
    assert 5 < len(failed) < 35
    told_at = {event.body.query: event.at for event in run.study.events if isinstance(event.body, Failed)}
    for outcome in run.outcomes:
        if outcome.failed and outcome.due_in(40):
            assert told_at[outcome.query.id] == outcome.query.asked_at + outcome.delay
    assert set(told_at) <= failed
    answered = {event.body.query for event in run.study.events if isinstance(event.body, Answered)}
    assert not answered & failed
    assert {query.id for query in run.study.queries() if query.state is State.FAILED} == set(told_at)


def test_what_happens_to_the_other_queries_is_the_same_as_without_failures() -> None:
    ours, free = (
        simulate.run(problem, "random", simulate.poisson(4), rounds=30, seed=5)
        for problem in (hilly(), problems.build("branin"))
    )
    for one, other in zip(ours.outcomes, free.outcomes, strict=True):
        assert one.delay == other.delay
        if not one.failed:
            assert (one.value, one.answer) == (other.value, other.answer)


def test_a_failure_costs_the_worst_value_and_is_no_answer_of_the_simple_regret() -> None:
    problem = hilly(worst=310.0)
    run = simulate.run(problem, "random", rounds=30, seed=5)
    largest = 310.0 - problem.optimum
    for outcome in run.outcomes:
        expected = largest if left(outcome.query.point) else outcome.value - problem.optimum
        assert outcome.regret == pytest.approx(expected)
    done = [outcome.regret for outcome in run.outcomes if not outcome.failed]
    assert run.simple_regret[-1] == min(done)


def test_where_no_worst_value_is_known_a_failure_costs_the_mean_of_random_points_that_can_be_done() -> None:
    problem = hilly(worst=None)
    run = simulate.run(problem, "random", rounds=30, seed=5)
    [worth] = {outcome.value for outcome in run.outcomes if outcome.failed}
    space = problem.space
    points = [space.decode(row) for row in space.sample(20_000, np.random.default_rng(1))]
    values = [problem.value(point) for point in points if not left(point)]
    # A mean of 256 points has an error of a sixteenth of the deviation; five of them.
    assert worth == pytest.approx(np.mean(values), abs=5 * float(np.std(values)) / 16)
    again = simulate.run(problem, "random", rounds=30, seed=5)
    assert [outcome.value for outcome in again.outcomes] == [outcome.value for outcome in run.outcomes]


def test_what_is_known_from_the_start_is_of_points_that_can_be_done() -> None:
    run = simulate.run(hilly(), "random", rounds=2, seed=5, initial=12)
    assert not any(left(known.point) for known in run.initial)


def test_a_problem_whose_optimum_fails_and_one_that_fails_everywhere_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"its optimum .* fails, and regret is counted from the best point"):
        replace(hilly(), optimum_point={"x": -np.pi, "y": 12.275})
    with pytest.raises(ParameterError, match=r"got 3 as what fails; it must take a point"):
        replace(hilly(), fails=3)  # type: ignore[arg-type]

    optimum = hilly().optimum_point

    def elsewhere(point: Mapping[str, Any]) -> bool:
        return point != optimum

    problem = replace(hilly(worst=None), fails=elsewhere)
    with pytest.raises(ParameterError, match=r"^run\(\): 1000 random points of 'branin' all fail"):
        simulate.run(problem, "random", rounds=2, seed=0)
