"""What a study has come to, at a glance."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from statistics import median

import numpy as np
import pytest

import belated as bl
from belated.log import Counts
from belated.study.insight import Delay, summary
from tests.builders import Clock, mixed


def study_with_everything(clock: Clock) -> bl.Study:
    """Four queries: the first overdue, two answered late, one abandoned; and one result added."""
    study = bl.Study.in_memory(mixed(), policy=bl.policies.gp_bucb(window=2), goal="minimize", seed=3, clock=clock)
    study.ask(4)
    clock.now += 60
    study.tell(3, 5.0)
    clock.now += 3600
    study.tell(2, 7.0)
    study.abandon(4, "lost")
    study.add({"heat": 40, "steps": 2, "solvent": "DMF", "fast": True}, 2.0)
    return study


def test_every_query_is_counted_once_and_overdue_ones_are_pending_too() -> None:
    found = summary(study_with_everything(Clock()))
    assert found.counts == Counts(asked=4, answered=2, pending=1, overdue=1, abandoned=1, added=1)
    assert [query.id for query in found.overdue] == [1]


def test_delays_are_those_of_answers_to_queries() -> None:
    found = summary(study_with_everything(Clock()))
    assert found.delay == Delay(median_queries=1.5, longest_queries=2, median_seconds=1860.0, longest_seconds=3660.0)


def test_the_progress_is_the_best_value_in_the_order_of_arrival() -> None:
    found = summary(study_with_everything(Clock()))
    assert found.progress == (5.0, 5.0, 2.0)
    assert found.best is not None
    assert (found.best.query, found.best.value) == (5, 2.0)


def test_a_study_in_which_nothing_happened_has_nothing_to_show() -> None:
    found = summary(bl.Study.in_memory(mixed(), seed=3))
    assert (found.delay, found.overdue, found.best, found.progress) == (None, (), None, ())
    assert found.counts == Counts(0, 0, 0, 0, 0, 0)


def test_answers_without_their_context_are_named_where_it_is_seen_after() -> None:
    context = bl.Context(demand=bl.Float(0, 1), seen="after")
    study = bl.Study.in_memory(mixed(), policy="sbo-kde", context=context, seed=3, clock=Clock())
    study.ask(3)
    study.tell(1, 2.0, context={"demand": 0.5})
    study.tell(2, 3.0)
    study.tell(3, context={"demand": 0.25})
    found = summary(study)
    assert [query.id for query in found.without_context] == [2]
    assert found.to_json()["without_context"] == [2]
    assert summary(study_with_everything(Clock())).without_context == ()


def test_a_summary_is_plain_json() -> None:
    data = summary(study_with_everything(Clock())).to_json()
    assert json.loads(json.dumps(data, allow_nan=False)) == data


@pytest.mark.parametrize("seed", [3, 17, 91])
def test_counts_and_delays_are_those_of_the_records(seed: int) -> None:
    clock, rng = Clock(), np.random.default_rng(seed)
    policy = bl.policies.gp_bucb(window=3, initial=100)
    study = bl.Study.in_memory(mixed(), policy=policy, seed=3, clock=clock, notices=False)
    for _ in range(80):
        clock.now += float(rng.exponential(10.0))
        waiting = [query.id for query in study.pending()]
        move = rng.random()
        if move < 0.6 or not waiting:
            study.ask()
        elif move < 0.82:
            study.tell(int(rng.choice(waiting)), float(rng.normal()))
        elif move < 0.88:
            study.abandon(int(rng.choice(waiting)))
        elif move < 0.94:
            study.fail(int(rng.choice(waiting)))
        elif move < 0.97 and (ended := [each.id for each in study.queries() if each.number and each.id not in waiting]):
            study.retract(int(rng.choice(ended)))
        else:
            study.add({"heat": 40, "steps": 2, "solvent": "DMF", "fast": True}, float(rng.normal()))
    found, queries = summary(study), study.queries()
    states = Counter(query.state for query in queries if query.number)
    pending = states[bl.State.PENDING] + states[bl.State.OVERDUE]
    assert found.counts == Counts(
        asked=sum(states.values()),
        answered=states[bl.State.ANSWERED],
        pending=pending,
        overdue=states[bl.State.OVERDUE],
        abandoned=states[bl.State.ABANDONED],
        failed=states[bl.State.FAILED],
        retracted=states[bl.State.RETRACTED],
        added=len(queries) - sum(states.values()),
    )
    answers = [(query, query.answer) for query in queries if query.answer is not None and query.number]
    counted, passed = [answer.delay for _, answer in answers], [answer.at - query.asked_at for query, answer in answers]
    assert found.delay == Delay(median(counted), max(counted), median(passed), max(passed))
    assert found.overdue == tuple(query for query in queries if query.state is bl.State.OVERDUE)
    assert min(asdict(found.counts).values()) > 0, "every kind is there"


def test_a_summary_makes_no_record_of_every_answer() -> None:
    study = bl.Study.in_memory(mixed(), policy="random", seed=3, clock=Clock())
    study.ask(40)
    study.tell_many({query: 0.5 * query for query in range(1, 31)})
    summary(study)
    assert len(study.record()._notes.settled) == 1, "the best one"
