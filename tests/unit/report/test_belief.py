"""The figure of the belief shows what the study expects."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import belated as bl
from belated import report
from belated.errors import ContextError, NoAnswerError, PointError, UnsupportedError
from tests.builders import mixed_table
from tests.tolerance import SOLVE_TOLERANCE
from tests.unit.report.studies import asked, laboratory, named, small

EXPECTED = "expected ± 2 deviations"


@pytest.fixture(scope="module", params=["maximize", "minimize"])
def study(request: pytest.FixtureRequest) -> bl.Study:
    return laboratory(request.param)


def traces(figure: Any, panel: int, name: str) -> list[Any]:
    axis = "x" if panel == 0 else f"x{panel + 1}"
    return [trace for trace in figure.data if trace.name == name and trace.xaxis == axis]


def test_the_band_is_what_the_study_expects_with_two_deviations_to_each_side(study: bl.Study) -> None:
    line, band = traces(report.belief(study), 0, EXPECTED)
    centre = study.recommend().point
    mean, deviation = study.expect([{**centre, "heat": heat} for heat in line.x])
    assert_allclose(line.y, mean, atol=SOLVE_TOLERANCE)
    assert list(band.x) == [*line.x, *line.x[::-1]]
    assert_allclose(band.y, [*(mean + 2 * deviation), *(mean - 2 * deviation)[::-1]], atol=SOLVE_TOLERANCE)


@pytest.mark.parametrize("panel, name, values", [(1, "steps", range(1, 9)), (2, "solvent", ["DMF", "THF", "water"])])
def test_whole_numbers_and_options_stand_as_points_with_bars(
    panel: int, name: str, values: Any, study: bl.Study
) -> None:
    figure = report.belief(study)
    centre = study.recommend().point
    (points,) = traces(figure, panel, EXPECTED)
    mean, deviation = study.expect([{**centre, name: value} for value in values])
    assert_allclose(points.y, mean, atol=SOLVE_TOLERANCE)
    assert_allclose(points.error_y.array, 2 * deviation, atol=SOLVE_TOLERANCE)
    assert list(figure.layout.xaxis3.ticktext) == ["DMF", "THF", "water"]


def test_the_recommended_point_lies_on_the_curve(study: bl.Study) -> None:
    (mark,) = traces(report.belief(study), 0, "recommended")
    best = study.recommend()
    assert list(mark.x) == [best.point["heat"]]
    assert_allclose(mark.y, [best.mean], atol=SOLVE_TOLERANCE)


def test_another_point_can_be_the_centre(study: bl.Study) -> None:
    centre = {"heat": 50.0, "steps": 2, "solvent": "THF", "fast": False}
    figure = report.belief(study, at=centre)
    line, _ = traces(figure, 0, EXPECTED)
    mean, _ = study.expect([{**centre, "heat": heat} for heat in line.x])
    assert_allclose(line.y, mean, atol=SOLVE_TOLERANCE)
    assert "the point given" in named(figure)


def test_answers_are_dots_and_queries_without_one_are_ticks(study: bl.Study) -> None:
    figure = report.belief(study)
    queries = study.queries()
    (dots,) = traces(figure, 0, "answers")
    assert list(zip(dots.x, dots.y, strict=True)) == [
        (query.point["heat"], query.answer.value) for query in queries if query.answer
    ]
    for state in ("pending", "overdue"):
        (ticks,) = traces(figure, 0, state)
        assert list(ticks.x) == [query.point["heat"] for query in queries if query.state == state]
        assert len(set(ticks.y)) == 1


def test_everything_is_within_the_range_of_the_panels(study: bl.Study) -> None:
    figure = report.belief(study)
    low, high = figure.layout.yaxis.range
    for trace in figure.data:
        assert low < min(trace.y) <= max(trace.y) < high


def test_only_the_parameters_named_are_drawn(study: bl.Study) -> None:
    figure = report.belief(study, parameters=["fast", "heat"], value="yield")
    assert [figure.layout[axis].title.text for axis in ("xaxis", "xaxis2")] == ["fast", "heat"]
    assert figure.layout.yaxis.title.text == "yield"


def test_of_many_parameters_the_first_twelve_are_drawn() -> None:
    many: dict[str, Any] = {f"x{number}": bl.Float(0, 1) for number in range(15)}
    study = small(bl.Space(**many))
    study.tell(asked(study), 1.0)
    assert report.belief(study).layout.title.text == "12 of 15 parameters are drawn."


@pytest.mark.parametrize("goal", ["maximize", "minimize"])
def test_each_value_of_a_table_shows_the_row_with_the_best_expectation(goal: Any) -> None:
    table = mixed_table()
    study = laboratory(goal, table)
    (points,) = traces(report.belief(study, parameters=["solvent"]), 0, EXPECTED)
    rows = [table.point(row) for row in range(len(table))]
    mean, deviation = study.expect(rows)
    best = max if goal == "maximize" else min
    for place, label, value, bar in zip(points.x, ["DMF", "THF", "water"], points.y, points.error_y.array, strict=True):
        among = [row for row in range(len(rows)) if rows[row]["solvent"] == label]
        row = best(among, key=lambda row: float(mean[row]))
        assert_allclose([value, bar], [mean[row], 2 * deviation[row]], atol=SOLVE_TOLERANCE)
        assert place == ["DMF", "THF", "water"].index(label)


def test_a_table_of_many_values_shows_a_few_rows_in_their_order() -> None:
    table = bl.Candidates(np.linspace(-3.0, 5.0, 2500)[:, None] ** 3, names=["x"])
    study = small(table, policy="gp-bucb")
    for _ in range(4):
        query = asked(study)
        study.tell(query, -abs(query.point["x"]))
    figure = report.belief(study)
    (points,) = traces(figure, 0, EXPECTED)
    assert len(points.x) <= 25
    assert np.all(np.diff(points.x) > 0)
    assert figure.layout.title.text.endswith("the best expectation among 2,000 of 2,500 rows.")


def test_the_context_is_the_latest_unless_another_is_given() -> None:
    context = bl.Context(hour=bl.Float(0, 24), seen="before")
    study = small(policy="gp-bucb", context=context)
    for hour, value in [(3.0, 1.0), (20.0, 2.0)]:
        study.tell(asked(study, context={"hour": hour}), value)
    for given, hour in [(None, 20.0), ({"hour": 5.0}, 5.0)]:
        figure = report.belief(study, context=given)
        line, _ = traces(figure, 0, EXPECTED)
        mean, _ = study.expect([{"x": x} for x in line.x], context={"hour": hour})
        assert_allclose(line.y, mean, atol=SOLVE_TOLERANCE)
        assert f"hour = {hour:g}" in figure.layout.title.text


def test_without_an_answer_there_is_no_belief_to_draw() -> None:
    with pytest.raises(NoAnswerError, match=r"plot\('belief'\): no query has an answer yet"):
        report.belief(small())


def test_points_and_contexts_that_do_not_fit_are_refused(study: bl.Study) -> None:
    with pytest.raises(PointError, match=r"plot\('belief'\) at: missing parameter 'steps'"):
        report.belief(study, at={"heat": 50.0})
    with pytest.raises(ContextError, match=r"plot\('belief'\): got a context, but the study declares none"):
        report.belief(study, context={"hour": 3})
    with pytest.raises(UnsupportedError, match="nothing between its rows"):
        report.belief(laboratory(domain=mixed_table()), at={"heat": 50.0})


@pytest.mark.parametrize("value", [0.0, 1e12, -1e-12])
def test_one_answer_or_equal_ones_have_a_figure(value: float) -> None:
    study = small(policy="gp-bucb")
    for _ in range(2):
        study.tell(asked(study), value)
        figure = report.belief(study)
        low, high = figure.layout.yaxis.range
        assert low < value < high
