"""When the next answer can be expected."""

from __future__ import annotations

import pytest

from belated.delays import until_next_answer
from belated.space import Float, Space
from belated.study import Study
from tests.builders import Clock

SPACE = Space(heat=Float(0.0, 1.0))


def study_of(*delays: float) -> tuple[Study, Clock]:
    """A study whose answers took so long, in seconds, and its clock."""
    clock = Clock(1_000.0)
    study = Study.in_memory(SPACE, policy="random", seed=1, clock=clock)
    for delay in delays:
        (query,) = study.ask(1)
        clock.now += delay
        study.tell(query, 0.5)
    return study, clock


def until(study: Study) -> float | None:
    return until_next_answer(study.evidence().waits(study.now()))


def test_nobody_knows_before_the_first_answer() -> None:
    study, _ = study_of()
    assert until(study) is None
    study.ask(2)
    study.add({"heat": 0.5}, 1.0)  # was never waited for
    assert until(study) is None


def test_where_nothing_is_waited_for_it_is_what_half_of_the_answers_took() -> None:
    study, _ = study_of(10.0, 40.0, 20.0)
    assert until(study) == pytest.approx(20.0)


def test_the_first_of_those_that_wait_counts_and_one_that_is_late_may_come_at_any_moment() -> None:
    study, clock = study_of(10.0, 40.0, 20.0)
    study.ask()
    clock.now += 5.0
    study.ask()
    assert until(study) == pytest.approx(15.0)
    clock.now += 30.0
    assert until(study) == pytest.approx(2.0)


def test_what_was_abandoned_is_waited_for_no_more() -> None:
    study, clock = study_of(10.0, 40.0, 20.0)
    first, _ = study.ask(2)
    clock.now += 15.0
    study.abandon(first, "lost")
    study.tell(5, 0.25)  # after 15 seconds, so that half took at most 17.5
    study.ask()
    assert until(study) == pytest.approx(17.5)
