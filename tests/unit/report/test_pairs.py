"""The figure of pairs shows where was asked."""

from __future__ import annotations

from typing import Any

import pytest

import belated as bl
from belated import report
from belated.errors import UnsupportedError
from tests.unit.report.studies import laboratory, named, small


@pytest.fixture(scope="module")
def study() -> bl.Study:
    return laboratory("minimize")


def test_there_is_one_panel_for_each_pair_of_parameters(study: bl.Study) -> None:
    cells = {(trace.xaxis, trace.yaxis) for trace in report.pairs(study).data}
    assert len(cells) == 6
    assert len({(trace.xaxis, trace.yaxis) for trace in report.pairs(study, parameters=["heat", "fast"]).data}) == 1


def test_answers_are_coloured_by_their_value_and_the_good_ones_are_bright(study: bl.Study) -> None:
    figure = report.pairs(study, parameters=["heat", "steps"], value="cost")
    queries = [query for query in study.queries() if query.answer]
    (dots,) = [trace for trace in figure.data if trace.marker.coloraxis]
    assert list(dots.x) == [query.point["heat"] for query in queries]
    assert list(dots.y) == [query.point["steps"] for query in queries]
    assert list(dots.marker.color) == [query.answer.value for query in queries if query.answer]
    assert figure.layout.coloraxis.reversescale
    assert not report.pairs(laboratory()).layout.coloraxis.reversescale
    assert figure.layout.coloraxis.colorbar.title.text == "cost"


def test_pending_and_overdue_queries_are_open_marks_and_abandoned_ones_are_left_out(study: bl.Study) -> None:
    marks = named(report.pairs(study))
    assert list(marks) == ["best answer", "pending", "overdue"]
    for state in ("pending", "overdue"):
        queries = [query for query in study.queries() if query.state == state]
        assert list(marks[state].x) == [query.point["heat"] for query in queries]
        assert marks[state].marker.symbol.endswith("-open")


def test_the_best_answer_is_marked(study: bl.Study) -> None:
    best = named(report.pairs(study, parameters=["heat", "steps"]))["best answer"]
    assert (best.x[0], best.y[0]) == (study.best().point["heat"], study.best().point["steps"])


def test_of_many_parameters_the_first_six_are_drawn() -> None:
    many: dict[str, Any] = {f"x{number}": bl.Float(0, 1) for number in range(9)}
    figure = report.pairs(small(bl.Space(**many)))
    assert figure.layout.title.text == "6 of 9 parameters are drawn."


def test_one_parameter_makes_no_pair() -> None:
    with pytest.raises(UnsupportedError, match="a pair has two; plot 'belief' instead"):
        report.pairs(small())
