"""Running an objective: what is asked and told, in which context, and when."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from belated import Candidates, Study, Window
from belated.beliefs import GP
from belated.client import RemoteStudy
from belated.client.connection import HttpConnection
from belated.errors import BelatedWarning, ContextError, ParameterError
from belated.log import Answered, Asked, Query
from belated.policies import bpe, gp_aucb, gp_bucb
from belated.study import differences
from tests.meanwhile import PATIENCE, Meanwhile, until
from tests.running.studies import AFTER, BEFORE, begun, squared, states, told

# What is asked and told.


def test_so_many_queries_are_evaluated_as_are_wanted() -> None:
    study = begun(goal="minimize")
    ran = study.run(squared, 12, workers=3)
    assert (ran.asked, ran.answered, ran.failed, ran.reason) == (12, 12, 0, "12 of 12 queries were evaluated")
    assert ran.seconds > 0.0
    assert all(query.answer and query.answer.value == squared(dict(query.point)) for query in study.queries())
    assert list(differences(study.events)) == []


def test_one_worker_asks_what_a_loop_of_ask_and_tell_asks() -> None:
    by_hand, ran = begun(gp_bucb()), begun(gp_bucb())
    for _ in range(6):
        query = by_hand.ask()
        assert isinstance(query, Query)
        by_hand.tell(query, squared(dict(query.point)))
    ran.run(squared, 6, workers=1)
    assert [dict(q.point) for q in ran.queries()] == [dict(q.point) for q in by_hand.queries()]


def test_the_objective_gets_a_dict_of_its_own() -> None:
    def careless(point: dict[str, Any]) -> float:
        assert type(point) is dict
        return float(point.pop("heat"))

    study = begun()
    study.run(careless, 2)
    assert all(query.answer and query.answer.value == query.point["heat"] for query in study.queries())


def test_as_many_queries_are_in_flight_as_there_are_workers() -> None:
    together = threading.Barrier(5)

    def meets(point: dict[str, Any]) -> float:
        together.wait(PATIENCE)
        return squared(point)

    ran = begun().run(meets, 10, workers=5)
    assert ran.answered == 10


def test_answers_are_told_as_they_come_in_any_order() -> None:
    study, gates = begun(), [threading.Event() for _ in range(3)]
    order: Iterator[int] = iter(range(3))
    drawn = threading.Lock()

    def waits(point: dict[str, Any]) -> float:
        with drawn:
            mine = next(order)
        assert gates[mine].wait(PATIENCE)
        return float(mine)

    running = Meanwhile(lambda: study.run(waits, 3, workers=3))
    until(lambda: len(study.pending()) == 3, "all three are in flight")
    for place in (2, 0, 1):
        gates[place].set()
        until(lambda place=place: float(place) in told(study), "the answer is told")  # type: ignore[misc]
    assert told(study) == [2.0, 0.0, 1.0]
    assert running.result().answered == 3


def test_an_ask_knows_every_answer_that_came_before_it() -> None:
    study = begun(gp_bucb())
    study.run(squared, 8, workers=1)
    kinds = [type(event.body).__name__ for event in study.events[1:]]
    assert kinds == ["Asked", "Answered"] * 8


def test_the_asks_of_a_run_are_made_by_workers_of_its_name() -> None:
    study = begun()
    study.run(squared, 4, workers=1, worker="bench")
    assert {query.worker for query in study.queries()} == {"bench-0"}


def test_runs_without_a_name_never_share_a_query() -> None:
    study, both = begun(), threading.Barrier(2)

    def meets(point: dict[str, Any]) -> float:
        both.wait(PATIENCE)
        return squared(point)

    runs = [Meanwhile(lambda: study.run(meets, 5, workers=1)) for _ in range(2)]
    assert [run.result().answered for run in runs] == [5, 5]
    names = [query.worker for query in study.queries()]
    assert len(names) == 10
    assert len(set(names)) == 2


@pytest.mark.parametrize("open_study", ["local", "remote"])
def test_a_run_that_nothing_would_end_is_refused_before_anything_is_asked(open_study: str) -> None:
    study: Any = begun() if open_study == "local" else RemoteStudy(HttpConnection("http://nobody.invalid", None), "lab")
    with pytest.raises(ParameterError) as refused:
        study.run(squared)
    assert str(refused.value) == (
        "run(queries=None): nothing says when the run ends; give queries=100, or queries=math.inf to go on until the "
        "study is closed, its policy has nothing more to ask, or Ctrl-C."
    )


def test_a_run_goes_on_until_the_study_is_closed() -> None:
    study = begun()

    def closes(point: dict[str, Any]) -> float:
        if study.record().counts.asked >= 4:
            study.close("enough")
        return squared(point)

    ran = study.run(closes, math.inf, workers=1)
    assert ran.reason == "the study is closed (enough)"
    assert ran.asked == ran.answered == 4
    again = study.run(closes, 3)
    assert (again.asked, again.reason) == (0, "the study is closed (enough)")


def test_values_may_be_of_any_kind_of_number() -> None:
    values = iter([1, 2.5, np.float32(0.25), np.int64(7), np.array(3.5), np.float64(1e-3)])
    study = begun()
    study.run(lambda point: next(values), 6, workers=1)
    assert told(study) == [1.0, 2.5, 0.25, 7.0, 3.5, 1e-3]


# Contexts.


def test_a_context_that_is_seen_before_is_drawn_for_each_ask_and_given_to_the_objective() -> None:
    study = begun("gp-ucb", context=BEFORE)
    seen: list[dict[str, Any]] = []

    def learns(point: dict[str, Any], context: dict[str, Any]) -> float:
        seen.append(context)
        return squared(point)

    ran = study.run(learns, contexts=({"hour": hour} for hour in (7.0, 9.0, 20.0)), workers=1)
    assert seen == [{"hour": 7.0}, {"hour": 9.0}, {"hour": 20.0}]
    assert [query.context for query in study.queries()] == seen
    assert (ran.answered, ran.reason) == (3, "no context is left")


def test_a_context_that_is_seen_after_is_returned_with_the_value() -> None:
    study = begun("sbo-kde", context=AFTER)
    ran = study.run(lambda point: (squared(point), {"demand": 0.25}), 4, workers=2)
    assert ran.answered == 4
    assert [query.context for query in study.queries()] == [{"demand": 0.25}] * 4


def test_a_context_that_is_not_known_yet_may_be_told_later() -> None:
    study = begun("sbo-kde", context=AFTER)
    study.run(lambda point: (squared(point), None), 1)
    study.tell(1, context={"demand": 0.5})
    assert study.queries()[0].context == {"demand": 0.5}


@pytest.mark.parametrize(
    "options, contexts, message",
    [
        (
            {"context": BEFORE, "policy": "gp-ucb"},
            None,
            "run(): got no contexts, but the study's context is seen before the decision; give contexts=[{…}, …], one "
            "for each query.",
        ),
        ({}, [{"hour": 1.0}], "run(): got contexts, but the study declares none; leave them out."),
        (
            {"context": AFTER, "policy": "sbo-kde"},
            [{"demand": 1.0}],
            "run(): got contexts, but the study sees its context only after the decision; leave them out.",
        ),
    ],
)
def test_contexts_go_with_what_the_study_declares(options: dict[str, Any], contexts: Any, message: str) -> None:
    study = begun(**options)
    with pytest.raises(ContextError) as refused:
        study.run(squared, 1, contexts=contexts)
    assert str(refused.value) == message
    assert len(study.events) == 1


def test_a_context_that_does_not_fit_ends_the_run_once_what_is_in_flight_has_come() -> None:
    study, asked_badly = begun("gp-ucb", context=BEFORE), threading.Event()

    def contexts() -> Iterator[dict[str, Any]]:
        yield {"hour": 7.0}
        asked_badly.set()
        yield {"hour": "noon"}

    def waits(point: dict[str, Any], context: dict[str, Any]) -> float:
        assert asked_badly.wait(PATIENCE)
        return squared(point)

    with pytest.raises(ContextError, match=r"^ask\(\) context: hour='noon'"):
        study.run(waits, contexts=contexts(), workers=2)
    assert states(study) == ["answered"]


# Pacing.

# What is pending always tells more than the limit.
ONE_AT_A_TIME = gp_aucb(limit=1e-9, belief=GP(lengthscale=0.2, variance=1.0, noise=0.01, mean="zero"))


def test_a_balk_waits_for_an_answer_in_flight_and_asks_again() -> None:
    study, at_once = begun(ONE_AT_A_TIME), []

    def counts(point: dict[str, Any]) -> float:
        at_once.append(len(study.pending()))
        return squared(point)

    ran = study.run(counts, 6, workers=4)
    assert (ran.answered, at_once) == (6, [1] * 6)


def test_a_balk_waits_for_what_others_have_in_flight() -> None:
    study = begun(ONE_AT_A_TIME)
    query = study.ask()
    assert isinstance(query, Query)
    running = Meanwhile(lambda: study.run(squared, 2))
    assert running.waits()
    study.tell(query, 1.0)
    assert running.result().answered == 2


def test_a_balk_is_final_if_no_answer_is_to_come() -> None:
    rows = Candidates([{"heat": float(heat)} for heat in range(8)])
    study = Study.in_memory(rows, policy=bpe(horizon=5), seed=1)
    ran = study.run(squared, math.inf, workers=2)
    assert (ran.asked, ran.answered) == (5, 5)
    assert ran.reason == (
        "the policy balks, and no answer is to come (the horizon of 5 queries is reached; change the policy to go on)"
    )


def test_queries_that_are_overdue_are_not_waited_for() -> None:
    rows = Candidates([{"heat": float(heat)} for heat in range(8)])
    now = 0.0
    study = Study.in_memory(rows, policy=bpe(horizon=3), seed=1, clock=lambda: now)
    study.ask()
    study.change(policy=gp_aucb(limit=1e-9, window=Window(seconds=10.0)))
    now = 11.0
    assert study.run(squared, 3).answered == 3


# Others at work on the same study.


def test_an_answer_that_somebody_else_has_given_stands() -> None:
    study = begun()

    def told_already(point: dict[str, Any]) -> float:
        study.tell(study.pending()[0], 0.5)
        return 0.75

    with pytest.warns(
        BelatedWarning, match=r"run\(\): 0\.75 came back, and the study refused it: tell\(query=1\): already"
    ):
        ran = study.run(told_already, 1)
    assert (ran.asked, ran.answered, ran.failed) == (1, 0, 0)
    assert study.best().value == 0.5


def test_a_query_that_somebody_else_gives_up_does_not_end_the_run() -> None:
    study = begun()

    def given_up(point: dict[str, Any]) -> float:
        if point == dict(study.queries()[0].point):
            study.abandon(1, "the oven is cold")
        return squared(point)

    with pytest.warns(BelatedWarning, match=r"the query was abandoned \(the oven is cold\)"):
        ran = study.run(given_up, 3, workers=1)
    assert (ran.asked, ran.answered) == (3, 2)


def test_waiting_takes_no_processor() -> None:
    study, over = begun(ONE_AT_A_TIME), threading.Event()
    query = study.ask()
    assert isinstance(query, Query)
    before = time.process_time()
    running = Meanwhile(lambda: study.run(lambda point: over.wait(PATIENCE) and 1.0, 2, workers=3, timeout=PATIENCE))
    # First for the answer of somebody else, then for its own while the policy balks.
    assert running.waits(0.7)
    study.tell(query, 1.0)
    assert running.waits(1.5)
    used = time.process_time() - before
    over.set()
    assert running.result().answered == 2
    assert used < 0.5, "of more than two seconds"


# Queries of a run that was killed.


def test_a_run_takes_up_what_was_left_under_its_name() -> None:
    study = begun()
    left = [study.ask(worker=name) for name in ("bench-0", "bench-1", "bench-7", "bench", "other-0", "bench-01")]
    ran = study.run(squared, 5, workers=2, worker="bench")
    assert (ran.asked, ran.answered) == (5, 5)
    assert len(study.record()) == len(left) + 2
    assert [query.worker for query in study.pending()] == ["bench", "other-0", "bench-01"]


def test_what_is_taken_up_counts_among_the_queries() -> None:
    study = begun()
    for slot in range(4):
        study.ask(worker=f"bench-{slot}")
    ran = study.run(squared, 2, workers=1, worker="bench")
    assert (ran.asked, ran.answered) == (2, 2)
    assert len(study.pending()) == 2
    assert len(study.record()) == 4


def test_what_is_taken_up_comes_before_anything_new() -> None:
    study = begun()
    left = [study.ask(worker=f"bench-{slot}") for slot in (3, 1, 0, 5)]
    study.run(squared, 6, workers=2, worker="bench")
    bodies = [event.body for event in study.events[5:]]
    first_new = next(place for place, body in enumerate(bodies) if isinstance(body, Asked))
    answered = {body.query for body in bodies[:first_new] if isinstance(body, Answered)}
    assert len(left) - len(answered) <= 1, "one may be in flight while the other worker asks"
    assert study.pending() == []


def test_a_worker_that_had_asked_for_several_is_given_one_after_the_other() -> None:
    study = begun()
    study.ask(3, worker="bench-0")
    study.ask(worker="bench-1")
    ran = study.run(squared, 6, workers=3, worker="bench")
    assert (ran.asked, ran.answered) == (6, 6)
    assert states(study) == ["answered"] * 6


def test_what_is_taken_up_keeps_its_context() -> None:
    study, seen = begun("gp-ucb", context=BEFORE), []
    study.ask(worker="bench-0", context={"hour": 3.0})

    def learns(point: dict[str, Any], context: dict[str, Any]) -> float:
        seen.append(context["hour"])
        return squared(point)

    study.run(learns, contexts=[{"hour": 4.0}], workers=1, worker="bench")
    assert seen == [3.0, 4.0]
