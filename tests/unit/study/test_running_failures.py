"""Running an objective that fails: what is no answer, is tried again, takes too long, and is given up."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
import pytest

from belated import Lost, Maximize, Measurement, Retries, Signal, Study
from belated.errors import AnswerError, BelatedWarning, ObjectiveError
from tests.meanwhile import PATIENCE, until
from tests.running.studies import AFTER, LINE, begun, reasons, squared, states

# What is no answer.


@pytest.mark.parametrize(
    "returned, shown",
    [
        (None, "None"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        ("0.3", "'0.3'"),
        (True, "True"),
        (np.bool_(False), "np.False_"),
        (1e200, "1e+200"),
        ([], "[]"),
        ([0.3, float("nan")], "[0.3, nan]"),
        ([[0.3], [0.4]], "[[0.3], [0.4]]"),
        (2j, "2j"),
    ],
)
def test_what_is_no_finite_number_fails_the_query(returned: Any, shown: str) -> None:
    study = begun()
    with pytest.raises(ObjectiveError) as failed:
        study.run(lambda point: returned, 3, workers=1, tolerate=0)
    assert str(failed.value) == (
        f"run(): query 1 failed (the objective returned {shown}); 1 failed and 0 are tolerated; mend the objective, or "
        f"give retries=… or tolerate=…."
    )
    assert isinstance(failed.value.__cause__, AnswerError)
    assert str(failed.value.__cause__) == (
        f"run(query=1): the objective returned {shown}: that is no finite number; return one, or raise an error if "
        f"there is none."
    )
    assert states(study) == ["failed"]
    assert reasons(study) == [f"the objective returned {shown}"]


def test_a_pair_is_no_answer_where_no_context_is_seen() -> None:
    study = begun()
    with pytest.raises(ObjectiveError) as failed:
        study.run(lambda point: (0.3, {"demand": 0.5}), 1)
    assert str(failed.value.__cause__) == (
        "run(query=1): the objective returned (0.3, {'demand': 0.5}): no context is seen after the decision; return "
        "the value, or a list of repeats."
    )


# What is an answer, beyond a number.


@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_a_list_of_numbers_is_told_as_repeats(executor: str) -> None:
    study = begun()
    study.run(thrice, 2, workers=1, executor=executor)
    for query in study.queries():
        heat = query.point["heat"]
        assert query.answer is not None
        assert query.answer.repeats == (heat, heat + 1.0, heat + 2.0)


def thrice(point: dict[str, Any]) -> Any:
    return np.array([point["heat"], point["heat"] + 1.0, point["heat"] + 2.0])


@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_a_measurement_is_told_with_its_standard_error_or_its_repeats(executor: str) -> None:
    study = begun()
    study.run(assayed, 1, workers=1, executor=executor)
    study.run(lambda point: Measurement.of_repeats([1.0, 3.0]), 1, workers=1)
    first, second = (query.answer for query in study.queries())
    assert first is not None
    assert second is not None
    assert (first.value, first.sd, first.repeats) == (study.queries()[0].point["heat"], 0.25, ())
    assert (second.value, second.sd, second.repeats) == (2.0, None, (1.0, 3.0))


def assayed(point: dict[str, Any]) -> Any:
    return Measurement(point["heat"], sd=0.25)


def test_a_measurement_that_is_none_is_refused() -> None:
    for wrong in (Measurement(1.0, sd=-1.0), Measurement(float("nan"), sd=1.0)):
        study = begun()
        with pytest.raises(ObjectiveError) as failed:
            study.run(lambda point, wrong=wrong: wrong, 1)
        assert isinstance(failed.value.__cause__, AnswerError)
        assert states(study) == ["failed"]


OUTCOMES = {"yield": Maximize(), "colour": Signal()}


def test_a_dict_is_told_by_the_names_of_its_outcomes() -> None:
    study = begun(outcomes=OUTCOMES)
    returned = iter([{"yield": 0.3, "colour": 1.0}, {"yield": [0.1, 0.3]}, {"yield": 0.4, "colour": float("nan")}, 0.7])
    ran = study.run(lambda point: next(returned), 4, workers=1)
    assert (ran.asked, ran.answered) == (4, 4)
    told = [{name: answer.value for name, answer in query.answers.items()} for query in study.queries()]
    assert told == [{"yield": 0.3, "colour": 1.0}, {"yield": 0.2}, {"yield": 0.4}, {"yield": 0.7}]


def test_outcomes_have_their_own_standard_errors() -> None:
    study = begun(outcomes=OUTCOMES)
    study.run(lambda point: {"yield": Measurement(0.3, sd=0.1), "colour": 1.0}, 1, workers=1)
    (query,) = study.queries()
    assert {name: answer.sd for name, answer in query.answers.items()} == {"yield": 0.1, "colour": None}


def test_an_outcome_that_somebody_has_told_meanwhile_stands_and_the_others_are_told() -> None:
    study = begun(outcomes=OUTCOMES)

    def measured(point: dict[str, Any]) -> dict[str, float]:
        study.tell(1, {"colour": 0.3})
        return {"yield": 0.8, "colour": 0.4}

    with pytest.warns(BelatedWarning, match="the study refused it"):
        study.run(measured, 1, workers=1)
    (query,) = study.queries()
    assert {name: answer.value for name, answer in query.answers.items()} == {"colour": 0.3, "yield": 0.8}
    assert states(study) == ["answered"]


@pytest.mark.parametrize(
    "returned, rule",
    [
        ({"colour": 1.0}, "the study waits for 'yield' too; return it as well"),
        ({"yield": None}, "the study waits for 'yield' too; return it as well"),
        ({"yeild": 1.0}, "unknown outcome 'yeild'; the study has yield, colour; did you mean 'yield'?"),
        ({"yield": float("nan")}, "got nan as the answer; an answer is a finite number"),
    ],
)
def test_a_dict_has_all_that_the_study_waits_for(returned: Any, rule: str) -> None:
    study = begun(outcomes=OUTCOMES)
    with pytest.raises(ObjectiveError) as failed:
        study.run(lambda point: returned, 1)
    assert rule in str(failed.value.__cause__)
    assert states(study) == ["failed"]
    assert reasons(study) == [f"the objective returned {returned!r}"]


@pytest.mark.parametrize("returned", [0.3, (0.3,), (0.3, 0.5), (0.3, "demand", 0.5)])
def test_a_context_that_is_seen_after_must_come_with_the_value(returned: Any) -> None:
    study = begun("sbo-kde", context=AFTER)
    with pytest.raises(ObjectiveError) as failed:
        study.run(lambda point: returned, 1)
    assert "the study's context is seen after the decision; return (value, context)" in str(failed.value.__cause__)
    assert states(study) == ["failed"]


def test_a_context_that_does_not_fit_the_study_says_nothing_of_the_point() -> None:
    study = begun("sbo-kde", context=AFTER)
    with pytest.raises(ObjectiveError, match=r"query 1 failed \(tell\(\) context: demand=7\.0 "):
        study.run(lambda point: (0.3, {"demand": 7.0}), 1)
    assert states(study) == ["abandoned"]


def test_a_function_that_returns_a_coroutine_is_told_apart_from_an_objective_that_is_one() -> None:
    async def later(point: dict[str, Any]) -> float:
        return squared(point)

    study = begun()
    with pytest.raises(ObjectiveError) as failed:
        study.run(lambda point: later(point), 1)
    assert "that is no number; define the objective itself by async def" in str(failed.value.__cause__)
    assert states(study) == ["failed"]


# Failures, retries and what is tolerated.


def raises(point: dict[str, Any]) -> float:
    raise ValueError("the oven is cold")


def test_an_objective_that_raises_ends_the_run_with_its_error_as_the_cause() -> None:
    study = begun()
    with pytest.raises(ObjectiveError) as failed:
        study.run(raises, 3, workers=1, tolerate=0)
    assert str(failed.value) == (
        "run(): query 1 failed (the objective raised ValueError: the oven is cold); 1 failed and 0 are tolerated; mend "
        "the objective, or give retries=… or tolerate=…."
    )
    assert isinstance(failed.value.__cause__, ValueError)
    assert reasons(study) == ["the objective raised ValueError: the oven is cold"]


def test_an_objective_that_exits_fails_like_one_that_raises() -> None:
    study = begun()
    with pytest.raises(ObjectiveError, match="raised SystemExit: 3"):
        study.run(lambda point: exit(3), 1)
    assert states(study) == ["failed"]


def test_what_is_in_flight_when_too_many_failed_is_waited_for_and_told() -> None:
    study, failed = begun(), threading.Event()
    first = threading.Lock()

    def one_raises(point: dict[str, Any]) -> float:
        if first.acquire(blocking=False):
            until(lambda: len(study.pending()) == 3, "three are in flight")
            failed.set()
            raise ValueError
        assert failed.wait(PATIENCE)
        until(lambda: "failed" in states(study), "the failure is known")
        return squared(point)

    with pytest.raises(ObjectiveError, match=r"the objective raised ValueError\); 1 failed and 0 are tolerated"):
        study.run(one_raises, 9, workers=3, tolerate=0)
    assert sorted(states(study)) == ["answered", "answered", "failed"]


def test_so_many_failures_are_tolerated_as_is_said() -> None:
    study = begun()
    outcomes = iter([None, 1.0, None, 2.0, None, 3.0])
    with pytest.raises(ObjectiveError, match="3 failed and 2 are tolerated"):
        study.run(lambda point: next(outcomes), 9, workers=1, tolerate=2)
    assert states(study) == ["failed", "answered", "failed", "answered", "failed"]


def test_any_number_of_failures_can_be_tolerated() -> None:
    study = begun()
    ran = study.run(raises, 5, workers=2, tolerate=math.inf)
    assert (ran.asked, ran.answered, ran.failed) == (5, 0, 5)
    assert states(study) == ["failed"] * 5


def test_failures_are_normal_as_long_as_something_succeeds() -> None:
    study = begun()
    outcomes = iter([None] * 9 + [1.0] + [None] * 30)
    with pytest.warns(BelatedWarning, match="Most queries fail: 9 of the last 10"):
        ran = study.run(lambda point: next(outcomes), 40, workers=1)
    assert (ran.asked, ran.answered, ran.failed) == (40, 1, 39)


def test_a_run_in_which_nothing_ever_succeeds_ends_after_ten() -> None:
    study = begun()
    with pytest.raises(ObjectiveError) as failed:
        study.run(raises, math.inf, workers=1)
    assert str(failed.value) == (
        "run(): query 10 failed (the objective raised ValueError: the oven is cold), as all 10 did that were "
        "evaluated; mend the objective and retract() what failed by its fault, or give tolerate=math.inf to go on "
        "whatever fails."
    )
    assert isinstance(failed.value.__cause__, ValueError)
    assert states(study) == ["failed"] * 10


def test_a_short_run_in_which_nothing_succeeded_says_so() -> None:
    with pytest.raises(ObjectiveError, match="as all 3 did that were evaluated"):
        begun().run(raises, 3, workers=1)


def test_what_fails_is_abandoned_if_the_user_wants_that() -> None:
    study = begun()
    study.run(raises, 2, workers=1, tolerate=2, on_failure="abandon")
    assert states(study) == ["abandoned"] * 2
    assert reasons(study) == ["the objective raised ValueError: the oven is cold"] * 2


@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_an_objective_says_that_its_answer_was_lost(executor: str) -> None:
    study = begun()
    ran = study.run(loses, 3, workers=1, tolerate=3, executor=executor)
    assert (ran.answered, ran.failed) == (0, 3)
    assert states(study) == ["abandoned"] * 3
    assert reasons(study) == ["the vial broke"] * 3


def loses(point: dict[str, Any]) -> float:
    raise Lost("the vial broke")


def test_a_lost_answer_is_tried_again_if_retries_say_so() -> None:
    study, tried = begun(), []

    def second_time(point: dict[str, Any]) -> float:
        tried.append(point)
        if len(tried) == 1:
            raise Lost
        return squared(point)

    assert study.run(second_time, 1, retries=Retries(1, on=Lost)).answered == 1


def test_an_evaluation_that_failed_is_tried_again_at_the_same_point() -> None:
    study, tried = begun(), []

    def third_time(point: dict[str, Any]) -> float:
        tried.append(point["heat"])
        if len(tried) % 3:
            raise ValueError
        return squared(point)

    ran = study.run(third_time, 2, workers=1, retries=2)
    assert (ran.asked, ran.answered, ran.failed) == (2, 2, 0)
    assert len(tried) == 6
    assert len(set(tried)) == 2


def test_only_errors_that_are_worth_it_are_tried_again() -> None:
    study, tried = begun(), []

    def always(point: dict[str, Any]) -> float:
        tried.append(point)
        raise ConnectionError if len(tried) < 3 else ValueError

    study.run(always, 1, retries=Retries(9, on=ConnectionError), tolerate=math.inf)
    assert len(tried) == 3


def test_the_pause_before_a_retry_doubles_and_ends() -> None:
    retries = Retries(3, wait=0.5, on=(ConnectionError, TimeoutError))
    assert [retries.pause(failures, TimeoutError()) for failures in (1, 2, 3, 4)] == [0.5, 1.0, 2.0, None]
    assert retries.pause(1, ValueError()) is None
    assert Retries(2).pause(1, SystemExit()) is None
    assert Retries(10**9, wait=1.0).pause(10**8, ValueError()) == 1e6


def test_a_query_that_waits_for_its_retry_keeps_its_slot_and_nothing_else() -> None:
    study, failed_once = begun(), threading.Event()

    def first_fails(point: dict[str, Any]) -> float:
        if not failed_once.is_set():
            failed_once.set()
            raise ConnectionError
        return squared(point)

    ran = study.run(first_fails, 3, workers=1, retries=Retries(1, wait=0.05), worker="bench")
    assert (ran.asked, ran.answered) == (3, 3)


def test_reasons_can_be_kept_by_every_storage(shared: str) -> None:
    study = Study.create(shared, "odd", LINE, policy="random", seed=1)

    def odd(point: dict[str, Any]) -> float:
        raise ValueError("zero \0, half \ud800, long " + "x" * 10_000)

    study.run(odd, 1, tolerate=math.inf)
    reason = study.queries()[0].reason
    assert reason is not None
    assert reason.startswith("the objective raised ValueError: zero \\0, half \\ud800, long xxx")
    assert len(reason) < 600


def test_an_error_that_cannot_be_shown_fails_the_query_like_any_other() -> None:
    class Odd(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    def odd(point: dict[str, Any]) -> float:
        raise Odd

    study = begun()
    study.run(odd, 1, tolerate=math.inf)
    assert reasons(study) == ["the objective raised Odd"]


# Time-outs.

# Seconds in which even a machine that is very busy evaluates something small.
AMPLE = 2.0


def test_an_evaluation_that_takes_too_long_is_given_up() -> None:
    study, over = begun(), threading.Event()
    try:
        with pytest.raises(ObjectiveError) as failed:
            study.run(lambda point: over.wait(PATIENCE), 3, workers=1, timeout=0.05, tolerate=0)
    finally:
        over.set()
    assert isinstance(failed.value.__cause__, TimeoutError)
    assert states(study) == ["failed"]
    assert reasons(study) == ["it took longer than 0.05 s"]


def test_others_go_on_while_one_thread_is_stuck() -> None:
    study, over, stuck = begun(), threading.Event(), threading.Lock()

    def first_hangs(point: dict[str, Any]) -> float:
        if stuck.acquire(blocking=False):
            over.wait(PATIENCE)
        return squared(point)

    try:
        ran = study.run(first_hangs, 20, workers=2, timeout=AMPLE, tolerate=1)
    finally:
        over.set()
    assert (ran.asked, ran.answered, ran.failed) == (20, 19, 1)


def test_threads_that_are_all_stuck_end_the_run() -> None:
    study, over = begun(), threading.Event()
    try:
        with pytest.raises(ObjectiveError) as stuck:
            study.run(lambda point: over.wait(PATIENCE), 9, workers=2, timeout=0.05, tolerate=math.inf)
    finally:
        over.set()
    assert str(stuck.value) == (
        "run(timeout=0.05): 2 of 2 workers are stuck in evaluations that took longer and cannot be ended from outside; "
        "give a longer timeout, or executor='processes', whose processes can be killed."
    )
    assert states(study) == ["failed", "failed"]


@pytest.mark.parametrize("retries", [0, 1])
def test_a_thread_that_comes_back_is_used_again(retries: int) -> None:
    study, come_back, first = begun(), threading.Event(), threading.Lock()

    def hangs_at_first(point: dict[str, Any]) -> float:
        if first.acquire(blocking=False):
            come_back.wait(1.2 * AMPLE)
        return squared(point)

    ran = study.run(
        hangs_at_first, 3, workers=1, timeout=AMPLE, retries=Retries(retries, on=TimeoutError), tolerate=math.inf
    )
    assert (ran.asked, ran.answered, ran.failed) == (3, 2 + retries, 1 - retries)
