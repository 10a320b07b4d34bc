"""Figures of waiting show when queries were asked and answered, and how long the others have waited."""

from __future__ import annotations

import numpy as np
import pytest

import belated as bl
from belated import report
from belated.log import Query, State
from tests.builders import Clock
from tests.unit.report.studies import HOUR, asked, laboratory, named, small


@pytest.fixture(scope="module")
def study() -> bl.Study:
    return laboratory()


def of_state(study: bl.Study, state: State) -> list[Query]:
    return [query for query in study.queries() if query.number and query.state is state]


@pytest.mark.parametrize("state", [State.PENDING, State.OVERDUE, State.ANSWERED, State.ABANDONED])
def test_the_timeline_marks_each_query_once_by_its_state(state: State, study: bl.Study) -> None:
    queries = of_state(study, state)
    assert queries
    mark = named(report.timeline(study))[f"{state.value} ({len(queries)})"]
    assert list(mark.y) == [query.id for query in queries]


def test_lines_end_with_the_answer_with_the_abandonment_or_now(study: bl.Study) -> None:
    marks = named(report.timeline(study))
    answered = of_state(study, State.ANSWERED)
    assert list(marks[f"answered ({len(answered)})"].x) == [
        query.answer.at / HOUR for query in answered if query.answer
    ]
    abandoned = of_state(study, State.ABANDONED)
    assert list(marks[f"abandoned ({len(abandoned)})"].x) == [query.asked_at / HOUR for query in abandoned]
    now = study.now() / HOUR
    assert set(marks[f"pending ({len(of_state(study, State.PENDING))})"].x) == {now}


def test_the_timeline_leaves_out_added_data() -> None:
    study = small()
    study.add({"x": 0.5}, 1.0)
    study.abandon(asked(study))
    assert list(named(report.timeline(study))) == ["abandoned (1)"]


def test_a_clock_that_was_set_back_makes_no_wait_negative() -> None:
    clock = Clock(100.0)
    study = small(clock=clock)
    asked(study)
    clock.now = 40.0
    assert list(named(report.timeline(study))["pending (1)"].customdata) == [0.0]
    assert sum(named(report.waits(study))["pending, so far (1)"].y) == 1


def test_the_bars_count_waits_of_answers_and_of_queries_that_still_wait(study: bl.Study) -> None:
    bars = named(report.waits(study))
    spans = {
        "answered": [query.answer.at - query.asked_at for query in of_state(study, State.ANSWERED) if query.answer],
        "pending, so far": [study.now() - query.asked_at for query in of_state(study, State.PENDING)],
        "overdue, so far": [study.now() - query.asked_at for query in of_state(study, State.OVERDUE)],
    }
    for label, some in spans.items():
        bar = bars[f"{label} ({len(some)})"]
        edges = [*(np.array(bar.x) - bar.width / 2), bar.x[-1] + bar.width / 2]
        assert list(bar.y) == np.histogram(np.array(some) / HOUR, edges)[0].tolist()
        assert sum(bar.y) == len(some)


def test_the_mean_is_that_of_the_answers(study: bl.Study) -> None:
    waits = [query.answer.at - query.asked_at for query in of_state(study, State.ANSWERED) if query.answer]
    mean = float(np.mean(waits)) / HOUR
    assert list(named(report.waits(study))[f"mean of the answers, {mean:.3g}"].x) == [mean, mean]


@pytest.mark.parametrize("wait", [0.0, 1e-6, 0.3, 1.0, 7.0, 59.0, 1e7])
def test_bars_have_round_widths_and_reach_beyond_the_longest_wait(wait: float) -> None:
    clock = Clock(0.0)
    study = small(clock=clock)
    query = asked(study)
    clock.now = wait
    study.tell(query, 1.0)
    bar = report.waits(study, time="second").data[0]
    assert len(bar.x) <= 32
    assert f"{bar.width:e}"[0] in "125"
    assert sum(bar.y) == 1
