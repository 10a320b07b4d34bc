"""Reading a study: the best answer, the recommendation, what is pending, the clock, and what may not be written."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from belated.beliefs import GP
from belated.errors import NoAnswerError
from belated.log import Asked, Balk, Query, State, Window
from belated.policies import gp_aucb, gp_bucb, random
from belated.space import Candidates, Float, Space
from belated.study import Best, Study, differences
from tests.builders import Clock, box, table

KNOWN = GP(kernel="se", lengthscale=0.3, variance=1.0, noise=1e-4, mean="zero")
LINE = Candidates(np.linspace(-40.0, 60.0, 11)[:, None], names=["heat"])


def line_study(goal: str = "maximize") -> Study:
    return Study.in_memory(
        LINE,
        policy=gp_bucb(belief=KNOWN),
        goal=goal,  # type: ignore[arg-type]
        seed=3,
        clock=Clock(),
    )


def asked(study: Study) -> Query:
    query = study.ask()
    assert isinstance(query, Query)
    return query


# The best and the recommendation.


@pytest.mark.parametrize(
    "goal, best", [("maximize", Best({"heat": -20.0}, 5.0, 2)), ("minimize", Best({"heat": 0.0}, -5.0, 3))]
)
def test_the_best_follows_the_goal_and_is_the_first_of_equals(goal: str, best: Best) -> None:
    study = line_study(goal)
    for heat, value in [(-40.0, 1.0), (-20.0, 5.0), (0.0, -5.0), (20.0, 5.0), (60.0, -5.0)]:
        study.add({"heat": heat}, value)
    assert study.best() == best


def test_the_best_follows_a_revision() -> None:
    study = line_study()
    study.add({"heat": -40.0}, 1.0)
    study.add({"heat": 60.0}, 2.0)
    study.revise(1, 3.0)
    assert study.best() == Best({"heat": -40.0}, 3.0, 1)
    study.revise(1, 0.0)
    assert study.best() == Best({"heat": 60.0}, 2.0, 2)


@pytest.mark.parametrize("goal, sign", [("maximize", 1.0), ("minimize", -1.0)])
def test_the_recommendation_is_in_the_users_units(goal: str, sign: float) -> None:
    study = line_study(goal)
    for row in range(11):
        study.add(LINE.point(row), sign * (1.0 - (row - 7.0) ** 2 / 20.0))
    recommended = study.recommend()
    assert recommended.point == {"heat": 30.0}
    assert recommended.mean == pytest.approx(sign, abs=0.01)
    assert 0 < recommended.deviation < 0.02


def test_the_recommendation_uses_answers_alone_and_writes_nothing() -> None:
    study = line_study()
    study.add({"heat": 0.0}, 1.0)
    before = study.recommend()
    study.ask(3)
    log = study.events
    assert study.recommend() == before
    assert study.events == log


def test_minimising_asks_what_maximising_the_negative_asks() -> None:
    up, down = line_study("maximize"), line_study("minimize")
    for step in range(6):
        query, mirrored = asked(up), asked(down)
        assert query.point == mirrored.point
        up.tell(query.id, np.cos(step))
        down.tell(mirrored.id, -np.cos(step))


@pytest.mark.parametrize("call", ["best", "recommend"])
def test_without_an_answer_there_is_nothing_to_read(call: str) -> None:
    study = line_study()
    with pytest.raises(NoAnswerError, match=rf"^{call}\(\): no query has an answer yet; tell\(\) or add\(\) one first"):
        getattr(study, call)()
    query = asked(study)
    study.abandon(query.id)
    with pytest.raises(NoAnswerError):
        getattr(study, call)()


# States and time.


def test_queries_become_overdue_with_further_queries_and_are_still_welcome() -> None:
    study = Study.in_memory(table(), policy=gp_bucb(belief=KNOWN, window=1), seed=1, clock=Clock())
    study.ask(3)
    assert [query.state for query in study.pending()] == [State.OVERDUE, State.PENDING, State.PENDING]
    study.tell(1, 0.5)
    first = study.queries()[0]
    assert first.state is State.ANSWERED
    assert first.answer is not None
    assert first.answer.delay == 2


def test_queries_become_overdue_with_time_alone() -> None:
    clock = Clock(100.0)
    study = Study.in_memory(table(), policy=gp_bucb(belief=KNOWN, window=Window(seconds=60)), seed=1, clock=clock)
    asked(study)
    clock.now = 160.0
    asked(study)
    assert [query.state for query in study.pending()] == [State.PENDING, State.PENDING]
    clock.now = 160.5
    assert [query.state for query in study.pending()] == [State.OVERDUE, State.PENDING]
    study.change(policy="random")
    assert [query.state for query in study.pending()] == [State.PENDING, State.PENDING]


def test_added_data_is_never_overdue() -> None:
    clock = Clock()
    study = Study.in_memory(LINE, policy=gp_bucb(belief=KNOWN, window=0), seed=1, clock=clock)
    added = study.add({"heat": 0.0}, 1.0)
    study.ask(2)
    clock.now += 1e9
    assert added.state is State.ANSWERED
    assert added.number == 0
    assert study.queries()[0].state is State.ANSWERED


def test_the_clock_is_read_once_for_every_event() -> None:
    ticks = iter(range(10, 100, 10))
    study = Study.in_memory(LINE, policy="random", seed=1, clock=lambda: float(next(ticks)))
    asked(study)
    study.tell(1, 1.0)
    study.add({"heat": 0.0}, 2.0)
    assert [event.at for event in study.events] == [10.0, 20.0, 30.0, 40.0]


def test_a_balk_leaves_no_event_and_its_reason_can_be_read() -> None:
    study = Study.in_memory(LINE, policy=gp_aucb(belief=KNOWN, limit=0.1), seed=1, clock=Clock())
    asked(study)
    log = study.events
    balk = study.ask()
    assert isinstance(balk, Balk)
    assert balk.reason.startswith("the 1 pending queries will tell ")
    several = study.ask(3)
    assert isinstance(several, Balk)
    assert study.events == log
    study.tell(1, 1.0)
    assert len(study.ask(3)) == 1


def test_an_overdue_query_no_longer_holds_the_others_up() -> None:
    clock = Clock()
    policy = gp_aucb(belief=KNOWN, limit=0.1, window=Window(seconds=5))
    study = Study.in_memory(LINE, policy=policy, seed=1, clock=clock)
    asked(study)
    assert not study.ask()
    clock.now += 6.0
    assert study.ask()


# The face of a study.


def test_a_study_shows_where_it_stands() -> None:
    study = Study.in_memory(LINE, policy="random", goal="minimize", seed=1, clock=Clock())
    study.ask(3)
    study.tell(2, 1.0)
    assert repr(study) == "Study(minimize, policy='random', asked=3, answered=1, pending=2)"
    assert study.goal == "minimize"
    assert study.space is LINE


def test_a_study_without_a_seed_draws_one_and_keeps_it() -> None:
    first, second = (Study.in_memory(box(), policy="random", clock=Clock()) for _ in range(2))
    again = Study(first.events, clock=Clock())
    assert [query.point for query in first.ask(4)] == [query.point for query in again.ask(4)]
    assert [query.point for query in first.ask(4)] != [query.point for query in second.ask(4)]


def test_data_of_a_table_is_kept_as_the_table_writes_it() -> None:
    study = Study.in_memory(LINE, policy="random", seed=1, clock=Clock())
    value: Any = np.float32(0.5)
    added = study.add({"heat": np.float32(20.0)}, value)
    assert repr(added.point) == "{'heat': 20.0}"
    assert added.answer is not None
    assert type(added.answer.value) is float


def test_many_threads_get_different_queries_and_lose_no_answer() -> None:
    study = Study.in_memory(box(), policy="random", seed=1)

    def work() -> None:
        for _ in range(25):
            query = asked(study)
            study.tell(query, float(query.id))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    queries = study.queries()
    assert [query.id for query in queries] == list(range(1, 101))
    assert all(query.answer is not None and query.answer.value == query.id for query in queries)
    assert [event.number for event in study.events] == list(range(1, 202))
    assert list(differences(study.events)) == []


# Nothing is overwritten.


def test_a_query_that_was_handed_out_cannot_be_changed_but_copied() -> None:
    study = Study.in_memory(LINE, policy=random(), seed=1, clock=Clock())
    query, added = asked(study), study.add({"heat": 0.0}, 1.0)
    body = study.events[1].body
    assert isinstance(body, Asked)
    logged: Any = body.point
    for point in (query.point, added.point, study.queries()[0].point, study.pending()[0].point, logged):
        with pytest.raises(TypeError, match="the values of a query never change"):
            point["heat"] = 1e9
    copied = dict(query.point)
    copied["heat"] = 1e9
    assert query.point != copied
    best = study.best()
    best.point["heat"] = 1e9
    assert study.best().point == {"heat": 0.0}


def test_the_point_given_to_add_may_be_used_again() -> None:
    study = Study.in_memory(box(), policy=random(), seed=1, clock=Clock())
    point = {"heat": 1.0, "dose": 1.0}
    study.add(point, 1.0)
    point["heat"] = 2.0
    assert study.queries()[0].point == {"heat": 1.0, "dose": 1.0}
    assert study.events[1].to_json()["point"] == {"heat": 1.0, "dose": 1.0}


def test_where_the_mean_is_level_an_answered_point_is_recommended() -> None:
    study = Study.in_memory(Space(x=Float(0, 1), y=Float(-3, 3)), seed=4)
    study.add({"x": 0.3, "y": 1.0}, 2.5)
    assert study.recommend().point == {"x": 0.3, "y": 1.0}
    assert study.recommend().mean == pytest.approx(2.5)


def test_a_jitter_that_the_belief_needed_is_reported() -> None:
    belief = GP(kernel="linear", lengthscale=1e-7, variance=1.0, noise=0.0, mean="zero")
    study = Study.in_memory(Space(x=Float(0, 1)), policy=gp_bucb(belief=belief), seed=4)
    for step in range(80):
        study.add({"x": step / 79}, step / 79)
    assert study.recommend().jitter > 0.0
    easy = Study.in_memory(Space(x=Float(0, 1)), seed=4)
    easy.add({"x": 0.3}, 1.0)
    assert easy.recommend().jitter == 0.0
