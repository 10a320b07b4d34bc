"""The figure of the delay shows the curve, its band, and where the queries that wait stand on it."""

from __future__ import annotations

import re

import pytest

import belated as bl
from belated import report
from belated.errors import ParameterError
from tests.builders import Clock, random_study
from tests.unit.report.studies import HOUR, asked, laboratory, named, small


@pytest.fixture(scope="module")
def study() -> bl.Study:
    return laboratory()


def test_the_curve_rises_at_the_delays_and_goes_on_to_the_longest_wait(study: bl.Study) -> None:
    found, line = study.delays(), named(report.delays(study))["answered"]
    longest = max(entry.seconds for entry in found.waiting)
    assert list(line.x) == [0.0, *(found.seconds.times / HOUR), longest / HOUR]
    assert list(line.y) == [0.0, *(1.0 - found.seconds.survival), 1.0 - found.seconds.survival[-1]]
    assert line.line.shape == "hv"


def test_the_band_is_that_of_the_curve(study: bl.Study) -> None:
    figure, found = report.delays(study), study.delays()
    high = named(figure)["95 % band"]
    low = next(trace for trace in figure.data if trace.showlegend is False)
    assert list(high.y)[1:-1] == list(1.0 - found.seconds.low)
    assert list(low.y)[1:-1] == list(1.0 - found.seconds.high)


def test_marks_stand_on_the_curve_at_the_ages_of_the_queries_that_wait(study: bl.Study) -> None:
    found, traces = study.delays(), named(report.delays(study))
    overdue = traces["overdue, so far (1)"]
    assert [entry[0] for entry in overdue.customdata] == [5]
    pending = traces["pending, so far (3)"]
    ages = {entry.query: entry.seconds for entry in found.waiting}
    assert list(pending.x) == [ages[entry[0]] / HOUR for entry in pending.customdata]
    assert list(pending.y) == [found.seconds.answered_by(ages[entry[0]]) for entry in pending.customdata]


def test_in_queries_the_axis_counts_them(study: bl.Study) -> None:
    figure = study.plot("delays", unit="queries")
    assert figure.layout.xaxis.title.text == "queries asked after it until the answer, or until now"
    assert list(named(figure)["answered"].x)[1:-1] == list(study.delays().queries.times)


def test_the_clock_may_have_another_unit() -> None:
    study = random_study(3, n_answered=20, n_pending=5)
    assert report.delays(study, time="day").layout.xaxis.title.text == "days from ask to answer, or to now"


def test_the_share_that_is_never_answered_is_a_line_and_a_note() -> None:
    clock = Clock(0.0)
    study = small(clock=clock)
    for turn in range(20):
        query = asked(study)
        clock.now += 1.0 + turn / 100.0
        if turn % 4:
            study.tell(query, 1.0)
    clock.now = 1000.0
    never = study.delays().seconds.never
    assert never.estimate == pytest.approx(0.25)
    figure = report.delays(study)
    assert list(named(figure)["all but the 25% never answered"].y) == [0.75, 0.75]
    assert re.match(r"Never answered: about 25%, between \d+% and \d+%\.", figure.layout.title.text)


def test_without_a_plateau_the_note_says_what_is_not_known(study: bl.Study) -> None:
    text = report.delays(study).layout.title.text
    assert text.startswith("Whether some queries are never answered, the log cannot tell yet: at most ")


def test_a_study_without_answers_is_drawn_too() -> None:
    study = small()
    assert list(report.delays(study).data) == []
    asked(study)
    figure = report.delays(study)
    assert list(named(figure)) == ["pending, so far (1)"]
    assert figure.layout.title.text == "No query has an answer yet."


def test_of_very_many_that_wait_some_are_drawn_and_the_note_says_so() -> None:
    study = random_study(3, n_answered=20, n_pending=2100)
    assert "2,000 of 2,100 queries without an answer are drawn." in report.delays(study).layout.title.text


def test_another_unit_is_refused(study: bl.Study) -> None:
    with pytest.raises(
        ParameterError,
        match=r"^plot\('delays'\): got unit='days'; delays are counted in 'queries' or in 'seconds'; give one of th",
    ):
        study.plot("delays", unit="days")
