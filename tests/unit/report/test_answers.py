"""Figures of what was answered show the answers of the log."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import belated as bl
from belated import report
from tests.builders import Clock, box, table
from tests.unit.report.studies import HOUR, asked, laboratory, named, small


@pytest.mark.parametrize("goal", ["maximize", "minimize"])
def test_progress_steps_from_one_best_answer_to_the_next_and_on_to_now(goal: Any) -> None:
    study = laboratory(goal)
    line = named(report.progress(study))["best answer so far"]
    steps = np.diff(line.y)
    assert np.all((steps[:-1] > 0) if goal == "maximize" else (steps[:-1] < 0))
    assert steps[-1] == 0
    assert line.y[-1] == study.best().value
    assert line.x[-1] == pytest.approx(study.now() / HOUR)


def test_progress_has_a_dot_for_every_answer_when_it_came() -> None:
    study = laboratory()
    dots = named(report.progress(study))
    answers = [query.answer for query in study.queries() if query.answer and query.number]
    assert sorted(zip(dots["answers"].x, dots["answers"].y, strict=True)) == sorted(
        (answer.at / HOUR, answer.value) for answer in answers
    )
    assert list(dots["added"].y) == [0.5]


def test_the_unit_of_time_fits_the_span_unless_the_clock_counts_something_else() -> None:
    study = laboratory()
    assert report.progress(study).layout.xaxis.title.text == "hours since the study began"
    figure = report.progress(study, time="round", value="yield (%)")
    assert figure.layout.xaxis.title.text == "rounds since the study began"
    assert figure.layout.yaxis.title.text == "yield (%)"
    assert named(figure)["best answer so far"].x[-1] == study.now()


def test_every_parameter_has_its_panel_on_its_own_scale() -> None:
    study = small(box())
    for value in (1.0, 3.0):
        study.tell(asked(study), value)
    figure = report.asked(study)
    assert [figure.layout[axis].title.text for axis in ("xaxis", "xaxis2")] == ["heat", "dose"]
    assert [figure.layout[axis].type for axis in ("xaxis", "xaxis2")] == ["linear", "log"]
    points = [query.point for query in study.queries()]
    assert [list(trace.x) for trace in figure.data] == [[point[name] for point in points] for name in ("heat", "dose")]
    assert list(figure.data[0].y) == [1.0, 3.0]


@pytest.mark.parametrize("draw", [report.progress, report.timeline, report.waits, report.pairs, report.asked])
def test_a_study_in_which_nothing_happened_still_has_its_figures(draw: Any) -> None:
    assert draw(small(table())).to_dict()


def test_a_large_study_is_drawn_in_part_with_its_best_answer_and_a_remark(monkeypatch: pytest.MonkeyPatch) -> None:
    from belated.report import answers
    from belated.report.thinning import spread

    monkeypatch.setattr(answers, "spread", lambda items: spread(items, 5))
    study = small(clock=Clock())
    for value in (1.0, 2.0, 9.0, 3.0, 4.0, 5.0, 6.0, 7.0):
        study.tell(asked(study), value)
    figure = report.progress(study)
    assert len(named(figure)["answers"].x) == 5
    assert named(figure)["best answer so far"].y[-1] == 9.0
    assert figure.layout.title.text == "5 of 8 answers are drawn."
    assert bl.Study(study.events, Clock()).best().value == 9.0
